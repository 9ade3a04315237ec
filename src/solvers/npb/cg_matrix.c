/* CG's matrix. The random vectors are drawn in one stream, for where a vector begins in it depends
 * on all before; the rows of the matrix are then made by all threads. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "blocks/random/random_point.h"
#include "comm/comm.h"
#include "core/context.h"
#include "solvers/npb/cg.h"

/* The vectors v_i by rows, each with `width` places, and where each column occurs. */
typedef struct vectors {
    int64_t n;
    int width;
    int *count;      /* [n] entries in use */
    int32_t *column; /* [n][width] */
    double *value;   /* [n][width] */
    double *weight;  /* [n] w^i */
    int64_t *start;  /* [n + 1] into `users` */
    int32_t *users;  /* vectors that have an entry in a column, ascending */
} vectors;

static void free_vectors(vectors *v)
{
    tsl_release(v->count);
    tsl_release(v->column);
    tsl_release(v->value);
    tsl_release(v->weight);
    tsl_release(v->start);
    tsl_release(v->users);
}

static int width_of(const tsl_cg_class *what)
{
    return what->row_draws + 1;
}

static int64_t vectors_bytes(const tsl_cg_class *what)
{
    const int64_t n = what->rows;
    return n * width_of(what) * (int64_t)(2 * sizeof(int32_t) + sizeof(double)) +
           n * (int64_t)(sizeof(int) + sizeof(double)) + (n + 1) * (int64_t)sizeof(int64_t);
}

static tsl_status allocate_vectors(vectors *v, tsl_context *context, const tsl_cg_class *what)
{
    const size_t n = (size_t)what->rows;
    v->n = what->rows;
    v->width = width_of(what);
    const size_t places = n * (size_t)v->width;
    v->count = tsl_allocate(n * sizeof *v->count);
    v->column = tsl_allocate(places * sizeof *v->column);
    v->value = tsl_allocate(places * sizeof *v->value);
    v->weight = tsl_allocate(n * sizeof *v->weight);
    v->start = tsl_allocate((n + 1) * sizeof *v->start);
    v->users = tsl_allocate(places * sizeof *v->users);
    if (v->count == NULL || v->column == NULL || v->value == NULL || v->weight == NULL ||
        v->start == NULL || v->users == NULL) {
        return tsl_fail_memory(context, vectors_bytes(what), "the vectors the matrix is made of");
    }
    return TSL_OK;
}

static int find(const int32_t *columns, int count, int32_t column)
{
    int at = 0;
    while (at < count && columns[at] != column) {
        at++;
    }
    return at;
}

/* After so many vectors or rows a rank looks whether the others go on; all take minutes. */
enum { PART = 1 << 16 };

static int64_t end_of_part(int64_t begin, int64_t all)
{
    return all - begin < PART ? all : begin + PART;
}

/* Draw pairs of a value and a place below the power of two >= n; leave out places >= n and those
 * taken already. Then put 0.5 at place i. */
static tsl_status draw(vectors *v, tsl_context *context, int draws)
{
    tsl_status status = TSL_OK;
    int bits = 0;
    while ((INT64_C(1) << bits) < v->n) {
        bits++;
    }
    const double ratio = pow(0.1, 1 / (double)v->n);
    double weight = 1;
    uint64_t state = tsl_random_next(tsl_random_state(UINT64_C(314159265))); /* one is spent */
    for (int64_t i = 0; i < v->n; i++) {
        if (i % PART == 0 && (status = tsl_comm_check(context->comm)) != TSL_OK) {
            return status;
        }
        int32_t *column = v->column + i * v->width;
        double *value = v->value + i * v->width;
        int count = 0;
        while (count < draws) {
            const uint64_t drawn = tsl_random_next(state);
            state = tsl_random_next(drawn);
            const int64_t place = (int64_t)(tsl_random_integer(state) >> (TSL_RANDOM_BITS - bits));
            if (place < v->n && find(column, count, (int32_t)place) == count) {
                column[count] = (int32_t)place;
                value[count++] = tsl_random_uniform(drawn);
            }
        }
        const int own = find(column, count, (int32_t)i);
        column[own] = (int32_t)i;
        value[own] = 0.5;
        v->count[i] = own == count ? count + 1 : count;
        v->weight[i] = weight;
        weight *= ratio;
    }
    return status;
}

/* Some vectors, first … end - 1. */
typedef struct piece {
    int64_t first, end;
} piece;

/* Count, for the columns from … to - 1, those of the vectors that have an entry there. */
static void count_users(vectors *v, piece some, int64_t from, int64_t to)
{
    for (int64_t i = some.first; i < some.end; i++) {
        for (int k = 0; k < v->count[i]; k++) {
            const int64_t column = v->column[i * v->width + k];
            if (column >= from && column < to) {
                v->start[column]++;
            }
        }
    }
}

