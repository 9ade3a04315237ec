/* FTDock 2.0's grids as they are defined there, written down plainly: loops over all that it loops
 * over, and a variable or a conversion for everything that it rounds to single precision. Nothing
 * here is shared with the library, so that the two can be compared. */
#ifndef TSL_TESTS_FTDOCK_RULE_H
#define TSL_TESTS_FTDOCK_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "tesela/tesela.h"

/* A molecule around its own mean. */
typedef struct rule_molecule {
    int64_t count;
    float (*positions)[3]; /* angstrom */
    float *charges;        /* e */
    float radius;          /* of the atom farthest from the mean */
} rule_molecule;

/* Its grid: n^3 cells, cell (x, y, z) at (x n + y) n + z. */
typedef struct rule_grid {
    int n;
    float span; /* angstrom */
} rule_grid;

/* rule_free() frees them. */
rule_molecule rule_read(const tsl_molecule *molecule);
/* Turned by whole degrees. */
rule_molecule rule_turn(const rule_molecule *molecule, int twist, int theta, int phi);
void rule_free(rule_molecule *molecule);

/* Edge of the grid for a pair, angstrom. */
float rule_span(const rule_molecule *receptor, const rule_molecule *ligand);

float rule_centre(const rule_grid *g, int cell);

/* cells = 1 where an atom is nearer than 1.8 angstrom, else 0. */
void rule_fill(uint8_t *cells, const rule_grid *g, const rule_molecule *molecule);

/* Filled cells as 1 on the surface and `core` inside, others as 0. */
void rule_surface(int *shape, const rule_grid *g, const uint8_t *cells, float surface, int core);

/* Potential outside the core. */
void rule_potential(float *potential, const rule_grid *g, const rule_molecule *molecule,
                    const int *shape, int core);

/* Score and energy with the ligand shifted by whole cells, around the grid's ends. */
int64_t rule_score(const rule_grid *g, const int *shape, const uint8_t *cells, const int shift[3]);
double rule_energy(const rule_grid *g, const float *potential, const rule_molecule *ligand,
                   const int shift[3]);

#endif
