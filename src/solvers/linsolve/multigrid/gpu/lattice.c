#include "solvers/linsolve/multigrid/gpu/lattice.h"

#include <stdlib.h>

#include "solvers/linsolve/matrix/matrix.h"
#include "solvers/linsolve/multigrid/gpu/coarsen_point.h"

enum {
    SAMPLES = 8,  /* rows that are looked at */
    COMMON = 5,   /* rows of these that have an offset, at least */
    OFFSETS = 13, /* above the diagonal, at most: those of 27 points */
    STEPS = 2,    /* that an offset goes along an axis, at most */
    REACH = 3,    /* at most */
    SIDE = 2 * STEPS * REACH + 1,
    BOX = SIDE * SIDE * SIDE
};

/* A place among cells: how far along each axis. */
typedef struct place {
    int at[TSL_LATTICE_AXES];
} place;

/* Offsets above the diagonal, ascending, and what they are as places. */
typedef struct stencil {
    int count;
    int64_t offset[OFFSETS];
    place step[OFFSETS];
    int axes;
    int64_t stride[TSL_LATTICE_AXES];
} stencil;

/* Places within reach of 0 but 0 itself, the nearest first. */
typedef struct ball {
    int count;
    int within; /* of those, so many are within reach - 1 */
    place at[BOX];
} ball;

/* ---- what most rows have in common ---------------------------------------------------------- */

typedef struct tally {
    int64_t offset;
    int rows;
} tally;

static int compare_offsets(const void *a, const void *b)
{
    const int64_t x = ((const tally *)a)->offset;
    const int64_t y = ((const tally *)b)->offset;
    return (x > y) - (x < y);
}

static double inverse_at(const tsl_csr *m, int64_t row)
{
    const double *diagonal = tsl_csr_at(m, row, row);
    return diagonal != NULL ? 1 / *diagonal : 0;
}

/* Row i's offsets to strong columns behind it are counted; false: there are too many. */
static bool count_offsets(tally *all, int *count, const tsl_csr *m, int64_t i, double strength)
{
    const double inverse = inverse_at(m, i);
    for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
        const int64_t offset = m->column[k] - i;
        if (offset <= 0 ||
            !tsl_is_strong_value(m->value[k], inverse, inverse_at(m, i + offset), strength)) {
            continue;
        }
        int l = 0;
        while (l < *count && all[l].offset != offset) {
            l++;
        }
        if (l == SAMPLES * OFFSETS) {
            return false;
        }
        if (l == *count) {
            all[(*count)++] = (tally){offset, 0};
        }
        all[l].rows++;
    }
    return true;
}

