/* The prolongator, its transpose and the next level's matrix, R A P. The sums of an entry have one
 * order, whatever the number of threads. */
#include <string.h>

#include "core/context.h"
#include "sparse/multigrid.h"

/* ---- rows in the making
 * ----------------------------------------------------------------------------- */

/* Where a thread writes rows, one after the other. */
typedef struct writer {
    int64_t *place; /* [columns]: number of a column's entry, of all this thread has written; those
                       before the row's first: none */
    int64_t before; /* entries written before column[0] */
    int64_t count;  /* entries from there on */
    int64_t room;   /* for so many of them */
    int32_t *column;
    double *value;
} writer;

static bool make_places(writer *w, int64_t columns)
{
    w->place = tsl_allocate((size_t)columns * sizeof *w->place);
    for (int64_t j = 0; j < columns && w->place != NULL; j++) {
        w->place[j] = -1;
    }
    return w->place != NULL;
}

/* Add to an entry of the row that began at entry `first` of column[]. */
static inline void add(writer *w, int64_t first, int32_t column, double value)
{
    const int64_t at = w->place[column] - w->before;
    if (at >= first) {
        w->value[at] += value;
    } else {
        w->place[column] = w->before + w->count;
        w->column[w->count] = column;
        w->value[w->count++] = value;
    }
}

/* Put a row's columns in ascending order: Shell's sort with Ciura's gaps, for most rows are short.
 */
static void sort_columns(int32_t *column, double *value, int64_t count)
{
    static const int gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    enum { GAPS = sizeof gaps / sizeof *gaps };
    for (int g = count > 10 ? 0 : GAPS - 1; g < GAPS; g++) {
        const int64_t gap = gaps[g];
        for (int64_t k = gap; k < count; k++) {
            const int32_t c = column[k];
            const double v = value[k];
            int64_t to = k;
            for (; to >= gap && column[to - gap] > c; to -= gap) {
                column[to] = column[to - gap];
                value[to] = value[to - gap];
            }
            column[to] = c;
            value[to] = v;
        }
    }
}

/* Lengths in row_start[1 …] become starts. */
static void add_up_lengths(int64_t *row_start, int64_t rows)
{
    row_start[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        row_start[i + 1] += row_start[i];
    }
}

/* ---- the prolongator
 * ---------------------------------------------------------------------------------- */

/* T's entry in row i, which is in an aggregate. */
static inline double tentative(const tsl_prolongation *p, int64_t i)
{
    return (p->near_null != NULL ? p->near_null[i] : 1) / p->norm[p->aggregate[i]];
}

/* How many entries row i has; place[a] = i marks aggregate a as counted. */
static int64_t count_row(int64_t *place, const tsl_prolongation *p, int64_t i)
{
    const tsl_csr *m = p->g->matrix;
    int64_t count = 0;
    for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
        const int64_t j = m->column[k];
        const int32_t a = p->aggregate[j];
        if (a >= 0 && (j == i || tsl_is_strong(p->g, i, k))) {
            count += place[a] != i;
            place[a] = i;
        }
    }
    return count;
}

static void smooth_row(writer *w, const tsl_prolongation *p, int64_t i)
{
    const tsl_csr *m = p->g->matrix;
    const double factor = -p->omega * p->g->inverse[i];
    const int64_t first = w->count;
    double lumped = 0; /* diagonal and weak entries */
    for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
        const int64_t j = m->column[k];
        if (!tsl_is_strong(p->g, i, k)) {
            lumped += m->value[k];
        } else if (p->aggregate[j] >= 0) {
            add(w, first, p->aggregate[j], factor * m->value[k] * tentative(p, j));
        }
    }
    if (p->aggregate[i] >= 0) {
        add(w, first, p->aggregate[i], (1 + factor * lumped) * tentative(p, i));
    }
    sort_columns(w->column + first, w->value + first, w->count - first);
}

/* Lengths of the rows into row_start[1 …] or, where the starts are there, the rows. */
static bool smooth_rows(tsl_csr *out, const tsl_prolongation *from, bool counted, int threads)
{
    bool enough = true;
#pragma omp parallel num_threads(threads) reduction(&& : enough)
    {
        writer w = {.column = out->column, .value = out->value};
        enough = make_places(&w, out->columns);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < out->rows; i++) {
            if (enough && !counted) {
                out->row_start[i + 1] = count_row(w.place, from, i);
            } else if (enough) {
                w.count = out->row_start[i];
                smooth_row(&w, from, i);
            }
        }
        tsl_release(w.place);
    }
    return enough;
}

