/* Files of vectors that stand side by side. */
#include <inttypes.h>
#include <string.h>

#include "core/context.h"
#include "io/file/output.h"
#include "io/matrix/npz.h"

void tsl_dense_release(tsl_dense *vectors)
{
    tsl_release(vectors->value);
    *vectors = (tsl_dense){.rows = 0};
}

static tsl_status take(tsl_dense *out, tsl_context *context)
{
    const int64_t count = out->rows * out->columns;
    out->value = tsl_allocate_zeroed((size_t)count, sizeof *out->value);
    return out->value != NULL ? TSL_OK : tsl_fail_memory(context, 8 * count, "vectors");
}

/* Get all bytes of a source: where they are, or read into *copy, which is then to be released. */
static tsl_status load(const char **data, char **copy, tsl_context *context,
                       const tsl_source *source)
{
    int64_t bytes = source->size;
    *copy = source->data == NULL ? tsl_allocate((size_t)bytes) : NULL;
    if (source->data == NULL && *copy == NULL) {
        return tsl_fail_memory(context, bytes, "a file");
    }
    *data = tsl_source_bytes(source, 0, &bytes, *copy);
    return *data != NULL ? TSL_OK : tsl_fail(context, TSL_E_IO, "%s: cannot read", source->name);
}

/* Check that a header has one or two axes of numbers, and set the counts of rows and columns. */
static tsl_status check_header(const tsl_npy *header, tsl_context *context,
                               const tsl_source *source)
{
    if (header->axes < 1 || header->axes > 2 || !tsl_npy_has_numbers(header)) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s: has %d axes and elements of type %s: a vector has one, a matrix two, "
                        "and numbers of at most 64 bits",
                        source->name, header->axes, header->type);
    }
    const int64_t columns = header->axes == 2 ? header->shape[1] : 1;
    if (header->shape[0] > INT32_MAX || columns > INT32_MAX) {
        return tsl_fail(context, TSL_E_UNSUPPORTED, "%s: has more than 2147483647 rows or columns",
                        source->name);
    }
    return source->size - header->offset == header->count * header->item
               ? TSL_OK
               : tsl_fail(context, TSL_E_FORMAT,
                          "%s: has %" PRId64 " bytes of data where its header says %" PRId64,
                          source->name, source->size - header->offset,
                          header->count * header->item);
}

/* Turn numbers that are held row after row into columns. */
static tsl_status turn(tsl_dense *v, tsl_context *context)
{
    const int64_t rows = v->rows, columns = v->columns;
    double *turned = tsl_allocate((size_t)(rows * columns) * sizeof *turned);
    if (turned == NULL) {
        return tsl_fail_memory(context, 8 * rows * columns, "vectors");
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            turned[i + j * rows] = v->value[i * columns + j];
        }
    }
    tsl_release(v->value);
    v->value = turned;
    return TSL_OK;
}

tsl_status tsl_dense_parse_npy(tsl_dense *out, const char **field, tsl_context *context,
                               const tsl_source *source)
{
    tsl_npy header;
    const char *data;
    char *copy;
    char what[TSL_ERROR_TEXT];
    *out = (tsl_dense){.rows = 0};
    tsl_status status = TSL_OK;
    TSL_TRY(load(&data, &copy, context, source));
    TSL_TRY(tsl_npy_parse(&header, context, source->name, data, (size_t)source->size));
    TSL_TRY(check_header(&header, context, source));
done:
    if (status == TSL_OK) {
        *field = tsl_npy_field(&header);
        out->rows = header.shape[0];
        out->columns = header.axes == 2 ? header.shape[1] : 1;
        status = take(out, context);
    }
    if (status == TSL_OK) {
        snprintf(what, sizeof what, "%s: numbers", source->name);
        status = tsl_npy_convert(out->value, context, what, &header, data + header.offset,
                                 header.count, context->threads > 0 ? context->threads : 1);
    }
    if (status == TSL_OK && out->columns > 1 && !header.fortran_order) {
        status = turn(out, context);
    }
    if (status == TSL_OK) {
        status = tsl_source_check(source, context);
    }
    tsl_release(copy);
    if (status != TSL_OK) {
        tsl_dense_release(out);
    }
    return status;
}

