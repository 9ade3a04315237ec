#include "blocks/csr/form.h"

#include <string.h>

#include "blocks/csr/format_gpu.h"
#include "core/clones.h"
#include "core/context.h"
#include "device/device.h"

#define TSL_TEMPLATE "blocks/csr/form_cpu.inc"
#include "core/both_precisions.inc"

enum { TOGETHER = 4 /* slices of one kind */ };

/* Slices that repeat, as multiply_slices_single() does others; x is that of row form->first. */
TSL_CLONES static void multiply_kinds(const tsl_form *form, float *y, const float *x, int64_t first,
                                      int64_t last)
{
    const tsl_form f = *form; /* in registers, whatever y may overlap */
    for (int64_t s = first; s < last;) {
        const uint16_t kind = f.kind[s];
        const int64_t groups = f.value_start[kind + 1] - f.value_start[kind];
        const float *value = (const float *)f.value + f.value_start[kind] * TSL_SLICE_ROWS;
        const float *const end = value + groups * TSL_SLICE_ROWS;
        const int32_t *index = f.index + f.index_start[kind];
        const bool diagonals = f.index_start[kind + 1] - f.index_start[kind] == groups;
        const float *at = x + s * TSL_SLICE_ROWS;
        side_single sums[TOGETHER] = {{{{0}}}};
        const bool together = diagonals && s + TOGETHER <= last && f.kind[s + 1] == kind &&
                              f.kind[s + 2] == kind && f.kind[s + 3] == kind;
        if (together) {
            for (; value < end; value += TSL_SLICE_ROWS, index++) {
                for (int i = 0; i < TOGETHER; i++) {
                    add_diagonal_single(&sums[i], value, at + *index + i * TSL_SLICE_ROWS);
                }
            }
        } else if (diagonals) {
            for (; value < end; value += TSL_SLICE_ROWS, index++) {
                add_diagonal_single(sums, value, at + *index);
            }
        } else {
            for (; value < end; value += TSL_SLICE_ROWS, index += TSL_SLICE_ROWS) {
                add_columns_single(sums, value, at, index);
            }
        }
        const int done = together ? TOGETHER : 1;
        for (int i = 0; i < done; i++) {
            store_single(y + i * TSL_SLICE_ROWS, &sums[i]);
        }
        s += done;
        y += done * TSL_SLICE_ROWS;
    }
}

static void multiply_deduplicated(const tsl_form *form, float *y, const float *x, int64_t from,
                                  int64_t to)
{
    const int64_t first = (from - form->first) / TSL_SLICE_ROWS;
    const int64_t last = first + (to - from) / TSL_SLICE_ROWS;
    const float *begin = x + form->first;
    multiply_kinds(form, y + from, begin, first, last);
    const int64_t rest = from + (last - first) * TSL_SLICE_ROWS;
    if (rest < to) {
        float sums[TSL_SLICE_ROWS];
        multiply_kinds(form, sums, begin, last, last + 1);
        memcpy(y + rest, sums, (size_t)(to - rest) * sizeof *y);
    }
}

void tsl_form_multiply(const tsl_form *form, void *y, const void *x, int64_t from, int64_t to)
{
    if (form->kind != NULL) {
        multiply_deduplicated(form, y, x, from, to);
    } else if (form->bytes == 4) {
        multiply_single(form, form->narrow, y, x, from, to);
    } else {
        multiply_double(form, form->rows != NULL ? form->rows->value : NULL, y, x, from, to);
    }
}

void tsl_form_free(tsl_form *form)
{
    tsl_format_gpu_destroy(form->gpu);
    tsl_release(form->narrow);
    if (!form->borrows) {
        tsl_release(form->value_start);
        tsl_release(form->index_start);
        tsl_release(form->index);
    }
    tsl_release(form->value);
    tsl_release(form->kind);
    *form = (tsl_form){0};
}

