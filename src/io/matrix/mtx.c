/* Matrix Market files. The text after the size line is cut into blocks; threads take them in turn
 * and work on the lines that begin there. They do so twice: first they count the entries of each
 * row, then they put each entry into its row. The order in which threads do that is not the file's,
 * so rows are sorted afterwards. */
#include "io/matrix/mtx.h"

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "core/context.h"
#include "device/device.h"

enum {
    BLOCK = 1 << 20,
    LONGEST_LINE = 1 << 16,
    BUFFER = 1 + BLOCK + LONGEST_LINE,
    TOGETHER = 64 /* blocks between two looks whether other ranks have failed */
};

typedef enum fault_kind {
    NO_FAULT,
    UNREADABLE,
    TOO_LONG,
    NO_ENTRY,
    OUTSIDE,
    NO_NUMBER,
    TOO_LARGE,
    IMAGINARY,
    ON_DIAGONAL,
    OTHER_TRIANGLE
} fault_kind;

/* The first thing that is wrong in the file. */
typedef struct fault {
    fault_kind kind;
    int64_t at; /* byte of the file */
    int64_t row, column;
    int reason; /* errno */
    char quoted[TSL_QUOTE_TEXT];
} fault;

/* The first entries below and above the diagonal, by their bytes in the file; INT64_MAX: none. */
typedef struct triangles {
    int64_t below, above;
} triangles;

typedef struct body {
    tsl_context *context;
    const tsl_source *source;
    tsl_mtx_header header;
    int threads;
    char *buffers;    /* [threads][BUFFER]; NULL if the text is in memory */
    int64_t blocks;   /* of text */
    int64_t *counted; /* [blocks + 1]: first the entries of each block, then those before it */
    tsl_csr *matrix;
    triangles first;
    int64_t underflows; /* numbers that are not 0, but nearer to it than any double */
    fault fault;        /* the first in the file */
} body;

/* A line, and what is counted on the way through its block. */
typedef struct line {
    const char *at, *end;
    int64_t place;   /* byte of the file */
    int64_t ordinal; /* number of its entry */
    triangles first;
    int64_t underflows;
    fault fault;
} line;

/* ---- entries ------------------------------------------------------------------------------ */

static bool fail(line *l, fault_kind kind, int64_t row, int64_t column)
{
    l->fault = (fault){.kind = kind, .at = l->place, .row = row, .column = column};
    return false;
}

static bool take_place(const body *b, line *l, int64_t *row, int64_t *column)
{
    *column = 1;
    if (!tsl_mtx_take_number(&l->at, l->end, row) ||
        (!b->header.vector && !tsl_mtx_take_number(&l->at, l->end, column))) {
        return fail(l, NO_ENTRY, 0, 0);
    }
    if (b->header.base == 0) {
        ++*row;
        *column += !b->header.vector;
    }
    if (*row < 1 || *row > b->header.rows || *column < 1 || *column > b->header.columns) {
        return fail(l, OUTSIDE, *row, *column);
    }
    return true;
}

/* Was a number that is 0 also 0 before it was rounded? */
static bool was_zero(const char *text, size_t length)
{
    for (size_t i = 0; i < length && strchr("eEdD", text[i]) == NULL; i++) {
        if (text[i] >= '1' && text[i] <= '9') {
            return false;
        }
    }
    return true;
}

static bool take_number(line *l, double *value)
{
    const size_t length = tsl_mtx_next_field(&l->at, l->end);
    if (length == 0) {
        return fail(l, NO_ENTRY, 0, 0);
    }
    if (!tsl_parse_number(l->at, length, value)) {
        fail(l, tsl_is_beyond_double(l->at, length) ? TOO_LARGE : NO_NUMBER, 0, 0);
        tsl_quote(l->fault.quoted, l->at, length);
        return false;
    }
    l->underflows += *value == 0 && !was_zero(l->at, length);
    l->at += length;
    return true;
}

