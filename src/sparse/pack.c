#include "sparse/pack.h"

#include <stdlib.h>
#include <string.h>

#include "blocks/sparse/tiles.h"
#include "core/context.h"
#include "device/device.h"

enum {
    LONGEST_SLICED = 128,  /* entries of a row in slices: a few lanes should not keep a block; */
    MOST_APART = 1024,     /* rows that are longer, each of which takes a block some time */
    LONGEST_WHOLE = 512,   /* entries of a row in chunks */
    PIECE_COLUMNS = 4096,  /* of x, for pieces of long rows: they fit in the first-level cache */
    PIECE_ENTRIES = 4,     /* at least, in the mean; else pieces are wider */
    SAMPLES = 256,         /* slices looked at, to tell whether columns are random */
    SAMPLE_ENTRIES = 8192, /* of one of them, at most */
    LINE = 4,              /* numbers of x that come together, in 32 bytes */
    TILE_ROW_RATIO = 16    /* longest row by the mean, in blocks of columns */
};

void tsl_packed_destroy(tsl_packed *packed)
{
    if (packed == NULL) {
        return;
    }
    const tsl_packed_matrix *m = &packed->matrix;
    const void *const all[] = {m->value_start, m->index_start, m->index,  m->value,
                               m->chunk,       m->row_start,   m->column, m->entry,
                               m->apart,       m->long_row,    m->place,  m->long_start,
                               m->piece_sum,   packed->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_device_release(packed->context, (void *)(uintptr_t)all[i]);
    }
    packed->context->ops->sparse->destroy(packed->tiles);
    tsl_release(packed);
}

const char *tsl_packed_name(const tsl_packed *packed)
{
    static const char *const names[2][2] = {{"csr", "csr-split"},
                                            {"sliced-ell", "sliced-ell-split"}};
    const tsl_packed_matrix *m = &packed->matrix;
    return packed->tiles != NULL ? "column-blocks"
                                 : names[m->value_start != NULL][m->long_rows > 0];
}

/* Memory on the device with a copy of the host's. */
static const void *send(tsl_status *status, tsl_context *context, const void *host, int64_t bytes)
{
    void *device = NULL;
    if (*status == TSL_OK) { /* a piece of memory has a byte at least */
        *status = tsl_device_allocate(&device, context, bytes > 0 ? bytes : 1, "the matrix");
    }
    if (*status == TSL_OK && bytes > 0) {
        *status = context->ops->upload(context, device, host, bytes);
    }
    return device;
}

/* ---- which form ----------------------------------------------------------------------------- */

