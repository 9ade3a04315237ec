#include "solvers/dock/blob.h"

#include "support/devices.h"

tsl_molecule *test_blob(tsl_context *context, uint64_t seed, int count, double radius)
{
    double positions[3 * BLOB_ATOMS], charges[BLOB_ATOMS];
    for (int i = 0; i < count;) {
        double p[3], square = 0;
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = radius * test_uniform(&seed);
            square += p[axis] * p[axis] * (axis + 1);
        }
        if (square < radius * radius) {
            for (int axis = 0; axis < 3; axis++) {
                positions[3 * i + axis] = p[axis] + 20;
            }
            charges[i++] = test_random(&seed) % 3 == 0 ? 0.5 * test_uniform(&seed) : 0;
        }
    }
    tsl_molecule *molecule = NULL;
    return tsl_molecule_create(&molecule, context, count, positions, charges) == TSL_OK ? molecule
                                                                                        : NULL;
}
