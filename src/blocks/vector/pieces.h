/* Scalar products on the CPU as sums of pieces, whose lengths depend on nothing but that of the
 * vectors: the number of threads does not matter. */
#ifndef TSL_SPARSE_PIECES_H
#define TSL_SPARSE_PIECES_H

#include "blocks/csr/sparse.h"

typedef struct tsl_piece {
    int64_t from, to;
} tsl_piece;

/* Piece `number` of TSL_SPARSE_SUMS; pieces begin on cache lines. */
static inline tsl_piece tsl_piece_of(int64_t n, int number)
{
    const int64_t lines = (n + 7) / 8;
    const int64_t from = lines * number / TSL_SPARSE_SUMS * 8;
    const int64_t to = lines * (number + 1) / TSL_SPARSE_SUMS * 8;
    return (tsl_piece){from, to < n ? to : n};
}

/* Sum of a piece of a.b, eight sums side by side. */
static inline double tsl_piece_dot(tsl_piece p, const double *a, const double *b)
{
    double sums[8] = {0};
    int64_t i = p.from;
    for (; i + 8 <= p.to; i += 8) {
        for (int s = 0; s < 8; s++) {
            sums[s] += a[i + s] * b[i + s];
        }
    }
    for (int s = 0; i + s < p.to; s++) {
        sums[s] += a[i + s] * b[i + s];
    }
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

#endif
