/* Contacts of two molecules: what a device does for them. */
#ifndef TSL_CONTACTS_H
#define TSL_CONTACTS_H

#include "core/context.h"

/* A cut-off is above 0, up to this, angstrom. */
#define TSL_CONTACTS_LONGEST 1e6

typedef struct tsl_contacts_ops {
    /* Add the number of pairs of a [m][3] and b [n][3] that touch to *pairs. All in device memory;
     * asynchronous on the context's stream. */
    tsl_status (*count)(tsl_context *context, int64_t m, const double *a, int64_t n,
                        const double *b, double square, int64_t *pairs);
} tsl_contacts_ops;

#endif
