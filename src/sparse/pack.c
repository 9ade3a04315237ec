#include "sparse/pack.h"

#include <stdlib.h>
#include <string.h>

#include "blocks/sparse/tiles.h"
#include "core/context.h"
#include "device/device.h"

enum {
    LONGEST_SLICED = 128,  /* entries of a row in slices: a few lanes should not keep a block; */
    MOST_APART = 1024,     /* rows that are longer, each of which takes a block some time */
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
    const void *const all[] = {m->value_start, m->index_start, m->index,      m->value,
                               m->apart,       m->chunk,       m->row_start,  m->column,
                               m->entry,       m->long_row,    m->long_start, m->piece_sum,
                               packed->scratch};
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

/* ---- chunks --------------------------------------------------------------------------------- */

/* The chunks of a matrix, its long rows and their pieces; with arrays also what they are. */
typedef struct chunks {
    int64_t count, long_rows, pieces;
    tsl_chunk *chunk;    /* [count] */
    int32_t *long_row;   /* [long_rows] */
    int64_t *long_start; /* [long_rows + 1] */
} chunks;

/* The row behind the chunk that begins with `first`, which is not long. */
static int64_t end_of_chunk(const tsl_csr *m, int64_t first)
{
    int64_t last = first + 1;
    while (last < m->rows && last - first < TSL_LIST_THREADS &&
           m->row_start[last + 1] - m->row_start[first] <= TSL_CHUNK_ENTRIES) {
        last++;
    }
    return last;
}

/* A long row. */
static void cut_row(chunks *c, const tsl_csr *m, int64_t row)
{
    if (c->long_row != NULL) {
        c->long_row[c->long_rows] = (int32_t)row;
        c->long_start[c->long_rows] = c->pieces;
    }
    c->long_rows++;
    const int64_t end = m->row_start[row + 1];
    for (int64_t at = m->row_start[row]; at < end; at += TSL_CHUNK_ENTRIES) {
        if (c->chunk != NULL) {
            const int64_t left = end - at;
            c->chunk[c->count] = (tsl_chunk){
                .entry = at,
                .row = (int32_t)c->pieces,
                .entries = (int16_t)(left < TSL_CHUNK_ENTRIES ? left : TSL_CHUNK_ENTRIES)};
        }
        c->count++;
        c->pieces++;
    }
}

/* Rows of more than `longest` entries are long. */
static void cut_rows(chunks *c, const tsl_csr *m, int64_t longest)
{
    c->count = 0;
    c->long_rows = 0;
    c->pieces = 0;
    for (int64_t first = 0; first < m->rows;) {
        if (m->row_start[first + 1] - m->row_start[first] > longest) {
            cut_row(c, m, first++);
            continue;
        }
        const int64_t last = end_of_chunk(m, first);
        if (c->chunk != NULL) {
            c->chunk[c->count] =
                (tsl_chunk){.entry = m->row_start[first],
                            .row = (int32_t)first,
                            .rows = (int16_t)(last - first),
                            .entries = (int16_t)(m->row_start[last] - m->row_start[first]),
                            .longest = (int16_t)longest_row(m, first, last)};
        }
        c->count++;
        first = last;
    }
    if (c->long_start != NULL) {
        c->long_start[c->long_rows] = c->pieces;
    }
}

static void free_chunks(chunks *c)
{
    tsl_release(c->chunk);
    tsl_release(c->long_row);
    tsl_release(c->long_start);
}

static tsl_status make_chunks(chunks *out, tsl_context *context, const tsl_csr *m, int64_t longest)
{
    chunks c = {0};
    cut_rows(&c, m, longest);
    c.chunk = tsl_allocate((size_t)c.count * sizeof *c.chunk);
    c.long_row = tsl_allocate((size_t)(c.long_rows + 1) * sizeof *c.long_row);
    c.long_start = tsl_allocate((size_t)(c.long_rows + 1) * sizeof *c.long_start);
    if (c.chunk == NULL || c.long_row == NULL || c.long_start == NULL) {
        free_chunks(&c);
        return tsl_fail_memory(context, 24 * c.count + 12 * c.long_rows, "the rows of a matrix");
    }
    cut_rows(&c, m, longest);
    *out = c;
    return TSL_OK;
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

/* The entries of `rows`, and the chunks they are cut into. */
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
    m->long_rows = c->long_rows;
    m->chunk = send(&status, context, c->chunk, c->count * (int64_t)sizeof *c->chunk);
    m->column = send(&status, context, rows->column, 4 * nonzeros);
    m->entry = send(&status, context, values != NULL ? (void *)values : (void *)rows->value,
                    form->bytes * nonzeros);
    m->long_row = send(&status, context, c->long_row, 4 * c->long_rows);
    m->long_start = send(&status, context, c->long_start, 8 * (c->long_rows + 1));
    void *sums = NULL;
    if (status == TSL_OK && c->pieces > 0) {
        status = tsl_device_allocate(&sums, context, form->bytes * c->pieces, "the matrix");
    }
    m->piece_sum = sums;
    tsl_release(values);
    form->product_bytes += nonzeros * (form->bytes + 4) + 24 * c->count;
    return status;
}

static tsl_status pack_chunks(tsl_form *form, tsl_context *context)
{
    const tsl_csr *rows = form->rows;
    chunks c;
    tsl_status status = make_chunks(&c, context, rows, TSL_CHUNK_ENTRIES);
    if (status != TSL_OK) {
        return status;
    }
    form->packed->matrix.row_start = send(&status, context, rows->row_start, 8 * (rows->rows + 1));
    status = status == TSL_OK ? send_chunks(form, context, rows, &c) : status;
    form->product_bytes += 8 * rows->rows;
    free_chunks(&c);
    return status;
}

/* ---- slices beside long rows ---------------------------------------------------------------- */

/* A matrix in two: its rows of LONGEST_SLICED entries and less, with empty ones in place of the
 * others; and the others. */
typedef struct halves {
    tsl_csr sliced, apart;
    int32_t *row;   /* [apart.rows]: which they are */
    uint32_t *mask; /* [slices] */
} halves;

static void free_halves(halves *h)
{
    tsl_csr_free(&h->sliced);
    tsl_csr_free(&h->apart);
    tsl_release(h->row);
    tsl_release(h->mask);
}

static tsl_status make_rows(tsl_csr *out, tsl_context *context, int64_t rows, int64_t columns,
                            int64_t entries)
{
    *out = (tsl_csr){.rows = rows,
                     .columns = columns,
                     .row_start = tsl_allocate_zeroed((size_t)rows + 1, sizeof *out->row_start),
                     .column = tsl_allocate((size_t)entries * sizeof *out->column),
                     .value = tsl_allocate((size_t)entries * sizeof *out->value)};
    return out->row_start != NULL && out->column != NULL && out->value != NULL
               ? TSL_OK
               : tsl_fail_memory(context, 8 * rows + 12 * entries, "the rows of a matrix");
}

/* Copy row `from` behind the rows that `to` has, of which it becomes the one before row `end`. */
static void append_row(tsl_csr *to, int64_t end, const tsl_csr *m, int64_t from)
{
    const int64_t at = to->row_start[end - 1];
    const int64_t first = m->row_start[from];
    const size_t length = (size_t)(m->row_start[from + 1] - first);
    memcpy(to->column + at, m->column + first, length * sizeof *to->column);
    memcpy(to->value + at, m->value + first, length * sizeof *to->value);
    to->row_start[end] = at + (int64_t)length;
}

static tsl_status split_rows(halves *out, tsl_context *context, const tsl_csr *m, int64_t many,
                             int64_t entries)
{
    const int64_t slices = (m->rows + TSL_PACK_LANES - 1) / TSL_PACK_LANES;
    tsl_status status = make_rows(&out->apart, context, many, m->columns, entries);
    if (status == TSL_OK) {
        status =
            make_rows(&out->sliced, context, m->rows, m->columns, tsl_csr_nonzeros(m) - entries);
    }
    out->row = tsl_allocate((size_t)many * sizeof *out->row);
    out->mask = tsl_allocate_zeroed((size_t)slices, sizeof *out->mask);
    if (status != TSL_OK || out->row == NULL || out->mask == NULL) {
        return status != TSL_OK ? status : tsl_fail_memory(context, 4 * (many + slices), "a mask");
    }
    int64_t apart = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        if (m->row_start[i + 1] - m->row_start[i] > LONGEST_SLICED) {
            out->row[apart++] = (int32_t)i;
            out->mask[i / TSL_PACK_LANES] |= UINT32_C(1) << (unsigned)(i % TSL_PACK_LANES);
            append_row(&out->apart, apart, m, i);
            out->sliced.row_start[i + 1] = out->sliced.row_start[i];
        } else {
            append_row(&out->sliced, i + 1, m, i);
        }
    }
    return TSL_OK;
}

