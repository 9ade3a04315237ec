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

tsl_status tsl_tentative(tsl_csr *out, tsl_context *context, const tsl_prolongation *from)
{
    const int64_t rows = from->g->matrix->rows;
    const tsl_status status = tsl_csr_allocate(out, context, rows, from->count, rows);
    if (status != TSL_OK) {
        return status;
    }
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        out->row_start[i + 1] = i + 1;
        out->column[i] = from->aggregate[i];
        out->value[i] = tentative(from, i);
    }
    return TSL_OK;
}

bool tsl_smooths_short_rows(const tsl_prolongation *from, int threads)
{
    const tsl_csr *m = from->g->matrix;
    int64_t others = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : others)
    for (int64_t i = 0; i < m->rows; i++) {
        others += from->aggregate[i] < 0;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            others += m->column[k] != i && !tsl_is_strong(from->g, i, k);
        }
    }
    return others == 0 && tsl_csr_nonzeros(m) <= TSL_SHORT_ROW * m->rows;
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

enum { BANDS = 8, BANDS_A_THREAD = 4, BAND_ROWS = 64, FIRST_ROOM = 64, NO_ENTRY = -1 };

/* A row in the making, in memory that does not depend on how many columns there are: `slot`
 * [2 room] leads from a column to its entry by open addressing. */
typedef struct row {
    int32_t count, room, shift;
    int32_t *slot, *column, *at; /* at: an entry's slot */
    double *value;
} row;

static void free_row(row *r)
{
    tsl_release(r->slot);
    tsl_release(r->column);
    tsl_release(r->at);
    tsl_release(r->value);
}

static void clear_row(row *r)
{
    for (int32_t k = 0; k < r->count; k++) {
        r->slot[r->at[k]] = NO_ENTRY;
    }
    r->count = 0;
}

static inline void add_to_row(row *r, int32_t column, double value)
{
    const uint32_t last = 2 * (uint32_t)r->room - 1;
    uint32_t at = (uint32_t)column * UINT32_C(2654435769) >> r->shift;
    int32_t k = r->slot[at];
    while (k != NO_ENTRY && r->column[k] != column) {
        at = (at + 1) & last;
        k = r->slot[at];
    }
    if (k != NO_ENTRY) {
        r->value[k] += value;
        return;
    }
    k = r->count++;
    r->slot[at] = k;
    r->at[k] = (int32_t)at;
    r->column[k] = column;
    r->value[k] = value;
}

/* Room for `more` entries; what is there stays. */
static bool widen_row(row *r, int64_t more)
{
    int32_t room = r->room > 0 ? r->room : FIRST_ROOM;
    int32_t shift = r->room > 0 ? r->shift : 25; /* 2 FIRST_ROOM slots */
    for (; room < r->count + more && room <= INT32_MAX / 4; room *= 2) {
        shift--;
    }
    row wide = {.room = room, .shift = shift};
    wide.slot = tsl_allocate((size_t)room * 2 * sizeof *wide.slot);
    wide.column = tsl_allocate((size_t)room * sizeof *wide.column);
    wide.at = tsl_allocate((size_t)room * sizeof *wide.at);
    wide.value = tsl_allocate((size_t)room * sizeof *wide.value);
    if (room < r->count + more || wide.slot == NULL || wide.column == NULL || wide.at == NULL ||
        wide.value == NULL) {
        free_row(&wide);
        return false;
    }
    for (int32_t k = 0; k < 2 * room; k++) {
        wide.slot[k] = NO_ENTRY;
    }
    for (int32_t k = 0; k < r->count; k++) {
        add_to_row(&wide, r->column[k], r->value[k]);
    }
    free_row(r);
    *r = wide;
    return true;
}

static inline bool make_room(row *r, int64_t more)
{
    return r->count + more <= r->room || widen_row(r, more);
}

/* out += x diag(scale) m, scale NULL: ones. */
static bool multiply_row(row *out, const row *x, double factor, const double *scale,
                         const tsl_csr *m)
{
    for (int32_t k = 0; k < x->count; k++) {
        const int32_t j = x->column[k];
        const int64_t from = m->row_start[j];
        const int64_t to = m->row_start[j + 1];
        const double value = factor * x->value[k] * (scale != NULL ? scale[j] : 1);
        if (!make_room(out, to - from)) {
            return false;
        }
        for (int64_t l = from; l < to; l++) {
            add_to_row(out, m->column[l], value * m->value[l]);
        }
    }
    return true;
}

