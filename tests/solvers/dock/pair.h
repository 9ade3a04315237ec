/* A small pair of molecules for tests of plans and searches. */
#ifndef TSL_TESTS_PAIR_H
#define TSL_TESTS_PAIR_H

#include "tesela/tesela.h"

enum { PAIR_ROTATIONS = 23, PAIR_KEEP = 4 };

typedef struct pair {
    tsl_context *context;
    tsl_molecule *receptor, *ligand;
} pair;

/* Two blobs of atoms, in a context of their own. */
pair test_pair(const char *device, int threads);
void test_free_pair(pair *p);

/* PAIR_ROTATIONS rotations spread evenly. */
void test_spiral(tsl_rotation *rotations);
/* A grid of 50 cells, PAIR_KEEP poses a rotation. */
tsl_dock_options test_small_options(void);
/* Search those rotations; poses[PAIR_ROTATIONS * PAIR_KEEP]. Errors fail the test. */
void test_search_into(tsl_dock_plan *plan, tsl_pose *poses);
/* Search with a plan that is made for this search. */
void test_search(const pair *p, const tsl_dock_options *options, tsl_pose *poses);

#endif
