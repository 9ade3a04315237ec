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
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
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

/* ---- products
 * ----------------------------------------------------------------------------------------- */

enum { CHUNK_ROWS = 256, SLAB_ENTRIES = 1 << 20, AHEAD = 16 };

/* Memory that a thread's rows are written to. */
typedef struct slab {
    struct slab *next;
    int64_t capacity; /* entries */
    int64_t used;
    int32_t *column;
    double *value;
} slab;

/* A product, whose length is not known before it is made: rows in chunks, which lie in slabs. */
typedef struct product {
    int64_t rows, columns;
    int32_t *start;   /* [rows + chunks]: of a chunk's rows and, at its end, its length */
    int32_t **column; /* [chunks] */
    double **value;   /* [chunks] */
    slab *slabs;
} product;

static int64_t chunks_of(int64_t rows)
{
    return (rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
}

static void free_product(product *p)
{
    tsl_release(p->start);
    tsl_release(p->column);
    tsl_release(p->value);
    for (slab *s = p->slabs; s != NULL;) {
        slab *next = s->next;
        tsl_release(s->column);
        tsl_release(s->value);
        tsl_release(s);
        s = next;
    }
}

/* A slab before `next`, with so much room at least; NULL: no memory, and `next` stands. */
static slab *make_slab(slab *next, int64_t capacity)
{
    slab *s = tsl_allocate_zeroed(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    *s = (slab){.next = next, .capacity = capacity > SLAB_ENTRIES ? capacity : SLAB_ENTRIES};
    s->column = tsl_allocate((size_t)s->capacity * sizeof *s->column);
    s->value = tsl_allocate((size_t)s->capacity * sizeof *s->value);
    if (s->column == NULL || s->value == NULL) {
        tsl_release(s->column);
        tsl_release(s->value);
        tsl_release(s);
        return NULL;
    }
    return s;
}

/* The chunk in the making moves to a slab with room for `more` entries behind it. */
static bool move_chunk(writer *w, slab **slabs, int64_t more)
{
    slab *larger = w->count + more <= INT32_MAX ? make_slab(*slabs, 2 * (w->count + more)) : NULL;
    if (larger == NULL) {
        return false;
    }
    if (w->count > 0) {
        memcpy(larger->column, w->column, (size_t)w->count * sizeof *w->column);
        memcpy(larger->value, w->value, (size_t)w->count * sizeof *w->value);
    }
    w->column = larger->column;
    w->value = larger->value;
    w->room = larger->capacity;
    *slabs = larger;
    return true;
}

/* What is multiplied: two matrices, or a matrix and a product. */
typedef struct factors {
    const tsl_csr *left, *matrix;
    const product *made; /* NULL: `matrix` */
} factors;

/* The entries of row j of the second factor. */
static inline int64_t right_row(const factors *f, int64_t j, const int32_t **column,
                                const double **value)
{
    if (f->made != NULL) {
        const int64_t chunk = j / CHUNK_ROWS;
        const int32_t *start = f->made->start + j + chunk;
        *column = f->made->column[chunk] + start[0];
        *value = f->made->value[chunk] + start[0];
        return start[1] - start[0];
    }
    *column = f->matrix->column + f->matrix->row_start[j];
    *value = f->matrix->value + f->matrix->row_start[j];
    return f->matrix->row_start[j + 1] - f->matrix->row_start[j];
}

static bool multiply_row(writer *w, slab **slabs, const factors *f, int64_t i)
{
    const tsl_csr *left = f->left;
    const int64_t first = w->count;
    const int64_t nonzeros = tsl_csr_nonzeros(left);
    for (int64_t k = left->row_start[i]; k < left->row_start[i + 1]; k++) {
        const int32_t *column;
        const double *value;
        if (f->made != NULL && k + AHEAD < nonzeros) { /* its rows are all over the place */
            (void)right_row(f, left->column[k + AHEAD], &column, &value);
            __builtin_prefetch(column);
            __builtin_prefetch(value);
            __builtin_prefetch(value + 7);
        }
        const int64_t count = right_row(f, left->column[k], &column, &value);
        if (w->count + count > w->room && !move_chunk(w, slabs, count)) {
            return false;
        }
        for (int64_t l = 0; l < count; l++) {
            add(w, first, column[l], left->value[k] * value[l]);
        }
    }
    return true;
}

static bool multiply_chunk(product *out, writer *w, slab **slabs, const factors *f, int64_t chunk,
                           bool sorted)
{
    const int64_t from = chunk * CHUNK_ROWS;
    const int64_t to = from + CHUNK_ROWS < out->rows ? from + CHUNK_ROWS : out->rows;
    int32_t *start = out->start + from + chunk;
    w->before += w->count;
    w->count = 0;
    if (*slabs == NULL && !move_chunk(w, slabs, 0)) {
        return false;
    }
    w->column = (*slabs)->column + (*slabs)->used;
    w->value = (*slabs)->value + (*slabs)->used;
    w->room = (*slabs)->capacity - (*slabs)->used;
    start[0] = 0;
    for (int64_t i = from; i < to; i++) {
        const int64_t first = w->count;
        if (!multiply_row(w, slabs, f, i)) {
            return false;
        }
        if (sorted) {
            sort_columns(w->column + first, w->value + first, w->count - first);
        }
        *++start = (int32_t)w->count;
    }
    (*slabs)->used += w->count;
    out->column[chunk] = w->column;
    out->value[chunk] = w->value;
    return true;
}

/* Put a thread's slabs with those of the others. */
static void hand_over(product *out, slab *slabs)
{
    if (slabs != NULL) {
        slab *last = slabs;
        while (last->next != NULL) {
            last = last->next;
        }
#pragma omp critical(tsl_product_slabs)
        {
            last->next = out->slabs;
            out->slabs = slabs;
        }
    }
}

static bool multiply_chunks(product *out, const factors *f, bool sorted, int threads)
{
    bool enough = true;
#pragma omp parallel num_threads(threads) reduction(&& : enough)
    {
        writer w = {0};
        slab *slabs = NULL;
        enough = make_places(&w, out->columns);
#pragma omp for schedule(dynamic)
        for (int64_t chunk = 0; chunk < chunks_of(out->rows); chunk++) {
            enough = enough && multiply_chunk(out, &w, &slabs, f, chunk, sorted);
        }
        tsl_release(w.place);
        hand_over(out, slabs);
    }
    return enough;
}

/* False: no memory; whatever *out holds is to be freed. */
static bool multiply(product *out, const factors *f, int64_t columns, bool sorted, int threads)
{
    const int64_t rows = f->left->rows;
    const size_t chunks = (size_t)chunks_of(rows);
    *out = (product){.rows = rows, .columns = columns};
    out->start = tsl_allocate(((size_t)rows + chunks) * sizeof *out->start);
    out->column = tsl_allocate(chunks * sizeof *out->column);
    out->value = tsl_allocate(chunks * sizeof *out->value);
    return out->start != NULL && out->column != NULL && out->value != NULL &&
           multiply_chunks(out, f, sorted, threads);
}

/* A product as a matrix. */
static tsl_status join_chunks(tsl_csr *out, tsl_context *context, const product *p)
{
    const int64_t chunks = chunks_of(p->rows);
    int64_t nonzeros = 0;
    for (const slab *s = p->slabs; s != NULL; s = s->next) {
        nonzeros += s->used;
    }
    const tsl_status status = tsl_csr_allocate(out, context, p->rows, p->columns, nonzeros);
    if (status != TSL_OK) {
        return status;
    }
    for (int64_t i = 0; i < p->rows; i++) {
        const int32_t *start = p->start + i + i / CHUNK_ROWS;
        out->row_start[i + 1] = out->row_start[i] + start[1] - start[0];
    }
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t c = 0; c < chunks; c++) {
        const int64_t last = (c + 1) * CHUNK_ROWS < p->rows ? (c + 1) * CHUNK_ROWS : p->rows;
        const int64_t first = out->row_start[c * CHUNK_ROWS];
        const size_t count = (size_t)(out->row_start[last] - first);
        memcpy(out->column + first, p->column[c], count * sizeof *out->column);
        memcpy(out->value + first, p->value[c], count * sizeof *out->value);
    }
    return TSL_OK;
}

/* A P first: its rows follow each other in memory as A's do, and each is used as often as P's has
 * entries. */
tsl_status tsl_galerkin(tsl_csr *out, tsl_context *context, const tsl_csr *r, const tsl_csr *a,
                        const tsl_csr *p)
{
    product ap = {0};
    product rap = {0};
    const bool enough =
        multiply(&ap, &(factors){a, p, NULL}, p->columns, false, context->threads) &&
        multiply(&rap, &(factors){r, NULL, &ap}, p->columns, true, context->threads);
    free_product(&ap);
    const tsl_status status =
        enough ? join_chunks(out, context, &rap)
               : tsl_fail_memory(context, 100 * a->rows, "a product of matrices");
    free_product(&rap);
    return status;
}
