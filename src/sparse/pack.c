#include "sparse/pack.h"

#include <stdlib.h>
#include <string.h>

#include "blocks/sparse/tiles.h"
#include "core/context.h"
#include "device/device.h"

enum {
    LONGEST_SLICED = 128,  /* entries of a row in slices: a few lanes should not keep a block */
    MOST_PIECES = 1024,    /* of a long row */
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
    const void *const all[] = {m->value_start, m->index_start, m->index, m->value,
                               m->row_start,   m->column,      m->chunk, m->piece_start,
                               m->piece_sum,   packed->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_device_release(packed->context, (void *)(uintptr_t)all[i]);
    }
    packed->context->ops->sparse->destroy(packed->tiles);
    tsl_release(packed);
}

const char *tsl_packed_name(const tsl_packed *packed)
{
    return packed->tiles != NULL                ? "column-blocks"
           : packed->matrix.value_start != NULL ? "sliced-ell"
           : packed->matrix.pieces > 0          ? "csr-split"
                                                : "csr";
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

/* Would slices be filled up with little? Then they are made. */
static tsl_status try_slices(bool *made, tsl_form *form, tsl_context *context,
                             const tsl_layout *layout)
{
    const tsl_form none = {
        .bytes = form->bytes, .scale = form->scale, .rows = form->rows, .lanes = TSL_PACK_LANES};
    const tsl_layout all = {.from = 0, .to = form->rows->rows};
    tsl_form slices = none;
    tsl_packed_matrix *m = &form->packed->matrix;
    const int64_t plain = tsl_csr_nonzeros(form->rows) * (form->bytes + 4) + 8 * form->rows->rows;
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

static tsl_status make_tiles(tsl_form *form, tsl_context *context, const tsl_layout *layout,
                             const tsl_device_properties *properties, int most)
{
    tsl_packed *packed = form->packed;
    tsl_tiles tiles;
    tsl_csr own;
    tsl_status status = own_rows(&own, context, form->rows, layout);
    if (status == TSL_OK) {
        status = tsl_tiles_make(&tiles, context, &own, most);
    }
    tsl_release(own.row_start);
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
static tsl_status try_tiles(bool *scattered, tsl_form *form, tsl_context *context,
                            const tsl_layout *layout)
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
    return status == TSL_OK && *scattered ? make_tiles(form, context, layout, &properties, most)
                                          : status;
}

/* ---- chunks --------------------------------------------------------------------------------- */

/* Chunks and pieces of a matrix; with arrays also what they are. */
typedef struct chunks {
    int64_t count, pieces;
    tsl_chunk *chunk; /* [count + 1] */
    int64_t *start;   /* [pieces][2] */
} chunks;

/* Entries of a long row's pieces: MOST_PIECES of them at most. */
static int64_t piece_length(int64_t entries)
{
    const int64_t least = (entries + MOST_PIECES - 1) / MOST_PIECES;
    return least > TSL_CHUNK_ENTRIES ? least : TSL_CHUNK_ENTRIES;
}

/* The row behind the chunk that begins with `first` and ends before `end`. */
static int64_t end_of_chunk(const tsl_csr *m, int64_t first, int64_t end)
{
    int64_t last = first + 1;
    while (last < end && last - first < TSL_LIST_THREADS &&
           m->row_start[last + 1] - m->row_start[first] <= TSL_CHUNK_ENTRIES) {
        last++;
    }
    return last;
}

static void cut_row(chunks *c, int64_t from, int64_t to)
{
    const int64_t length = piece_length(to - from);
    for (int64_t at = from; at < to; at += length, c->pieces++) {
        if (c->start != NULL) {
            c->start[2 * c->pieces] = at;
            c->start[2 * c->pieces + 1] = at + length < to ? at + length : to;
        }
    }
}

/* `m`: the layout's rows. Chunks begin anew with each of its pieces: the same for any number of
 * ranks, so that rows are summed alike. */
static void cut_rows(chunks *c, const tsl_csr *m, const tsl_layout *layout)
{
    int piece = layout->rank_piece[layout->rank];
    c->count = 0;
    c->pieces = 0;
    for (int64_t first = 0; first < m->rows; c->count++) {
        while (tsl_layout_piece_row(layout, piece) - layout->from <= first) {
            piece++;
        }
        const int64_t last =
            end_of_chunk(m, first, tsl_layout_piece_row(layout, piece) - layout->from);
        if (c->chunk != NULL) {
            c->chunk[c->count] =
                (tsl_chunk){m->row_start[first], (int32_t)first, (int32_t)c->pieces,
                            (int32_t)longest_row(m, first, last)};
        }
        if (m->row_start[last] - m->row_start[first] > TSL_CHUNK_ENTRIES) {
            cut_row(c, m->row_start[first], m->row_start[last]);
        }
        first = last;
    }
    if (c->chunk != NULL) {
        c->chunk[c->count] =
            (tsl_chunk){tsl_csr_nonzeros(m), (int32_t)m->rows, (int32_t)c->pieces, 0};
    }
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

static tsl_status send_chunks(tsl_form *form, tsl_context *context, const tsl_csr *rows,
                              const chunks *c)
{
    tsl_packed_matrix *m = &form->packed->matrix;
    const int64_t nonzeros = tsl_csr_nonzeros(rows);
    tsl_status status = TSL_OK;
    float *values = NULL;
    if (form->bytes == 4) {
        values = narrow(form, context, rows);
        status = values != NULL ? TSL_OK : TSL_E_NOMEM;
    }
    m->chunks = c->count;
    m->pieces = c->pieces;
    m->row_start = send(&status, context, rows->row_start, 8 * (rows->rows + 1));
    m->column = send(&status, context, rows->column, 4 * nonzeros);
    m->value = send(&status, context, values != NULL ? (void *)values : (void *)rows->value,
                    form->bytes * nonzeros);
    m->chunk = send(&status, context, c->chunk, (c->count + 1) * (int64_t)sizeof *c->chunk);
    m->piece_start = send(&status, context, c->start, 16 * c->pieces);
    void *sums = NULL;
    if (status == TSL_OK && c->pieces > 0) {
        status = tsl_device_allocate(&sums, context, 8 * c->pieces, "the matrix");
    }
    m->piece_sum = sums;
    tsl_release(values);
    form->product_bytes = nonzeros * (form->bytes + 4) + 8 * rows->rows + 24 * c->count;
    return status;
}

static tsl_status cut_and_send(tsl_form *form, tsl_context *context, const tsl_csr *rows,
                               const tsl_layout *layout)
{
    chunks c = {0};
    cut_rows(&c, rows, layout);
    c.chunk = tsl_allocate((size_t)(c.count + 1) * sizeof *c.chunk);
    c.start = tsl_allocate((size_t)(c.pieces + 1) * 2 * sizeof *c.start);
    tsl_status status = TSL_OK;
    if (c.chunk == NULL || c.start == NULL) {
        status = tsl_fail_memory(context, 16 * c.count + 16 * c.pieces, "the rows of a matrix");
    } else {
        cut_rows(&c, rows, layout);
        status = send_chunks(form, context, rows, &c);
    }
    tsl_release(c.chunk);
    tsl_release(c.start);
    return status;
}

static tsl_status make_chunks(tsl_form *form, tsl_context *context, const tsl_layout *layout)
{
    tsl_csr own;
    tsl_status status = own_rows(&own, context, form->rows, layout);
    if (status == TSL_OK) {
        status = cut_and_send(form, context, &own, layout);
    }
    tsl_release(own.row_start);
    return status;
}

tsl_status tsl_pack(tsl_form *form, tsl_context *context, const tsl_layout *layout)
{
    const tsl_csr *m = form->rows;
    const int64_t longest = longest_row(m, 0, m->rows);
    bool scattered = false;
    bool sliced = false;
    form->packed = tsl_allocate_zeroed(1, sizeof *form->packed);
    if (form->packed == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *form->packed, "a matrix");
    }
    form->packed->context = context;
    form->packed->matrix.first = layout->from;
    if (form->bytes == 8 && longest * m->rows <= TILE_ROW_RATIO * tsl_csr_nonzeros(m)) {
        const tsl_status status = try_tiles(&scattered, form, context, layout);
        if (status != TSL_OK || scattered) {
            return status;
        }
    }
    if (longest <= LONGEST_SLICED) {
        const tsl_status status = try_slices(&sliced, form, context, layout);
        if (status != TSL_OK || sliced) {
            return status;
        }
    }
    return make_chunks(form, context, layout);
}
