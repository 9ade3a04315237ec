/* Products of sparse matrices for multigrid. The sums of an entry have one order, whatever the
 * number of threads. */
#include <string.h>

#include "core/context.h"
#include "sparse/multigrid.h"

enum { CHUNK_ROWS = 1024, ROW_SPACE = 64, FEW = 3 /* entries of P's rows */ };

/* ---- matrices in chunks of rows ----------------------------------------------------------------
 */

/* Rows that were made together; row i of it has the entries start[i] … start[i + 1] - 1. */
typedef struct chunk {
    const int64_t *start;
    const int32_t *column;
    const double *value;
    void *memory; /* all three; NULL: they belong to a matrix */
} chunk;

typedef struct chunks {
    int64_t rows, columns, count;
    chunk *of;
} chunks;

static void free_chunks(chunks *c)
{
    for (int64_t i = 0; i < c->count; i++) {
        tsl_release(c->of[i].memory);
    }
    tsl_release(c->of);
    *c = (chunks){0};
}

static tsl_status allocate_chunks(chunks *out, tsl_context *context, int64_t rows, int64_t columns)
{
    *out = (chunks){rows, columns, (rows + CHUNK_ROWS - 1) / CHUNK_ROWS, NULL};
    out->of = tsl_allocate_zeroed((size_t)out->count, sizeof *out->of);
    if (out->of == NULL) {
        *out = (chunks){0};
        return tsl_fail_memory(context, rows / CHUNK_ROWS * 32, "a product of matrices");
    }
    return TSL_OK;
}

/* A matrix as it stands. */
static tsl_status view(chunks *out, tsl_context *context, const tsl_csr *m)
{
    const tsl_status status = allocate_chunks(out, context, m->rows, m->columns);
    for (int64_t c = 0; c < out->count; c++) {
        out->of[c] = (chunk){m->row_start + c * CHUNK_ROWS, m->column, m->value, NULL};
    }
    return status;
}

/* ---- a chunk in the making ----------------------------------------------------------------------
 */

/* What a thread makes rows in. */
typedef struct workshop {
    int32_t *place;   /* [columns]: of a column in the row being made, from `first`; less: none */
    int64_t capacity; /* entries */
    int64_t count;
    int64_t start[CHUNK_ROWS + 1];
    int32_t *column; /* [capacity] */
    double *value;   /* [capacity] */
} workshop;

static void free_workshop(workshop *w)
{
    if (w != NULL) {
        tsl_release(w->place);
        tsl_release(w->column);
        tsl_release(w->value);
        tsl_release(w);
    }
}

/* Room for `more` entries. */
static bool reserve(workshop *w, int64_t more)
{
    if (w->count + more <= w->capacity) {
        return true;
    }
    const int64_t capacity = 2 * (w->count + more);
    int32_t *column = tsl_reallocate(w->column, (size_t)w->count * sizeof *column,
                                     (size_t)capacity * sizeof *column);
    w->column = column != NULL ? column : w->column;
    double *value = tsl_reallocate(w->value, (size_t)w->count * sizeof *value,
                                   (size_t)capacity * sizeof *value);
    w->value = value != NULL ? value : w->value;
    if (column == NULL || value == NULL) {
        return false;
    }
    w->capacity = capacity;
    return true;
}

static workshop *make_workshop(int64_t columns)
{
    workshop *w = tsl_allocate_zeroed(1, sizeof *w);
    if (w == NULL) {
        return NULL;
    }
    w->place = tsl_allocate((size_t)columns * sizeof *w->place);
    if (w->place == NULL || !reserve(w, (int64_t)CHUNK_ROWS * ROW_SPACE)) {
        free_workshop(w);
        return NULL;
    }
    memset(w->place, -1, (size_t)columns * sizeof *w->place);
    return w;
}

/* Add to the entry of the row that begins at `first`; there is room. */
static inline void add(workshop *w, int64_t first, int32_t column, double value)
{
    const int32_t at = w->place[column];
    if (at >= first) {
        w->value[at] += value;
    } else {
        w->place[column] = (int32_t)w->count;
        w->column[w->count] = column;
        w->value[w->count++] = value;
    }
}

/* Take back the row's places, for the next chunk counts from 0 again. */
static void forget(workshop *w)
{
    for (int64_t k = 0; k < w->count; k++) {
        w->place[w->column[k]] = -1;
    }
    w->count = 0;
}

/* Row by row; short ones. */
static void sort_columns(int32_t *column, double *value, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        const int32_t c = column[k];
        const double v = value[k];
        int64_t to = k;
        for (; to > 0 && column[to - 1] > c; to--) {
            column[to] = column[to - 1];
            value[to] = value[to - 1];
        }
        column[to] = c;
        value[to] = v;
    }
}