static tsl_status send_apart(tsl_form *form, tsl_context *context, const halves *h)
{
    chunks c;
    tsl_status status = make_chunks(&c, context, &h->apart, LONGEST_SLICED);
    if (status != TSL_OK) {
        return status;
    }
    memcpy(c.long_row, h->row, (size_t)c.long_rows * sizeof *c.long_row);
    const int64_t slices = (h->sliced.rows + TSL_PACK_LANES - 1) / TSL_PACK_LANES;
    form->packed->matrix.apart = send(&status, context, h->mask, 4 * slices);
    status = status == TSL_OK ? send_chunks(form, context, &h->apart, &c) : status;
    free_chunks(&c);
    return status;
}

/* Slices, and a few long rows by themselves, where that suits. */
static tsl_status try_apart(bool *made, tsl_form *form, tsl_context *context,
                            const tsl_layout *layout)
{
    const tsl_csr *m = form->rows;
    int64_t many = 0;
    int64_t entries = 0;
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t length = m->row_start[i + 1] - m->row_start[i];
        many += length > LONGEST_SLICED;
        entries += length > LONGEST_SLICED ? length : 0;
    }
    if (many > MOST_APART) {
        return TSL_OK;
    }
    if (many == 0) {
        return try_slices(made, form, context, m, layout);
    }
    halves h = {0};
    tsl_status status = split_rows(&h, context, m, many, entries);
    if (status == TSL_OK) {
        status = try_slices(made, form, context, &h.sliced, layout);
    }
    if (status == TSL_OK && *made) {
        status = send_apart(form, context, &h);
    }
    free_halves(&h);
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
    const tsl_status status = try_apart(&sliced, form, context, layout);
    return status != TSL_OK || sliced ? status : pack_chunks(form, context);
}
