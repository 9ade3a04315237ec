/* A molecule for tests of docking. */
#ifndef TSL_TESTS_BLOB_H
#define TSL_TESTS_BLOB_H

#include <stdint.h>

#include "tesela/molecule.h"

enum { BLOB_ATOMS = 150 };

/* A compact blob of charged atoms, neither round nor centred; count <= BLOB_ATOMS. NULL if it
 * cannot be made. */
tsl_molecule *test_blob(tsl_context *context, uint64_t seed, int count, double radius);

#endif
