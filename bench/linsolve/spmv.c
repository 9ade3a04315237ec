/* Products of sparse matrices with a vector in double precision: matrices of all kinds on one
 * device, beside cuSPARSE's and a copy on the device where the build has it and the device is a
 * GPU. All in the same run; results are compared with a plain loop's.
 *
 *     spmv [DEVICE [SIDE [JSON [COMMIT]]]]        default: cuda:0 200
 *
 * SIDE^3 rows has the Laplacian; the others' sizes go with it. NAS CG's matrix is that of class C
 * from 200 on, else of S.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "blocks/vector/expressions.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/linsolve/matrix/matrix.h"
#include "solvers/npb/cg.h"
#ifdef TSL_HAVE_CUSPARSE
#include "spmv.h"
#endif

typedef struct bench {
    tsl_context *context;
    int64_t side;
    bench_report *report; /* NULL: none */
} bench;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 11;
}

static double uniform(uint64_t *state)
{
    return (double)next_random(state) * 0x1p-53;
}

/* ---- matrices ----------------------------------------------------------------------------- */

static tsl_status take_rows(tsl_csr *m, tsl_context *context, int64_t rows, int64_t most)
{
    *m = (tsl_csr){.rows = rows,
                   .columns = rows,
                   .row_start = tsl_allocate((size_t)(rows + 1) * 8),
                   .column = tsl_allocate((size_t)most * 4),
                   .value = tsl_allocate((size_t)most * 8)};
    return m->row_start != NULL && m->column != NULL && m->value != NULL
               ? TSL_OK
               : tsl_fail_memory(context, 12 * most, "a matrix");
}

/* Neighbours of a cell in a box: all 27, or those of 7 points. */
static tsl_status make_stencil(tsl_csr *m, const bench *b, int64_t n, bool all)
{
    const tsl_status status = take_rows(m, b->context, n * n * n, n * n * n * (all ? 27 : 7));
    int64_t k = 0;
    for (int64_t i = 0; i < m->rows && status == TSL_OK; i++) {
        const int64_t at[3] = {i / (n * n), i / n % n, i % n};
        m->row_start[i] = k;
        for (int p = 0; p < 27; p++) {
            const int64_t step[3] = {p / 9 - 1, p / 3 % 3 - 1, p % 3 - 1};
            const int64_t away = llabs(step[0]) + llabs(step[1]) + llabs(step[2]);
            bool inside = all || away <= 1;
            for (int axis = 0; axis < 3; axis++) {
                inside = inside && at[axis] + step[axis] >= 0 && at[axis] + step[axis] < n;
            }
            if (inside) {
                m->column[k] = (int32_t)(i + (step[0] * n + step[1]) * n + step[2]);
                m->value[k++] =
                    away == 0 ? 26 : -1 / (1 + 0.1 * (double)away + (double)llabs(step[0]));
            }
        }
    }
    if (status == TSL_OK) {
        m->row_start[m->rows] = k;
    }
    return status;
}

static tsl_status make_laplacian(tsl_csr *m, const bench *b)
{
    return make_stencil(m, b, b->side, false);
}

static tsl_status make_anisotropic(tsl_csr *m, const bench *b)
{
    return make_stencil(m, b, b->side * 4 / 5, true);
}

static tsl_status make_nas(tsl_csr *m, const bench *b)
{
    const tsl_cg_class *class = tsl_cg_find_class(b->side >= 200 ? 'C' : 'S');
    return tsl_cg_matrix(m, b->context, class, 0, class->rows);
}

/* Row after row: `add` puts the entries of row i behind the k that are there, `most` in all, and
 * returns how many there are then. */
static tsl_status make_by_rows(tsl_csr *m, const bench *b, int64_t rows, int64_t most,
                               int64_t (*add)(tsl_csr *m, int64_t k, int64_t i, uint64_t *state))
{
    const tsl_status status = take_rows(m, b->context, rows, most);
    uint64_t state = 1;
    int64_t k = 0;
    for (int64_t i = 0; i < rows && status == TSL_OK; i++) {
        m->row_start[i] = k;
        k = add(m, k, i, &state);
    }
    if (status == TSL_OK) {
        m->row_start[rows] = k;
    }
    return status;
}

/* Random columns, ascending. */
static int64_t add_random(tsl_csr *m, int64_t k, int64_t entries, uint64_t *state)
{
    const double width = (double)m->columns / (double)entries;
    for (int64_t j = 0; j < entries; j++) {
        m->column[k] = (int32_t)(((double)j + uniform(state)) * width);
        m->value[k++] = uniform(state) - 0.5;
    }
    return k;
}

/* The row of rank r has about 0.35 rows / r^0.9 entries more than one: 11 in the mean. Ranks are
 * dealt out all over the rows. */
