#include "solvers/linsolve/matrix/matrix.h"

#include <string.h>

#include "blocks/vector/expressions.h"
#include "core/profile.h"
#include "device/device.h"

static const tsl_sparse_matrix_options defaults = TSL_SPARSE_MATRIX_OPTIONS_INIT;

void tsl_sparse_matrix_destroy(tsl_sparse_matrix *matrix)
{
    if (matrix != NULL) {
        tsl_form_free(&matrix->form);
        tsl_exchange_stream_destroy(matrix->exchange);
        tsl_layout_free(&matrix->layout);
        tsl_csr_free(&matrix->csr);
        tsl_release(matrix);
    }
}

tsl_status tsl_sparse_check_device(tsl_context *context, tsl_status status)
{
    char first[TSL_DEVICE_NAME] = "";
    strncpy(first, context->ops->name, sizeof first - 1);
    if (status == TSL_OK && context->ops != &tsl_device_cpu && context->ops->fused == NULL) {
        status =
            tsl_fail(context, TSL_E_UNSUPPORTED,
                     "%s: sparse systems are not solved there: use --device cpu", context->name);
    }
    const tsl_status heard = tsl_comm_broadcast(context->comm, NULL, first, sizeof first, 0);
    if (heard != TSL_OK) {
        return heard;
    }
    if (status == TSL_OK && strcmp(first, context->ops->name) != 0) {
        status = tsl_fail(context, TSL_E_UNSUPPORTED,
                          "the ranks of a sparse system are on '%s' and on '%s': give devices of "
                          "one kind",
                          first, context->ops->name);
    }
    return tsl_comm_agree(context, status);
}

static tsl_status check_shape(tsl_context *context, const tsl_entries *e)
{
    const struct {
        const char *name;
        int64_t count;
    } sizes[] = {{"rows", e->rows}, {"columns", e->columns}};
    for (int i = 0; i < 2; i++) {
        if (sizes[i].count < 1 || sizes[i].count > INT32_MAX) {
            return tsl_fail(context, TSL_E_ARG, "a matrix of %lld %s: give 1 to %d",
                            (long long)sizes[i].count, sizes[i].name, INT32_MAX);
        }
    }
    if (e->count < 0) {
        return tsl_fail(context, TSL_E_ARG, "%lld entries: give 0 or more", (long long)e->count);
    }
    if (e->column_bytes != 4 && e->column_bytes != 8) {
        return tsl_fail(context, TSL_E_ARG, "columns of %d bytes: give 4 or 8", e->column_bytes);
    }
    if (e->storage != TSL_SPARSE_GENERAL && e->rows != e->columns) {
        return tsl_fail(context, TSL_E_ARG,
                        "a symmetric matrix of %lld rows and %lld columns: it must be square",
                        (long long)e->rows, (long long)e->columns);
    }
    return TSL_OK;
}

static tsl_status check_options(tsl_context *context, const tsl_sparse_matrix_options *o)
{
    if (o->size != sizeof *o) {
        return tsl_fail(context, TSL_E_ARG,
                        "matrix options: size is %zu, not %zu: initialise them with "
                        "TSL_SPARSE_MATRIX_OPTIONS_INIT",
                        o->size, sizeof *o);
    }
    if ((unsigned)o->storage > TSL_SPARSE_SKEW || (unsigned)o->duplicates > TSL_SPARSE_SUM) {
        return tsl_fail(context, TSL_E_ARG, "matrix options: no storage %d or duplicates %d",
                        (int)o->storage, (int)o->duplicates);
    }
    if ((unsigned)o->symmetry > TSL_SPARSE_TAKE_GENERAL) {
        return tsl_fail(context, TSL_E_ARG, "matrix options: no symmetry %d", (int)o->symmetry);
    }
    if (o->index_base != 0 && o->index_base != 1) {
        return tsl_fail(context, TSL_E_ARG, "an index base of %d: give 0 or 1", o->index_base);
    }
    return TSL_OK;
}

/* A number that is all but surely another where the shape or any entry is. */
static int64_t digest(const tsl_csr *m, int threads)
{
    const uint64_t mix = UINT64_C(0x9e3779b97f4a7c15); /* odd: products with it are one to one */
    const int64_t entries = tsl_csr_nonzeros(m);
    uint64_t sum = ((uint64_t)m->rows * mix + (uint64_t)m->columns) * mix + (uint64_t)entries;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < m->rows; i++) {
        uint64_t row = (uint64_t)i;
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            uint64_t bits;
            memcpy(&bits, &m->value[k], sizeof bits);
            row = (row ^ (uint64_t)m->column[k]) * mix;
            row = (row ^ bits ^ (row >> 32)) * mix;
        }
        sum += row ^ (row >> 29);
    }
    return (int64_t)sum;
}

