/* Lists of expressions on a GPU against the expressions evaluated one by one, row by row. Some
 * lists match a pattern whose kernels interpret no expressions; the others differ from it in one
 * thing. Products are sums of whole numbers, exact in any order. */
#include "solvers/linsolve/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/csr/format_gpu.h"
#include "blocks/vector/pattern.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/linsolve/matrix/matrix.h"
#include "solvers/linsolve/multigrid/gpu/coarsen.h"

enum { VECTORS = 6, WEIGHT = 3, MOST_EXPRESSIONS = 4, LISTS = 13, MATCHING = 7 };

typedef struct vectors {
    float *v[VECTORS];
    double *wide;
} vectors;

/* List `number`, of which the first MATCHING match the pattern; returns its expressions. v[0] is
 * whole numbers and written by none. */
static int make_list(tsl_expression *s, int number, const vectors *m, const tsl_form *form)
{
    float *const *v = m->v;
    const tsl_expression product = tsl_product(
        number == 3 || number == 6 || number == 7 || number == 10 || number == 12 ? v[2] : NULL,
        form, NULL, v[0]);
    const tsl_expression residual = tsl_combine(NULL, 1, v[1], -1, NULL);
    const tsl_expression lists[LISTS][MOST_EXPRESSIONS] = {
        {product, residual, tsl_scale(v[2], 0.3, NULL, v[3], -0.2, v[2]),
         tsl_combine(v[2], 1.2, v[0], 1, v[2])},
        {product, residual, tsl_scale(v[2], 0.3, NULL, v[3], 1.1, v[0])},
        {product, tsl_combine(v[2], 1, v[1], -1, NULL)},
        {product, tsl_scale(v[4], 0.7, v[2], v[3], 0, NULL)},
        {product, tsl_combine(v[2], 1, v[2], 1, NULL)},
        {tsl_load(v[1], 0.25, m->wide), tsl_scale(v[2], 0.7, v[1], v[3], 0, NULL)},
        {product},
        /* the product goes elsewhere than the sum */
        {product, tsl_combine(v[4], 1, v[1], -1, v[2])},
        {product, residual, tsl_scale(v[2], 0.3, NULL, v[3], 0, NULL),
         tsl_combine(v[2], 1, v[2], 0.5, v[4])},
        {tsl_load(v[1], 0.25, m->wide), tsl_combine(v[2], 1, v[1], 0.5, v[3])},
        {product, tsl_scale(v[2], 0.7, v[2], v[3], 0, NULL)},
        {product, tsl_combine(v[2], 0.5, NULL, 2, NULL)},
        {product, tsl_combine(NULL, 1, v[1], -1, v[2]), tsl_scale(v[4], 0.7, NULL, v[3], 0, NULL)}};
    int count = 1;
    memcpy(s, lists[number], sizeof lists[number]);
    while (count < MOST_EXPRESSIONS &&
           (s[count].y != NULL || s[count].x != NULL || s[count].a != 0)) {
        count++;
    }
    return count;
}

static float multiply_row(const test_system *s, const float *x, int64_t i)
{
    double sum = 0;
    for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
        sum += s->value[k] * (double)x[s->column[k]];
    }
    return (float)sum;
}

static float at(const void *vector, int64_t i, float kept)
{
    return vector != NULL ? ((const float *)vector)[i] : kept;
}

/* The oracle. */
static void evaluate(const tsl_expression *s, const test_system *a, int64_t i, float *kept)
{
    float y = 0;
    if (s->kind == TSL_EXPRESSION_PRODUCT) {
        y = multiply_row(a, s->x, i);
    } else if (s->kind == TSL_EXPRESSION_LOAD) {
        y = (float)(s->a * ((const double *)s->x)[i]);
    } else {
        y = (float)s->a * at(s->x, i, *kept);
        y = s->kind == TSL_EXPRESSION_SCALE ? y * at(s->w, i, *kept) : y;
        if (s->b != 0) {
            const float term = (float)s->b * at(s->z, i, *kept);
            y += term;
        }
    }
    *(s->y != NULL ? &((float *)s->y)[i] : kept) = y;
}

/* A weight: in two of three slices one number for the whole slice, in every third slice a number of
 * each row. */
static double weight_of(int64_t row, double x)
{
    const int64_t slice = row / TSL_SLICE_LANES;
    return slice % 3 == 0 ? x : 0.25 + 0.01 * (double)(slice % 7);
}