/* Entries of the longest of the rows from … to - 1. */
static int64_t longest_row(const tsl_csr *m, int64_t from, int64_t to)
{
    int64_t longest = 0;
    for (int64_t i = from; i < to; i++) {
        const int64_t length = m->row_start[i + 1] - m->row_start[i];
        longest = length > longest ? length : longest;
    }
    return longest;
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Lines of x that the entries from … to - 1 read, each counted once; `lines` is space. */
static int64_t count_lines(const tsl_csr *m, int64_t from, int64_t to, int32_t *lines)
{
    const int64_t entries = to - from;
    for (int64_t k = 0; k < entries; k++) {
        lines[k] = m->column[from + k] / LINE;
    }
    qsort(lines, (size_t)entries, sizeof *lines, compare);
    int64_t distinct = entries > 0;
    for (int64_t k = 1; k < entries; k++) {
        distinct += lines[k] != lines[k - 1];
    }
    return distinct;
}

/* Do rows that stand together read mostly different lines of x? Told by some of them. */
static tsl_status is_scattered(bool *out, tsl_context *context, const tsl_csr *m)
{
    int32_t *lines = tsl_allocate(SAMPLE_ENTRIES * sizeof *lines);
    if (lines == NULL) {
        return tsl_fail_memory(context, SAMPLE_ENTRIES * 4, "a look at a matrix");
    }
    int64_t distinct = 0;
    int64_t entries = 0;
    const int64_t slices = (m->rows + TSL_PACK_LANES - 1) / TSL_PACK_LANES;
    const int64_t stride = slices > SAMPLES ? slices / SAMPLES : 1;
    for (int64_t slice = 0; slice < slices; slice += stride) {
        const int64_t first = slice * TSL_PACK_LANES;
        const int64_t last = first + TSL_PACK_LANES < m->rows ? first + TSL_PACK_LANES : m->rows;
        const int64_t from = m->row_start[first];
        const int64_t all = m->row_start[last] - from;
        const int64_t taken = all < SAMPLE_ENTRIES ? all : SAMPLE_ENTRIES;
        distinct += count_lines(m, from, from + taken, lines);
        entries += taken;
    }
    tsl_release(lines);
    *out = 2 * distinct > entries;
    return TSL_OK;
}

/* ---- slices --------------------------------------------------------------------------------- */

/* Would slices of `rows` be filled up with little? Then they are made. */
static tsl_status try_slices(bool *made, tsl_form *form, tsl_context *context, const tsl_csr *rows,
                             const tsl_layout *layout)
{
    tsl_form slices = {
        .bytes = form->bytes, .scale = form->scale, .rows = rows, .lanes = TSL_PACK_LANES};
    tsl_packed_matrix *m = &form->packed->matrix;
    const int64_t plain = tsl_csr_nonzeros(rows) * (form->bytes + 4) + 8 * rows->rows;
    tsl_status status = tsl_slices_measure(&slices, context, layout);
    *made = status == TSL_OK && tsl_slices_bytes(&slices) <= plain + plain / 16 + 4096;
    if (*made) {
        status = tsl_slices_fill(&slices, context);
        const int64_t values = slices.value_start[slices.slices] * TSL_PACK_LANES;
        const int64_t indices = slices.index_start[slices.slices];
        const int64_t starts = 8 * (slices.slices + 1);
        m->value_start = send(&status, context, slices.value_start, starts);
        m->index_start = send(&status, context, slices.index_start, starts);
        m->index = send(&status, context, slices.index, 4 * indices);
        m->value = send(&status, context, slices.value, form->bytes * values);
        form->product_bytes = tsl_slices_bytes(&slices);
    }
    tsl_form_free(&slices);
    return status;
}

/* ---- blocks of columns ---------------------------------------------------------------------- */

static tsl_status make_tiles(tsl_form *form, tsl_context *context,
                             const tsl_device_properties *properties, int most)
{
    tsl_packed *packed = form->packed;
    tsl_tiles tiles;
    tsl_status status = tsl_tiles_make(&tiles, context, form->rows, most);
    if (status != TSL_OK) {
        return status;
    }
    form->product_bytes =
        10 * tsl_tiles_entries(&tiles) + tiles.blocks * (16 * tiles.rows + 72 * tiles.slices);
    status = context->ops->sparse->create_tiles(&packed->tiles, context, &tiles, properties);
    tsl_tiles_free(&tiles);
    void *scratch = NULL;
    if (status == TSL_OK) {
        status = tsl_device_allocate(&scratch, context, 8 * form->rows->rows, "a product");
    }
    packed->scratch = scratch;
    return status;
}

/* Blocks of columns, where they suit the matrix. */
static tsl_status try_tiles(bool *scattered, tsl_form *form, tsl_context *context)
{
    const tsl_csr *m = form->rows;
    tsl_device_properties properties;
    tsl_status status = context->ops->properties(context->device, &properties);
    if (status != TSL_OK) {
        return tsl_fail(context, status, "%s: cannot read its properties", context->name);
    }
    const int most = tsl_tiles_columns(m, properties.shared);
    if (m->columns <= most || !tsl_tiles_suit(m, most)) {
        return TSL_OK;
    }
    status = is_scattered(scattered, context, m);
    return status == TSL_OK && *scattered ? make_tiles(form, context, &properties, most) : status;
}

/* ---- rows apart ----------------------------------------------------------------------------- */

/* A matrix whose long rows are apart: `rows` has empty ones in their place, and pieces of them
 * behind its own, by their columns. */
typedef struct parting {
    tsl_csr rows;                                     /* [own + pieces] */
    int64_t own, long_rows, pieces, longest, entries; /* the last, of long rows */
    int width;                                        /* columns of a piece at most */
    int32_t *long_row;                                /* [long_rows] */
    int64_t *long_start;                              /* [long_rows + 1] */
    int32_t *place;                                   /* [pieces] */
    uint32_t *mask;                                   /* [own / 32] */
} parting;

static void free_parting(parting *p)
{
    tsl_csr_free(&p->rows);
    tsl_release(p->long_row);
    tsl_release(p->long_start);
    tsl_release(p->place);
    tsl_release(p->mask);
}

/* Rows of more than `longest` entries. */
static parting count_long_rows(const tsl_csr *m, int64_t longest)
{
    parting p = {.own = m->rows, .longest = longest};
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t length = m->row_start[i + 1] - m->row_start[i];
        p.long_rows += length > longest;
        p.entries += length > longest ? length : 0;
    }
    return p;
}