/* Ranks with matrices of their own would wait for what nobody sends, or solve what nobody asked. */
static tsl_status compare_ranks(const tsl_sparse_matrix *m)
{
    tsl_context *context = m->context;
    bool same = false;
    const tsl_status status = tsl_comm_compare(
        &same, context->comm, digest(&m->csr, tsl_threads_for(context, tsl_csr_nonzeros(&m->csr))));
    return status != TSL_OK || same
               ? status
               : tsl_fail(
                     context, TSL_E_ARG,
                     "the ranks of a sparse system have different matrices: give all the same");
}

static void describe(tsl_sparse_matrix *m)
{
    tsl_sparse_description *d = &m->description;
    tsl_describe_rows(d, m->context, &m->csr, m->index_base);
    if (m->symmetry != TSL_SPARSE_JUDGE && d->rows == d->columns) {
        d->symmetric = m->symmetry == TSL_SPARSE_TAKE_SYMMETRIC;
    }
}

/* The form in which products go through this rank's rows. Collective. */
static tsl_status make_form(tsl_sparse_matrix *m, tsl_status status)
{
    if (status == TSL_OK) {
        status = tsl_form_make(&m->form, m->context, &m->csr, &m->layout, 8, 1);
    }
    status = tsl_comm_agree(m->context, status);
    if (status == TSL_OK) {
        m->description.format = tsl_form_name(&m->form);
        m->description.bytes = m->form.product_bytes;
    }
    return status;
}

tsl_status tsl_sparse_matrix_negate(tsl_sparse_matrix *matrix)
{
    const int64_t entries = tsl_csr_nonzeros(&matrix->csr);
    for (int64_t k = 0; k < entries; k++) {
        matrix->csr.value[k] = -matrix->csr.value[k];
    }
    describe(matrix);
    tsl_form_free(&matrix->form);
    return make_form(matrix, TSL_OK);
}

static tsl_status fill(tsl_sparse_matrix *m, const tsl_entries *e)
{
    tsl_context *context = m->context;
    const double begun = tsl_seconds();
    tsl_status status = tsl_entries_to_rows(&m->csr, context, e);
    if (status == TSL_OK) {
        describe(m);
        status = tsl_layout_make(&m->layout, context, e->rows, m->csr.row_start, false);
    }
    if (tsl_comm_size(context->comm) > 1) {
        status = tsl_comm_agree(context, status);
        status = status == TSL_OK ? compare_ranks(m) : status;
        if (status == TSL_OK && context->ops->fused != NULL) {
            status = tsl_exchange_stream_create(&m->exchange, context);
        }
        if (status != TSL_OK) {
            return status; /* of all ranks */
        }
        m->layout.exchange = m->exchange;
    }
    status = make_form(m, status);
    if (status == TSL_OK) {
        tsl_profile_add(context, "matrix", begun, 12 * tsl_csr_nonzeros(&m->csr), 0);
    }
    return status;
}

/* `status`: how the arrays are. */
static tsl_status make(tsl_sparse_matrix **out, tsl_context *context, tsl_entries *e,
                       const tsl_sparse_matrix_options *options, tsl_status status)
{
    const tsl_sparse_matrix_options *o = options != NULL ? options : &defaults;
    tsl_sparse_matrix *m = NULL;
    if (status == TSL_OK) {
        status = check_options(context, o);
    }
    if (status == TSL_OK) {
        e->storage = o->storage;
        e->duplicates = o->duplicates;
        e->base = o->index_base;
        status = check_shape(context, e);
    }
    if (status == TSL_OK) {
        m = tsl_allocate_zeroed(1, sizeof *m);
        status = m != NULL ? TSL_OK : tsl_fail_memory(context, (int64_t)sizeof *m, "a matrix");
    }
    status = tsl_sparse_check_device(context, status);
    if (status == TSL_OK) {
        m->context = context;
        m->index_base = e->base;
        m->symmetry = o->symmetry;
        status = fill(m, e);
    }
    if (status != TSL_OK) {
        tsl_sparse_matrix_destroy(m);
        return status;
    }
    *out = m;
    return TSL_OK;
}