/* Turn a matrix that is held by rows, of a symmetric one a triangle, into numbers by columns. */
static tsl_status spread(tsl_dense *out, tsl_context *context, const tsl_matrix_file *file)
{
    const tsl_csr *m = &file->matrix;
    *out = (tsl_dense){.rows = m->rows, .columns = m->columns, .underflows = file->underflows};
    const tsl_status status = take(out, context);
    for (int64_t i = 0; status == TSL_OK && i < m->rows; i++) {
        for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
            const int64_t j = m->column[k];
            const double sign = file->storage == TSL_SPARSE_SKEW ? -1 : 1;
            out->value[i + j * m->rows] = m->value[k];
            if (file->storage != TSL_SPARSE_GENERAL && i != j) {
                out->value[j + i * m->rows] = sign * m->value[k];
            }
        }
    }
    return status;
}

tsl_status tsl_dense_read(tsl_dense *out, tsl_context *context, const char *path)
{
    tsl_source source;
    tsl_matrix_file file = {.entries = 0};
    const char *field;
    tsl_status status = tsl_source_open(&source, context, path, tsl_matrix_begins_well);
    if (status != TSL_OK) {
        return status;
    }
    if (tsl_dense_is(&source)) {
        status = tsl_dense_parse_npy(out, &field, context, &source);
    } else {
        status = tsl_matrix_parse(&file, context, &source);
        status = status == TSL_OK ? spread(out, context, &file) : status;
        tsl_matrix_file_release(&file);
    }
    tsl_source_close(&source);
    return status;
}

tsl_status tsl_vector_read(double *out, int64_t rows, tsl_context *context, const char *path)
{
    tsl_dense v;
    tsl_status status = tsl_dense_read(&v, context, path);
    if (status != TSL_OK) {
        return status;
    }
    if (v.columns != 1) {
        status = tsl_fail(context, TSL_E_FORMAT, "%s: has %" PRId64 " columns: give one vector",
                          path, v.columns);
    } else if (v.rows != rows) {
        status =
            tsl_fail(context, TSL_E_FORMAT,
                     "%s: has %" PRId64 " rows where the matrix has %" PRId64, path, v.rows, rows);
    } else {
        memcpy(out, v.value, (size_t)rows * sizeof *out);
    }
    tsl_dense_release(&v);
    return status;
}

static bool ends_in_npy(const char *path)
{
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".npy") == 0;
}

tsl_status tsl_dense_write(tsl_context *context, const char *path, const tsl_dense *x)
{
    if (ends_in_npy(path)) {
        const tsl_npy header = {.type = "<f8",
                                .item = 8,
                                .fortran_order = x->columns > 1,
                                .axes = x->columns > 1 ? 2 : 1,
                                .shape = {x->rows, x->columns},
                                .count = x->rows * x->columns};
        return tsl_npy_write(context, path, &header, x->value);
    }
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    FILE *stream = tsl_output_stream(output);
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    fprintf(stream, "%%%%MatrixMarket matrix array real general\n%" PRId64 " %" PRId64 "\n",
            x->rows, x->columns);
    for (int64_t i = 0; i < x->rows * x->columns; i++) {
        fprintf(stream, "%.17g\n", x->value[i]);
    }
    tsl_plain_numbers_leave(numbers);
    return tsl_output_commit(output);
}

tsl_status tsl_vector_write(tsl_context *context, const char *path, const double *x, int64_t rows)
{
    double *value = tsl_allocate((size_t)rows * sizeof *value);
    if (value == NULL) {
        return tsl_fail_memory(context, 8 * rows, "a vector");
    }
    memcpy(value, x, (size_t)rows * sizeof *value);
    const tsl_dense one = {.rows = rows, .columns = 1, .value = value};
    const tsl_status status = tsl_dense_write(context, path, &one);
    tsl_release(value);
    return status;
}