static bool add_row(row *out, const int32_t *column, const double *value, int64_t count)
{
    if (!make_room(out, count)) {
        return false;
    }
    for (int64_t k = 0; k < count; k++) {
        add_to_row(out, column[k], value[k]);
    }
    return true;
}

/* Rows of R A P that are made together, one after the other. */
typedef struct band {
    int64_t from, to; /* rows */
    writer rows;
} band;

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

enum { ROWS = 5 };

/* Row i of R A P in rows[4], by way of the others. */
static bool make_row(row rows[ROWS], const tsl_coarsening *c, int64_t i)
{
    for (int k = 0; k < ROWS; k++) {
        clear_row(&rows[k]);
    }
    const int64_t first = c->r->row_start[i];
    if (!add_row(&rows[0], c->r->column + first, c->r->value + first,
                 c->r->row_start[i + 1] - first)) {
        return false;
    }
    if (c->omega == 0) {
        return multiply_row(&rows[2], &rows[0], 1, NULL, c->a) &&
               multiply_row(&rows[4], &rows[2], 1, NULL, c->p);
    }
    if (!multiply_row(&rows[1], &rows[0], -c->omega, NULL, c->a)) {
        return false;
    }
    for (int32_t k = 0; k < rows[1].count; k++) {
        rows[1].value[k] *= c->inverse[rows[1].column[k]];
    }
    return add_row(&rows[1], rows[0].column, rows[0].value, rows[0].count) &&
           multiply_row(&rows[2], &rows[1], 1, NULL, c->a) &&
           multiply_row(&rows[3], &rows[2], -c->omega, c->inverse, c->a) &&
           add_row(&rows[3], rows[2].column, rows[2].value, rows[2].count) &&
           multiply_row(&rows[4], &rows[3], 1, NULL, c->p);
}

/* A band, and the lengths of its rows. */
static bool make_band(band *b, row rows[ROWS], const tsl_coarsening *c, int64_t *length)
{
    const row *made = &rows[ROWS - 1];
    for (int64_t i = b->from; i < b->to; i++) {
        if (!make_row(rows, c, i) || !reserve(&b->rows, made->count)) {
            return false;
        }
        int32_t *column = b->rows.column + b->rows.count;
        double *value = b->rows.value + b->rows.count;
        memcpy(column, made->column, (size_t)made->count * sizeof *column);
        memcpy(value, made->value, (size_t)made->count * sizeof *value);
        sort_columns(column, value, made->count);
        b->rows.count += made->count;
        length[i] = made->count;
    }
    return true;
}

static bool make_bands(band *bands, int64_t count, const tsl_coarsening *c, int64_t *length,
                       int threads)
{
    bool enough = true;
#pragma omp parallel num_threads(threads) reduction(&& : enough)
    {
        row rows[ROWS] = {{0}};
#pragma omp for schedule(dynamic)
        for (int64_t b = 0; b < count; b++) {
            enough = enough && make_band(&bands[b], rows, c, length);
        }
        for (int k = 0; k < ROWS; k++) {
            free_row(&rows[k]);
        }
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

tsl_status tsl_galerkin(tsl_csr *out, tsl_context *context, const tsl_coarsening *c)
{
    const int64_t size = c->r->rows;
    const int64_t wanted =
        BANDS > BANDS_A_THREAD * context->threads ? BANDS : BANDS_A_THREAD * context->threads;
    const int64_t most = (size + BAND_ROWS - 1) / BAND_ROWS;
    const int64_t count = wanted < most ? wanted : most;
    *out = (tsl_csr){.rows = size, .columns = c->p->columns};
    out->row_start = tsl_allocate((size_t)(size + 1) * sizeof *out->row_start);
    band *bands = tsl_allocate_zeroed((size_t)count, sizeof *bands);
    bool enough = out->row_start != NULL && bands != NULL;
    for (int64_t b = 0; b < count && enough; b++) {
        bands[b].from = size * b / count;
        bands[b].to = size * (b + 1) / count;
    }
    enough = enough && make_bands(bands, count, c, out->row_start + 1, context->threads) &&
             join_bands(out, bands, count, context->threads);
    for (int64_t b = 0; b < count && bands != NULL; b++) {
        tsl_release(bands[b].rows.column);
        tsl_release(bands[b].rows.value);
    }
    tsl_release(bands);
    if (!enough) {
        tsl_csr_free(out);
        return tsl_fail_memory(context, 250 * size, "a product of matrices");
    }
    return TSL_OK;
}