/* List them. start[column] is the end of its list, and comes down to its beginning: vectors are
 * taken from the last to the first, so that lists ascend. */
static void list_users(vectors *v, piece some, int64_t from, int64_t to)
{
    for (int64_t i = some.end - 1; i >= some.first; i--) {
        for (int k = 0; k < v->count[i]; k++) {
            const int64_t column = v->column[i * v->width + k];
            if (column >= from && column < to) {
                v->users[--v->start[column]] = (int32_t)i;
            }
        }
    }
}

/* Each thread takes some of the columns and looks through all vectors. */
static tsl_status find_users(vectors *v, tsl_context *context)
{
    const int threads = context->threads;
    tsl_status status = TSL_OK;
    memset(v->start, 0, (size_t)v->n * sizeof *v->start);
    for (int64_t at = 0; at < v->n && status == TSL_OK; at += PART) {
        const piece some = {at, end_of_part(at, v->n)};
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int part = 0; part < threads; part++) {
            count_users(v, some, v->n * part / threads, v->n * (part + 1) / threads);
        }
        status = tsl_comm_check(context->comm);
    }
    for (int64_t i = 1; i < v->n; i++) {
        v->start[i] += v->start[i - 1];
    }
    v->start[v->n] = v->start[v->n - 1];
    for (int64_t at = (v->n - 1) / PART * PART; at >= 0 && status == TSL_OK; at -= PART) {
        const piece some = {at, end_of_part(at, v->n)};
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int part = 0; part < threads; part++) {
            list_users(v, some, v->n * part / threads, v->n * (part + 1) / threads);
        }
        status = tsl_comm_check(context->comm);
    }
    return status;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* A term of a row's sum: its column, and its number in the order of summation. */
typedef struct term {
    int32_t column;
    int32_t number;
} term;

/* A thread's work space. */
typedef struct bench {
    term *terms, *sorted; /* [most] */
    double *values;       /* [most], by number */
    uint64_t *seen;       /* [n / 64 + 1], a bit a column, all 0 between rows */
} bench;

/* Different columns of row j. */
static int64_t count_row(const vectors *v, bench *b, int64_t j)
{
    int64_t found = 0;
    for (int64_t u = v->start[j]; u < v->start[j + 1]; u++) {
        const int64_t i = v->users[u];
        for (int k = 0; k < v->count[i]; k++) {
            const int32_t column = v->column[i * v->width + k];
            const uint64_t bit = UINT64_C(1) << (column % 64);
            found += (b->seen[column / 64] & bit) == 0;
            b->seen[column / 64] |= bit;
        }
    }
    for (int64_t u = v->start[j]; u < v->start[j + 1]; u++) {
        const int64_t i = v->users[u];
        for (int k = 0; k < v->count[i]; k++) {
            b->seen[v->column[i * v->width + k] / 64] = 0;
        }
    }
    return found;
}

/* Terms of row j, vector by vector; `diagonal` goes with the one that is the diagonal's of vector
 * j. Returns their number. */
static int list_terms(const vectors *v, bench *b, int64_t j, double diagonal)
{
    int count = 0;
    for (int64_t u = v->start[j]; u < v->start[j + 1]; u++) {
        const int64_t i = v->users[u];
        const int32_t *column = v->column + i * v->width;
        const double *value = v->value + i * v->width;
        const double scale = v->weight[i] * value[find(column, v->count[i], (int32_t)j)];
        for (int k = 0; k < v->count[i]; k++) {
            double product = value[k] * scale;
            if (column[k] == j && i == j) {
                product += diagonal;
            }
            b->values[count] = product;
            b->terms[count] = (term){.column = column[k], .number = count};
            count++;
        }
    }
    return count;
}

/* Sort terms by column, keeping the order of equal ones: 8 bits at a time. */
static void sort_terms(bench *b, int count, int64_t n)
{
    for (int shift = 0; (n - 1) >> shift > 0; shift += 8) {
        int places[257] = {0};
        for (int i = 0; i < count; i++) {
            places[((b->terms[i].column >> shift) & 255) + 1]++;
        }
        for (int digit = 0; digit < 256; digit++) {
            places[digit + 1] += places[digit];
        }
        for (int i = 0; i < count; i++) {
            b->sorted[places[(b->terms[i].column >> shift) & 255]++] = b->terms[i];
        }
        term *other = b->terms;
        b->terms = b->sorted;
        b->sorted = other;
    }
}

static void write_row(const bench *b, int count, int32_t *column, double *value)
{
    int64_t at = -1;
    for (int i = 0; i < count; i++) {
        const term t = b->terms[i];
        if (i > 0 && column[at] == t.column) {
            value[at] += b->values[t.number];
        } else {
            at++;
            column[at] = t.column;
            value[at] = b->values[t.number];
        }
    }
}