/* A chunk of its own with what the workshop holds. */
static bool keep(chunk *out, workshop *w, int64_t rows, bool sorted)
{
    for (int64_t i = 0; i < rows && sorted; i++) {
        sort_columns(w->column + w->start[i], w->value + w->start[i],
                     w->start[i + 1] - w->start[i]);
    }
    const size_t starts = (size_t)(rows + 1) * sizeof *w->start;
    const size_t values = (size_t)w->count * sizeof *w->value;
    const size_t columns = (size_t)w->count * sizeof *w->column;
    char *memory = tsl_allocate(starts + values + columns);
    if (memory == NULL) {
        return false;
    }
    memcpy(memory, w->start, starts);
    memcpy(memory + starts, w->value, values);
    memcpy(memory + starts + values, w->column, columns);
    *out = (chunk){(const int64_t *)(const void *)memory,
                   (const int32_t *)(const void *)(memory + starts + values),
                   (const double *)(const void *)(memory + starts), memory};
    return true;
}

/* ---- making all chunks
 * ---------------------------------------------------------------------------- */

/* Add row `i` to a workshop whose row begins at w->count. False: no memory. */
typedef bool (*row_maker)(workshop *w, const void *arguments, int64_t i);

static bool make_chunk(chunk *out, workshop *w, int64_t from, int64_t to, row_maker maker,
                       const void *arguments, bool sorted)
{
    w->start[0] = 0;
    for (int64_t i = from; i < to; i++) {
        if (!maker(w, arguments, i)) {
            return false;
        }
        w->start[i - from + 1] = w->count;
    }
    const bool kept = keep(out, w, to - from, sorted);
    forget(w);
    return kept;
}

static tsl_status make_chunks(chunks *out, tsl_context *context, int64_t rows, int64_t columns,
                              row_maker maker, const void *arguments, bool sorted)
{
    tsl_status status = allocate_chunks(out, context, rows, columns);
    if (status != TSL_OK) {
        return status;
    }
    bool enough = true;
#pragma omp parallel num_threads(context->threads) reduction(&& : enough)
    {
        workshop *w = make_workshop(columns);
        enough = w != NULL;
#pragma omp for schedule(dynamic)
        for (int64_t c = 0; c < out->count; c++) {
            const int64_t from = c * CHUNK_ROWS;
            const int64_t to = from + CHUNK_ROWS < rows ? from + CHUNK_ROWS : rows;
            enough = enough && make_chunk(&out->of[c], w, from, to, maker, arguments, sorted);
        }
        free_workshop(w);
    }
    if (!enough) {
        free_chunks(out);
        return tsl_fail_memory(context, 12 * rows * ROW_SPACE, "a product of matrices");
    }
    return TSL_OK;
}

/* Chunks become a matrix, and are freed. */
static tsl_status join_chunks(tsl_csr *out, tsl_context *context, chunks *c)
{
    int64_t nonzeros = 0;
    for (int64_t i = 0; i < c->count; i++) {
        const int64_t rows =
            c->rows - i * CHUNK_ROWS < CHUNK_ROWS ? c->rows - i * CHUNK_ROWS : CHUNK_ROWS;
        nonzeros += c->of[i].start[rows];
    }
    const tsl_status status = tsl_csr_allocate(out, context, c->rows, c->columns, nonzeros);
    if (status == TSL_OK) {
        for (int64_t i = 0; i < c->rows; i++) {
            const int64_t *start = c->of[i / CHUNK_ROWS].start + i % CHUNK_ROWS;
            out->row_start[i + 1] = out->row_start[i] + start[1] - start[0];
        }
#pragma omp parallel for num_threads(context->threads) schedule(static)
        for (int64_t i = 0; i < c->count; i++) {
            const int64_t first = i * CHUNK_ROWS;
            const int64_t last = first + CHUNK_ROWS < c->rows ? first + CHUNK_ROWS : c->rows;
            const size_t count = (size_t)(out->row_start[last] - out->row_start[first]);
            memcpy(out->column + out->row_start[first], c->of[i].column, count * sizeof(int32_t));
            memcpy(out->value + out->row_start[first], c->of[i].value, count * sizeof(double));
        }
    }
    free_chunks(c);
    return status;
}

/* ---- what rows are made of
 * -------------------------------------------------------------------------- */

typedef struct factors {
    const chunks *left, *right;
} factors;

static bool multiply_row(workshop *w, const void *arguments, int64_t i)
{
    const factors *f = arguments;
    const chunk *left = &f->left->of[i / CHUNK_ROWS];
    const int64_t *start = left->start + i % CHUNK_ROWS;
    const int64_t first = w->count;
    for (int64_t k = start[0]; k < start[1]; k++) {
        const int64_t j = left->column[k];
        const chunk *right = &f->right->of[j / CHUNK_ROWS];
        const int64_t *row = right->start + j % CHUNK_ROWS;
        if (!reserve(w, row[1] - row[0])) {
            return false;
        }
        for (int64_t l = row[0]; l < row[1]; l++) {
            add(w, first, right->column[l], left->value[k] * right->value[l]);
        }
    }
    return true;
}

