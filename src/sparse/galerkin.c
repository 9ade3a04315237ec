/* The next level's matrix, P^T A P. */
#include <string.h>

#include "core/context.h"
#include "sparse/multigrid.h"

enum {
    BANDWIDTHS = 4,   /* of a band's rows at least, for neighbouring bands make rows twice */
    START_AHEAD = 32, /* rows of a factor whose starts are fetched before their turn */
    AHEAD = 16        /* and those whose entries are */
};

/* The rows of P that a thread makes a band with, those of A P, and its own of P^T. */
typedef struct making {
    tsl_rows p, ap, r;
    tsl_row row;
} making;

static void end(void *state)
{
    making *k = state;
    tsl_rows_free(&k->p);
    tsl_rows_free(&k->ap);
    tsl_rows_free(&k->r);
    tsl_row_free(&k->row);
}

/* ---- factors of a band ---------------------------------------------------------------------- */

/* The rows of those aggregates, and so many more on either side. */
static tsl_piece rows_around(const tsl_csr *members, int64_t from, int64_t to, int64_t more)
{
    tsl_piece rows = {members->columns, 0};
    for (int64_t i = from; i < to; i++) { /* none is empty; columns ascend */
        const int64_t first = members->column[members->row_start[i]];
        const int64_t last = members->column[members->row_start[i + 1] - 1];
        rows.from = first < rows.from ? first : rows.from;
        rows.to = last >= rows.to ? last + 1 : rows.to;
    }
    rows.from = rows.from > more ? rows.from - more : 0;
    rows.to = rows.to + more < members->columns ? rows.to + more : members->columns;
    return rows;
}

/* Room for about so many entries is taken at once, for memory costs when it is touched. */
static int64_t entries_of(const tsl_csr *m, tsl_piece rows)
{
    return m->row_start[rows.to] - m->row_start[rows.from];
}

static bool make_p(making *k, const tsl_prolongation *from, tsl_piece of)
{
    bool enough = tsl_rows_advance(&k->p, of.from, of.to - of.from) &&
                  tsl_rows_widen(&k->p, entries_of(from->g->matrix, of));
    for (int64_t i = of.from + k->p.rows; i < of.to && enough; i++) {
        enough = tsl_prolongator_row(&k->row, from, i) && tsl_rows_append(&k->p, &k->row) &&
                 tsl_rows_pad(&k->p, from->count);
    }
    return enough;
}

/* out = the row of `count` entries times m, whose rows are padded. Rows of m that the entries
 * before `known`, of this row and those behind it, ask for are fetched before their turn. */
static bool multiply_row(tsl_row *out, const int32_t *column, const double *value, int64_t count,
                         int64_t known, const tsl_rows *m)
{
    tsl_row own = *out; /* in registers */
    for (int64_t k = 0; k < count; k++) {
        const int64_t from = m->start[column[k] - m->first];
        const int64_t to = m->start[column[k] - m->first + 1];
        const double scale = value[k];
        if (k + START_AHEAD < known) {
            __builtin_prefetch(m->start + (column[k + START_AHEAD] - m->first));
        }
        if (k + AHEAD < known) {
            const int64_t later = m->start[column[k + AHEAD] - m->first];
            __builtin_prefetch(m->column + later);
            __builtin_prefetch(m->value + later);
            __builtin_prefetch(m->value + later + 7);
        }
        if (own.count + to - from > own.room) {
            out->count = own.count;
            if (!tsl_row_widen(out, to - from)) {
                return false;
            }
            own = *out;
        }
        for (int64_t group = from; group < to; group += TSL_ROWS_GROUP) {
            for (int64_t l = group; l < group + TSL_ROWS_GROUP; l++) {
                tsl_row_add(&own, m->column[l], scale * m->value[l]);
            }
        }
    }
    out->count = own.count;
    return true;
}

