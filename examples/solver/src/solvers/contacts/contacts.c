/* Counting contacts, the same on every device. */
#include "solvers/contacts/contacts.h"
#include "core/profile.h"
#include "device/device.h"
#include "tesela/contacts.h"

/* Device memory with a copy of `bytes` bytes of the host's. */
static tsl_status send(tsl_context *context, void **out, const void *host, int64_t bytes)
{
    const tsl_status status = tsl_device_allocate(out, context, bytes, "atoms");
    return status == TSL_OK ? context->ops->upload(context, *out, host, bytes) : status;
}

tsl_status tsl_contacts_count(int64_t *pairs, tsl_context *context, const tsl_molecule *a,
                              const tsl_molecule *b, double cutoff)
{
    if (!(cutoff > 0 && cutoff <= TSL_CONTACTS_LONGEST)) {
        return tsl_fail(context, TSL_E_ARG, "a cut-off of %g angstrom: give more than 0, up to %g",
                        cutoff, TSL_CONTACTS_LONGEST);
    }
    const double begun = tsl_seconds();
    const int64_t m = tsl_molecule_count(a);
    const int64_t n = tsl_molecule_count(b);
    void *device[3] = {NULL, NULL, NULL};
    tsl_status status = TSL_OK;
    *pairs = 0;
    TSL_TRY(send(context, &device[0], tsl_molecule_positions(a), 24 * m));
    TSL_TRY(send(context, &device[1], tsl_molecule_positions(b), 24 * n));
    TSL_TRY(send(context, &device[2], pairs, 8));
    TSL_TRY(context->ops->contacts->count(context, m, device[0], n, device[1], cutoff * cutoff,
                                          device[2]));
    TSL_TRY(context->ops->download(context, pairs, device[2], 8));
    tsl_profile_add(context, "contacts", begun, 24 * (m + n), 8 * m * n);
done:
    for (int i = 0; i < 3; i++) {
        tsl_device_release(context, device[i]);
    }
    return status;
}