static int64_t add_ranked(tsl_csr *m, int64_t k, int64_t i, uint64_t *state)
{
    const int64_t rank = (int64_t)((uint64_t)i * UINT64_C(2654435761) % (uint64_t)m->rows) + 1;
    const int64_t length = 1 + (int64_t)(0.35 * (double)m->rows * pow((double)rank, -0.9));
    return add_random(m, k, length < 16 * m->rows - k ? length : 0, state);
}

static tsl_status make_power_law(tsl_csr *m, const bench *b)
{
    const int64_t rows = b->side * b->side * b->side / 8;
    return make_by_rows(m, b, rows, 16 * rows, add_ranked);
}

/* Five diagonals, and one row in the middle that is full. */
static int64_t add_banded(tsl_csr *m, int64_t k, int64_t i, uint64_t *state)
{
    if (i == m->rows / 2) {
        return add_random(m, k, m->columns, state);
    }
    for (int64_t j = i - 2; j <= i + 2; j++) {
        if (j >= 0 && j < m->columns) {
            m->column[k] = (int32_t)j;
            m->value[k++] = uniform(state) - 0.5;
        }
    }
    return k;
}

static tsl_status make_full_row(tsl_csr *m, const bench *b)
{
    const int64_t rows = b->side * b->side * b->side / 4;
    return make_by_rows(m, b, rows, 6 * rows, add_banded);
}

static const struct {
    const char *name, *what;
    tsl_status (*make)(tsl_csr *m, const bench *b);
} matrices[] = {{"nas_cg", "NAS CG", make_nas},
                {"laplacian", "7-point Laplacian", make_laplacian},
                {"anisotropic", "27-point anisotropic", make_anisotropic},
                {"power_law", "power law", make_power_law},
                {"full_row", "band with a full row", make_full_row}};

/* ---- products ----------------------------------------------------------------------------- */

/* One product under way. */
typedef struct work {
    tsl_context *context;
    tsl_layout layout;
    tsl_form form;
    double *x, *y;
} work;

static tsl_status queue(void *arguments)
{
    const work *w = arguments;
    const tsl_expression step = tsl_product(w->y, &w->form, NULL, w->x);
    return tsl_expressions_run(
        w->context,
        &(tsl_expressions){.layout = &w->layout, .bytes = 8, .count = 1, .expressions = &step});
}

/* What is on the device must be the plain loop's, to rounding: largest difference by the sum of the
 * terms' absolute values. */
static tsl_status compare(const work *w, const tsl_csr *m, const double *x, double *off)
{
    double *y = tsl_allocate((size_t)m->rows * sizeof *y);
    tsl_status status = y != NULL ? w->context->ops->download(w->context, y, w->y, 8 * m->rows)
                                  : tsl_fail_memory(w->context, 8 * m->rows, "a vector");
    double largest = 0;
    for (int64_t i = 0; i < m->rows && status == TSL_OK; i++) {
        double sum = 0;
        double size = 1e-300;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            sum += m->value[k] * x[m->column[k]];
            size += fabs(m->value[k] * x[m->column[k]]);
        }
        const double terms = (double)(m->row_start[i + 1] - m->row_start[i] + 2);
        const double wrong = fabs(y[i] - sum) / size / terms;
        largest = wrong <= largest ? largest : wrong; /* a not-a-number stays */
        if (isnan(largest)) {
            break;
        }
    }
    tsl_release(y);
    *off = largest * 0x1p53;
    return status;
}

/* What came of one matrix. */
typedef struct outcome {
    double setup, seconds, reference, copy, off;
    const char *algorithm; /* NULL: not compared */
} outcome;

static tsl_status measure(outcome *o, work *w, const tsl_csr *m, const double *x)
{
    tsl_status status = tsl_layout_make(&w->layout, w->context, m->rows, NULL, true);
    const double begun = tsl_seconds();
    if (status == TSL_OK) {
        status = tsl_form_make(&w->form, w->context, m, &w->layout, 8, 1);
    }
    o->setup = tsl_seconds() - begun;
    void *vectors[2] = {NULL, NULL};
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        status = tsl_device_allocate(&vectors[i], w->context, 8 * m->rows, "a vector");
    }
    w->x = vectors[0];
    w->y = vectors[1];
    if (status == TSL_OK) {
        status = w->context->ops->upload(w->context, w->x, x, 8 * m->rows);
    }
    if (status == TSL_OK) {
        status = tsl_device_time(&o->seconds, w->context, queue, w, 0.02);
    }
    if (status == TSL_OK) {
        status = compare(w, m, x, &o->off);
    }