tsl_status tsl_prolongator(tsl_csr *out, tsl_context *context, const tsl_prolongation *from)
{
    const int64_t rows = from->g->matrix->rows;
    *out = (tsl_csr){.rows = rows, .columns = from->count};
    out->row_start = tsl_allocate((size_t)(rows + 1) * sizeof *out->row_start);
    bool enough = out->row_start != NULL && smooth_rows(out, from, false, context->threads);
    if (enough) {
        add_up_lengths(out->row_start, rows);
        out->column = tsl_allocate((size_t)tsl_csr_nonzeros(out) * sizeof *out->column);
        out->value = tsl_allocate((size_t)tsl_csr_nonzeros(out) * sizeof *out->value);
        enough = out->column != NULL && out->value != NULL &&
                 smooth_rows(out, from, true, context->threads);
    }
    if (!enough) {
        tsl_csr_free(out);
        return tsl_fail_memory(context, 40 * rows, "the way between multigrid's levels");
    }
    return TSL_OK;
}

/* ---- its transpose
 * ---------------------------------------------------------------------------------- */

/* A matrix cut into parts of rows, and where the next entry of each goes in each column of it. */
typedef struct scatter {
    const tsl_csr *m;
    int64_t parts;
    int64_t *next; /* [parts][columns] */
} scatter;

static tsl_piece rows_of_part(const scatter *s, int64_t part)
{
    return (tsl_piece){s->m->rows * part / s->parts, s->m->rows * (part + 1) / s->parts};
}

/* Lengths of the columns, then where each begins, and each part in it. */
static void count_columns(const scatter *s, int64_t *row_start, int threads)
{
    const tsl_csr *m = s->m;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int64_t part = 0; part < s->parts; part++) {
            int64_t *count = s->next + part * m->columns;
            const tsl_piece rows = rows_of_part(s, part);
            memset(count, 0, (size_t)m->columns * sizeof *count);
            for (int64_t k = m->row_start[rows.from]; k < m->row_start[rows.to]; k++) {
                count[m->column[k]]++;
            }
        }
#pragma omp for schedule(static)
        for (int64_t j = 0; j < m->columns; j++) {
            int64_t before = 0;
            for (int64_t part = 0; part < s->parts; part++) {
                const int64_t count = s->next[part * m->columns + j];
                s->next[part * m->columns + j] = before;
                before += count;
            }
            row_start[j + 1] = before;
        }
    }
    add_up_lengths(row_start, m->columns);
}

static void scatter_rows(tsl_csr *out, const scatter *s, int threads)
{
    const tsl_csr *m = s->m;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t part = 0; part < s->parts; part++) {
        int64_t *next = s->next + part * m->columns;
        const tsl_piece rows = rows_of_part(s, part);
        for (int64_t i = rows.from; i < rows.to; i++) {
            for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
                const int64_t to = out->row_start[m->column[k]] + next[m->column[k]]++;
                out->column[to] = (int32_t)i;
                out->value[to] = m->value[k];
            }
        }
    }
}

tsl_status tsl_csr_transpose(tsl_csr *out, tsl_context *context, const tsl_csr *m)
{
    const int64_t nonzeros = tsl_csr_nonzeros(m);
    tsl_status status = tsl_csr_allocate(out, context, m->columns, m->rows, nonzeros);
    if (status != TSL_OK) {
        return status;
    }
    /* no more parts than counts that take less memory than the entries */
    const int64_t most = nonzeros / m->columns > 1 ? nonzeros / m->columns : 1;
    scatter s = {.m = m, .parts = context->threads < most ? context->threads : most};
    s.next = tsl_allocate((size_t)(s.parts * m->columns) * sizeof *s.next);
    if (s.next == NULL) {
        tsl_csr_free(out);
        return tsl_fail_memory(context, 8 * s.parts * m->columns, "transposing a matrix");
    }
    count_columns(&s, out->row_start, context->threads);
    scatter_rows(out, &s, context->threads);
    tsl_release(s.next);
    return TSL_OK;
}

