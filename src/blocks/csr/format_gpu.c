#include "blocks/csr/format_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "blocks/csr/column_blocks.h"
#include "blocks/csr/split_rows.h"
#include "blocks/csr/tiles.h"
#include "core/context.h"
#include "device/device.h"

enum {
    LONGEST_SLICED = 128,  /* entries of a row in slices: a few lanes should not keep a block; */
    MOST_SPLIT = 1024,     /* rows that are longer, each of which takes a block some time */
    LONGEST_WHOLE = 512,   /* entries of a row in chunks */
    SAMPLES = 256,         /* slices looked at, to tell whether columns are random */
    SAMPLE_ENTRIES = 8192, /* of one of them, at most */
    TILE_ROW_RATIO = 16    /* longest row by the mean, in blocks of columns */
};

void tsl_format_gpu_destroy(tsl_format_gpu *gpu)
{
    if (gpu == NULL) {
        return;
    }
    const tsl_gpu_matrix *m = &gpu->matrix;
    const void *const all[] = {m->value_start,  m->index_start, m->index,      m->value,
                               m->chunk,        m->row_start,   m->column,     m->entry,
                               m->split,        m->long_row,    m->long_start, m->piece,
                               m->piece_column, m->piece_entry, m->piece_sum,  gpu->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all && !gpu->borrows; i++) {
        tsl_device_release(gpu->context, (void *)(uintptr_t)all[i]);
    }
    gpu->context->ops->sparse->destroy(gpu->tiles);
    tsl_release(gpu);
}