tsl_form tsl_form_of_aggregates(const int32_t *aggregate, const void *weight, int bytes)
{
    return (tsl_form){.bytes = bytes, .scale = 1, .only = aggregate, .weight = weight};
}

tsl_form tsl_form_of_members(const tsl_csr *members, const void *weight, int bytes)
{
    return (tsl_form){.bytes = bytes, .scale = 1, .rows = members, .lists = true, .weight = weight};
}

const char *tsl_form_name(const tsl_form *form)
{
    return form->gpu != NULL ? tsl_format_gpu_name(form->gpu) : form->sliced ? "sliced-ell" : "csr";
}

/* ---- the shape of slices -------------------------------------------------------------------- */

/* The rows of a slice while their entries are read: as many rows as a slice has lanes, or fewer at
 * the end of the matrix. */
typedef struct slice {
    const tsl_csr *m;
    int64_t row; /* the first */
    int rows, lanes;
    int64_t at[TSL_MOST_LANES]; /* next entry of each row */
} slice;

static slice slice_at(const tsl_csr *m, int64_t row, int lanes)
{
    slice s = {.m = m, .row = row, .lanes = lanes};
    s.rows = m->rows - row < lanes ? (int)(m->rows - row) : lanes;
    for (int lane = 0; lane < s.rows; lane++) {
        s.at[lane] = m->row_start[row + lane];
    }
    return s;
}