static void begin_vectors(vectors *host, vectors *device, tsl_context *context, int64_t n)
{
    uint64_t seed = 5;
    host->wide = malloc((size_t)n * sizeof *host->wide);
    for (int64_t k = 0; k < n; k++) {
        host->wide[k] = test_uniform(&seed) - 0.5;
    }
    device->wide = test_upload(context, host->wide, n * (int64_t)sizeof *host->wide);
    for (int i = 0; i < VECTORS; i++) {
        host->v[i] = malloc((size_t)n * sizeof(float));
        for (int64_t k = 0; k < n; k++) {
            const double x = test_uniform(&seed) - 0.5;
            host->v[i][k] = (float)(i == 0 ? floor(100 * x) : i == WEIGHT ? weight_of(k, x) : x);
        }
        device->v[i] = test_upload(context, host->v[i], n * (int64_t)sizeof(float));
    }
}

static void end_vectors(vectors *host, vectors *device, tsl_context *context)
{
    for (int i = 0; i < VECTORS; i++) {
        free(host->v[i]);
        test_release(context, device->v[i]);
    }
    free(host->wide);
    test_release(context, device->wide);
}

/* Run list `number` both ways from the same vectors. */
static void check_list(tsl_context *context, const test_system *s, const tsl_layout *layout,
                       const tsl_form *form, int number)
{
    vectors host;
    vectors device;
    tsl_expression expressions[MOST_EXPRESSIONS];
    tsl_expression ours[MOST_EXPRESSIONS];
    tsl_fused_pattern pattern;
    begin_vectors(&host, &device, context, s->n);
    float *const own = device.v[WEIGHT];
    const float *const weight = form->gpu->matrix.weight;
    device.v[WEIGHT] = weight != NULL ? (float *)(uintptr_t)weight : own;
    const int count = make_list(expressions, number, &device, form);
    const tsl_expressions list = {
        .layout = layout, .bytes = 4, .count = count, .expressions = expressions};
    assert_int_equal(tsl_match_pattern(&pattern, &list), number < MATCHING);
    assert_int_equal(tsl_expressions_run(context, &list), TSL_OK);
    make_list(ours, number, &host, form);
    for (int64_t i = 0; i < s->n; i++) {
        float kept = NAN;
        for (int k = 0; k < count; k++) {
            evaluate(&ours[k], s, i, &kept);
        }
    }
    float *out = malloc((size_t)s->n * sizeof *out);
    for (int i = 0; i < VECTORS; i++) {
        test_download(context, out, device.v[i], s->n * (int64_t)sizeof *out);
        assert_memory_equal(out, host.v[i], (size_t)s->n * sizeof *out);
    }
    free(out);
    device.v[WEIGHT] = own;
    end_vectors(&host, &device, context);
}

/* Make the entries whole numbers, with different ones in every `every`-th row; 0: alike in all
 * rows. */
static void make_whole(test_system *s, int64_t every)
{
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            s->value[k] = floor(8 * s->value[k]);
            s->value[k] += every > 0 && i % every == 0 ? (double)(k % 3) : 0;
        }
    }
}

/* The form with its values narrowed to one number where a slice has that in common. */
typedef struct narrowed {
    tsl_form wide, form;
    tsl_format_gpu gpu;
    int64_t common; /* slices that have it */
} narrowed;

/* Check that the common weight of a slice is told where all its rows have the same. */
static void check_weights(const tsl_common *common, const float *weight, int64_t rows)
{
    for (int64_t i = 0; i < rows; i += TSL_SLICE_LANES) {
        const float told = common[i / TSL_SLICE_LANES * TSL_COMMONS].weight;
        if (i / TSL_SLICE_LANES % 3 == 0 || i + TSL_SLICE_LANES > rows) {
            assert_true(isnan(told));
        } else {
            assert_true(told == weight[i]);
        }
    }
}

