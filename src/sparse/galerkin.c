/* The next level's matrix, P^T A P. */
#include <string.h>

#include "core/context.h"
#include "sparse/multigrid.h"

enum {
    BANDWIDTHS = 4, /* of a band's rows at least, for neighbouring bands make rows twice */
    AHEAD = 16      /* rows of a factor that are fetched before their turn */
};

/* Some of the rows from … to - 1. */
typedef struct row_set {
    int64_t from, to;
    int64_t room;
    bool *has; /* [to - from] */
} row_set;

/* What a thread makes a band with: those rows of P and A P that it needs, the others being empty,
 * and its own of P^T. */
typedef struct making {
    row_set members, of_ap, of_p;
    tsl_rows p, ap, r;
    tsl_row row;
} making;

static void end(void *state)
{
    making *k = state;
    tsl_release(k->members.has);
    tsl_release(k->of_ap.has);
    tsl_release(k->of_p.has);
    tsl_rows_free(&k->p);
    tsl_rows_free(&k->ap);
    tsl_rows_free(&k->r);
    tsl_row_free(&k->row);
}

/* ---- which rows a band needs ---------------------------------------------------------------- */

/* The columns that rows of m reach: all from … to - 1 or, where there is a set, those it has. */
static bool reach(row_set *out, const tsl_csr *m, int64_t from, int64_t to, const row_set *rows)
{
    out->from = m->columns;
    out->to = 0;
    for (int64_t i = from; i < to; i++) {
        if ((rows == NULL || rows->has[i - from]) && m->row_start[i] < m->row_start[i + 1]) {
            const int64_t first = m->column[m->row_start[i]]; /* columns ascend */
            const int64_t last = m->column[m->row_start[i + 1] - 1];
            out->from = first < out->from ? first : out->from;
            out->to = last >= out->to ? last + 1 : out->to;
        }
    }
    if (out->to - out->from > out->room) {
        tsl_release(out->has);
        out->has = tsl_allocate((size_t)(out->to - out->from) * sizeof *out->has);
        out->room = out->has != NULL ? out->to - out->from : 0;
    }
    if (out->to <= out->from || out->has == NULL) {
        return false;
    }
    memset(out->has, 0, (size_t)(out->to - out->from) * sizeof *out->has);
    for (int64_t i = from; i < to; i++) {
        for (int64_t k = m->row_start[i];
             k < m->row_start[i + 1] && (rows == NULL || rows->has[i - from]); k++) {
            out->has[m->column[k] - out->from] = true;
        }
    }
    return true;
}

/* ---- factors of a band ---------------------------------------------------------------------- */

/* Of those rows: room for about so many is taken at once, for memory costs when it is touched. */
static int64_t entries_of(const tsl_csr *m, const row_set *of)
{
    return m->row_start[of->to] - m->row_start[of->from];
}

static bool make_p(making *k, const tsl_prolongation *from)
{
    const row_set *of = &k->of_p;
    bool enough = tsl_rows_begin(&k->p, of->from, of->to - of->from) &&
                  tsl_rows_widen(&k->p, entries_of(from->g->matrix, of));
    for (int64_t i = of->from; i < of->to && enough; i++) {
        tsl_row_clear(&k->row);
        enough = (!of->has[i - of->from] || tsl_prolongator_row(&k->row, from, i)) &&
                 tsl_rows_append(&k->p, &k->row);
    }
    return enough;
}

/* out = the row of `count` entries times m. Rows of m that the entries before `known`, of this row
 * and those behind it, ask for are fetched before their turn. */
static bool multiply_row(tsl_row *out, const int32_t *column, const double *value, int64_t count,
                         int64_t known, const tsl_rows *m)
{
    tsl_row own = *out; /* in registers */
    for (int64_t k = 0; k < count; k++) {
        const int64_t from = m->start[column[k] - m->first];
        const int64_t to = m->start[column[k] - m->first + 1];
        const double scale = value[k];
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
        for (int64_t l = from; l < to; l++) {
            tsl_row_add(&own, m->column[l], scale * m->value[l]);
        }
    }
    out->count = own.count;
    return true;
}

static bool make_ap(making *k, const tsl_csr *a)
{
    const row_set *of = &k->of_ap;
    bool enough = tsl_rows_begin(&k->ap, of->from, of->to - of->from) &&
                  tsl_rows_widen(&k->ap, entries_of(a, of));
    for (int64_t i = of->from; i < of->to && enough; i++) {
        const int64_t first = a->row_start[i];
        const int64_t count = of->has[i - of->from] ? a->row_start[i + 1] - first : 0;
        tsl_row_clear(&k->row);
        enough = multiply_row(&k->row, a->column + first, a->value + first, count, 0, &k->p) &&
                 tsl_rows_append(&k->ap, &k->row);
    }
    return enough;
}

/* Rows from … to - 1 of P^T. Counts stand a place on, so that when entries have taken theirs,
 * starts do. */
static bool make_r(making *k, int64_t from, int64_t to)
{
    const tsl_rows *p = &k->p;
    const row_set *of = &k->of_ap;
    const int64_t first = p->start[of->from - p->first];
    const int64_t last = p->start[of->to - p->first];
    if (!tsl_rows_begin(&k->r, from, to - from + 1) || !tsl_rows_widen(&k->r, last - first)) {
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
    for (int64_t j = of->from; j < of->to; j++) {
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

static bool begin(void *state, const void *self, int64_t from, int64_t to)
{
    making *k = state;
    const tsl_coarsening *c = self;
    const tsl_csr *a = c->from->g->matrix;
    return reach(&k->members, c->members, from, to, NULL) &&
           reach(&k->of_ap, a, k->members.from, k->members.to, &k->members) &&
           reach(&k->of_p, a, k->of_ap.from, k->of_ap.to, &k->of_ap) &&
           tsl_row_begin(&k->row, 0, c->from->count) && make_p(k, c->from) && make_ap(k, a) &&
           make_r(k, from, to);
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
    const int64_t bandwidth = tsl_bandwidth(c->from->g->matrix, context->threads) + 1;
    const int64_t bands = c->from->g->matrix->rows / (BANDWIDTHS * bandwidth);
    const tsl_row_maker maker = {.self = c,
                                 .state_bytes = sizeof(making),
                                 .begin = begin,
                                 .make = make_row,
                                 .end = end,
                                 .bands = bands,
                                 .entries = tsl_csr_nonzeros(c->from->g->matrix) / 2,
                                 .what = "a product of matrices"};
    return tsl_rows_make(out, context, c->from->count, c->from->count, &maker);
}