const char *tsl_format_gpu_name(const tsl_format_gpu *gpu)
{
    static const char *const names[2][2] = {{"csr", "csr-split"},
                                            {"sliced-ell", "sliced-ell-split"}};
    const tsl_gpu_matrix *m = &gpu->matrix;
    return gpu->all_in_tiles    ? "column-blocks"
           : gpu->tiles != NULL ? "csr-blocks"
                                : names[m->value_start != NULL][m->split != NULL];
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

/* Entries of the longest of the rows `from` to `to` - 1. */
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

/* Lines of x that the entries `from` to `to` - 1 read, each counted once; `lines` is space. */
static int64_t count_lines(const tsl_csr *m, int64_t from, int64_t to, int32_t *lines)
{
    const int64_t entries = to - from;
    for (int64_t k = 0; k < entries; k++) {
        lines[k] = m->column[from + k] / TSL_LINE;
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
    const int64_t slices = (m->rows + TSL_SLICE_LANES - 1) / TSL_SLICE_LANES;
    const int64_t stride = slices > SAMPLES ? slices / SAMPLES : 1;
    for (int64_t slice = 0; slice < slices; slice += stride) {
        const int64_t first = slice * TSL_SLICE_LANES;
        const int64_t last = first + TSL_SLICE_LANES < m->rows ? first + TSL_SLICE_LANES : m->rows;
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

/* Would slices of `rows` be filled up with little? Then this rank's are made. */
static tsl_status try_slices(bool *made, tsl_form *form, tsl_context *context, const tsl_csr *rows,
                             const tsl_layout *layout)
{
    const tsl_form none = {
        .bytes = form->bytes, .scale = form->scale, .rows = rows, .lanes = TSL_SLICE_LANES};
    const tsl_layout all = {.from = 0, .to = rows->rows};
    tsl_form slices = none;
    tsl_gpu_matrix *m = &form->gpu->matrix;
    const int64_t plain = tsl_csr_nonzeros(rows) * (form->bytes + 4) + 8 * rows->rows;
    tsl_status status = tsl_slices_measure(&slices, context, &all);
    *made = status == TSL_OK && tsl_slices_bytes(&slices) <= plain + plain / 16 + 4096;
    if (*made && layout->ranks > 1) {
        tsl_form_free(&slices);
        slices = none;
        status = tsl_slices_measure(&slices, context, layout);
    }
    if (*made && status == TSL_OK) {
        status = tsl_slices_fill(&slices, context);
    }
    if (*made && status == TSL_OK) {
        const int64_t values = slices.value_start[slices.slices] * TSL_SLICE_LANES;
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

/* ---- a rank's rows -------------------------------------------------------------------------- */

/* The rows that `layout` gives this rank, as a matrix that borrows all but row_start; what is held
 * is released with tsl_release(out->row_start). */
static tsl_status own_rows(tsl_csr *out, tsl_context *context, const tsl_csr *all,
                           const tsl_layout *layout)
{
    const int64_t rows = layout->to - layout->from;
    const int64_t first = all->row_start[layout->from];
    *out = (tsl_csr){.rows = rows,
                     .columns = all->columns,
                     .row_start = tsl_allocate((size_t)(rows + 1) * sizeof *out->row_start),
                     .column = all->column + first,
                     .value = all->value + first};
    if (out->row_start == NULL) {
        return tsl_fail_memory(context, 8 * rows, "a rank's rows of a matrix");
    }
    for (int64_t i = 0; i <= rows; i++) {
        out->row_start[i] = all->row_start[layout->from + i] - first;
    }
    return TSL_OK;
}

/* ---- blocks of columns ---------------------------------------------------------------------- */

/* What a product moves of them, sums in blocks of columns included. */
static int64_t bytes_of_tiles(const tsl_tiles *tiles)
{
    return 10 * tsl_tiles_entries(tiles) + tiles->blocks * (16 * tiles->rows + 72 * tiles->slices);
}

static tsl_status make_tiles(tsl_form *form, tsl_context *context, const tsl_layout *layout,
                             const tsl_device_properties *properties, int most)
{
    tsl_format_gpu *gpu = form->gpu;
    tsl_tiles tiles;
    tsl_csr own;
    tsl_status status = own_rows(&own, context, form->rows, layout);
    if (status == TSL_OK) {
        status = tsl_tiles_make(&tiles, context, &own, most, false);
    }
    if (status == TSL_OK) {
        tiles.whole = (form->rows->rows + TSL_TILE_LANES - 1) / TSL_TILE_LANES;
        form->product_bytes = bytes_of_tiles(&tiles);
        status = tsl_tiles_create(&gpu->tiles, context, &tiles, properties);
        tsl_tiles_free(&tiles);
    }
    tsl_release(own.row_start);
    void *scratch = NULL;
    if (status == TSL_OK) {
        status = tsl_device_allocate(&scratch, context, 8 * form->rows->rows, "a product");
    }
    gpu->scratch = scratch;
    gpu->all_in_tiles = true;
    return status;
}

/* Blocks of columns, where they suit the matrix. */
static tsl_status try_tiles(bool *scattered, tsl_form *form, tsl_context *context,
                            const tsl_layout *layout, const tsl_device_properties *properties)
{
    const tsl_csr *m = form->rows;
    const int most = tsl_tiles_columns(m, properties->shared);
    if (longest_row(m, 0, m->rows) * m->rows > TILE_ROW_RATIO * tsl_csr_nonzeros(m) ||
        m->columns <= most || !tsl_tiles_suit(m, most)) {
        return TSL_OK;
    }
    const tsl_status status = is_scattered(scattered, context, m);
    return status == TSL_OK && *scattered ? make_tiles(form, context, layout, properties, most)
                                          : status;
}

/* ---- chunks --------------------------------------------------------------------------------- */

/* The row behind the chunk that begins with `first` and ends before `end`. */
static int64_t end_of_chunk(const tsl_csr *m, int64_t first, int64_t end)
{
    int64_t last = first + 1;
    while (last < end && last - first < TSL_CHUNK_THREADS &&
           m->row_start[last + 1] - m->row_start[first] <= TSL_CHUNK_ENTRIES) {
        last++;
    }
    return last;
}

/* Rows in chunks, which begin anew with each of the layout's pieces: the same for any number of
 * ranks, so that rows are summed alike. Returns their number; `out` NULL: only that. */
static int64_t cut_rows(tsl_chunk *out, const tsl_csr *m, const tsl_layout *layout)
{
    int piece = layout->rank_piece[layout->rank];
    int64_t count = 0;
    for (int64_t first = 0; first < m->rows; count++) {
        while (tsl_layout_piece_row(layout, piece) - layout->from <= first) {
            piece++;
        }
        const int64_t last =
            end_of_chunk(m, first, tsl_layout_piece_row(layout, piece) - layout->from);
        if (out != NULL) {
            out[count] = (tsl_chunk){.entry = m->row_start[first],
                                     .row = first,
                                     .rows = (int16_t)(last - first),
                                     .entries = (int16_t)(m->row_start[last] - m->row_start[first]),
                                     .longest = (int16_t)longest_row(m, first, last)};
        }
        first = last;
    }
    return count;
}

/* A chunk of pieces from number `first` on; returns the piece behind it. */
static int64_t chunk_of_pieces(tsl_chunk *out, const tsl_split_rows *p, int64_t rows, int64_t first)
{
    *out = (tsl_chunk){.entry = p->piece[first].entry / TSL_LARGE_GROUP * TSL_LARGE_GROUP,
                       .row = rows + first};
    int64_t last = first;
    for (; last < p->pieces && last - first < TSL_CHUNK_THREADS; last++) {
        const tsl_row_piece *piece = &p->piece[last];
        const int64_t entries = piece->entry + piece->length - out->entry;
        if (entries > TSL_CHUNK_ENTRIES) {
            break;
        }
        out->entries = (int16_t)entries;
        out->longest = (int16_t)(piece->length > out->longest ? piece->length : out->longest);
    }
    out->rows = (int16_t)(last - first);
    return last;
}

static int64_t cut_pieces(tsl_chunk *out, const tsl_split_rows *p, int64_t rows)
{
    int64_t count = 0;
    for (int64_t first = 0; first < p->pieces; count++) {
        tsl_chunk chunk;
        first = chunk_of_pieces(&chunk, p, rows, first);
        if (out != NULL) {
            out[count] = chunk;
        }
    }
    return count;
}

/* Values on the device, in single precision scaled. */
static const void *send_values(tsl_status *status, const tsl_form *form, tsl_context *context,
                               const double *value, int64_t count)
{
    if (form->bytes == 8) {
        return send(status, context, value, 8 * count);
    }
    float *narrow = *status == TSL_OK ? tsl_allocate((size_t)count * sizeof *narrow) : NULL;
    if (narrow == NULL) {
        *status = *status == TSL_OK
                      ? tsl_fail_memory(context, 4 * count, "a matrix in single precision")
                      : *status;
        return NULL;
    }
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t k = 0; k < count; k++) {
        narrow[k] = (float)(form->scale * value[k]);
    }
    const void *out = send(status, context, narrow, 4 * count);
    tsl_release(narrow);
    return out;
}

/* What a product needs of long rows. */
static tsl_status send_split_rows(tsl_form *form, tsl_context *context, const tsl_split_rows *p)
{
    tsl_gpu_matrix *m = &form->gpu->matrix;
    tsl_status status = TSL_OK;
    void *sums = NULL;
    m->long_rows = p->long_rows;
    m->split = send(&status, context, p->mask, 4 * (m->rows / TSL_SLICE_LANES + 1));
    m->long_row = send(&status, context, p->long_row, 4 * p->long_rows);
    m->long_start = send(&status, context, p->long_start, 8 * (p->long_rows + 1));
    m->piece = send(&status, context, p->piece, p->pieces * (int64_t)sizeof *p->piece);
    m->piece_column = send(&status, context, p->column, 4 * p->entries);
    m->piece_entry = send_values(&status, form, context, p->value, p->entries);
    if (status == TSL_OK && p->pieces > 0) {
        status = tsl_device_allocate(&sums, context, form->bytes * p->pieces, "the matrix");
    }
    m->piece_sum = sums;
    form->product_bytes += (4 + form->bytes) * p->entries + (16 + 2 * form->bytes) * p->pieces;
    return status;
}

/* The chunks of `rows`, NULL: they are in slices, and of the pieces. */
static tsl_status send_chunks(tsl_form *form, tsl_context *context, const tsl_csr *rows,
                              const tsl_split_rows *p, const tsl_layout *layout)
{
    tsl_gpu_matrix *m = &form->gpu->matrix;
    const int64_t whole = rows != NULL ? cut_rows(NULL, rows, layout) : 0;
    m->chunks = whole + cut_pieces(NULL, p, m->rows);
    tsl_chunk *chunk = tsl_allocate((size_t)(m->chunks + 1) * sizeof *chunk);
    if (chunk == NULL) {
        return tsl_fail_memory(context, 24 * m->chunks, "the rows of a matrix");
    }
    if (rows != NULL) {
        cut_rows(chunk, rows, layout);
    }
    cut_pieces(chunk + whole, p, m->rows);
    tsl_status status = TSL_OK;
    m->chunk = send(&status, context, chunk, m->chunks * (int64_t)sizeof *chunk);
    tsl_release(chunk);
    form->product_bytes += m->chunks * (int64_t)sizeof *chunk;
    if (rows != NULL) {
        const int64_t nonzeros = tsl_csr_nonzeros(rows);
        m->row_start = send(&status, context, rows->row_start, 8 * (rows->rows + 1));
        m->column = send(&status, context, rows->column, 4 * nonzeros);
        m->entry = send_values(&status, form, context, rows->value, nonzeros);
        form->product_bytes += nonzeros * (form->bytes + 4) + 8 * rows->rows;
    }
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* This rank's long rows, beside slices of the others. */
static tsl_status add_split_rows(tsl_form *form, tsl_context *context, const tsl_layout *layout)
{
    tsl_split_rows p;
    tsl_csr rest;
    tsl_status status = tsl_split_rows_make(&p, &rest, context, form->rows, layout, LONGEST_SLICED);
    if (status != TSL_OK) {
        return status;
    }
    status = send_split_rows(form, context, &p);
    if (status == TSL_OK) {
        status = send_chunks(form, context, NULL, &p, layout);
    }
    tsl_split_rows_free(&p);
    tsl_csr_free(&rest);
    return status;
}

/* Slices, beside a few long rows, where that suits. */
static tsl_status try_slices_and_split_rows(bool *made, tsl_form *form, tsl_context *context,
                                            const tsl_layout *layout)
{
    const tsl_csr *m = form->rows;
    const int64_t long_rows = tsl_split_rows_count(m, LONGEST_SLICED);
    if (long_rows == 0) {
        return try_slices(made, form, context, m, layout);
    }
    if (long_rows > MOST_SPLIT) {
        return TSL_OK;
    }
    const tsl_layout all = {.from = 0, .to = m->rows};
    tsl_split_rows p;
    tsl_csr rest;
    tsl_status status = tsl_split_rows_make(&p, &rest, context, m, &all, LONGEST_SLICED);
    if (status != TSL_OK) {
        return status;
    }
    status = try_slices(made, form, context, &rest, layout);
    tsl_split_rows_free(&p);
    tsl_csr_free(&rest);
    return status == TSL_OK && *made ? add_split_rows(form, context, layout) : status;
}

/* Chunks of a rank's rows, with long ones split off where rows are to be `split`. */
static tsl_status make_chunks(tsl_form *form, tsl_context *context, const tsl_csr *own, bool split,
                              const tsl_layout *layout)
{
    tsl_split_rows p = {0};
    if (!split) {
        return send_chunks(form, context, own, &p, layout);
    }
    const tsl_layout all = {.from = 0, .to = own->rows};
    tsl_csr rest;
    tsl_status status = tsl_split_rows_make(&p, &rest, context, own, &all, LONGEST_WHOLE);
    if (status != TSL_OK) {
        return status;
    }
    status = send_split_rows(form, context, &p);
    if (status == TSL_OK) {
        status = send_chunks(form, context, &rest, &p, layout);
    }
    tsl_split_rows_free(&p);
    tsl_csr_free(&rest);
    return status;
}

static tsl_status make_plain(tsl_form *form, tsl_context *context, const tsl_layout *layout)
{
    tsl_csr own;
    tsl_status status = own_rows(&own, context, form->rows, layout);
    if (status == TSL_OK) {
        const bool split = tsl_split_rows_count(form->rows, LONGEST_WHOLE) > 0;
        status = make_chunks(form, context, &own, split, layout);
    }
    tsl_release(own.row_start);
    return status;
}

/* Make blocks of columns for long rows. */
static tsl_status make_pieces(tsl_form *form, tsl_context *context, const tsl_layout *layout,
                              tsl_column_blocks *blocked, const tsl_device_properties *properties)
{
    tsl_format_gpu *gpu = form->gpu;
    tsl_tiles tiles;
    tsl_status status = tsl_column_blocks_pieces(blocked, context, form->rows, layout);
    if (status == TSL_OK) {
        status = tsl_tiles_make(&tiles, context, &blocked->piece, blocked->width, true);
    }
    if (status != TSL_OK) {
        return status;
    }
    tiles.whole = (blocked->pieces + TSL_TILE_LANES - 1) / TSL_TILE_LANES;
    form->product_bytes = bytes_of_tiles(&tiles);
    status = tsl_tiles_create(&gpu->tiles, context, &tiles, properties);
    if (status == TSL_OK) {
        gpu->matrix.partial = context->ops->sparse->tiles(gpu->tiles)->partial;
        status = tsl_column_blocks_rest(blocked, context, form->rows, layout, &tiles);
    }
    tsl_tiles_free(&tiles);
    return status;
}

/* Sums over blocks of columns for long rows, and chunks for the other rows, where that suits. */
static tsl_status try_column_blocks(bool *made, tsl_form *form, tsl_context *context,
                                    const tsl_layout *layout,
                                    const tsl_device_properties *properties)
{
    tsl_column_blocks blocked = tsl_column_blocks_choose(context, form->rows, properties);
    *made = blocked.pieces > 0;
    tsl_status status = *made ? make_pieces(form, context, layout, &blocked, properties) : TSL_OK;
    if (*made && status == TSL_OK) {
        status = make_chunks(form, context, &blocked.rest, true, layout);
    }
    tsl_column_blocks_free(&blocked);
    return status;
}

tsl_status tsl_format_gpu_make(tsl_form *form, tsl_context *context, const tsl_layout *layout)
{
    const bool wide = form->bytes == 8; /* blocks of columns are */
    bool made = false;
    tsl_device_properties properties;
    tsl_status status = wide ? tsl_device_read_properties(context, &properties) : TSL_OK;
    if (status != TSL_OK) {
        return status;
    }
    form->gpu = tsl_allocate_zeroed(1, sizeof *form->gpu);
    if (form->gpu == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *form->gpu, "a matrix");
    }
    form->gpu->context = context;
    form->gpu->matrix.rows = layout->to - layout->from;
    form->gpu->matrix.first = layout->from;
    if (wide) {
        status = try_tiles(&made, form, context, layout, &properties);
    }
    if (status == TSL_OK && !made) {
        status = try_slices_and_split_rows(&made, form, context, layout);
    }
    if (status == TSL_OK && !made && wide) {
        status = try_column_blocks(&made, form, context, layout, &properties);
    }
    return status == TSL_OK && !made ? make_plain(form, context, layout) : status;
}