static void narrow(narrowed *out, tsl_context *context, const tsl_csr *a, const tsl_layout *layout)
{
    assert_int_equal(tsl_form_make(&out->wide, context, a, layout, 8, 1), TSL_OK);
    const tsl_gpu_matrix *m = &out->wide.gpu->matrix;
    const int64_t slices = (a->rows + TSL_SLICE_LANES - 1) / TSL_SLICE_LANES;
    int64_t *start = malloc((size_t)(slices + 1) * sizeof *start);
    test_download(context, start, m->value_start, (slices + 1) * (int64_t)sizeof *start);
    const int64_t groups = start[slices];
    const int64_t bytes = slices * TSL_COMMONS * (int64_t)sizeof(tsl_common);
    tsl_common *common = calloc(1, (size_t)bytes);
    float *rest = calloc((size_t)groups, TSL_SLICE_LANES * sizeof *rest);
    int without = 0;
    vectors host;
    vectors device;
    begin_vectors(&host, &device, context, a->rows);
    const int64_t weight_bytes = a->rows * (int64_t)sizeof(float);
    const tsl_narrowing a_narrowing = {
        .matrix = *m,
        .value = m->value,
        .scale = 1,
        .common = test_upload(context, common, bytes),
        .width = TSL_COMMONS,
        .weight = test_upload(context, host.v[WEIGHT], weight_bytes),
        .without = test_upload(context, &without, sizeof without),
        .rest = test_upload(context, rest, groups * TSL_SLICE_LANES * (int64_t)sizeof *rest)};
    assert_int_equal(context->ops->fused->narrow(context, &a_narrowing), TSL_OK);
    test_download(context, common, a_narrowing.common, bytes);
    test_download(context, &without, a_narrowing.without, sizeof without);
    test_release(context, a_narrowing.without);
    out->common = 0;
    for (int64_t i = 0; i < slices; i++) {
        out->common += !isnan(common[i * TSL_COMMONS].value);
    }
    assert_int_equal(without, slices - out->common);
    check_weights(common, host.v[WEIGHT], a->rows);
    end_vectors(&host, &device, context);
    out->gpu = *out->wide.gpu;
    out->gpu.matrix.common = a_narrowing.common;
    out->gpu.matrix.width = TSL_COMMONS;
    out->gpu.matrix.weight = a_narrowing.weight;
    out->gpu.matrix.value = a_narrowing.rest;
    out->form = out->wide;
    out->form.bytes = 4;
    out->form.gpu = &out->gpu;
    free(common);
    free(rest);
    free(start);
}

static void end_narrowed(narrowed *n, tsl_context *context)
{
    test_release(context, (void *)(uintptr_t)n->gpu.matrix.common);
    test_release(context, (void *)(uintptr_t)n->gpu.matrix.weight);
    test_release(context, (void *)(uintptr_t)n->gpu.matrix.value);
    tsl_form_free(&n->wide);
}

/* The matrix in slices as coarse levels have it, rows shared among threads. */
typedef struct shared_rows {
    tsl_form form;
    tsl_format_gpu gpu;
} shared_rows;

static void *zeros_on(tsl_context *context, int64_t bytes)
{
    void *host = calloc(1, (size_t)bytes);
    void *out = test_upload(context, host, bytes);
    free(host);
    return out;
}

static void slice(shared_rows *out, tsl_context *context, const tsl_csr *a)
{
    const int64_t slices = (a->rows + TSL_SLICE_LANES - 1) / TSL_SLICE_LANES;
    const int64_t nonzeros = a->row_start[a->rows];
    int64_t *start = calloc((size_t)slices + 1, sizeof *start);
    int32_t *groups = calloc((size_t)slices, sizeof *groups);
    tsl_slicing s = {.a = {.rows = a->rows,
                           .row_start = test_upload(context, a->row_start, 8 * (a->rows + 1)),
                           .column = test_upload(context, a->column, 4 * nonzeros),
                           .value = test_upload(context, a->value, 8 * nonzeros)},
                     .scale = 1,
                     .bytes = 4,
                     .groups = zeros_on(context, 4 * slices),
                     .index_start = zeros_on(context, 8 * (slices + 1))};
    assert_int_equal(context->ops->coarsen->measure_slices(context, &s), TSL_OK);
    test_download(context, groups, s.groups, 4 * slices);
    for (int64_t i = 0; i < slices; i++) {
        start[i + 1] = start[i] + groups[i];
    }
    s.value_start = test_upload(context, start, 8 * (slices + 1));
    s.index = zeros_on(context, 4 * TSL_SLICE_LANES * start[slices]);
    s.value = zeros_on(context, 4 * TSL_SLICE_LANES * start[slices]);
    assert_int_equal(context->ops->coarsen->fill_slices(context, &s), TSL_OK);
    const void *const passing[] = {s.a.row_start, s.a.column, s.a.value, s.groups};
    for (int i = 0; i < 4; i++) {
        test_release(context, (void *)(uintptr_t)passing[i]);
    }
    out->gpu = (tsl_format_gpu){.context = context,
                                .matrix = {.rows = a->rows,
                                           .value_start = s.value_start,
                                           .index_start = s.index_start,
                                           .index = s.index,
                                           .value = s.value}};
    out->form = (tsl_form){.bytes = 4, .scale = 1, .gpu = &out->gpu};
    free(groups);
    free(start);
}

