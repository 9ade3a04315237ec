/* Where elements of a transposition go: index arithmetic, in 64 bits throughout. */
#ifndef TSL_TRANSPOSE_POINT_H
#define TSL_TRANSPOSE_POINT_H

#include <stdint.h>

#include "core/point.h"

/* A move of elements out of place, reduced to what matters: axes of length 1 are gone, and axes
 * that stay neighbours are one. Axis 0 is contiguous in the source. Strides count elements. */
typedef struct tsl_transpose_form {
    int kind;       /* tsl_transpose_kind */
    int element;    /* bytes of what moves as one: 4, 8 or 16 */
    int64_t n[3];   /* lengths */
    int64_t in[3];  /* strides in the source; in[0] = 1 */
    int64_t out[3]; /* strides in the target */
} tsl_transpose_form;

typedef enum tsl_transpose_kind {
    TSL_TRANSPOSE_COPY,    /* n[0] elements, contiguous in both */
    TSL_TRANSPOSE_ROWS,    /* rows of n[0] elements, contiguous in both, change places */
    TSL_TRANSPOSE_EXCHANGE /* axis 1 is contiguous in the target, out[1] = 1 */
} tsl_transpose_kind;

/* value / by and the remainder, both arguments >= 0. It is quick where 32 bits hold them. */
TSL_FN int64_t tsl_transpose_divide(int64_t *rest, int64_t value, int64_t by)
{
    if (value <= UINT32_MAX && by <= UINT32_MAX) {
        const uint32_t quotient = (uint32_t)value / (uint32_t)by;
        *rest = (uint32_t)value - quotient * (uint32_t)by;
        return quotient;
    }
    *rest = value % by;
    return value / by;
}

/* Boxes that cover a form. */
typedef struct tsl_transpose_cover {
    int side[3];      /* of a box, elements */
    int64_t count[3]; /* boxes along each axis */
    int first;        /* axis 0 or 1: the one along which box follows box */
} tsl_transpose_cover;

/* The shorter of axes 0 and 1 comes first, so that boxes that are worked on at the same time lie
 * close together in source and target. */
TSL_FN tsl_transpose_cover tsl_transpose_cover_of(const tsl_transpose_form *form, int side0,
                                                  int side1, int side2)
{
    tsl_transpose_cover cover;
    cover.side[0] = side0;
    cover.side[1] = side1;
    cover.side[2] = side2;
    for (int i = 0; i < 3; i++) {
        cover.count[i] = (form->n[i] + cover.side[i] - 1) / cover.side[i];
    }
    cover.first = cover.count[1] < cover.count[0];
    return cover;
}

TSL_FN int64_t tsl_transpose_boxes(const tsl_transpose_cover *cover)
{
    return cover->count[0] * cover->count[1] * cover->count[2];
}

/* First element of box number `box`. */
TSL_FN void tsl_transpose_corner(int64_t corner[3], const tsl_transpose_cover *cover, int64_t box)
{
    int64_t near_axis, far_axis;
    const int first = cover->first;
    box = tsl_transpose_divide(&near_axis, box, first ? cover->count[1] : cover->count[0]);
    box = tsl_transpose_divide(&far_axis, box, first ? cover->count[0] : cover->count[1]);
    corner[0] = (first ? far_axis : near_axis) * cover->side[0];
    corner[1] = (first ? near_axis : far_axis) * cover->side[1];
    corner[2] = box * cover->side[2];
}

/* Number of pairs (low, high) with 0 <= low < high < n. */
TSL_FN int64_t tsl_transpose_pairs(int64_t n)
{
    return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
}

/* Find pair number `pair`. The triangle of pairs is folded into a rectangle, so that no root is
 * taken. */
TSL_FN void tsl_transpose_pair(int64_t *low, int64_t *high, int64_t n, int64_t pair)
{
    int64_t column;
    const int64_t row = tsl_transpose_divide(&column, pair, n % 2 == 0 ? n - 1 : n);
    const int64_t first = row + n % 2;
    *high = column < first ? first : n - 1 - row;
    *low = column < first ? column : column - first;
}

/* Find the tile of pair number `pair`, in planes of tiles x tiles tiles that change places with
 * their mirror images, and return its plane. Tiles on the diagonal, which are half the work, come
 * after all others, so that little is left to do at the end. */
TSL_FN int64_t tsl_transpose_mirror(int64_t *left, int64_t *top, int64_t tiles, int64_t planes,
                                    int64_t pair)
{
    const int64_t each = tsl_transpose_pairs(tiles);
    int64_t plane;
    if (pair < each * planes) {
        plane = tsl_transpose_divide(&pair, pair, each);
        tsl_transpose_pair(left, top, tiles, pair);
    } else {
        plane = tsl_transpose_divide(left, pair - each * planes, tiles);
        *top = *left;
    }
    return plane;
}

/* Where the cell that belongs at `place` stands before a matrix of `rows` rows and `columns`
 * columns of cells is transposed in place. The result has `columns` rows. */
TSL_FN int64_t tsl_transpose_source(int64_t rows, int64_t columns, int64_t place)
{
    int64_t row;
    const int64_t column = tsl_transpose_divide(&row, place, rows);
    return row * columns + column;
}

/* Part of a cycle of the permutation tsl_transpose_source(): it has `count` places. The first is
 * `start`, and each other is tsl_transpose_source() of the place before it. A place takes the cell
 * of the place after it; the last takes the cell that segment `next` of the batch starts with. */
typedef struct tsl_transpose_segment {
    int64_t start, count, next;
} tsl_transpose_segment;

/* Where an element at p of a cube goes when the axes are rotated, to yzx where `forward`, else to
 * zxy. */
TSL_FN void tsl_transpose_turn(int64_t out[3], const int64_t p[3], int forward)
{
    for (int i = 0; i < 3; i++) {
        out[i] = forward ? p[(i + 1) % 3] : p[(i + 2) % 3];
    }
}

/* A rotation of a cube takes three bricks through each other. Is this the one that does the work
 * for them, the first in a total order? A brick whose three coordinates are equal turns in place,
 * and does its own work. */
TSL_FN int tsl_transpose_leads(const int64_t brick[3])
{
    return brick[0] <= brick[1] && brick[0] <= brick[2] &&
           !((brick[0] == brick[1] || brick[0] == brick[2]) && brick[1] > brick[2]);
}

#endif