/* Read the value of the entry in row and column; the entry must end the line. */
static bool take_value(const body *b, line *l, double *value, int64_t row, int64_t column)
{
    double imaginary = 0;
    *value = 1;
    if (b->header.field != TSL_MTX_PATTERN && !take_number(l, value)) {
        return false;
    }
    if (b->header.field == TSL_MTX_COMPLEX && !take_number(l, &imaginary)) {
        return false;
    }
    if (tsl_mtx_next_field(&l->at, l->end) > 0) {
        return fail(l, NO_ENTRY, 0, 0);
    }
    if (imaginary < 0 || imaginary > 0) {
        return fail(l, IMAGINARY, row, column);
    }
    return true;
}

static bool note_triangle(const body *b, line *l, int64_t row, int64_t column)
{
    if (row > column && l->place < l->first.below) {
        l->first.below = l->place;
    } else if (row < column && l->place < l->first.above) {
        l->first.above = l->place;
    }
    return row != column || b->header.symmetry != TSL_MTX_SKEW || fail(l, ON_DIAGONAL, row, column);
}

static bool count_coordinate(body *b, line *l)
{
    int64_t row, column;
    if (!take_place(b, l, &row, &column)) {
        return false;
    }
    __atomic_fetch_add(&b->matrix->row_start[row + 1], 1, __ATOMIC_RELAXED);
    return b->header.symmetry == TSL_MTX_GENERAL || note_triangle(b, l, row, column);
}

/* Put an entry into its row: row_start[i] is where the next entry of row i - 1 goes. */
static bool fill_coordinate(body *b, line *l)
{
    int64_t row, column;
    double value;
    if (!take_place(b, l, &row, &column) || !take_value(b, l, &value, row, column)) {
        return false;
    }
    const int64_t to = __atomic_fetch_add(&b->matrix->row_start[row], 1, __ATOMIC_RELAXED);
    if (to < b->header.entries) { /* else the file was changed meanwhile */
        b->matrix->column[to] = (int32_t)(column - 1);
        b->matrix->value[to] = value;
    }
    return true;
}

static bool count_array(body *b, line *l)
{
    (void)b;
    (void)l;
    return true;
}

/* Entries in an array's columns before `column`, counted from 0. */
static int64_t before_column(const tsl_mtx_header *header, int64_t column)
{
    const int64_t each = header->rows - (header->symmetry == TSL_MTX_SKEW);
    return header->symmetry == TSL_MTX_GENERAL ? column * each
                                               : column * each - column * (column - 1) / 2;
}

/* Entries in an array's rows before `row`, counted from 0. */
static int64_t before_row(const tsl_mtx_header *header, int64_t row)
{
    return header->symmetry == TSL_MTX_GENERAL ? row * header->columns
           : header->symmetry == TSL_MTX_SKEW  ? row * (row - 1) / 2
                                               : row * (row + 1) / 2;
}