/* The end of the piece of a row that begins with entry k. */
static int64_t end_of_piece(const parting *p, const tsl_csr *m, int64_t k, int64_t end)
{
    const int32_t block = m->column[k] / p->width;
    const int64_t most = end - k < TSL_CHUNK_ENTRIES ? end : k + TSL_CHUNK_ENTRIES;
    while (++k < most && m->column[k] / p->width == block) {
    }
    return k;
}

/* Pieces of each long row into long_start, as if p->width were the width. */
static void count_pieces(parting *p, const tsl_csr *m)
{
    p->pieces = 0;
    for (int64_t r = 0; r < p->long_rows; r++) {
        const int64_t end = m->row_start[p->long_row[r] + 1];
        p->long_start[r] = p->pieces;
        for (int64_t k = m->row_start[p->long_row[r]]; k < end; p->pieces++) {
            k = end_of_piece(p, m, k, end);
        }
    }
    p->long_start[p->long_rows] = p->pieces;
}

static void find_long_rows(parting *p, const tsl_csr *m)
{
    int64_t found = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        if (m->row_start[i + 1] - m->row_start[i] > p->longest) {
            p->mask[i / TSL_PACK_LANES] |= UINT32_C(1) << (unsigned)(i % TSL_PACK_LANES);
            p->long_row[found++] = (int32_t)i;
        }
    }
    p->width = getenv("PIECE") != NULL ? atoi(getenv("PIECE")) : PIECE_COLUMNS;
    count_pieces(p, m);
    while (p->pieces > p->entries / PIECE_ENTRIES && p->width < m->columns) {
        p->width = p->width < INT32_MAX / 2 ? 2 * p->width : INT32_MAX;
        count_pieces(p, m);
    }
}

/* Copy entries k … end - 1, which become row `row` of those apart. */
static void append_row(tsl_csr *to, int64_t row, const tsl_csr *m, int64_t k, int64_t end)
{
    const int64_t at = to->row_start[row];
    memcpy(to->column + at, m->column + k, (size_t)(end - k) * sizeof *to->column);
    memcpy(to->value + at, m->value + k, (size_t)(end - k) * sizeof *to->value);
    to->row_start[row + 1] = at + end - k;
}

/* Pieces by their blocks of columns; `at` [long_rows] is where each row is. */
static void order_pieces(parting *p, const tsl_csr *m, int64_t *at)
{
    int64_t row = p->own;
    int64_t *next = p->long_start; /* place of each row's next piece; set back afterwards */
    for (int64_t r = 0; r < p->long_rows; r++) {
        at[r] = m->row_start[p->long_row[r]];
    }
    for (int64_t block = 0; row < p->own + p->pieces; block++) {
        for (int64_t r = 0; r < p->long_rows; r++) {
            const int64_t end = m->row_start[p->long_row[r] + 1];
            while (at[r] < end && m->column[at[r]] / p->width == block) {
                const int64_t behind = end_of_piece(p, m, at[r], end);
                p->place[row - p->own] = (int32_t)next[r]++;
                append_row(&p->rows, row++, m, at[r], behind);
                at[r] = behind;
            }
        }
    }
    for (int64_t r = p->long_rows; r > 0; r--) {
        next[r] = next[r - 1];
    }
    next[0] = 0;
}