static int64_t longest_of(const slice *s)
{
    int64_t longest = 0;
    for (int lane = 0; lane < s->rows; lane++) {
        const int64_t length = s->m->row_start[s->row + lane + 1] - s->m->row_start[s->row + lane];
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* The next diagonal on which any row has an entry: column - row; INT64_MAX after the last. */
static int64_t next_diagonal(const slice *s)
{
    int64_t next = INT64_MAX;
    for (int lane = 0; lane < s->rows; lane++) {
        if (s->at[lane] < s->m->row_start[s->row + lane + 1]) {
            const int64_t diagonal = s->m->column[s->at[lane]] - (s->row + lane);
            next = diagonal < next ? diagonal : next;
        }
    }
    return next;
}

/* Take the entry of a row on a diagonal; 0 where it has none there. */
static double take(slice *s, int lane, int64_t diagonal)
{
    const int64_t k = s->at[lane];
    const int64_t row = s->row + lane;
    if (k == s->m->row_start[row + 1] || s->m->column[k] - row != diagonal) {
        return 0;
    }
    s->at[lane]++;
    return s->m->value[k];
}

/* Diagonals of a slice; -1 where it is cheaper, or the only way, to name all columns. */
static int64_t count_diagonals(slice s)
{
    const int64_t most = longest_of(&s) * 4 / 3;
    int64_t count = 0;
    for (int64_t d = next_diagonal(&s); d < INT64_MAX; d = next_diagonal(&s)) {
        const int64_t first = s.row + d;
        if (s.rows < s.lanes || first < 0 || first + s.lanes > s.m->columns || ++count > most) {
            return -1;
        }
        for (int lane = 0; lane < s.rows; lane++) {
            take(&s, lane, d);
        }
    }
    return count;
}

/* ---- making them ---------------------------------------------------------------------------- */

static void put(const tsl_form *form, int64_t group, int lane, double value)
{
    const int64_t place = group * form->lanes + lane;
    if (form->bytes == 8) {
        ((double *)form->value)[place] = value;
    } else {
        ((float *)form->value)[place] = (float)(form->scale * value);
    }
}

static void fill_diagonals(const tsl_form *form, int64_t number, slice s)
{
    int32_t *index = form->index + form->index_start[number];
    int64_t group = form->value_start[number];
    for (int64_t d = next_diagonal(&s); d < INT64_MAX; d = next_diagonal(&s), group++) {
        *index++ = (int32_t)(s.row + d);
        for (int lane = 0; lane < s.rows; lane++) {
            put(form, group, lane, take(&s, lane, d));
        }
    }
}

/* Where a row has ended, its own last column goes on, or that of any row. */
static void fill_columns(const tsl_form *form, int64_t number, const slice *s)
{
    int32_t *index = form->index + form->index_start[number];
    const int64_t groups = form->value_start[number + 1] - form->value_start[number];
    for (int lane = 0; lane < s->lanes; lane++) {
        const int64_t from = lane < s->rows ? s->at[lane] : 0;
        const int64_t count = lane < s->rows ? s->m->row_start[s->row + lane + 1] - from : 0;
        for (int64_t g = 0; g < groups; g++) {
            const int64_t k = g < count ? from + g : from + count - 1;
            index[g * s->lanes + lane] = count > 0 ? s->m->column[k] : 0;
            put(form, form->value_start[number] + g, lane, g < count ? s->m->value[k] : 0);
        }
    }
}

/* Would slices of all rows be filled up with little? */
static bool slices_suit(tsl_context *context, const tsl_csr *m)
{
    int64_t padded = 0;
#pragma omp parallel for num_threads(tsl_threads_for(context, tsl_csr_nonzeros(m))) schedule(static) reduction(+ : padded)
    for (int64_t row = 0; row < m->rows; row += TSL_SLICE_ROWS) {
        const slice s = slice_at(m, row, TSL_SLICE_ROWS);
        padded += TSL_SLICE_ROWS * longest_of(&s);
    }
    /* a row by itself costs as much as two entries more */
    const int64_t nonzeros = tsl_csr_nonzeros(m);
    return padded - nonzeros <= nonzeros / 3 + 2 * m->rows + 64 && nonzeros <= 64 * m->rows;
}

/* Lengths of the slices, then where they begin. */
static void measure_slices(tsl_form *form, tsl_context *context)
{
#pragma omp parallel for num_threads(tsl_threads_for(context, form->slices * form->lanes))         \
    schedule(static)
    for (int64_t number = 0; number < form->slices; number++) {
        const slice s = slice_at(form->rows, form->first + number * form->lanes, form->lanes);
        /* rows of other length than columns have no diagonals in common */
        const int64_t diagonals = form->rows->rows == form->rows->columns ? count_diagonals(s) : -1;
        const int64_t longest = longest_of(&s);
        form->value_start[number + 1] = diagonals >= 0 ? diagonals : longest;
        form->index_start[number + 1] = diagonals >= 0 ? diagonals : longest * form->lanes;
    }
    form->value_start[0] = 0;
    form->index_start[0] = 0;
    for (int64_t number = 0; number < form->slices; number++) {
        form->value_start[number + 1] += form->value_start[number];
        form->index_start[number + 1] += form->index_start[number];
    }
}

tsl_status tsl_slices_measure(tsl_form *form, tsl_context *context, const tsl_layout *layout)
{
    form->first = layout->from;
    form->slices = (layout->to - layout->from + form->lanes - 1) / form->lanes;
    const size_t starts = (size_t)form->slices + 1;
    form->value_start = tsl_allocate(starts * sizeof *form->value_start);
    form->index_start = tsl_allocate(starts * sizeof *form->index_start);
    if (form->value_start == NULL || form->index_start == NULL) {
        return tsl_fail_memory(context, 16 * form->slices, "the slices of a matrix");
    }
    measure_slices(form, context);
    return TSL_OK;
}

int64_t tsl_slices_bytes(const tsl_form *form)
{
    return form->value_start[form->slices] * form->lanes * form->bytes +
           form->index_start[form->slices] * (int64_t)sizeof *form->index + 16 * form->slices;
}

tsl_status tsl_slices_fill(tsl_form *form, tsl_context *context)
{
    const int64_t values = form->value_start[form->slices] * form->lanes * form->bytes;
    const int64_t indices = form->index_start[form->slices] * (int64_t)sizeof *form->index;
    form->value = tsl_allocate((size_t)values);
    form->index = tsl_allocate((size_t)indices);
    if (form->value == NULL || form->index == NULL) {
        return tsl_fail_memory(context, values + indices, "the slices of a matrix");
    }
#pragma omp parallel for num_threads(tsl_threads_for(context, values)) schedule(static)
    for (int64_t number = 0; number < form->slices; number++) {
        const slice s = slice_at(form->rows, form->first + number * form->lanes, form->lanes);
        const int64_t groups = form->value_start[number + 1] - form->value_start[number];
        if (form->index_start[number + 1] - form->index_start[number] == groups) {
            fill_diagonals(form, number, s);
        } else {
            fill_columns(form, number, &s);
        }
    }
    return TSL_OK;
}

static tsl_status make_slices(tsl_form *form, tsl_context *context, const tsl_layout *layout)
{
    const tsl_status status = tsl_slices_measure(form, context, layout);
    form->product_bytes = status == TSL_OK ? tsl_slices_bytes(form) : 0;
    return status == TSL_OK ? tsl_slices_fill(form, context) : status;
}

static tsl_status make_narrow(tsl_form *form, tsl_context *context)
{
    const int64_t nonzeros = tsl_csr_nonzeros(form->rows);
    form->narrow = tsl_allocate((size_t)nonzeros * sizeof *form->narrow);
    if (form->narrow == NULL) {
        return tsl_fail_memory(context, 4 * nonzeros, "a matrix in single precision");
    }
#pragma omp parallel for num_threads(tsl_threads_for(context, nonzeros)) schedule(static)
    for (int64_t k = 0; k < nonzeros; k++) {
        form->narrow[k] = (float)(form->scale * form->rows->value[k]);
    }
    return TSL_OK;
}

static tsl_status make_on_cpu(tsl_form *form, tsl_context *context, const tsl_layout *layout)
{
    form->lanes = TSL_SLICE_ROWS;
    form->sliced = slices_suit(context, form->rows);
    form->entries = form->rows->row_start[layout->to] - form->rows->row_start[layout->from];
    form->product_bytes = form->entries * (form->bytes + 4) + 8 * (layout->to - layout->from);
    return form->sliced       ? make_slices(form, context, layout)
           : form->bytes == 4 ? make_narrow(form, context)
                              : TSL_OK;
}

tsl_status tsl_form_make(tsl_form *out, tsl_context *context, const tsl_csr *rows,
                         const tsl_layout *layout, int bytes, double scale)
{
    *out = (tsl_form){.bytes = bytes, .scale = scale, .rows = rows};
    const tsl_status status = context->ops->fused != NULL
                                  ? tsl_format_gpu_make(out, context, layout)
                                  : make_on_cpu(out, context, layout);
    if (status != TSL_OK) {
        tsl_form_free(out);
    }
    if (out->gpu != NULL) {
        out->rows = NULL; /* the device has it */
    }
    return status;
}

tsl_status tsl_form_narrow(tsl_form *out, tsl_context *context, const tsl_form *wide, double scale)
{
    bool deduplicated = false;
    const tsl_status status =
        wide->sliced ? tsl_form_deduplicate(out, &deduplicated, context, wide, scale) : TSL_OK;
    if (status != TSL_OK || deduplicated) {
        return status;
    }
    *out = *wide;
    out->bytes = 4;
    out->scale = scale;
    out->borrows = true;
    out->value = NULL;
    if (!wide->sliced) {
        out->product_bytes -= 4 * wide->entries;
        return make_narrow(out, context);
    }
    const int64_t values = wide->value_start[wide->slices] * wide->lanes;
    const double *from = wide->value;
    float *to = tsl_allocate((size_t)values * sizeof *to);
    if (to == NULL) {
        return tsl_fail_memory(context, 4 * values, "the slices of a matrix");
    }
#pragma omp parallel for num_threads(tsl_threads_for(context, values)) schedule(static)
    for (int64_t k = 0; k < values; k++) {
        to[k] = (float)(scale * from[k]);
    }
    out->value = to;
    out->product_bytes -= 4 * values;
    return TSL_OK;
}