static bool fill_array(body *b, line *l)
{
    const tsl_mtx_header *header = &b->header;
    double value;
    int64_t column = 0;
    if (l->ordinal >= header->entries) { /* the file was changed meanwhile */
        return true;
    }
    for (int64_t after = header->columns; column + 1 < after;) {
        const int64_t middle = (column + after) / 2;
        if (before_column(header, middle) <= l->ordinal) {
            column = middle;
        } else {
            after = middle;
        }
    }
    const int64_t from = header->symmetry == TSL_MTX_GENERAL ? 0
                         : header->symmetry == TSL_MTX_SKEW  ? column + 1
                                                             : column;
    const int64_t row = from + l->ordinal - before_column(header, column);
    if (!take_value(b, l, &value, row + 1, column + 1)) {
        return false;
    }
    const int64_t to = before_row(header, row) + column;
    b->matrix->column[to] = (int32_t)column;
    b->matrix->value[to] = value;
    return true;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* Work on a line that holds an entry; false: it is faulty. */
typedef bool (*task)(body *b, line *l);

static void walk_lines(body *b, line *l, const char *data, int64_t bytes, int64_t from, task work)
{
    const char *end = data + bytes;
    const char *stop = bytes < BLOCK + 1 ? end : data + 1 + BLOCK;
    const char *p = memchr(data, '\n', (size_t)(bytes < BLOCK ? bytes : BLOCK));
    for (p = p != NULL ? p + 1 : stop; p < stop && l->fault.kind == NO_FAULT;
         p = l->end < end ? l->end + 1 : stop) {
        l->place = from + (p - data);
        l->end = memchr(p, '\n', (size_t)(end - p));
        if (l->end == NULL) {
            l->end = end;
            l->at = p;
            if (from + bytes < b->source->size &&
                /* else it is a comment */
                (tsl_mtx_next_field(&l->at, end) == 0 || *l->at != '%')) {
                fail(l, TOO_LONG, 0, 0);
                return;
            }
        }
        l->at = p;
        if (tsl_mtx_next_field(&l->at, l->end) > 0 && *l->at != '%') {
            work(b, l);
            l->ordinal++;
        }
    }
}

static void walk_block(body *b, int64_t block, char *buffer, task work, bool counts)
{
    line l = {.first = {INT64_MAX, INT64_MAX}, .ordinal = counts ? 0 : b->counted[block]};
    /* from the byte before the block, which tells whether a line begins with the block */
    const int64_t from = b->header.begin + block * BLOCK - 1;
    int64_t bytes = BUFFER;
    const char *data = tsl_source_bytes(b->source, from, &bytes, buffer);
    if (data == NULL) {
        l.fault = (fault){.kind = UNREADABLE, .at = from, .reason = errno};
    } else {
        walk_lines(b, &l, data, bytes, from, work);
    }
    if (counts) {
        b->counted[block] = l.ordinal;
    }
#pragma omp critical(tsl_mtx_note)
    {
        b->first.below = l.first.below < b->first.below ? l.first.below : b->first.below;
        b->first.above = l.first.above < b->first.above ? l.first.above : b->first.above;
        b->underflows += l.underflows;
        if (l.fault.kind != NO_FAULT && (b->fault.kind == NO_FAULT || l.fault.at < b->fault.at)) {
            b->fault = l.fault;
        }
    }
}

static tsl_status tell_outside(const body *b, int64_t number)
{
    const tsl_mtx_header *header = &b->header;
    const int64_t places[] = {b->fault.row, b->fault.column};
    char text[2][32];
    for (int i = 0; i < 2; i++) {
        const bool held = places[i] >= TSL_MTX_MOST;
        snprintf(text[i], sizeof text[i], held ? "10^17 or more" : "%" PRId64,
                 places[i] - (1 - header->base));
    }
    return tsl_fail(b->context, TSL_E_FORMAT,
                    "%s:%" PRId64 ": entry (%s, %s) lies outside the %" PRId64 " x %" PRId64
                    " matrix: rows and columns count from %d",
                    b->source->name, number, text[0], text[1], header->rows, header->columns,
                    header->base);
}

static tsl_status tell_fault(const body *b)
{
    enum { MATRIX, VECTOR, ARRAY };
    static const char *const entries[3][4] = {
        [MATRIX] = {"the row, the column and a number", "the row, the column and a number",
                    "the row, the column, the real and the imaginary part",
                    "the row and the column"},
        [VECTOR] = {"the row and a number", "the row and a number",
                    "the row, the real and the imaginary part", "the row"},
        [ARRAY] = {"one number", "one number", "the real and the imaginary part", ""}};
    const tsl_mtx_header *header = &b->header;
    const fault *f = &b->fault;
    const char *name = b->source->name;
    tsl_context *context = b->context;
    const int64_t number = tsl_source_line(b->source, f->at);
    const long long row = f->row, column = f->column;
    switch (f->kind) {
    case UNREADABLE:
        return tsl_fail(context, TSL_E_IO, "%s: cannot read: %s", name, strerror(f->reason));
    case TOO_LONG:
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:%" PRId64 ": longer than 65536 characters: give each entry a line of "
                        "its own",
                        name, number);
    case OUTSIDE:
        return tell_outside(b, number);
    case TOO_LARGE:
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:%" PRId64 ": '%s' is too large for double precision, which ends at "
                        "1.8e308: scale the system",
                        name, number, f->quoted);
    case NO_NUMBER:
        return tsl_fail(context, TSL_E_FORMAT, "%s:%" PRId64 ": '%s' is no finite number", name,
                        number, f->quoted);
    case IMAGINARY:
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s:%" PRId64 ": entry (%lld, %lld) has an imaginary part: only real "
                        "systems are solved; write one of twice the size",
                        name, number, row, column);
    case ON_DIAGONAL:
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:%" PRId64 ": entry (%lld, %lld) on the diagonal of a skew-symmetric "
                        "matrix: leave it out",
                        name, number, row, column);
    case OTHER_TRIANGLE:
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:%" PRId64 ": an entry on the other side of the diagonal than those "
                        "before: keep one triangle, or say general in line 1",
                        name, number);
    default:
        return tsl_fail(context, TSL_E_FORMAT, "%s:%" PRId64 ": not an entry: give %s", name,
                        number,
                        entries[header->array    ? ARRAY
                                : header->vector ? VECTOR
                                                 : MATRIX][header->field]);
    }
}

