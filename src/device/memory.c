/* Device memory of any device, counted and listed in the context. This file has no state of its
 * own, so that it may be compiled into plug-ins too. */
#include "device/device.h"

typedef struct tsl_device_piece {
    struct tsl_device_piece *next;
    void *memory;
    int64_t bytes;
} tsl_device_piece;

tsl_status tsl_device_fail_memory(tsl_context *context, int64_t bytes, const char *what)
{
    tsl_device_properties properties;
    char needed[16] = "more", there[16];
    if (bytes > 0) {
        tsl_format_bytes(needed, bytes);
    }
    if (context->ops->properties(context->device, &properties) != TSL_OK) {
        return tsl_fail(context, TSL_E_NOMEM, "%s: out of memory: cannot take %s for %s",
                        context->name, needed, what);
    }
    const bool limited = context->ops->peer == NULL && bytes <= properties.memory_free;
    return tsl_fail(context, TSL_E_NOMEM,
                    "%s: out of memory: cannot take %s for %s, %s are free: take a smaller problem "
                    "or batch, or %s",
                    context->name, needed, what, tsl_format_bytes(there, properties.memory_free),
                    limited ? "raise the limit on this process (ulimit -v)"
                            : "end other programs there");
}

tsl_status tsl_device_read_properties(tsl_context *context, tsl_device_properties *out)
{
    const tsl_status status = context->ops->properties(context->device, out);
    return status == TSL_OK
               ? TSL_OK
               : tsl_fail(context, status, "%s: cannot read its properties", context->name);
}

static tsl_status allocate(void **out, tsl_context *context, int64_t bytes, const char *what,
                           bool passing)
{
    tsl_device_memory *held = &context->memory;
    const int64_t taken = bytes != 0 ? bytes : 1; /* of nothing CUDA gives no address */
    *out = NULL;
    held->asked++;
    if (held->fail_from > 0 && held->asked >= held->fail_from) {
        return tsl_device_fail_memory(context, bytes, what);
    }
    tsl_device_piece *piece = tsl_allocate(sizeof *piece);
    if (piece == NULL) {
        return tsl_fail_memory(context, sizeof *piece, what);
    }
    *piece = (tsl_device_piece){.next = held->pieces,
                                .memory = context->ops->allocate(context->device, taken, passing),
                                .bytes = taken};
    if (piece->memory == NULL) {
        tsl_release(piece);
        return tsl_device_fail_memory(context, bytes, what);
    }
    held->pieces = piece;
    held->live++;
    held->bytes += taken;
    *out = piece->memory;
    return TSL_OK;
}

tsl_status tsl_device_allocate(void **out, tsl_context *context, int64_t bytes, const char *what)
{
    return allocate(out, context, bytes, what, false);
}

tsl_status tsl_device_allocate_passing(void **out, tsl_context *context, int64_t bytes,
                                       const char *what)
{
    return allocate(out, context, bytes, what, true);
}

/* Take a piece out of the list, and release it. */
static void release_at(tsl_context *context, tsl_device_piece **at)
{
    tsl_device_piece *piece = *at;
    *at = piece->next;
    context->memory.live--;
    context->memory.bytes -= piece->bytes;
    context->ops->release(context->device, piece->memory);
    tsl_release(piece);
}

void tsl_device_release(tsl_context *context, void *memory)
{
    for (tsl_device_piece **at = &context->memory.pieces; *at != NULL; at = &(*at)->next) {
        if ((*at)->memory == memory) {
            release_at(context, at);
            return;
        }
    }
}

void tsl_device_release_all(tsl_context *context)
{
    while (context->memory.pieces != NULL) {
        release_at(context, &context->memory.pieces);
    }
}

int64_t tsl_test_fail_device_allocation(tsl_context *context, int64_t k)
{
    const int64_t asked = context->memory.asked;
    context->memory.asked = 0;
    context->memory.fail_from = k;
    return asked;
}
