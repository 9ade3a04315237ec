/* Files of matrices, whatever their format, which their first bytes tell. */
#include "io/matrix/matrix.h"

#include <string.h>
#include <strings.h>

#include "core/context.h"
#include "io/matrix/npz.h"

void tsl_matrix_file_release(tsl_matrix_file *file)
{
    tsl_csr_free(&file->matrix);
    *file = (tsl_matrix_file){.entries = 0};
}

static const char mtx_magic[] = "%%MatrixMarket";
static const char npz_magic[] = "PK\3\4";
static const char npy_magic[] = "\x93NUMPY";

bool tsl_matrix_begins_well(const char *data, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8's byte-order mark */
    const bool marked = size >= 3 && memcmp(data, mark, 3) == 0;
    const char *text = data + (marked ? 3 : 0);
    return size >= TSL_TEXT_BEGINNING && (strncasecmp(text, mtx_magic, sizeof mtx_magic - 1) == 0 ||
                                          memcmp(data, npz_magic, sizeof npz_magic - 1) == 0 ||
                                          memcmp(data, npy_magic, sizeof npy_magic - 1) == 0);
}

static bool begins_with(const tsl_source *source, const char *magic)
{
    char buffer[8];
    const int64_t length = (int64_t)strlen(magic);
    int64_t bytes = length;
    const char *data = tsl_source_bytes(source, 0, &bytes, buffer);
    return data != NULL && bytes == length && memcmp(data, magic, (size_t)length) == 0;
}

bool tsl_npz_is(const tsl_source *source)
{
    return begins_with(source, npz_magic);
}

bool tsl_dense_is(const tsl_source *source)
{
    return begins_with(source, npy_magic);
}

/* Read a dense matrix, whose zeros are no entries. */
static tsl_status parse_dense(tsl_matrix_file *out, tsl_context *context, const tsl_source *source)
{
    tsl_dense dense;
    *out = (tsl_matrix_file){.format = "NumPy array", .symmetry = "general", .bytes = source->size};
    tsl_status status = tsl_dense_parse_npy(&dense, &out->field, context, source);
    if (status != TSL_OK) {
        return status;
    }
    const int64_t rows = dense.rows, columns = dense.columns, count = rows * columns;
    tsl_csr *m = &out->matrix;
    *m = (tsl_csr){.rows = rows, .columns = columns};
    out->entries = count;
    m->row_start = tsl_allocate(((size_t)rows + 1) * sizeof *m->row_start);
    m->column = tsl_allocate((size_t)count * sizeof *m->column);
    m->value = tsl_allocate((size_t)count * sizeof *m->value);
    if (m->row_start == NULL || m->column == NULL || m->value == NULL) {
        tsl_dense_release(&dense);
        tsl_matrix_file_release(out);
        return tsl_fail_memory(context, 12 * count + 8 * rows, "a matrix");
    }
    m->row_start[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            m->column[i * columns + j] = (int32_t)j;
            m->value[i * columns + j] = dense.value[i + j * rows];
        }
        m->row_start[i + 1] = (i + 1) * columns;
    }
    tsl_dense_release(&dense);
    tsl_rows_tidy(m, context->threads > 0 ? context->threads : 1, true);
    return TSL_OK;
}

/* Read an archive: a matrix of SciPy's, or one array. */
static tsl_status parse_archive(tsl_matrix_file *out, tsl_context *context,
                                const tsl_source *source)
{
    tsl_text text;
    tsl_status status = tsl_npz_only_array(&text, context, source);
    if (status == TSL_OK && text.data == NULL) {
        return tsl_npz_parse(out, context, source);
    }
    if (status == TSL_OK) {
        const tsl_source array = tsl_source_of(source->name, text.data, text.size);
        status = parse_dense(out, context, &array);
        tsl_text_release(&text);
    }
    return status;
}

tsl_status tsl_matrix_parse(tsl_matrix_file *out, tsl_context *context, const tsl_source *source)
{
    return tsl_npz_is(source)     ? parse_archive(out, context, source)
           : tsl_dense_is(source) ? parse_dense(out, context, source)
                                  : tsl_mtx_parse(out, context, source);
}

tsl_status tsl_matrix_read(tsl_matrix_file *out, tsl_context *context, const char *path)
{
    tsl_source source;
    tsl_status status = tsl_source_open(&source, context, path, tsl_matrix_begins_well);
    if (status == TSL_OK) {
        status = tsl_matrix_parse(out, context, &source);
        tsl_source_close(&source);
    }
    return status;
}
