/* SciPy's .npz files of matrices by rows. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "io/file/zip.h"
#include "io/grid/npy.h"
#include "io/matrix/matrix.h"

/* A member: an array. */
typedef struct array {
    tsl_npy header;
    tsl_text text; /* the member */
    const char *data;
} array;

typedef struct reading {
    tsl_context *context;
    const char *name;
    tsl_zip zip;
} reading;

bool tsl_npz_is(const tsl_source *source)
{
    char buffer[4];
    int64_t bytes = 4;
    const char *data = tsl_source_bytes(source, 0, &bytes, buffer);
    return data != NULL && bytes == 4 && memcmp(data, "PK\3\4", 4) == 0;
}

/* Read "NAME.npy". Release its text whatever the outcome. */
static tsl_status read_array(array *out, const reading *r, const char *member)
{
    char name[TSL_ERROR_TEXT];
    *out = (array){.data = NULL};
    tsl_status status = tsl_zip_read(&out->text, r->context, &r->zip, member);
    if (status != TSL_OK) {
        return status;
    }
    snprintf(name, sizeof name, "%s: %s", r->name, member);
    status = tsl_npy_parse(&out->header, r->context, name, out->text.data, out->text.size);
    if (status == TSL_OK &&
        (int64_t)out->text.size - out->header.offset != out->header.count * out->header.item) {
        status = tsl_fail(r->context, TSL_E_FORMAT, "%s: is cut short or goes on too long", name);
    }
    out->data = status == TSL_OK ? out->text.data + out->header.offset : NULL;
    return status;
}

/* The same of numbers. */
static tsl_status read_numbers(array *out, const reading *r, const char *member)
{
    char name[TSL_ERROR_TEXT];
    snprintf(name, sizeof name, "%s: %s", r->name, member);
    const tsl_status status = read_array(out, r, member);
    return status == TSL_OK ? tsl_npy_refuse_foreign(&out->header, r->context, name) : status;
}

/* The same of integers along one axis, `wanted` of them, or more where so many do no harm: SciPy
 * leaves behind the entries what it has room for. */
static tsl_status read_integers(array *out, const reading *r, const char *member, int64_t wanted,
                                bool or_more)
{
    const tsl_status status = read_numbers(out, r, member);
    if (status != TSL_OK) {
        return status;
    }
    const bool enough = out->header.count == wanted || (or_more && out->header.count > wanted);
    if (out->header.axes == 1 && enough && tsl_npy_has_integers(&out->header)) {
        return TSL_OK;
    }
    return tsl_fail(r->context, TSL_E_FORMAT,
                    "%s: %s has %" PRId64 " elements of type %s: it should have %" PRId64
                    " integers",
                    r->name, member, out->header.count, out->header.type, wanted);
}

static tsl_status check_format(const reading *r)
{
    array format;
    char text[8] = "";
    tsl_status status = read_array(&format, r, "format.npy");
    if (status == TSL_OK) {
        const int each = format.header.type[1] == 'U' ? 4 : 1; /* bytes of a letter */
        const int low = format.header.type[0] == '>' ? each - 1 : 0;
        for (int i = 0; i < 7 && i < format.header.count * format.header.item / each; i++) {
            text[i] = format.data[i * each + low];
        }
        if (strcmp(text, "csr") != 0) {
            char quoted[TSL_QUOTE_TEXT];
            status = tsl_fail(r->context, TSL_E_UNSUPPORTED,
                              "%s: holds a matrix of SciPy's format '%s': save its tocsr()",
                              r->name, tsl_quote(quoted, text, strlen(text)));
        }
    }
    tsl_text_release(&format.text);
    return status;
}

static tsl_status read_shape(const reading *r, tsl_csr *matrix)
{
    array shape;
    tsl_status status = read_integers(&shape, r, "shape.npy", 2, false);
    if (status == TSL_OK) {
        matrix->rows = tsl_npy_integer(&shape.header, shape.data, 0);
        matrix->columns = tsl_npy_integer(&shape.header, shape.data, 1);
        if (matrix->rows < 0 || matrix->columns < 0 || matrix->rows > INT32_MAX ||
            matrix->columns > INT32_MAX) {
            status = tsl_fail(r->context, TSL_E_UNSUPPORTED,
                              "%s: has %" PRId64 " x %" PRId64
                              " rows and columns: up to 2147483647 can be read",
                              r->name, matrix->rows, matrix->columns);
        }
    }
    tsl_text_release(&shape.text);
    return status;
}

static tsl_status read_starts(const reading *r, tsl_csr *matrix)
{
    array starts;
    tsl_status status = read_integers(&starts, r, "indptr.npy", matrix->rows + 1, false);
    if (status == TSL_OK) {
        matrix->row_start = tsl_allocate(((size_t)matrix->rows + 1) * sizeof(int64_t));
        if (matrix->row_start == NULL) {
            status = tsl_fail_memory(r->context, 8 * matrix->rows, "a matrix");
        }
    }
    for (int64_t i = 0; status == TSL_OK && i <= matrix->rows; i++) {
        matrix->row_start[i] = tsl_npy_integer(&starts.header, starts.data, i);
        if (i == 0 ? matrix->row_start[0] != 0 : matrix->row_start[i] < matrix->row_start[i - 1]) {
            status =
                tsl_fail(r->context, TSL_E_FORMAT,
                         "%s: indptr[%" PRId64 "] is %" PRId64 ": the offsets must ascend from 0",
                         r->name, i, matrix->row_start[i]);
        }
    }
    tsl_text_release(&starts.text);
    return status;
}

