/* What correlations of several terms are compared with: boxes, full and of points, and direct sums.
 */
#ifndef TESTS_BLOCKS_CONVOLVE_TERMS_H
#define TESTS_BLOCKS_CONVOLVE_TERMS_H

#include <math.h>
#include <string.h>

#include "blocks/convolve_oracle.h"

enum { MOST_TERMS = 3, POINTS = 40, MOST_BOXES = 5 };

/* Three terms with fixed grids and boxes of integers, the first two of points, and what they make
 * together. */
typedef struct terms_oracle {
    double *fixed[MOST_TERMS]; /* [cells] */
    int32_t *boxes;            /* [count][terms][box] */
    int16_t values[POINTS][MOST_TERMS];
    int32_t cells[MOST_BOXES][POINTS]; /* along the last axis, and bits above them */
    int32_t next[MOST_BOXES][POINTS];
    int32_t *heads; /* [count][box0][box1] */
    double *wanted; /* [count][cells] */
    double norms;   /* of fixed grids times those of boxes, the largest of a member */
} terms_oracle;

static double direct_of_terms(const row *r, const terms_oracle *o, int member, const int s[3])
{
    double sum = 0;
    for (int t = 0; t < MOST_TERMS; t++) {
        const int32_t *box = o->boxes + (ptrdiff_t)(member * MOST_TERMS + t) * box_cells_of(r);
        for (int i = 0; i < box_cells_of(r); i++) {
            const int at[3] = {i / (r->box[1] * r->box[2]), i / r->box[2] % r->box[1],
                               i % r->box[2]};
            const int from =
                ((at[0] + s[0]) % r->n[0] * r->n[1] + (at[1] + s[1]) % r->n[1]) * r->n[2] +
                (at[2] + s[2]) % r->n[2];
            sum += o->fixed[t][from] * box[i];
        }
    }
    return sum;
}

static double norm_of_box(const row *r, const int32_t *box)
{
    double square = 0;
    for (int i = 0; i < box_cells_of(r); i++) {
        square += (double)box[i] * box[i];
    }
    return sqrt(square);
}

/* Points of the boxes, several to a row and to a cell. The last term's boxes are full. */
static void make_boxes(const row *r, terms_oracle *o, uint64_t *seed)
{
    const int box = box_cells_of(r), lines = r->box[0] * r->box[1];
    assert_in_range(r->count, 1, MOST_BOXES);
    o->boxes = calloc((size_t)(box * MOST_TERMS * r->count), sizeof *o->boxes);
    o->heads = malloc((size_t)(lines * r->count) * sizeof *o->heads);
    memset(o->heads, 0xff, (size_t)(lines * r->count) * sizeof *o->heads);
    for (int i = 0; i < POINTS * MOST_TERMS; i++) {
        o->values[i / MOST_TERMS][i % MOST_TERMS] = (int16_t)((int)(test_random(seed) % 41) - 20);
    }
    for (int b = 0; b < r->count; b++) {
        int32_t *of_member = o->boxes + (ptrdiff_t)b * MOST_TERMS * box;
        for (int i = 0; i < POINTS; i++) {
            const int cell = (int)(test_random(seed) % (uint64_t)box);
            int32_t *head = &o->heads[b * lines + cell / r->box[2]];
            o->cells[b][i] = cell % r->box[2] | cell / r->box[2] << 10;
            o->next[b][i] = *head;
            *head = i;
            for (int t = 0; t < MOST_TERMS - 1; t++) {
                of_member[t * box + cell] += o->values[i][t];
            }
        }
        for (int i = 0; i < box; i++) {
            of_member[(MOST_TERMS - 1) * box + i] = (int32_t)(test_random(seed) % 41) - 20;
        }
    }
}

static terms_oracle make_terms(const row *r)
{
    const int cells = cells_of(r);
    terms_oracle o = {.wanted = malloc((size_t)(cells * r->count) * sizeof *o.wanted)};
    uint64_t seed = 11;
    double norms[MOST_TERMS];
    for (int t = 0; t < MOST_TERMS; t++) {
        double square = 0;
        o.fixed[t] = malloc((size_t)cells * sizeof *o.fixed[t]);
        for (int i = 0; i < cells; i++) {
            o.fixed[t][i] = (double)(test_random(&seed) % 400) - 200;
            square += o.fixed[t][i] * o.fixed[t][i];
        }
        norms[t] = sqrt(square);
    }
    make_boxes(r, &o, &seed);
    for (int i = 0; i < r->count; i++) {
        double product = 0;
        for (int t = 0; t < MOST_TERMS; t++) {
            product += norms[t] *
                       norm_of_box(r, o.boxes + (ptrdiff_t)(i * MOST_TERMS + t) * box_cells_of(r));
        }
        o.norms = fmax(o.norms, product);
    }
    for (int i = 0; i < cells * r->count; i++) {
        const int c = i % cells;
        const int s[3] = {c / (r->n[1] * r->n[2]), c / r->n[2] % r->n[1], c % r->n[2]};
        o.wanted[i] = direct_of_terms(r, &o, i / cells, s);
    }
    return o;
}

static void free_terms(terms_oracle *o)
{
    for (int t = 0; t < MOST_TERMS; t++) {
        free(o->fixed[t]);
    }
    free(o->boxes);
    free(o->heads);
    free(o->wanted);
}

#endif