/* Most terms of any of the rows. */
static int64_t most_terms(const vectors *v, int64_t first, int64_t count)
{
    int64_t most = 0;
    for (int64_t j = first; j < first + count; j++) {
        const int64_t terms = (v->start[j + 1] - v->start[j]) * v->width;
        most = terms > most ? terms : most;
    }
    return most;
}

static void free_benches(bench *benches, int threads)
{
    for (int t = 0; benches != NULL && t < threads; t++) {
        tsl_release(benches[t].terms);
        tsl_release(benches[t].sorted);
        tsl_release(benches[t].values);
        tsl_release(benches[t].seen);
    }
    tsl_release(benches);
}

static bench *make_benches(int threads, int64_t most, int64_t n)
{
    bench *benches = tsl_allocate_zeroed((size_t)threads, sizeof *benches);
    bool made = benches != NULL;
    for (int t = 0; made && t < threads; t++) {
        benches[t].terms = tsl_allocate((size_t)most * sizeof(term));
        benches[t].sorted = tsl_allocate((size_t)most * sizeof(term));
        benches[t].values = tsl_allocate((size_t)most * sizeof(double));
        benches[t].seen = tsl_allocate_zeroed((size_t)n / 64 + 1, sizeof(uint64_t));
        made = benches[t].terms != NULL && benches[t].sorted != NULL && benches[t].values != NULL &&
               benches[t].seen != NULL;
    }
    if (!made) {
        free_benches(benches, threads);
        return NULL;
    }
    return benches;
}

static tsl_status count_rows(tsl_csr *out, tsl_context *context, const vectors *v, bench *benches,
                             int64_t first)
{
    tsl_status status = TSL_OK;
    out->row_start[0] = 0;
    for (int64_t at = 0; at < out->rows && status == TSL_OK; at += PART) {
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 128)
        for (int64_t row = at; row < end_of_part(at, out->rows); row++) {
            out->row_start[row + 1] = count_row(v, &benches[omp_get_thread_num()], first + row);
        }
        status = tsl_comm_check(context->comm);
    }
    for (int64_t row = 0; row < out->rows && status == TSL_OK; row++) {
        out->row_start[row + 1] += out->row_start[row];
    }
    return status;
}

/* Count the rows' entries, take the matrix' memory, fill it. */
static tsl_status make_rows(tsl_csr *out, tsl_context *context, const vectors *v, bench *benches,
                            int64_t first, double diagonal)
{
    tsl_status status = count_rows(out, context, v, benches, first);
    if (status != TSL_OK) {
        return status;
    }
    const size_t nonzeros = (size_t)tsl_csr_nonzeros(out);
    out->column = tsl_allocate(nonzeros * sizeof *out->column);
    out->value = tsl_allocate(nonzeros * sizeof *out->value);
    if (out->column == NULL || out->value == NULL) {
        return tsl_fail_memory(context, (int64_t)nonzeros * 12, "the matrix");
    }
    for (int64_t at = 0; at < out->rows && status == TSL_OK; at += PART) {
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 128)
        for (int64_t row = at; row < end_of_part(at, out->rows); row++) {
            bench *b = &benches[omp_get_thread_num()];
            const int count = list_terms(v, b, first + row, diagonal);
            sort_terms(b, count, v->n);
            write_row(b, count, out->column + out->row_start[row],
                      out->value + out->row_start[row]);
        }
        status = tsl_comm_check(context->comm);
    }
    return status;
}

int64_t tsl_cg_making_bytes(const tsl_cg_class *what, int64_t count, int64_t nonzeros,
                            int64_t beside)
{
    return (vectors_bytes(what) > beside ? vectors_bytes(what) : beside) +
           (count + 1) * (int64_t)sizeof(int64_t) +
           nonzeros * (int64_t)(sizeof(int32_t) + sizeof(double));
}

tsl_status tsl_cg_matrix(tsl_csr *out, tsl_context *context, const tsl_cg_class *what,
                         int64_t first, int64_t count)
{
    vectors v = {0};
    bench *benches = NULL;
    tsl_csr matrix = {.rows = count, .columns = what->rows};
    int64_t most = 0;
    tsl_status status = TSL_OK;
    TSL_TRY(allocate_vectors(&v, context, what));
    TSL_TRY(draw(&v, context, what->row_draws));
    TSL_TRY(find_users(&v, context));
    most = most_terms(&v, first, count);
    benches = make_benches(context->threads, most, v.n);
    matrix.row_start = tsl_allocate((size_t)(count + 1) * sizeof *matrix.row_start);
    if (benches == NULL || matrix.row_start == NULL) {
        status = tsl_fail_memory(context, most * context->threads * 24 + count * 8, "the matrix");
        goto done;
    }
    status = make_rows(&matrix, context, &v, benches, first, 0.1 - what->shift);
done:
    free_benches(benches, context->threads);
    free_vectors(&v);
    if (status != TSL_OK) {
        tsl_csr_free(&matrix);
        return status;
    }
    *out = matrix;
    return TSL_OK;
}
