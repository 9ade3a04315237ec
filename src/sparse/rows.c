#include "sparse/rows.h"

#include <string.h>

#include "core/context.h"
#include "sparse/matrix.h"

enum { BANDS = 8, BANDS_A_THREAD = 4, BAND_ROWS = 64 };

/* ---- a row ---------------------------------------------------------------------------------- */

bool tsl_row_begin(tsl_row *row, int64_t first, int64_t columns)
{
    tsl_row_clear(row);
    if (columns > row->places) {
        tsl_release(row->place);
        row->place = tsl_allocate((size_t)columns * sizeof *row->place);
        row->places = row->place != NULL ? columns : 0;
        for (int64_t j = 0; j < row->places; j++) {
            row->place[j] = TSL_NO_ENTRY;
        }
    }
    row->first = first;
    return columns <= row->places;
}

void tsl_row_clear(tsl_row *row)
{
    for (int32_t k = 0; k < row->count; k++) {
        row->place[row->column[k] - row->first] = TSL_NO_ENTRY;
    }
    row->count = 0;
}

void tsl_row_free(tsl_row *row)
{
    tsl_release(row->place);
    tsl_release(row->column);
    tsl_release(row->value);
    *row = (tsl_row){0};
}

/* Room for `wanted` entries, of which `count` are there. */
static bool widen(int32_t **column, double **value, int64_t count, int64_t wanted)
{
    int32_t *columns =
        tsl_reallocate(*column, (size_t)count * sizeof *columns, (size_t)wanted * sizeof *columns);
    *column = columns != NULL ? columns : *column;
    double *values =
        tsl_reallocate(*value, (size_t)count * sizeof *values, (size_t)wanted * sizeof *values);
    *value = values != NULL ? values : *value;
    return columns != NULL && values != NULL;
}

bool tsl_row_widen(tsl_row *row, int64_t more)
{
    if (row->count + more <= row->room) {
        return true;
    }
    const int64_t room = 2 * (row->count + more);
    if (room > INT32_MAX || !widen(&row->column, &row->value, row->count, room)) {
        return false;
    }
    row->room = (int32_t)room;
    return true;
}

/* ---- rows that follow each other ------------------------------------------------------------ */

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

bool tsl_rows_begin(tsl_rows *rows, int64_t first, int64_t count)
{
    if (count > rows->row_room) {
        tsl_release(rows->start);
        rows->start = tsl_allocate((size_t)(count + 1) * sizeof *rows->start);
        rows->row_room = rows->start != NULL ? count : 0;
    }
    if (count > rows->row_room) {
        return false;
    }
    rows->first = first;
    rows->rows = 0;
    rows->start[0] = 0;
    return true;
}

bool tsl_rows_widen(tsl_rows *rows, int64_t entries)
{
    if (entries <= rows->room) {
        return true;
    }
    if (!widen(&rows->column, &rows->value, rows->start[rows->rows], entries)) {
        return false;
    }
    rows->room = entries;
    return true;
}

bool tsl_rows_append(tsl_rows *rows, const tsl_row *row)
{
    const int64_t from = rows->start[rows->rows];
    const int64_t to = from + row->count;
    if (to > rows->room && !tsl_rows_widen(rows, 2 * to)) {
        return false;
    }
    for (int32_t k = 0; k < row->count; k++) {
        rows->column[from + k] = row->column[k];
        rows->value[from + k] = row->value[k];
    }
    rows->start[++rows->rows] = to;
    return true;
}

void tsl_rows_free(tsl_rows *rows)
{
    tsl_release(rows->start);
    tsl_release(rows->column);
    tsl_release(rows->value);
    *rows = (tsl_rows){0};
}

/* ---- a matrix ------------------------------------------------------------------------------- */

static bool make_band(tsl_rows *band, void *state, tsl_row *row, const tsl_row_maker *maker,
                      tsl_piece of, int64_t entries)
{
    bool enough = tsl_rows_begin(band, of.from, of.to - of.from) && tsl_rows_widen(band, entries) &&
                  (maker->begin == NULL || maker->begin(state, maker->self, of.from, of.to));
    for (int64_t i = of.from; i < of.to && enough; i++) {
        tsl_row_clear(row);
        enough = maker->make(state, maker->self, row, i);
        sort_columns(row->column, row->value, row->count); /* its places are not what they were */
        enough = enough && tsl_rows_append(band, row);
    }
    return enough;
}