/* ---- the next level
 * ---------------------------------------------------------------------------------- */

enum { BANDS = 8, BANDS_A_THREAD = 4, BAND_ROWS = 64, AHEAD = 16 };

/* Room for `more` entries. */
static bool reserve(writer *w, int64_t more)
{
    if (w->count + more <= w->room) {
        return true;
    }
    const int64_t room = 2 * (w->count + more);
    int32_t *column =
        tsl_reallocate(w->column, (size_t)w->count * sizeof *column, (size_t)room * sizeof *column);
    w->column = column != NULL ? column : w->column;
    double *value =
        tsl_reallocate(w->value, (size_t)w->count * sizeof *value, (size_t)room * sizeof *value);
    w->value = value != NULL ? value : w->value;
    w->room = column != NULL && value != NULL ? room : w->room;
    return w->room == room;
}

/* Rows of a factor, from row `first` on. */
typedef struct factor {
    int64_t first;
    const int64_t *start;
    const int32_t *column;
    const double *value;
} factor;

/* Row i of the product of two factors. Those rows of the right one that the left one's entries
 * before `end` ask for are fetched before their turn; 0: they follow each other anyway. */
static bool multiply_row(writer *w, const tsl_csr *left, int64_t i, const factor *right,
                         int64_t end)
{
    writer own = *w; /* in registers */
    const int64_t first = own.count;
    for (int64_t k = left->row_start[i]; k < left->row_start[i + 1]; k++) {
        const int64_t *start = right->start + (left->column[k] - right->first);
        const int64_t to = start[1];
        const double scale = left->value[k];
        if (k + AHEAD < end) {
            const int64_t later = right->start[left->column[k + AHEAD] - right->first];
            __builtin_prefetch(right->column + later);
            __builtin_prefetch(right->value + later);
            __builtin_prefetch(right->value + later + 7);
        }
        if (own.count + to - start[0] > own.room) {
            w->count = own.count;
            if (!reserve(w, to - start[0])) {
                return false;
            }
            own = *w;
        }
        for (int64_t l = start[0]; l < to; l++) {
            add(&own, first, right->column[l], scale * right->value[l]);
        }
    }
    w->count = own.count;
    return true;
}

/* R A P in the making: bands of its rows, each with what of A P it needs, which is gone before the
 * next: A P as a whole would be the largest of all. Neighbouring bands make some rows of A P twice.
 */
typedef struct maker {
    const tsl_csr *r, *a, *p;
    writer ap;      /* of a thread */
    int64_t *start; /* [columns of a band + 1]: rows of A P, those not needed being empty */
    int64_t starts; /* room for so many */
} maker;

/* Rows of R A P that were made together. */
typedef struct band {
    int64_t from, to; /* rows */
    writer rows;
} band;

/* The rows of A that a band asks for are first … last. */
static tsl_piece columns_of(const tsl_csr *r, const band *b)
{
    tsl_piece of = {r->columns, 0};
    for (int64_t i = b->from; i < b->to; i++) {
        if (r->row_start[i] < r->row_start[i + 1]) { /* columns ascend */
            const int64_t first = r->column[r->row_start[i]];
            const int64_t end = r->column[r->row_start[i + 1] - 1] + 1;
            of.from = first < of.from ? first : of.from;
            of.to = end > of.to ? end : of.to;
        }
    }
    return of;
}

/* Row from + j of A P into m->ap where the band needs it, and its start into m->start[j]. */
static bool make_ap(maker *m, const band *b, tsl_piece of)
{
    const factor p = {0, m->p->row_start, m->p->column, m->p->value};
    if (of.to - of.from >= m->starts) {
        tsl_release(m->start);
        m->starts = of.to - of.from + 1;
        m->start = tsl_allocate((size_t)m->starts * sizeof *m->start);
        if (m->start == NULL) {
            m->starts = 0;
            return false;
        }
    }
    memset(m->start, 0, (size_t)(of.to - of.from + 1) * sizeof *m->start);
    for (int64_t k = m->r->row_start[b->from]; k < m->r->row_start[b->to]; k++) {
        m->start[m->r->column[k] - of.from + 1] = 1;
    }
    m->ap.before += m->ap.count;
    m->ap.count = 0;
    for (int64_t i = of.from; i < of.to; i++) {
        const bool needed = m->start[i - of.from + 1] != 0;
        if (needed && !multiply_row(&m->ap, m->a, i, &p, 0)) {
            return false;
        }
        m->start[i - of.from + 1] = m->ap.count;
    }
    return true;
}

