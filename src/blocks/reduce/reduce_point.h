/* The total order of docking's candidates: larger score first, then the cell that comes first. */
#ifndef TSL_REDUCE_POINT_H
#define TSL_REDUCE_POINT_H

#include <stdint.h>

#include "core/point.h"

/* A cell and its score as one number that sorts like them; scores > 0, cell < 2^31. */
TSL_FN int64_t tsl_top_key(int32_t score, int64_t cell)
{
    return ((int64_t)score << 31) | (INT64_C(0x7fffffff) - cell);
}

TSL_FN int32_t tsl_top_score(int64_t key)
{
    return (int32_t)(key >> 31);
}

TSL_FN int64_t tsl_top_cell(int64_t key)
{
    return INT64_C(0x7fffffff) - (key & INT64_C(0x7fffffff));
}

#endif
