/* Files of matrices, whatever their format; files of vectors. */
#include "io/matrix/matrix.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "io/file/output.h"
#include "io/grid/npy.h"

void tsl_matrix_file_release(tsl_matrix_file *file)
{
    tsl_csr_free(&file->matrix);
    *file = (tsl_matrix_file){.entries = 0};
}

tsl_status tsl_matrix_parse(tsl_matrix_file *out, tsl_context *context, const tsl_source *source)
{
    return tsl_npz_is(source) ? tsl_npz_parse(out, context, source)
                              : tsl_mtx_parse(out, context, source);
}

tsl_status tsl_matrix_read(tsl_matrix_file *out, tsl_context *context, const char *path)
{
    tsl_source source;
    tsl_status status = tsl_source_open(&source, context, path);
    if (status == TSL_OK) {
        status = tsl_matrix_parse(out, context, &source);
        tsl_source_close(&source);
    }
    return status;
}

/* ---- vectors ------------------------------------------------------------------------------ */

static bool ends_in_npy(const char *path)
{
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".npy") == 0;
}

static tsl_status check_shape(tsl_context *context, const char *path, int64_t rows, int64_t columns,
                              int64_t wanted)
{
    if (columns != 1) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: has %" PRId64 " columns: give one vector", path,
                        columns);
    }
    return rows == wanted ? TSL_OK
                          : tsl_fail(context, TSL_E_FORMAT,
                                     "%s: has %" PRId64 " rows where the matrix has %" PRId64, path,
                                     rows, wanted);
}

static tsl_status convert_npy(double *out, int64_t rows, tsl_context *context, const char *path,
                              const tsl_npy *header, const void *data)
{
    tsl_status status = tsl_npy_refuse_foreign(header, context, path);
    if (status != TSL_OK) {
        return status;
    }
    if (header->axes < 1 || header->axes > 2 || !tsl_npy_has_numbers(header)) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s: has %d axes and elements of type %s: a vector has one, and numbers of "
                        "at most 64 bits",
                        path, header->axes, header->type);
    }
    status = check_shape(context, path, header->shape[0], header->axes == 2 ? header->shape[1] : 1,
                         rows);
    for (int64_t i = 0; status == TSL_OK && i < rows; i++) {
        double imaginary;
        out[i] = tsl_npy_number(header, data, i, &imaginary);
        if (!isfinite(out[i]) || !(fabs(imaginary) <= 0)) {
            return tsl_fail(context, TSL_E_FORMAT,
                            "%s: element %" PRId64 " is no finite real number", path, i);
        }
    }
    return status;
}

static tsl_status read_npy(double *out, int64_t rows, tsl_context *context, const char *path)
{
    tsl_npy header;
    void *data = NULL;
    tsl_status status = tsl_npy_read(&header, &data, context, path);
    if (status == TSL_OK) {
        status = convert_npy(out, rows, context, path, &header, data);
        tsl_release(data);
    }
    return status;
}

tsl_status tsl_vector_read(double *out, int64_t rows, tsl_context *context, const char *path)
{
    if (ends_in_npy(path)) {
        return read_npy(out, rows, context, path);
    }
    tsl_matrix_file file;
    tsl_status status = tsl_matrix_read(&file, context, path);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_csr *column = &file.matrix;
    status = check_shape(context, path, column->rows, column->columns, rows);
    for (int64_t i = 0; status == TSL_OK && i < rows; i++) {
        const int64_t k = column->row_start[i];
        out[i] = k < column->row_start[i + 1] ? column->value[k] : 0;
    }
    tsl_matrix_file_release(&file);
    return status;
}

tsl_status tsl_vector_write(tsl_context *context, const char *path, const double *x, int64_t rows)
{
    if (ends_in_npy(path)) {
        const tsl_npy header = {.type = "<f8", .item = 8, .axes = 1, .shape = {rows}};
        return tsl_npy_write(context, path, &header, x);
    }
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    FILE *stream = tsl_output_stream(output);
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    fprintf(stream, "%%%%MatrixMarket matrix array real general\n%" PRId64 " 1\n", rows);
    for (int64_t i = 0; i < rows; i++) {
        fprintf(stream, "%.17g\n", x[i]);
    }
    tsl_plain_numbers_leave(numbers);
    return tsl_output_commit(output);
}