static bool make_ap(making *k, const tsl_csr *a, tsl_piece of)
{
    bool enough = tsl_rows_advance(&k->ap, of.from, of.to - of.from) &&
                  tsl_rows_widen(&k->ap, entries_of(a, of) + 2 * (of.to - of.from));
    for (int64_t i = of.from + k->ap.rows; i < of.to && enough; i++) {
        const int64_t first = a->row_start[i];
        enough = multiply_row(&k->row, a->column + first, a->value + first,
                              a->row_start[i + 1] - first, a->row_start[of.to] - first, &k->p) &&
                 tsl_rows_append(&k->ap, &k->row) && tsl_rows_pad(&k->ap, k->row.columns);
    }
    return enough;
}

/* Rows from … to - 1 of P^T. Counts stand a place on, so that when entries have
 * taken theirs, starts do. */
static bool make_r(making *k, int64_t from, int64_t to, tsl_piece of)
{
    const tsl_rows *p = &k->p;
    const int64_t first = p->start[of.from - p->first];
    const int64_t last = p->start[of.to - p->first];
    if (!tsl_rows_begin(&k->r, from, to - from + 1) || !tsl_rows_widen(&k->r, last - first + 1)) {
        return false;
    }
    int64_t *next = k->r.start + 1;
    memset(k->r.start, 0, (size_t)(to - from + 2) * sizeof *next);
    for (int64_t l = first; l < last; l++) {
        if (p->column[l] >= from && p->column[l] < to) {
            next[p->column[l] - from + 1]++;
        }
    }
    for (int64_t i = from; i < to; i++) {
        next[i - from + 1] += next[i - from];
    }
    for (int64_t j = of.from; j < of.to; j++) {
        for (int64_t l = p->start[j - p->first]; l < p->start[j - p->first + 1]; l++) {
            if (p->column[l] >= from && p->column[l] < to) {
                const int64_t at = next[p->column[l] - from]++;
                k->r.column[at] = (int32_t)j;
                k->r.value[at] = p->value[l];
            }
        }
    }
    k->r.rows = to - from;
    return true;
}

/* ---- the product ---------------------------------------------------------------------------- */

typedef struct product {
    const tsl_coarsening *coarsening;
    int64_t bandwidth; /* of A */
} product;

static bool begin(void *state, const void *self, int64_t from, int64_t to)
{
    making *k = state;
    const product *c = self;
    const tsl_prolongation *p = c->coarsening->from;
    const tsl_csr *members = c->coarsening->members;
    const tsl_piece of_ap = rows_around(members, from, to, c->bandwidth);
    const tsl_piece of_p = rows_around(members, from, to, 2 * c->bandwidth);
    return tsl_row_begin(&k->row, p->count) && make_p(k, p, of_p) &&
           make_ap(k, p->g->matrix, of_ap) && make_r(k, from, to, of_ap);
}

static bool make_row(void *state, const void *self, tsl_row *out, int64_t i)
{
    const making *k = state;
    const int64_t *start = k->r.start + (i - k->r.first);
    const int64_t known = k->r.start[k->r.rows] - start[0];
    (void)self;
    return multiply_row(out, k->r.column + start[0], k->r.value + start[0], start[1] - start[0],
                        known, &k->ap);
}

tsl_status tsl_galerkin(tsl_csr *out, tsl_context *context, const tsl_coarsening *c)
{
    const tsl_csr *a = c->from->g->matrix;
    const product self = {c, tsl_bandwidth(a, context->threads)};
    const tsl_row_maker maker = {.self = &self,
                                 .state_bytes = sizeof(making),
                                 .begin = begin,
                                 .make = make_row,
                                 .end = end,
                                 .bands = a->rows / (BANDWIDTHS * (self.bandwidth + 1)),
                                 .entries = tsl_csr_nonzeros(a) / 2,
                                 .what = "a product of matrices"};
    return tsl_rows_make(out, context, c->from->count, c->from->count, &maker);
}