/* Work on all lines. Where a large file takes long, look for ranks that have failed now and
 * then. */
static tsl_status walk_text(body *b, task work, bool counts)
{
    for (int64_t from = 0; from < b->blocks && b->fault.kind == NO_FAULT; from += TOGETHER) {
        const int64_t to = b->blocks - from < TOGETHER ? b->blocks : from + TOGETHER;
#pragma omp parallel for num_threads(to - from < b->threads ? (int)(to - from) : b->threads)       \
    schedule(dynamic)
        for (int64_t block = from; block < to; block++) {
            char *buffer =
                b->buffers != NULL ? b->buffers + (int64_t)omp_get_thread_num() * BUFFER : NULL;
            walk_block(b, block, buffer, work, counts);
        }
        const tsl_status heard = tsl_comm_check(b->context->comm);
        if (heard != TSL_OK) {
            return heard;
        }
    }
    if (b->fault.kind == NO_FAULT && b->first.below != INT64_MAX && b->first.above != INT64_MAX) {
        const triangles *t = &b->first;
        b->fault = (fault){.kind = OTHER_TRIANGLE, .at = t->below > t->above ? t->below : t->above};
    }
    return b->fault.kind == NO_FAULT ? TSL_OK : tell_fault(b);
}

/* ---- the matrix --------------------------------------------------------------------------- */

/* Turn the counts of blocks into sums of the blocks before, and compare the total with the size
 * line. */
static tsl_status sum_counts(body *b)
{
    int64_t sum = 0;
    for (int64_t block = 0; block <= b->blocks; block++) {
        const int64_t count = block < b->blocks ? b->counted[block] : 0;
        b->counted[block] = sum;
        sum += count;
    }
    return sum == b->header.entries
               ? TSL_OK
               : tsl_fail(b->context, TSL_E_FORMAT,
                          "%s:%" PRId64 ": says %" PRId64 " entries, but %" PRId64 " follow",
                          b->source->name, b->header.size_line, b->header.entries, sum);
}

/* Makes places of counts. Of coordinates row_start[i] counts the entries of row i - 2 before, and
 * is where row i - 1 begins afterwards. Of an array it becomes where row i begins. */
static void start_rows(body *b)
{
    const tsl_mtx_header *header = &b->header;
    int64_t *start = b->matrix->row_start;
    for (int64_t i = 0; i <= header->rows; i++) {
        start[i + !header->array] = header->array ? before_row(header, i) : start[i + 1] + start[i];
    }
}

static tsl_status take_entries(body *b)
{
    const int64_t entries = b->header.entries;
    b->matrix->column = tsl_allocate((size_t)entries * sizeof *b->matrix->column);
    b->matrix->value = tsl_allocate((size_t)entries * sizeof *b->matrix->value);
    return b->matrix->column != NULL && b->matrix->value != NULL
               ? TSL_OK
               : tsl_fail_memory(b->context, entries * 12, "a matrix");
}