static const char no_arrays[] = "a matrix without arrays: row_start, row, column or value is NULL";

tsl_status tsl_sparse_matrix_create(tsl_sparse_matrix **out, tsl_context *context, int64_t rows,
                                    int64_t columns, const int64_t *row_start, const void *column,
                                    int column_bytes, const double *value,
                                    const tsl_sparse_matrix_options *options)
{
    const bool sized = rows >= 1 && rows <= INT32_MAX && row_start != NULL;
    tsl_entries e = {.rows = rows,
                     .columns = columns,
                     .count = sized ? row_start[rows] : 0,
                     .row_start = row_start,
                     .column = column,
                     .column_bytes = column_bytes,
                     .value = value};
    const bool missing = row_start == NULL || (e.count > 0 && (column == NULL || value == NULL));
    return make(out, context, &e, options,
                missing ? tsl_fail(context, TSL_E_ARG, "%s", no_arrays) : TSL_OK);
}

tsl_status tsl_sparse_matrix_from_coordinates(tsl_sparse_matrix **out, tsl_context *context,
                                              int64_t rows, int64_t columns, int64_t count,
                                              const int64_t *row, const int64_t *column,
                                              const double *value,
                                              const tsl_sparse_matrix_options *options)
{
    static const int64_t nothing[1] = {0};
    tsl_entries e = {.rows = rows,
                     .columns = columns,
                     .count = count,
                     .row = count > 0 ? row : nothing,
                     .column = column,
                     .column_bytes = 8,
                     .value = value};
    const bool missing = count > 0 && (row == NULL || column == NULL || value == NULL);
    return make(out, context, &e, options,
                missing ? tsl_fail(context, TSL_E_ARG, "%s", no_arrays) : TSL_OK);
}

void tsl_sparse_matrix_describe(const tsl_sparse_matrix *matrix, tsl_sparse_description *out)
{
    *out = matrix->description;
}

tsl_status tsl_sparse_matrix_multiply(tsl_sparse_matrix *matrix, double *y, const double *x)
{
    tsl_context *context = matrix->context;
    tsl_status status = TSL_OK;
    if (y == NULL || x == NULL) {
        status = tsl_fail(context, TSL_E_ARG, "a product without vectors: x or y is NULL");
    }
    status = tsl_comm_agree(context, status);
    if (status != TSL_OK) {
        return status;
    }
    const double begun = tsl_seconds();
    const tsl_expression step = tsl_product(y, &matrix->form, NULL, x);
    status = tsl_expressions_run(
        context, &(tsl_expressions){
                     .layout = &matrix->layout, .bytes = 8, .count = 1, .expressions = &step});
    if (status == TSL_OK) {
        status = tsl_layout_gather(&matrix->layout, context, y, 8);
    }
    if (status == TSL_OK) {
        status = context->ops->synchronize(context);
    }
    tsl_profile_add(context, "product", begun,
                    matrix->description.bytes + 8 * (matrix->csr.rows + matrix->csr.columns),
                    2 * matrix->description.nonzeros);
    status = tsl_comm_refuse(context, status);
    return status == TSL_OK ? tsl_comm_barrier(context->comm) : status; /* all have y, or none */
}

typedef struct timed {
    tsl_sparse_matrix *matrix;
    double *y;
    const double *x;
} timed;

static tsl_status multiply_own(void *arguments)
{
    const timed *t = arguments;
    const tsl_expression step = tsl_product(t->y, &t->matrix->form, NULL, t->x);
    return tsl_expressions_run(t->matrix->context, &(tsl_expressions){.layout = &t->matrix->layout,
                                                                      .bytes = 8,
                                                                      .count = 1,
                                                                      .expressions = &step});
}

tsl_status tsl_sparse_matrix_time(double *seconds, int64_t *bytes, tsl_sparse_matrix *matrix,
                                  double *y, const double *x)
{
    static const double shortest = 5e-3; /* of runs in a row */
    const tsl_layout *layout = &matrix->layout;
    tsl_context *context = matrix->context;
    timed t = {matrix, y, x};
    tsl_status status = multiply_own(&t);
    status = status == TSL_OK ? context->ops->synchronize(context) : status;
    *bytes = matrix->form.product_bytes + 16 * (layout->to - layout->from);
    return status == TSL_OK ? tsl_device_time(seconds, context, multiply_own, &t, shortest)
                            : status;
}