static tsl_piece rows_of_band(int64_t rows, int64_t band, int64_t bands)
{
    return (tsl_piece){rows * band / bands, rows * (band + 1) / bands};
}

static bool make_bands(tsl_rows *bands, int64_t count, const tsl_csr *of,
                       const tsl_row_maker *maker, int threads)
{
    bool enough = true;
#pragma omp parallel num_threads(threads) reduction(&& : enough)
    {
        tsl_row row = {0};
        void *state = tsl_allocate_zeroed(1, (size_t)maker->state_bytes + 1);
        enough = state != NULL && tsl_row_begin(&row, 0, of->columns);
#pragma omp for schedule(dynamic)
        for (int64_t b = 0; b < count; b++) {
            enough = enough && make_band(&bands[b], state, &row, maker,
                                         rows_of_band(of->rows, b, count), maker->entries / count);
        }
        if (state != NULL && maker->end != NULL) {
            maker->end(state);
        }
        tsl_release(state);
        tsl_row_free(&row);
    }
    return enough;
}

/* Bands become a matrix. */
static bool join_bands(tsl_csr *out, const tsl_rows *bands, int64_t count, int threads)
{
    int64_t nonzeros = 0;
    for (int64_t b = 0; b < count; b++) {
        nonzeros += bands[b].start[bands[b].rows];
    }
    out->column = tsl_allocate((size_t)nonzeros * sizeof *out->column);
    out->value = tsl_allocate((size_t)nonzeros * sizeof *out->value);
    if (out->column == NULL || out->value == NULL) {
        return false;
    }
    out->row_start[0] = 0;
    for (int64_t b = 0; b < count; b++) {
        const tsl_rows *band = &bands[b];
        out->row_start[band->first + band->rows] =
            out->row_start[band->first] + band->start[band->rows];
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t b = 0; b < count; b++) {
        const tsl_rows *band = &bands[b];
        const int64_t entries = band->start[band->rows];
        const int64_t to = out->row_start[band->first];
        for (int64_t i = 1; i < band->rows; i++) {
            out->row_start[band->first + i] = to + band->start[i];
        }
        if (entries > 0) {
            memcpy(out->column + to, band->column, (size_t)entries * sizeof *band->column);
            memcpy(out->value + to, band->value, (size_t)entries * sizeof *band->value);
        }
    }
    return true;
}

/* As many for each thread, where there are more bands than threads. */
static int64_t bands_of(int64_t rows, const tsl_row_maker *maker, int threads)
{
    const int64_t most = (rows + BAND_ROWS - 1) / BAND_ROWS;
    int64_t count = BANDS > BANDS_A_THREAD * threads ? BANDS : BANDS_A_THREAD * threads;
    count = maker->bands > 0 && maker->bands < count ? maker->bands : count;
    count = count > threads ? count / threads * threads : count;
    return count < most ? count : most;
}

tsl_status tsl_rows_make(tsl_csr *out, tsl_context *context, int64_t rows, int64_t columns,
                         const tsl_row_maker *maker)
{
    const int64_t count = bands_of(rows, maker, context->threads);
    *out = (tsl_csr){.rows = rows, .columns = columns};
    out->row_start = tsl_allocate((size_t)(rows + 1) * sizeof *out->row_start);
    tsl_rows *bands = tsl_allocate_zeroed((size_t)count, sizeof *bands);
    const bool enough = out->row_start != NULL && bands != NULL &&
                        make_bands(bands, count, out, maker, context->threads) &&
                        join_bands(out, bands, count, context->threads);
    for (int64_t b = 0; b < count && bands != NULL; b++) {
        tsl_rows_free(&bands[b]);
    }
    tsl_release(bands);
    if (!enough) {
        tsl_csr_free(out);
        return tsl_fail_memory(context, 250 * rows, maker->what);
    }
    return TSL_OK;
}

/* ---- transposition -------------------------------------------------------------------------- */

/* Lengths in row_start[1 …] become starts. */
static void add_up_lengths(int64_t *row_start, int64_t rows)
{
    row_start[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        row_start[i + 1] += row_start[i];
    }
}

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