static tsl_status read_columns(const reading *r, tsl_csr *matrix, int64_t entries)
{
    array columns;
    int64_t bad = INT64_MAX;
    tsl_status status = read_integers(&columns, r, "indices.npy", entries, true);
    if (status == TSL_OK) {
        matrix->column = tsl_allocate((size_t)entries * sizeof *matrix->column);
        if (matrix->column == NULL) {
            status = tsl_fail_memory(r->context, 4 * entries, "a matrix");
        }
    }
    if (status == TSL_OK) {
#pragma omp parallel for num_threads(tsl_threads_for(r->context, entries)) reduction(min : bad)
        for (int64_t i = 0; i < entries; i++) {
            const int64_t column = tsl_npy_integer(&columns.header, columns.data, i);
            matrix->column[i] = (int32_t)column;
            if (column < 0 || column >= matrix->columns) {
                bad = i < bad ? i : bad;
            }
        }
        if (bad != INT64_MAX) {
            status = tsl_fail(r->context, TSL_E_FORMAT,
                              "%s: indices[%" PRId64 "] is %" PRId64
                              ": the matrix has the columns 0 to %" PRId64,
                              r->name, bad, tsl_npy_integer(&columns.header, columns.data, bad),
                              matrix->columns - 1);
        }
    }
    tsl_text_release(&columns.text);
    return status;
}

/* All numbers as double precision; `what` is the array in errors. */
static tsl_status convert(double *out, tsl_context *context, const char *what, const array *from,
                          int64_t count, int threads)
{
    int64_t bad = INT64_MAX;
#pragma omp parallel for num_threads(threads) reduction(min : bad)
    for (int64_t i = 0; i < count; i++) {
        double imaginary;
        out[i] = tsl_npy_number(&from->header, from->data, i, &imaginary);
        if (!isfinite(out[i]) || !isfinite(imaginary) || imaginary < 0 || imaginary > 0) {
            bad = i < bad ? i : bad;
        }
    }
    if (bad == INT64_MAX) {
        return TSL_OK;
    }
    double imaginary;
    const double real = tsl_npy_number(&from->header, from->data, bad, &imaginary);
    if (!isfinite(real) || !isfinite(imaginary)) {
        return tsl_fail(context, TSL_E_FORMAT, "%s[%" PRId64 "] is no finite number", what, bad);
    }
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "%s[%" PRId64 "] has an imaginary part: only real systems are solved; write "
                    "one of twice the size",
                    what, bad);
}

static tsl_status read_values(const reading *r, tsl_matrix_file *out, int64_t entries)
{
    array values;
    tsl_status status = read_numbers(&values, r, "data.npy");
    if (status == TSL_OK && (values.header.axes != 1 || values.header.count < entries ||
                             !tsl_npy_has_numbers(&values.header))) {
        status =
            tsl_fail(r->context, TSL_E_FORMAT,
                     "%s: data.npy has %" PRId64 " elements of type %s: it should have %" PRId64
                     " numbers of at most 64 bits",
                     r->name, values.header.count, values.header.type, entries);
    }
    if (status == TSL_OK) {
        const char kind = values.header.type[1];
        out->field = kind == 'c' ? "complex" : kind == 'f' ? "real" : "integer";
        out->matrix.value = tsl_allocate((size_t)entries * sizeof *out->matrix.value);
        if (out->matrix.value == NULL) {
            status = tsl_fail_memory(r->context, 8 * entries, "a matrix");
        }
    }
    if (status == TSL_OK) {
        char what[TSL_ERROR_TEXT];
        snprintf(what, sizeof what, "%s: data", r->name);
        status = convert(out->matrix.value, r->context, what, &values, entries,
                         tsl_threads_for(r->context, entries));
    }
    tsl_text_release(&values.text);
    return status;
}

static tsl_status read_members(const reading *r, tsl_matrix_file *out)
{
    tsl_csr *matrix = &out->matrix;
    tsl_status status = check_format(r);
    if (status == TSL_OK) {
        status = read_shape(r, matrix);
    }
    if (status == TSL_OK) {
        status = read_starts(r, matrix);
    }
    if (status == TSL_OK) {
        out->entries = tsl_csr_nonzeros(matrix);
        status = read_columns(r, matrix, out->entries);
    }
    if (status == TSL_OK) {
        status = read_values(r, out, out->entries);
    }
    return status;
}

tsl_status tsl_npz_parse(tsl_matrix_file *out, tsl_context *context, const tsl_source *source)
{
    reading r = {.context = context, .name = source->name};
    *out = (tsl_matrix_file){.storage = TSL_SPARSE_GENERAL,
                             .format = "SciPy CSR",
                             .symmetry = "general",
                             .bytes = source->size};
    tsl_status status = tsl_zip_open(&r.zip, context, source);
    if (status == TSL_OK) {
        status = read_members(&r, out);
        tsl_zip_close(&r.zip);
    }
    if (status == TSL_OK) {
        status = tsl_source_check(source, context);
    }
    if (status != TSL_OK) {
        tsl_matrix_file_release(out);
        return status;
    }
    out->duplicates = tsl_rows_tidy(
        &out->matrix, tsl_threads_for(context, tsl_csr_nonzeros(&out->matrix)), false);
    return TSL_OK;
}