#ifdef TSL_HAVE_CUSPARSE
    spmv_reference r = {0};
    if (status == TSL_OK && strncmp(w->context->name, "cuda", 4) == 0) {
        const double runs = 0.02 / o->seconds;
        status = spmv_cusparse(&r, w->context, m, w->y, w->x,
                               runs < 1     ? 1
                               : runs > 200 ? 200
                                            : (int)runs);
    }
    o->reference = r.seconds;
    o->copy = r.copy_gbs;
    o->algorithm = r.name;
#endif
    return status;
}

static void tell(const bench *b, int number, const tsl_csr *m, const work *w, const outcome *o)
{
    const int64_t nonzeros = tsl_csr_nonzeros(m);
    const double plain = 12 * (double)nonzeros + 16 * (double)m->rows; /* bytes by rows */
    printf("%-22s %9lld rows %10lld entries %-14s %8.1f us, %6.0f GB/s by rows",
           matrices[number].what, (long long)m->rows, (long long)nonzeros, tsl_form_name(&w->form),
           1e6 * o->seconds, 1e-9 * plain / o->seconds);
    if (o->algorithm != NULL) {
        printf("; cuSPARSE %s %8.1f us: %.2fx; copy %.0f GB/s, share of it %.2f", o->algorithm,
               1e6 * o->reference, o->reference / o->seconds, o->copy,
               1e-9 * (double)(w->form.product_bytes + 16 * m->rows) / o->seconds / o->copy);
    }
    printf("; set-up %.3f s, off by %.2f units\n", o->setup, o->off);
    fflush(stdout);
    if (b->report == NULL) {
        return;
    }
    tsl_json *json = &b->report->json;
    tsl_json_open_object(json, matrices[number].name);
    tsl_json_integer(json, "rows", m->rows);
    tsl_json_integer(json, "entries", nonzeros);
    tsl_json_string(json, "format", tsl_form_name(&w->form));
    tsl_json_integer(json, "product_bytes", w->form.product_bytes);
    tsl_json_number(json, "setup_seconds", o->setup);
    tsl_json_number(json, "seconds", o->seconds);
    tsl_json_number(json, "error_units", o->off);
    if (o->algorithm != NULL) {
        tsl_json_string(json, "cusparse_algorithm", o->algorithm);
        tsl_json_number(json, "cusparse_seconds", o->reference);
        tsl_json_number(json, "copy_gbs", o->copy);
    }
    tsl_json_close_object(json);
}

static tsl_status run_one(const bench *b, int number)
{
    tsl_csr m = {0};
    work w = {.context = b->context};
    outcome o = {0};
    tsl_status status = matrices[number].make(&m, b);
    double *x = status == TSL_OK ? tsl_allocate((size_t)m.columns * sizeof *x) : NULL;
    uint64_t state = 7;
    for (int64_t i = 0; x != NULL && i < m.columns; i++) {
        x[i] = uniform(&state) - 0.5;
    }
    if (status == TSL_OK) {
        status = x != NULL ? measure(&o, &w, &m, x)
                           : tsl_fail_memory(b->context, 8 * m.columns, "a vector");
    }
    if (status == TSL_OK) {
        tell(b, number, &m, &w, &o);
    }
    if (status == TSL_OK && !(o.off <= 1)) {
        status = tsl_fail(b->context, TSL_E_INTERNAL, "%s: a product is wrong by %g units",
                          matrices[number].what, o.off);
    }
    tsl_device_release(b->context, w.x);
    tsl_device_release(b->context, w.y);
    tsl_form_free(&w.form);
    tsl_layout_free(&w.layout);
    tsl_release(x);
    tsl_csr_free(&m);
    return status;
}

int main(int argc, char **argv)
{
    bench b = {.side = argc > 2 ? atoi(argv[2]) : 200};
    if (argc > 5 || b.side < 8 || b.side > 400) {
        fprintf(stderr, "usage: spmv [DEVICE [SIDE [JSON [COMMIT]]]], SIDE from 8 to 400\n");
        return 2;
    }
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = argc > 1 ? argv[1] : "cuda:0";
    bench_report report;
    tsl_status status = tsl_context_create(&b.context, &options);
    if (status == TSL_OK) {
        status = tsl_sparse_check_device(b.context, TSL_OK);
    }
    if (status == TSL_OK && argc > 3) {
        status = bench_report_open(&report, b.context, argv[3], "spmv", argc > 4 ? argv[4] : NULL);
        b.report = status == TSL_OK ? &report : NULL;
    }
    for (int i = 0; i < (int)(sizeof matrices / sizeof *matrices) && status == TSL_OK; i++) {
        status = run_one(&b, i);
    }
    if (status == TSL_OK && b.report != NULL) {
        status = bench_report_close(b.report);
    }
    if (status != TSL_OK) {
        fprintf(stderr, "spmv: %s\n", tsl_last_error(b.context));
    }
    tsl_context_destroy(b.context);
    return status == TSL_OK ? 0 : 3;
}