/* A band, and the lengths of its rows. */
static bool make_band(maker *m, band *b, int64_t *place, int64_t *before, int64_t *length)
{
    const tsl_piece of = columns_of(m->r, b);
    if (!make_ap(m, b, of)) {
        return false;
    }
    const factor ap = {of.from, m->start, m->ap.column, m->ap.value};
    b->rows.place = place;
    b->rows.before = *before;
    bool enough = true;
    for (int64_t i = b->from; i < b->to && enough; i++) {
        const int64_t first = b->rows.count;
        enough = multiply_row(&b->rows, m->r, i, &ap, m->r->row_start[b->to]);
        sort_columns(b->rows.column + first, b->rows.value + first, b->rows.count - first);
        length[i] = b->rows.count - first;
    }
    *before += b->rows.count;
    return enough;
}

static bool make_bands(band *bands, int64_t count, const maker *with, int64_t *length, int threads)
{
    bool enough = true;
#pragma omp parallel num_threads(threads) reduction(&& : enough)
    {
        maker m = *with;
        writer places = {0}; /* of the rows of R A P */
        enough = make_places(&m.ap, m.p->columns) && make_places(&places, m.p->columns);
#pragma omp for schedule(dynamic)
        for (int64_t b = 0; b < count; b++) {
            enough = enough && make_band(&m, &bands[b], places.place, &places.before, length);
        }
        tsl_release(places.place);
        tsl_release(m.ap.place);
        tsl_release(m.ap.column);
        tsl_release(m.ap.value);
        tsl_release(m.start);
    }
    return enough;
}

/* Bands become a matrix, whose rows' lengths stand in row_start. */
static bool join_bands(tsl_csr *out, const band *bands, int64_t count, int threads)
{
    add_up_lengths(out->row_start, out->rows);
    out->column = tsl_allocate((size_t)tsl_csr_nonzeros(out) * sizeof *out->column);
    out->value = tsl_allocate((size_t)tsl_csr_nonzeros(out) * sizeof *out->value);
    if (out->column == NULL || out->value == NULL) {
        return false;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t b = 0; b < count; b++) {
        const writer *rows = &bands[b].rows;
        const int64_t to = out->row_start[bands[b].from];
        if (rows->count > 0) {
            memcpy(out->column + to, rows->column, (size_t)rows->count * sizeof *rows->column);
            memcpy(out->value + to, rows->value, (size_t)rows->count * sizeof *rows->value);
        }
    }
    return true;
}

tsl_status tsl_galerkin(tsl_csr *out, tsl_context *context, const tsl_csr *r, const tsl_csr *a,
                        const tsl_csr *p)
{
    const int64_t wanted =
        BANDS > BANDS_A_THREAD * context->threads ? BANDS : BANDS_A_THREAD * context->threads;
    const int64_t most = (r->rows + BAND_ROWS - 1) / BAND_ROWS;
    const int64_t count = wanted < most ? wanted : most;
    const maker with = {.r = r, .a = a, .p = p};
    *out = (tsl_csr){.rows = r->rows, .columns = p->columns};
    out->row_start = tsl_allocate((size_t)(r->rows + 1) * sizeof *out->row_start);
    band *bands = tsl_allocate_zeroed((size_t)count, sizeof *bands);
    bool enough = out->row_start != NULL && bands != NULL;
    for (int64_t b = 0; b < count && enough; b++) {
        bands[b].from = r->rows * b / count;
        bands[b].to = r->rows * (b + 1) / count;
    }
    enough = enough && make_bands(bands, count, &with, out->row_start + 1, context->threads) &&
             join_bands(out, bands, count, context->threads);
    for (int64_t b = 0; b < count && bands != NULL; b++) {
        tsl_release(bands[b].rows.column);
        tsl_release(bands[b].rows.value);
    }
    tsl_release(bands);
    if (!enough) {
        tsl_csr_free(out);
        return tsl_fail_memory(context, 250 * r->rows, "a product of matrices");
    }
    return TSL_OK;
}
