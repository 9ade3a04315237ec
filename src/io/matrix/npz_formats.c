/* SciPy's formats that do not hold a matrix by rows: they become triples of row, column and value,
 * which are brought into rows. */
#include <inttypes.h>

#include "core/context.h"
#include "io/matrix/npz.h"

typedef struct triples {
    int64_t count;
    int32_t *row, *column;
    double *value;
} triples;

static void release(triples *t)
{
    tsl_release(t->row);
    tsl_release(t->column);
    tsl_release(t->value);
    *t = (triples){0};
}

static tsl_status take(triples *t, const tsl_npz *r, int64_t count)
{
    t->count = count;
    t->row = tsl_allocate((size_t)count * sizeof *t->row);
    t->column = tsl_allocate((size_t)count * sizeof *t->column);
    t->value = tsl_allocate((size_t)count * sizeof *t->value);
    return t->row != NULL && t->column != NULL && t->value != NULL
               ? TSL_OK
               : tsl_fail_memory(r->context, 16 * count, "a matrix");
}

/* Make the rows of `matrix` of the triples, in each row in the order of the triples. */
static tsl_status assemble(tsl_csr *matrix, const tsl_npz *r, const triples *t)
{
    int64_t *start = tsl_allocate_zeroed((size_t)matrix->rows + 2, sizeof *start);
    matrix->row_start = start;
    matrix->column = tsl_allocate((size_t)t->count * sizeof *matrix->column);
    matrix->value = tsl_allocate((size_t)t->count * sizeof *matrix->value);
    if (start == NULL || matrix->column == NULL || matrix->value == NULL) {
        return tsl_fail_memory(r->context, 12 * t->count + 8 * matrix->rows, "a matrix");
    }
    for (int64_t k = 0; k < t->count; k++) {
        start[t->row[k] + 2]++;
    }
    for (int64_t i = 0; i < matrix->rows; i++) {
        start[i + 2] += start[i + 1];
    }
    for (int64_t k = 0; k < t->count; k++) {
        const int64_t to = start[t->row[k] + 1]++;
        matrix->column[to] = t->column[k];
        matrix->value[to] = t->value[k];
    }
    return TSL_OK;
}

static tsl_status finish(tsl_matrix_file *out, const tsl_npz *r, triples *t, tsl_status status)
{
    if (status == TSL_OK) {
        out->entries = t->count;
        status = assemble(&out->matrix, r, t);
    }
    release(t);
    return status;
}

tsl_status tsl_npz_read_coo(const tsl_npz *r, tsl_matrix_file *out)
{
    triples t = {0};
    tsl_npy header = {.count = 0};
    tsl_status status = tsl_npz_values(&t.value, &header, &out->field, r, 1, -1);
    t.count = header.count;
    if (status == TSL_OK) {
        status = tsl_npz_places(&t.row, r, "row", t.count, out->matrix.rows, "rows");
    }
    if (status == TSL_OK) {
        status = tsl_npz_places(&t.column, r, "col", t.count, out->matrix.columns, "columns");
    }
    return finish(out, r, &t, status);
}

tsl_status tsl_npz_read_csc(const tsl_npz *r, tsl_matrix_file *out)
{
    triples t = {0};
    tsl_npy header;
    const int64_t columns = out->matrix.columns;
    int64_t *start = NULL;
    tsl_status status = tsl_npz_starts(&start, r, columns);
    if (status == TSL_OK) {
        t.count = start[columns];
        status = tsl_npz_places(&t.row, r, "indices", t.count, out->matrix.rows, "rows");
    }
    if (status == TSL_OK) { /* so many indices were read, so the count does not overflow */
        t.column = tsl_allocate((size_t)t.count * sizeof *t.column);
        status = t.column != NULL ? TSL_OK : tsl_fail_memory(r->context, 4 * t.count, "a matrix");
    }
    for (int64_t j = 0; status == TSL_OK && j < columns; j++) {
        for (int64_t k = start[j]; k < start[j + 1]; k++) {
            t.column[k] = (int32_t)j;
        }
    }
    if (status == TSL_OK) {
        status = tsl_npz_values(&t.value, &header, &out->field, r, 1, t.count);
    }
    tsl_release(start);
    return finish(out, r, &t, status);
}

/* A matrix of blocks of `high` rows and `wide` columns; numbers of data are [block][high][wide]. */
typedef struct blocks {
    int64_t count, high, wide;
    int64_t *start;  /* [rows / high + 1] */
    int32_t *column; /* [count] */
    double *value;
    bool fortran_order;
} blocks;

