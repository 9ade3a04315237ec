/** @file contacts.h
 *  Contacts of two molecules. */
#ifndef TESELA_CONTACTS_H
#define TESELA_CONTACTS_H

#include "tesela/context.h"
#include "tesela/molecule.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Count the pairs (i, j) with |a_i - b_j| < cutoff.
 *
 *  @param[out] pairs   their number
 *  @param[in]  cutoff  angstrom, > 0, at most 1e6
 *  @return TSL_OK; TSL_E_ARG if the cut-off is out of range; TSL_E_NOMEM; TSL_E_DEVICE.
 *
 *  Accuracy: exact for squared distances as double precision has them. Synchronous. */
TSL_API tsl_status tsl_contacts_count(int64_t *pairs, tsl_context *context, const tsl_molecule *a,
                                      const tsl_molecule *b, double cutoff);

#ifdef __cplusplus
}
#endif

#endif