static void end_sliced(const shared_rows *s, tsl_context *context)
{
    const tsl_gpu_matrix *m = &s->gpu.matrix;
    const void *const all[] = {m->value_start, m->index_start, m->index, m->value};
    for (int i = 0; i < 4; i++) {
        test_release(context, (void *)(uintptr_t)all[i]);
    }
}

/* A system in slices, of which `least` to `most` in a hundred have no numbers in common; with
 * `side` 0 a system whose rows are in chunks. */
typedef struct trial {
    int64_t side, planes, every;
    int64_t least, most;
} trial;

static void try_on(tsl_context *context, const trial *t)
{
    const bool sliced = t->side > 0;
    test_system s = sliced ? test_laplacian(t->side, t->planes) : test_graph(3000, 40, -1, 7);
    make_whole(&s, t->every);
    const tsl_csr a = {s.n, s.n, s.row_start, s.column, s.value};
    tsl_layout layout;
    tsl_form form;
    assert_int_equal(tsl_layout_make(&layout, context, s.n, s.row_start, true), TSL_OK);
    assert_int_equal(tsl_form_make(&form, context, &a, &layout, 4, 1), TSL_OK);
    assert_int_equal(form.gpu->matrix.value_start != NULL, sliced);
    for (int number = 0; number < LISTS; number++) {
        check_list(context, &s, &layout, &form, number);
    }
    if (sliced) {
        narrowed n;
        narrow(&n, context, &a, &layout);
        const int64_t slices = (s.n + TSL_SLICE_LANES - 1) / TSL_SLICE_LANES;
        assert_in_range(100 * (slices - n.common), t->least * slices, t->most * slices);
        for (int number = 0; number < LISTS; number++) {
            check_list(context, &s, &layout, &n.form, number);
        }
        end_narrowed(&n, context);
    }
    shared_rows by_slices;
    slice(&by_slices, context, &a);
    for (int number = 0; number < 2 * LISTS; number++) {
        by_slices.gpu.matrix.shared = number < LISTS;
        check_list(context, &s, &layout, &by_slices.form, number % LISTS);
    }
    end_sliced(&by_slices, context);
    tsl_form_free(&form);
    tsl_layout_free(&layout);
    test_system_free(&s);
}

static void lists_are_their_expressions(void **state)
{
    (void)state;
    const trial trials[] = {
        {20, 13, 0, 0, 5}, {20, 13, 97, 25, 40}, {3, 2, 5, 100, 100}, {0, 0, 0, 0, 0}};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        for (size_t i = 0; i < sizeof trials / sizeof *trials && context->ops->fused != NULL; i++) {
            try_on(context, &trials[i]);
        }
        tsl_context_destroy(context);
    }
}

/* p = a over / under p + b f z, of a vector z of single precision: as CG turns. */
static void widened_vectors_are_added(void **state)
{
    (void)state;
    enum { ROWS = 5003 };
    static double p[ROWS], out[ROWS];
    static float z[ROWS];
    const double scalars[] = {0.7, 1.9};
    uint64_t seed = 11;
    for (int64_t i = 0; i < ROWS; i++) {
        p[i] = (double)(test_random(&seed) % 1000) / 7;
        z[i] = (float)(test_random(&seed) % 1000) / 3;
    }
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        tsl_layout layout;
        if (context->ops->fused != NULL) {
            double *const vector = test_upload(context, p, sizeof p);
            double *const ratio = test_upload(context, scalars, sizeof scalars);
            float *const single = test_upload(context, z, sizeof z);
            const tsl_expression expressions[] = {
                tsl_widen(NULL, 0.3, single),
                tsl_times(tsl_combine(vector, 0.9, vector, 1.1, NULL), ratio, ratio + 1)};
            const tsl_expressions list = {
                .layout = &layout, .bytes = 8, .count = 2, .expressions = expressions};
            tsl_fused_pattern pattern;
            assert_int_equal(tsl_layout_make(&layout, context, ROWS, NULL, true), TSL_OK);
            assert_true(tsl_match_pattern(&pattern, &list));
            assert_int_equal(tsl_expressions_run(context, &list), TSL_OK);
            test_download(context, out, vector, sizeof out);
            for (int64_t i = 0; i < ROWS; i++) {
                double expected = 0.9 * (scalars[0] / scalars[1]) * p[i];
                expected += 1.1 * (0.3 * (double)z[i]);
                assert_true(out[i] == expected);
            }
            tsl_layout_free(&layout);
            test_release(context, vector);
            test_release(context, ratio);
            test_release(context, single);
        }
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_their_expressions),
                                       cmocka_unit_test(widened_vectors_are_added)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
