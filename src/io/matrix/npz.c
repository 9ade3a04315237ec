/* SciPy's .npz files of matrices. A matrix by rows is taken as it is; all other formats become
 * triples of row, column and value first. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "io/file/zip.h"
#include "io/matrix/npz.h"

/* Read the member "NAME.npy". Release its text whatever the outcome. */
static tsl_status read_array(tsl_npz_array *out, const tsl_npz *r, const char *member)
{
    char name[TSL_ERROR_TEXT];
    *out = (tsl_npz_array){.data = NULL};
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

tsl_status tsl_npz_only_array(tsl_text *out, tsl_context *context, const tsl_source *source)
{
    tsl_zip zip;
    char name[TSL_ZIP_NAME], array[TSL_ZIP_NAME] = "";
    int64_t at = 0;
    int arrays = 0;
    bool is_matrix = false;
    *out = (tsl_text){.data = NULL};
    tsl_status status = tsl_zip_open(&zip, context, source);
    if (status != TSL_OK) {
        return status;
    }
    while (tsl_zip_next(&zip, &at, name)) {
        const size_t length = strlen(name);
        is_matrix = is_matrix || strcmp(name, "format.npy") == 0;
        if (length > 4 && strcmp(name + length - 4, ".npy") == 0) {
            strcpy(array, name);
            arrays++;
        }
    }
    if (!is_matrix && arrays == 1) {
        status = tsl_zip_read(out, context, &zip, array);
    }
    tsl_zip_close(&zip);
    return status;
}

tsl_status tsl_npz_numbers(tsl_npz_array *out, const tsl_npz *r, const char *member)
{
    return read_array(out, r, member);
}

tsl_status tsl_npz_integers(tsl_npz_array *out, const tsl_npz *r, const char *member,
                            int64_t wanted, bool or_more)
{
    const tsl_status status = tsl_npz_numbers(out, r, member);
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

/* Read the name of the format; "" if it has more than seven letters. */
static tsl_status read_format(char text[8], const tsl_npz *r)
{
    tsl_npz_array format;
    memset(text, 0, 8);
    tsl_status status = read_array(&format, r, "format.npy");
    if (status == TSL_OK) {
        const int each = format.header.type[1] == 'U' ? 4 : 1; /* bytes of a letter */
        const int low = format.header.type[0] == '>' ? each - 1 : 0;
        for (int i = 0; i < 7 && i < format.header.count * format.header.item / each; i++) {
            text[i] = format.data[i * each + low];
        }
    }
    tsl_text_release(&format.text);
    return status;
}

static tsl_status read_shape(const tsl_npz *r, tsl_csr *matrix)
{
    tsl_npz_array shape;
    tsl_status status = tsl_npz_integers(&shape, r, "shape.npy", 2, false);
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

tsl_status tsl_npz_starts(int64_t **out, const tsl_npz *r, int64_t lines)
{
    tsl_npz_array starts;
    tsl_status status = tsl_npz_integers(&starts, r, "indptr.npy", lines + 1, false);
    if (status == TSL_OK) {
        *out = tsl_allocate(((size_t)lines + 1) * sizeof **out);
        status = *out != NULL ? TSL_OK : tsl_fail_memory(r->context, 8 * lines, "a matrix");
    }
    for (int64_t i = 0; status == TSL_OK && i <= lines; i++) {
        const int64_t start = tsl_npy_integer(&starts.header, starts.data, i);
        if (i == 0 ? start != 0 : start < (*out)[i - 1]) {
            status =
                tsl_fail(r->context, TSL_E_FORMAT,
                         "%s: indptr[%" PRId64 "] is %" PRId64 ": the offsets must ascend from 0",
                         r->name, i, start);
        }
        (*out)[i] = start;
    }
    tsl_text_release(&starts.text);
    return status;
}

tsl_status tsl_npz_places(int32_t **out, const tsl_npz *r, const char *member, int64_t count,
                          int64_t limit, const char *lines)
{
    tsl_npz_array places;
    char name[32];
    int64_t bad = INT64_MAX;
    snprintf(name, sizeof name, "%s.npy", member);
    tsl_status status = tsl_npz_integers(&places, r, name, count, true);
    if (status == TSL_OK) {
        *out = tsl_allocate((size_t)count * sizeof **out);
        status = *out != NULL ? TSL_OK : tsl_fail_memory(r->context, 4 * count, "a matrix");
    }
    if (status == TSL_OK) {
        int32_t *const to = *out;
#pragma omp parallel for num_threads(tsl_threads_for(r->context, count)) reduction(min : bad)
        for (int64_t i = 0; i < count; i++) {
            const int64_t place = tsl_npy_integer(&places.header, places.data, i);
            to[i] = (int32_t)place;
            if (place < 0 || place >= limit) {
                bad = i < bad ? i : bad;
            }
        }
        if (bad != INT64_MAX) {
            status = tsl_fail(
                r->context, TSL_E_FORMAT,
                "%s: %s[%" PRId64 "] is %" PRId64 ": the matrix has the %s 0 to %" PRId64, r->name,
                member, bad, tsl_npy_integer(&places.header, places.data, bad), lines, limit - 1);
        }
    }
    tsl_text_release(&places.text);
    return status;
}

tsl_status tsl_npy_convert(double *out, tsl_context *context, const char *what,
                           const tsl_npy *header, const void *data, int64_t count, int threads)
{
    int64_t bad = INT64_MAX;
#pragma omp parallel for num_threads(threads) reduction(min : bad)
    for (int64_t i = 0; i < count; i++) {
        double imaginary;
        out[i] = tsl_npy_number(header, data, i, &imaginary);
        if (!isfinite(out[i]) || !isfinite(imaginary) || imaginary < 0 || imaginary > 0) {
            bad = i < bad ? i : bad;
        }
    }
    if (bad == INT64_MAX) {
        return TSL_OK;
    }
    double imaginary;
    const double real = tsl_npy_number(header, data, bad, &imaginary);
    if (!isfinite(real) || !isfinite(imaginary)) {
        return tsl_fail(context, TSL_E_FORMAT, "%s[%" PRId64 "] is no finite number", what, bad);
    }
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "%s[%" PRId64 "] has an imaginary part: only real systems are solved; write "
                    "one of twice the size",
                    what, bad);
}

/* Open data.npy, and check its shape and that it holds numbers. */
static tsl_status open_values(tsl_npz_array *values, const tsl_npz *r, int axes)
{
    const tsl_status status = tsl_npz_numbers(values, r, "data.npy");
    return status != TSL_OK || (values->header.axes == axes && tsl_npy_has_numbers(&values->header))
               ? status
               : tsl_fail(
                     r->context, TSL_E_FORMAT,
                     "%s: data.npy has %d axes and elements of type %s: it should have %d, and "
                     "numbers of at most 64 bits",
                     r->name, values->header.axes, values->header.type, axes);
}

tsl_status tsl_npz_values(double **out, tsl_npy *header, const char **field, const tsl_npz *r,
                          int axes, int64_t least)
{
    tsl_npz_array values;
    tsl_status status = open_values(&values, r, axes);
    *header = values.header;
    if (status == TSL_OK && values.header.count < least) {
        status = tsl_fail(r->context, TSL_E_FORMAT,
                          "%s: data.npy has %" PRId64
                          " elements of type %s: it should have %" PRId64 " numbers",
                          r->name, values.header.count, values.header.type, least);
    }
    const int64_t count = least >= 0 ? least : values.header.count;
    if (status == TSL_OK) {
        *field = tsl_npy_field(&values.header);
        *out = tsl_allocate((size_t)count * sizeof **out);
        status = *out != NULL ? TSL_OK : tsl_fail_memory(r->context, 8 * count, "a matrix");
    }
    if (status == TSL_OK) {
        char what[TSL_ERROR_TEXT];
        snprintf(what, sizeof what, "%s: data", r->name);
        status = tsl_npy_convert(*out, r->context, what, &values.header, values.data, count,
                                 tsl_threads_for(r->context, count));
    }
    tsl_text_release(&values.text);
    return status;
}

const char *tsl_npy_field(const tsl_npy *header)
{
    const char kind = header->type[1];
    return kind == 'c' ? "complex" : kind == 'f' ? "real" : "integer";
}

static tsl_status read_rows(const tsl_npz *r, tsl_matrix_file *out)
{
    tsl_csr *matrix = &out->matrix;
    tsl_npy header;
    tsl_status status = tsl_npz_starts(&matrix->row_start, r, matrix->rows);
    if (status == TSL_OK) {
        out->entries = tsl_csr_nonzeros(matrix);
        status =
            tsl_npz_places(&matrix->column, r, "indices", out->entries, matrix->columns, "columns");
    }
    return status == TSL_OK
               ? tsl_npz_values(&matrix->value, &header, &out->field, r, 1, out->entries)
               : status;
}

/* The formats that SciPy saves, and the function that reads each. */
static const struct {
    const char *name, *title;
    tsl_status (*read)(const tsl_npz *r, tsl_matrix_file *out);
    bool fills; /* fills up with zeros that are no entries */
} formats[] = {{"csr", "SciPy CSR", read_rows, false},
               {"csc", "SciPy CSC", tsl_npz_read_csc, false},
               {"coo", "SciPy COO", tsl_npz_read_coo, false},
               {"bsr", "SciPy BSR", tsl_npz_read_bsr, true},
               {"dia", "SciPy DIA", tsl_npz_read_dia, true}};
enum { FORMATS = sizeof formats / sizeof *formats };

static tsl_status read_members(const tsl_npz *r, tsl_matrix_file *out, bool *fills)
{
    char name[8], quoted[TSL_QUOTE_TEXT];
    tsl_status status = read_format(name, r);
    if (status != TSL_OK) {
        return status;
    }
    for (int i = 0; i < FORMATS; i++) {
        if (strcmp(name, formats[i].name) == 0) {
            out->format = formats[i].title;
            *fills = formats[i].fills;
            status = read_shape(r, &out->matrix);
            return status == TSL_OK ? formats[i].read(r, out) : status;
        }
    }
    return tsl_fail(r->context, TSL_E_UNSUPPORTED,
                    "%s: holds a matrix of SciPy's format '%s': save its tocsr()", r->name,
                    tsl_quote(quoted, name, strlen(name)));
}

tsl_status tsl_npz_parse(tsl_matrix_file *out, tsl_context *context, const tsl_source *source)
{
    tsl_npz r = {.context = context,
                 .name = source->name,
                 .threads = context->threads > 0 ? context->threads : 1};
    bool fills = false;
    *out = (tsl_matrix_file){
        .storage = TSL_SPARSE_GENERAL, .symmetry = "general", .bytes = source->size};
    tsl_status status = tsl_zip_open(&r.zip, context, source);
    if (status == TSL_OK) {
        status = read_members(&r, out, &fills);
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
        &out->matrix, tsl_threads_for(context, tsl_csr_nonzeros(&out->matrix)), fills);
    return TSL_OK;
}