/* False where there is none, or too many. */
static bool find_offsets(stencil *s, const tsl_csr *m, double strength)
{
    tally all[SAMPLES * OFFSETS];
    int count = 0;
    s->count = 0;
    for (int64_t sample = 0; sample < SAMPLES && m->rows > SAMPLES; sample++) {
        const int64_t row = m->rows * (2 * sample + 1) / (2 * SAMPLES);
        if (!count_offsets(all, &count, m, row, strength)) {
            return false;
        }
    }
    qsort(all, (size_t)count, sizeof *all, compare_offsets);
    for (int k = 0; k < count; k++) {
        if (all[k].rows < COMMON) {
            continue;
        }
        if (s->count == OFFSETS) {
            return false;
        }
        s->offset[s->count++] = all[k].offset;
    }
    return s->count > 0;
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* An offset as so many steps at most along each of the axes, from the last one on. */
static bool find_place(place *out, const stencil *s, int axes, int64_t offset)
{
    if (axes == 0) {
        return offset == 0;
    }
    for (int steps = -STEPS; steps <= STEPS; steps++) {
        out->at[axes - 1] = steps;
        if (find_place(out, s, axes - 1, offset - steps * s->stride[axes - 1])) {
            return true;
        }
    }
    return false;
}

/* The stride of one more axis, whose first offset is number k: those beside it are a stride and
 * what single steps along the other axes add to that, so it is in their middle. A grid of fewer
 * cells than paths of its entries may go along an axis is none. */
static bool add_axis(stencil *s, int k)
{
    int64_t around = 0;
    for (int axis = 0; axis < s->axes; axis++) {
        around += s->stride[axis];
    }
    int last = k;
    while (last + 1 < s->count && s->offset[last + 1] <= s->offset[k] + 2 * around) {
        last++;
    }
    const int64_t stride = (s->offset[k] + s->offset[last]) / 2;
    if (s->axes == TSL_LATTICE_AXES) {
        return false;
    }
    if (s->axes > 0) {
        const int64_t before = s->stride[s->axes - 1];
        if (stride % before != 0 || stride < SIDE * before) {
            return false;
        }
    }
    s->stride[s->axes++] = stride;
    return true;
}

/* Are the offsets those of a grid's cells? */
static bool find_axes(stencil *s)
{
    s->axes = 0;
    for (int k = 0; k < s->count; k++) {
        s->step[k] = (place){{0}};
        if (!find_place(&s->step[k], s, s->axes, s->offset[k]) &&
            !(add_axis(s, k) && find_place(&s->step[k], s, s->axes, s->offset[k]))) {
            return false;
        }
    }
    return true;
}

/* ---- what is within reach ------------------------------------------------------------------- */

static int box_index(const place *p)
{
    int index = 0;
    for (int axis = 0; axis < TSL_LATTICE_AXES; axis++) {
        index = index * SIDE + p->at[axis] + SIDE / 2;
    }
    return index;
}

static void add_place(ball *b, bool *seen, const place *from, const place *step, int sign)
{
    place to;
    for (int axis = 0; axis < TSL_LATTICE_AXES; axis++) {
        to.at[axis] = from->at[axis] + sign * step->at[axis];
    }
    if (!seen[box_index(&to)]) {
        seen[box_index(&to)] = true;
        b->at[b->count++] = to;
    }
}

static void find_ball(ball *b, const stencil *s, int reach)
{
    bool seen[BOX] = {false};
    const place origin = {{0}};
    seen[box_index(&origin)] = true;
    b->count = 0;
    b->within = 0;
    for (int distance = 1, from = -1; distance <= reach; distance++) {
        const int to = b->count;
        b->within = to;
        for (int i = from; i < to; i++) {
            const place *near = i < 0 ? &origin : &b->at[i];
            for (int k = 0; k < s->count; k++) {
                add_place(b, seen, near, &s->step[k], 1);
                add_place(b, seen, near, &s->step[k], -1);
            }
        }
        from = to;
    }
}

/* ---- the lattice ---------------------------------------------------------------------------- */

/* Has nothing within reach the phase of 0, and what is nearer every other? */
static bool is_lattice(const ball *b, const int *g, int phases)
{
    uint64_t met = 1;
    for (int i = 0; i < b->count; i++) {
        const int *at = b->at[i].at;
        /* above 0 */
        const int phase = (at[0] * g[0] + at[1] * g[1] + at[2] * g[2] + BOX * phases) % phases;
        if (phase == 0) {
            return false;
        }
        met |= i < b->within ? (uint64_t)1 << phase : 0;
    }
    return met == ((uint64_t)1 << phases) - 1;
}

/* Along the first axis the phase may grow by 1, for a multiple of all phases is the same lattice;
 * should it be none of 1, there are others. */
static bool search(int *g, const ball *b, int axes, int phases)
{
    g[0] = 1;
    for (g[2] = 0; g[2] < (axes > 2 ? phases : 1); g[2]++) {
        for (g[1] = 0; g[1] < (axes > 1 ? phases : 1); g[1]++) {
            if (is_lattice(b, g, phases)) {
                return true;
            }
        }
    }
    return false;
}

tsl_lattice tsl_lattice_find(const tsl_csr *m, double strength, int reach)
{
    tsl_lattice out = {.phases = 0};
    stencil s;
    ball b;
    int g[TSL_LATTICE_AXES];
    if (reach > REACH || !find_offsets(&s, m, strength) || !find_axes(&s)) {
        return out;
    }
    find_ball(&b, &s, reach);
    int phases = b.within + 1 < TSL_LATTICE_PHASES ? b.within + 1 : TSL_LATTICE_PHASES;
    while (phases > 1 && !search(g, &b, s.axes, phases)) {
        phases--;
    }
    out.phases = phases > 1 ? phases : 0;
    out.axes = s.axes;
    for (int axis = 0; axis < s.axes; axis++) {
        const int64_t times = axis > 0 ? s.stride[axis] / s.stride[axis - 1] : 0;
        const int64_t turn = g[axis] - (axis > 0 ? g[axis - 1] * (times % phases) : 0);
        out.stride[axis] = (uint32_t)s.stride[axis];
        out.turn[axis] = (uint32_t)((turn % phases + phases) % phases);
    }
    return out;
}
