/* What the CPU does with the points of a cell, compiled for several instruction sets. */
#ifndef TSL_NEIGHBORS_CPU_H
#define TSL_NEIGHBORS_CPU_H

#include "solvers/pairs/pairs.h"

/* Points that are looked at together, points that are put beside each other, and those of a vector
 * at most; tables of counts; bytes of a line of memory, and points whose rows are asked for ahead.
 */
enum {
    TSL_CHUNK = 256,
    TSL_PACK = 2048,
    TSL_PACK_VECTOR = 16,
    TSL_TABLES = 4,
    TSL_LINE = 64,
    TSL_AHEAD = 8
};

/* What a thread keeps of a row while it looks. */
typedef struct tsl_row_space {
    int32_t *indices;
    void *squares;
} tsl_row_space;

/* By precision, single and double, and tsl_space. */
typedef struct tsl_cell_functions {
    /* Count the neighbours of a cell's points, or write them. */
    void (*look[2][3])(const tsl_neighbor_task *task, int cell, bool fill, tsl_row_space space);
    /* Add the pairs of a cell's points with points that come after them to counts [bins + 1]. */
    void (*bin[2][3])(const tsl_neighbor_task *task, int cell, int bins, double scale,
                      int64_t *const counts[TSL_TABLES]);
} tsl_cell_functions;

/* Instruction sets for which there are functions of their own, with the compilers that can. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TSL_HAS_CELL_FUNCTIONS 1
extern const tsl_cell_functions tsl_cell_functions_avx2, tsl_cell_functions_avx512;
#endif

/* The table that a file which has included neighbors_cpu.inc makes. */
#define TSL_CELL_FUNCTIONS                                                                         \
    {                                                                                              \
        {{cell_open_single, cell_periodic_single, cell_tilted_single},                             \
         {cell_open_double, cell_periodic_double, cell_tilted_double}},                            \
        {                                                                                          \
            {bin_open_single, bin_periodic_single, bin_tilted_single},                             \
            {                                                                                      \
                bin_open_double, bin_periodic_double, bin_tilted_double                            \
            }                                                                                      \
        }                                                                                          \
    }

#endif