static tsl_status take_memory(body *b)
{
    const int64_t text = b->source->size - b->header.begin;
    b->blocks = (text + BLOCK - 1) / BLOCK;
    b->threads = b->context->threads > 0 ? b->context->threads : 1;
    b->threads = b->blocks < b->threads ? (int)b->blocks : b->threads;
    b->threads = b->threads > 0 ? b->threads : 1;
    const int64_t bytes = b->source->data != NULL ? 0 : (int64_t)b->threads * BUFFER;
    const int64_t needed = bytes + 8 * (b->header.rows + b->blocks) + 12 * b->header.entries;
    const int64_t available = tsl_host_memory_free();
    if (needed > available) {
        char most[16], wanted[16];
        return tsl_fail(b->context, TSL_E_NOMEM,
                        "%s:%" PRId64 ": a matrix of %" PRId64 " rows and %" PRId64
                        " entries takes %s of memory, more than the %s that are free",
                        b->source->name, b->header.size_line, b->header.rows, b->header.entries,
                        tsl_format_bytes(wanted, needed), tsl_format_bytes(most, available));
    }
    b->buffers = bytes > 0 ? tsl_allocate((size_t)bytes) : NULL;
    b->counted = tsl_allocate_zeroed((size_t)b->blocks + 1, sizeof *b->counted);
    b->matrix->row_start = tsl_allocate_zeroed((size_t)b->header.rows + 2, sizeof(int64_t));
    return b->counted != NULL && b->matrix->row_start != NULL && (bytes == 0 || b->buffers != NULL)
               ? TSL_OK
               : tsl_fail_memory(b->context, bytes + 8 * (b->header.rows + b->blocks), "a matrix");
}

static tsl_status read_body(body *b)
{
    const bool array = b->header.array;
    tsl_status status = TSL_OK;
    TSL_TRY(take_memory(b));
    TSL_TRY(walk_text(b, array ? count_array : count_coordinate, true));
    TSL_TRY(sum_counts(b));
done:
    if (status == TSL_OK) {
        start_rows(b);
        status = take_entries(b);
    }
    if (status == TSL_OK) {
        status = walk_text(b, array ? fill_array : fill_coordinate, false);
    }
    return status == TSL_OK ? tsl_source_check(b->source, b->context) : status;
}

static void describe(tsl_matrix_file *out, const tsl_mtx_header *header)
{
    static const char *const fields[] = {"real", "integer", "complex", "pattern"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    static const tsl_sparse_storage storages[] = {TSL_SPARSE_GENERAL, TSL_SPARSE_SYMMETRIC,
                                                  TSL_SPARSE_SKEW, TSL_SPARSE_SYMMETRIC};
    out->matrix.rows = header->rows;
    out->matrix.columns = header->columns;
    out->format = header->array ? "Matrix Market array" : "Matrix Market coordinate";
    out->field = fields[header->field];
    out->symmetry = symmetries[header->symmetry];
    out->storage = storages[header->symmetry];
    out->entries = header->entries;
    out->base = header->base;
}

tsl_status tsl_mtx_parse(tsl_matrix_file *out, tsl_context *context, const tsl_source *source)
{
    body b = {.context = context,
              .source = source,
              .matrix = &out->matrix,
              .first = {INT64_MAX, INT64_MAX}};
    *out = (tsl_matrix_file){.bytes = source->size};
    tsl_status status = tsl_mtx_read_header(&b.header, context, source);
    if (status == TSL_OK) {
        describe(out, &b.header);
        status = read_body(&b);
    }
    if (status == TSL_OK) {
        out->underflows = b.underflows;
        out->duplicates = tsl_rows_tidy(
            &out->matrix, tsl_threads_for(context, tsl_csr_nonzeros(&out->matrix)), b.header.array);
    } else {
        tsl_matrix_file_release(out);
    }
    tsl_release(b.buffers);
    tsl_release(b.counted);
    return status;
}