static tsl_status allocate_parted(parting *p, tsl_context *context, const tsl_csr *m, int64_t **at)
{
    const int64_t rows = p->own + p->pieces;
    const int64_t entries = tsl_csr_nonzeros(m);
    p->rows = (tsl_csr){.rows = rows,
                        .columns = m->columns,
                        .row_start = tsl_allocate((size_t)(rows + 1) * 8),
                        .column = tsl_allocate((size_t)entries * 4),
                        .value = tsl_allocate((size_t)entries * 8)};
    p->place = tsl_allocate((size_t)p->pieces * sizeof *p->place);
    *at = tsl_allocate((size_t)p->long_rows * sizeof **at);
    return p->rows.row_start != NULL && p->rows.column != NULL && p->rows.value != NULL &&
                   p->place != NULL && *at != NULL
               ? TSL_OK
               : tsl_fail_memory(context, 8 * rows + 12 * entries, "the long rows of a matrix");
}

/* Set the long rows of a matrix apart; free_parting() whatever the outcome. */
static tsl_status part_rows(parting *p, tsl_context *context, const tsl_csr *m)
{
    p->long_row = tsl_allocate((size_t)p->long_rows * sizeof *p->long_row);
    p->long_start = tsl_allocate((size_t)(p->long_rows + 1) * sizeof *p->long_start);
    p->mask = tsl_allocate_zeroed((size_t)(m->rows / TSL_PACK_LANES + 1), sizeof *p->mask);
    if (p->long_row == NULL || p->long_start == NULL || p->mask == NULL) {
        return tsl_fail_memory(context, 12 * p->long_rows + m->rows / 8,
                               "the long rows of a matrix");
    }
    find_long_rows(p, m);
    int64_t *at = NULL;
    const tsl_status status = allocate_parted(p, context, m, &at);
    if (status == TSL_OK) {
        p->rows.row_start[0] = 0;
        for (int64_t i = 0; i < m->rows; i++) {
            const int64_t end = m->row_start[i + 1];
            const bool is_long = end - m->row_start[i] > p->longest;
            append_row(&p->rows, i, m, is_long ? end : m->row_start[i], end);
        }
        order_pieces(p, m, at);
    }
    tsl_release(at);
    return status;
}

static tsl_status send_parting(tsl_form *form, tsl_context *context, const parting *p)
{
    tsl_packed_matrix *m = &form->packed->matrix;
    tsl_status status = TSL_OK;
    void *sums = NULL;
    m->long_rows = p->long_rows;
    m->apart = send(&status, context, p->mask, 4 * (p->own / TSL_PACK_LANES + 1));
    m->long_row = send(&status, context, p->long_row, 4 * p->long_rows);
    m->long_start = send(&status, context, p->long_start, 8 * (p->long_rows + 1));
    m->place = send(&status, context, p->place, 4 * p->pieces);
    if (status == TSL_OK) {
        status = tsl_device_allocate(&sums, context, form->bytes * p->pieces, "the matrix");
    }
    m->piece_sum = sums;
    form->product_bytes += (4 + 2 * form->bytes) * p->pieces;
    return status;
}

/* ---- chunks --------------------------------------------------------------------------------- */

/* The row behind the chunk that begins with `first`; no chunk has rows on both sides of `border`.
 */
static int64_t end_of_chunk(const tsl_csr *m, int64_t first, int64_t border)
{
    const int64_t most = first < border ? border : m->rows;
    int64_t last = first + 1;
    while (last < most && last - first < TSL_LIST_THREADS &&
           m->row_start[last + 1] - m->row_start[first] <= TSL_CHUNK_ENTRIES) {
        last++;
    }
    return last;
}

/* The rows from `first` on in chunks; returns their number. `out` NULL: only that. */
static int64_t cut_rows(tsl_chunk *out, const tsl_csr *m, int64_t first, int64_t border)
{
    int64_t count = 0;
    while (first < m->rows) {
        const int64_t last = end_of_chunk(m, first, border);
        if (out != NULL) {
            out[count] = (tsl_chunk){.entry = m->row_start[first],
                                     .row = first,
                                     .rows = (int16_t)(last - first),
                                     .entries = (int16_t)(m->row_start[last] - m->row_start[first]),
                                     .longest = (int16_t)longest_row(m, first, last)};
        }
        count++;
        first = last;
    }
    return count;
}