static tsl_status read_blocks(blocks *b, const tsl_npz *r, tsl_matrix_file *out)
{
    tsl_npy header = {.axes = 0};
    const tsl_csr *m = &out->matrix;
    tsl_status status = tsl_npz_values(&b->value, &header, &out->field, r, 3, -1);
    if (status != TSL_OK) {
        return status;
    }
    b->high = header.shape[1];
    b->wide = header.shape[2];
    b->fortran_order = header.fortran_order;
    if (b->high < 1 || b->wide < 1 || m->rows % b->high != 0 || m->columns % b->wide != 0) {
        return tsl_fail(r->context, TSL_E_FORMAT,
                        "%s: has blocks of %" PRId64 " x %" PRId64 ", of which a matrix of %" PRId64
                        " x %" PRId64 " cannot be made",
                        r->name, b->high, b->wide, m->rows, m->columns);
    }
    status = tsl_npz_starts(&b->start, r, m->rows / b->high);
    if (status == TSL_OK) {
        b->count = b->start[m->rows / b->high];
        if (b->count > header.shape[0]) {
            return tsl_fail(r->context, TSL_E_FORMAT,
                            "%s: data.npy has %" PRId64 " blocks: it should have %" PRId64, r->name,
                            header.shape[0], b->count);
        }
        status = tsl_npz_places(&b->column, r, "indices", b->count, m->columns / b->wide,
                                "columns of blocks");
    }
    b->count = status == TSL_OK && b->fortran_order ? header.shape[0] : b->count;
    return status;
}

static void spread_blocks(triples *t, const blocks *b, int64_t rows)
{
    int64_t n = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t high = i % b->high;
        for (int64_t k = b->start[i / b->high]; k < b->start[i / b->high + 1]; k++) {
            for (int64_t wide = 0; wide < b->wide; wide++, n++) {
                t->row[n] = (int32_t)i;
                t->column[n] = (int32_t)(b->column[k] * b->wide + wide);
                t->value[n] = b->value[b->fortran_order ? k + b->count * (high + b->high * wide)
                                                        : (k * b->high + high) * b->wide + wide];
            }
        }
    }
}

tsl_status tsl_npz_read_bsr(const tsl_npz *r, tsl_matrix_file *out)
{
    triples t = {0};
    blocks b = {0};
    tsl_status status = read_blocks(&b, r, out);
    if (status == TSL_OK) {
        status = take(&t, r, b.start[out->matrix.rows / b.high] * b.high * b.wide);
    }
    if (status == TSL_OK) {
        spread_blocks(&t, &b, out->matrix.rows);
    }
    tsl_release(b.start);
    tsl_release(b.column);
    tsl_release(b.value);
    return finish(out, r, &t, status);
}

/* data[k][j] is the entry of column j on the diagonal offsets[k], in row j - offsets[k]. Counts the
 * entries within the matrix and, with `t`, adds them to it. */
static int64_t walk_diagonals(triples *t, const tsl_csr *m, const tsl_npz_array *offsets,
                              const tsl_npy *data, const double *value)
{
    int64_t n = 0;
    const int64_t length = data->shape[1] < m->columns ? data->shape[1] : m->columns;
    for (int64_t k = 0; k < data->shape[0]; k++) {
        const int64_t offset = tsl_npy_integer(&offsets->header, offsets->data, k);
        if (offset <= -m->rows || offset >= m->columns) {
            continue;
        }
        const int64_t from = offset > 0 ? offset : 0;
        const int64_t to = length < m->rows + offset ? length : m->rows + offset;
        for (int64_t j = from; j < to; j++, n++) {
            if (t != NULL) {
                t->row[n] = (int32_t)(j - offset);
                t->column[n] = (int32_t)j;
                t->value[n] =
                    value[data->fortran_order ? k + j * data->shape[0] : k * data->shape[1] + j];
            }
        }
    }
    return n;
}

tsl_status tsl_npz_read_dia(const tsl_npz *r, tsl_matrix_file *out)
{
    triples t = {0};
    tsl_npy header = {.axes = 0};
    tsl_npz_array offsets = {.data = NULL};
    double *value = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_npz_values(&value, &header, &out->field, r, 2, -1));
    TSL_TRY(tsl_npz_integers(&offsets, r, "offsets.npy", header.shape[0], false));
    TSL_TRY(take(&t, r, walk_diagonals(NULL, &out->matrix, &offsets, &header, value)));
done:
    if (status == TSL_OK) {
        walk_diagonals(&t, &out->matrix, &offsets, &header, value);
    }
    tsl_text_release(&offsets.text);
    tsl_release(value);
    return finish(out, r, &t, status);
}