/* T's entry in row i, which is in an aggregate. */
static double tentative(const tsl_prolongation *p, int64_t i)
{
    return (p->near_null != NULL ? p->near_null[i] : 1) / p->norm[p->aggregate[i]];
}

static bool smooth_row(workshop *w, const void *arguments, int64_t i)
{
    const tsl_prolongation *p = arguments;
    const tsl_csr *m = p->g->matrix;
    const double factor = -p->omega * p->g->inverse[i];
    const int64_t first = w->count;
    if (!reserve(w, m->row_start[i + 1] - m->row_start[i] + 1)) {
        return false;
    }
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
    return true;
}

tsl_status tsl_prolongator(tsl_csr *out, tsl_context *context, const tsl_prolongation *from)
{
    chunks p;
    const tsl_status status =
        make_chunks(&p, context, from->g->matrix->rows, from->count, smooth_row, from, true);
    return status == TSL_OK ? join_chunks(out, context, &p) : status;
}

typedef struct triple {
    const tsl_csr *r, *a, *p;
} triple;

/* A row of R A P at once. */
static bool triple_row(workshop *w, const void *arguments, int64_t row)
{
    const triple *t = arguments;
    const int64_t first = w->count;
    for (int64_t k = t->r->row_start[row]; k < t->r->row_start[row + 1]; k++) {
        const int64_t i = t->r->column[k];
        for (int64_t l = t->a->row_start[i]; l < t->a->row_start[i + 1]; l++) {
            const int64_t j = t->a->column[l];
            const double factor = t->r->value[k] * t->a->value[l];
            const int64_t from = t->p->row_start[j];
            const int64_t to = t->p->row_start[j + 1];
            if (!reserve(w, to - from)) {
                return false;
            }
            for (int64_t n = from; n < to; n++) {
                add(w, first, t->p->column[n], factor * t->p->value[n]);
            }
        }
    }
    return true;
}

/* A P first: each of its rows is used as often as P's has entries. */
static tsl_status multiply_twice(chunks *out, tsl_context *context, const triple *t)
{
    chunks views[3] = {{0}};
    chunks ap = {0};
    const tsl_csr *const all[3] = {t->r, t->a, t->p};
    tsl_status status = TSL_OK;
    for (int i = 0; i < 3 && status == TSL_OK; i++) {
        status = view(&views[i], context, all[i]);
    }
    if (status == TSL_OK) {
        const factors f = {&views[1], &views[2]};
        status = make_chunks(&ap, context, t->a->rows, t->p->columns, multiply_row, &f, false);
    }
    if (status == TSL_OK) {
        const factors f = {&views[0], &ap};
        status = make_chunks(out, context, t->r->rows, t->p->columns, multiply_row, &f, true);
    }
    free_chunks(&ap);
    for (int i = 0; i < 3; i++) {
        free_chunks(&views[i]);
    }
    return status;
}

tsl_status tsl_galerkin(tsl_csr *out, tsl_context *context, const tsl_csr *r, const tsl_csr *a,
                        const tsl_csr *p)
{
    const triple t = {r, a, p};
    const bool at_once = tsl_csr_nonzeros(p) <= FEW * p->rows;
    chunks rap = {0};
    const tsl_status status =
        at_once ? make_chunks(&rap, context, r->rows, p->columns, triple_row, &t, true)
                : multiply_twice(&rap, context, &t);
    return status == TSL_OK ? join_chunks(out, context, &rap) : status;
}

tsl_status tsl_csr_transpose(tsl_csr *out, tsl_context *context, const tsl_csr *m)
{
    const tsl_status status =
        tsl_csr_allocate(out, context, m->columns, m->rows, tsl_csr_nonzeros(m));
    if (status != TSL_OK) {
        return status;
    }
    for (int64_t k = 0; k < tsl_csr_nonzeros(m); k++) {
        out->row_start[m->column[k] + 1]++;
    }
    for (int64_t j = 0; j < m->columns; j++) {
        out->row_start[j + 1] += out->row_start[j];
    }
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            const int64_t to = out->row_start[m->column[k]]++;
            out->column[to] = (int32_t)i;
            out->value[to] = m->value[k];
        }
    }
    for (int64_t j = m->columns; j > 0; j--) { /* each stands where the next begins */
        out->row_start[j] = out->row_start[j - 1];
    }
    out->row_start[0] = 0;
    return TSL_OK;
}