/* The values in single precision, scaled. */
static float *narrow(const tsl_form *form, tsl_context *context, const tsl_csr *rows)
{
    const int64_t nonzeros = tsl_csr_nonzeros(rows);
    float *out = tsl_allocate((size_t)nonzeros * sizeof *out);
    if (out == NULL) {
        tsl_fail_memory(context, 4 * nonzeros, "a matrix in single precision");
        return NULL;
    }
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t k = 0; k < nonzeros; k++) {
        out[k] = (float)(form->scale * rows->value[k]);
    }
    return out;
}

/* The rows of `rows` from `first` on, in chunks; those from `border` on are pieces. */
static tsl_status send_chunks(tsl_form *form, tsl_context *context, const tsl_csr *rows,
                              int64_t first, int64_t border)
{
    tsl_packed_matrix *m = &form->packed->matrix;
    const int64_t nonzeros = tsl_csr_nonzeros(rows);
    m->chunks = cut_rows(NULL, rows, first, border);
    tsl_chunk *chunk = tsl_allocate((size_t)m->chunks * sizeof *chunk);
    float *values = form->bytes == 4 ? narrow(form, context, rows) : NULL;
    tsl_status status = TSL_OK;
    if (chunk == NULL || (form->bytes == 4 && values == NULL)) {
        status = tsl_fail_memory(context, 24 * m->chunks, "the rows of a matrix");
    } else {
        cut_rows(chunk, rows, first, border);
        m->chunk = send(&status, context, chunk, m->chunks * (int64_t)sizeof *chunk);
        m->row_start = send(&status, context, rows->row_start, 8 * (rows->rows + 1));
        m->column = send(&status, context, rows->column, 4 * nonzeros);
        m->entry = send(&status, context, values != NULL ? (void *)values : (void *)rows->value,
                        form->bytes * nonzeros);
        form->product_bytes += (nonzeros - rows->row_start[first]) * (form->bytes + 4) +
                               8 * (rows->rows - first) + 24 * m->chunks;
    }
    tsl_release(chunk);
    tsl_release(values);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Slices of the rows that are not long, where that suits. */
static tsl_status try_slices_apart(bool *made, tsl_form *form, tsl_context *context,
                                   const tsl_layout *layout)
{
    parting p = count_long_rows(form->rows, LONGEST_SLICED);
    if (p.long_rows > MOST_APART) {
        return TSL_OK;
    }
    if (p.long_rows == 0) {
        return try_slices(made, form, context, form->rows, layout);
    }
    tsl_status status = part_rows(&p, context, form->rows);
    if (status == TSL_OK) {
        tsl_csr own = p.rows;
        own.rows = p.own;
        status = try_slices(made, form, context, &own, layout);
    }
    if (status == TSL_OK && *made) {
        status = send_parting(form, context, &p);
    }
    if (status == TSL_OK && *made) {
        status = send_chunks(form, context, &p.rows, p.own, p.own);
    }
    free_parting(&p);
    return status;
}

static tsl_status make_chunks(tsl_form *form, tsl_context *context)
{
    const tsl_csr *m = form->rows;
    parting p = count_long_rows(m, getenv("LONGEST") != NULL ? atoi(getenv("LONGEST")) : LONGEST_WHOLE);
    if (p.long_rows == 0) {
        return send_chunks(form, context, m, 0, m->rows);
    }
    tsl_status status = part_rows(&p, context, m);
    if (status == TSL_OK) {
        status = send_parting(form, context, &p);
    }
    if (status == TSL_OK) {
        status = send_chunks(form, context, &p.rows, 0, p.own);
    }
    free_parting(&p);
    return status;
}

tsl_status tsl_pack(tsl_form *form, tsl_context *context, const tsl_layout *layout)
{
    const tsl_csr *m = form->rows;
    bool scattered = false;
    bool sliced = false;
    form->packed = tsl_allocate_zeroed(1, sizeof *form->packed);
    if (form->packed == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *form->packed, "a matrix");
    }
    form->packed->context = context;
    if (form->bytes == 8 &&
        longest_row(m, 0, m->rows) * m->rows <= TILE_ROW_RATIO * tsl_csr_nonzeros(m)) {
        const tsl_status status = try_tiles(&scattered, form, context);
        if (status != TSL_OK || scattered) {
            return status;
        }
    }
    const tsl_status status = try_slices_apart(&sliced, form, context, layout);
    return status != TSL_OK || sliced ? status : make_chunks(form, context);
}
