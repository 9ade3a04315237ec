/* Multigrid's levels distributed to ranks, where each rank's GPU has made all of them: of a level
 * of many rows a rank's products take its own rows alone, out of the forms of all. So rows are
 * summed as on one GPU. */
#include "blocks/csr/format_gpu.h"
#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/linsolve/multigrid/multigrid.h"

enum { WHOLE_ROWS = 20000 /* levels this small are every rank's: less work than a message */ };

/* Has every rank all rows of a level? Where there are others, of small ones but the finest. */
static bool is_whole(const tsl_multigrid *mg, const tsl_level *v)
{
    return mg->level[0].layout->ranks == 1 || (v != &mg->level[0] && v->rows <= WHOLE_ROWS);
}

tsl_status tsl_level_lay_out(const tsl_multigrid *mg, tsl_level *v, const int64_t *row_start)
{
    v->layout = &v->own_layout;
    const tsl_status status =
        tsl_layout_make(&v->own_layout, mg->context, v->rows, row_start, is_whole(mg, v));
    v->own_layout.exchange = v->own_layout.ranks > 1 ? mg->level[0].layout->exchange : NULL;
    return status;
}

/* ---- the finest level ------------------------------------------------------------------------ */

/* What a form of so many entries has. */
static tsl_status read_form(tsl_fine *out, tsl_context *context, const tsl_form *form,
                            int64_t entries)
{
    const tsl_gpu_matrix *m = &form->gpu->matrix;
    const int64_t slices = (m->rows + TSL_SLICE_LANES - 1) / TSL_SLICE_LANES;
    *out = (tsl_fine){.a = tsl_rows_of(m), .places = entries};
    if (m->value_start == NULL) {
        return TSL_OK;
    }
    const tsl_status status =
        context->ops->download(context, &out->places, m->value_start + slices, 8);
    out->places *= TSL_SLICE_LANES;
    return status;
}

static tsl_status make_whole(tsl_form *out, const tsl_linsolve_plan *plan)
{
    const double begun = tsl_seconds();
    tsl_layout all;
    tsl_status status = tsl_layout_make(&all, plan->context, plan->rows, NULL, true);
    if (status == TSL_OK) {
        status = tsl_form_make(out, plan->context, &plan->matrix->csr, &all, 8, 1);
        tsl_layout_free(&all);
    }
    tsl_profile_add(plan->context, "rows of all ranks", begun, out->product_bytes, 0);
    return status;
}

tsl_status tsl_finest_find(tsl_finest *out, const tsl_linsolve_plan *plan)
{
    const tsl_csr *csr = &plan->matrix->csr;
    const bool alone = plan->layout->ranks == 1;
    *out = (tsl_finest){.form = alone ? &plan->matrix->form : &out->made};
    tsl_status status =
        read_form(&out->own, plan->context, &plan->matrix->form,
                  csr->row_start[plan->layout->to] - csr->row_start[plan->layout->from]);
    out->all = out->own;
    if (status == TSL_OK && !alone) {
        status = make_whole(&out->made, plan);
    }
    return status == TSL_OK && !alone
               ? read_form(&out->all, plan->context, &out->made, tsl_csr_nonzeros(csr))
               : status;
}

/* ---- which entries there are ----------------------------------------------------------------- */

/* Rows and columns of what is in device memory, without values; `row_start` NULL: an entry a row.
 * Release with tsl_csr_free(), also on failure. */
static tsl_status fetch_pattern(tsl_csr *out, tsl_context *context, int64_t rows, int64_t columns,
                                const int64_t *row_start, const int32_t *column)
{
    *out = (tsl_csr){.rows = rows, .columns = columns};
    out->row_start = tsl_allocate((size_t)(rows + 1) * sizeof *out->row_start);
    if (out->row_start == NULL) {
        return tsl_fail_memory(context, 8 * rows, "what ranks send each other");
    }
    if (row_start == NULL) {
        for (int64_t i = 0; i <= rows; i++) {
            out->row_start[i] = i;
        }
    }
    tsl_status status = row_start == NULL ? TSL_OK
                                          : context->ops->download(context, out->row_start,
                                                                   row_start, 8 * (rows + 1));
    const int64_t entries = status == TSL_OK ? out->row_start[rows] : 0;
    out->column = status == TSL_OK ? tsl_allocate((size_t)entries * sizeof *out->column) : NULL;
    if (status == TSL_OK && out->column == NULL) {
        status = tsl_fail_memory(context, 4 * entries, "what ranks send each other");
    }
    return status == TSL_OK && entries > 0
               ? context->ops->download(context, out->column, column, 4 * entries)
               : status;
}

tsl_status tsl_level_lay_out_on_gpu(const tsl_multigrid *mg, tsl_level *v, const tsl_device_rows *a)
{
    const tsl_status status = is_whole(mg, v) ? TSL_OK
                                              : fetch_pattern(&v->own, mg->context, v->rows,
                                                              v->rows, a->row_start, a->column);
    return status == TSL_OK ? tsl_level_lay_out(mg, v, v->own.row_start) : status;
}

/* ---- a rank's rows of a form ----------------------------------------------------------------- */

/* Chunks begin anew with each TSL_CHUNK_THREADS-th row, and so where a rank's rows do. */
static tsl_status cut_chunks(tsl_gpu_matrix *m, tsl_context *context, const tsl_layout *rows)
{
    tsl_chunk *const chunk = tsl_allocate((size_t)m->chunks * sizeof *chunk);
    if (chunk == NULL) {
        return tsl_fail_memory(context, 24 * m->chunks, "the rows of a matrix");
    }
    tsl_status status =
        context->ops->download(context, chunk, m->chunk, m->chunks * (int64_t)sizeof *chunk);
    int64_t first = 0;
    int64_t last = 0;
    for (int64_t c = 0; c < m->chunks && status == TSL_OK; c++) {
        first += chunk[c].row < rows->from;
        last += chunk[c].row < rows->to;
        chunk[c].row -= rows->from;
    }
    tsl_chunk *const own = (tsl_chunk *)(uintptr_t)m->chunk + first;
    if (status == TSL_OK && last > first) {
        status = context->ops->upload(context, own, chunk + first,
                                      (last - first) * (int64_t)sizeof *chunk);
    }
    tsl_release(chunk);
    m->chunk = own;
    m->chunks = last - first;
    m->row_start += rows->from;
    return status;
}

/* What is left of a form of all rows, whose memory is that of mg->kept. */
static tsl_status cut_form(tsl_form *form, tsl_context *context, const tsl_layout *rows)
{
    tsl_gpu_matrix *m = &form->gpu->matrix;
    tsl_status status = TSL_OK;
    if (m->value_start != NULL) {
        m->value_start += rows->from / TSL_SLICE_LANES;
        m->index_start += rows->from / TSL_SLICE_LANES;
    } else {
        status = cut_chunks(m, context, rows);
    }
    m->first = rows->from;
    m->rows = rows->to - rows->from;
    return status;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* T^T, which a rank reads of all ranks' rows. */
static tsl_status distribute_restriction(const tsl_multigrid *mg, tsl_level *v,
                                         const tsl_level *next)
{
    const tsl_gpu_matrix *m = &v->form_r.gpu->matrix;
    tsl_csr pattern;
    tsl_status status =
        fetch_pattern(&pattern, mg->context, next->rows, v->rows, m->row_start, m->column);
    if (status == TSL_OK) {
        status = tsl_halo_make(&v->halo_r, mg->context, &pattern, next->layout, v->layout);
    }
    tsl_csr_free(&pattern);
    return status == TSL_OK && next->layout->ranks > 1
               ? cut_form(&v->form_r, mg->context, next->layout)
               : status;
}

/* T, of which row i has entry `only`[i] alone. */
static tsl_status distribute_prolongation(const tsl_multigrid *mg, tsl_level *v,
                                          const tsl_level *next)
{
    tsl_csr pattern = {.rows = 0};
    tsl_status status = TSL_OK;
    if (next->layout->ranks > 1) {
        status = fetch_pattern(&pattern, mg->context, v->rows, next->rows, NULL,
                               v->form_p.gpu->matrix.only);
    }
    if (status == TSL_OK) {
        status = tsl_halo_make(&v->halo_p, mg->context, &pattern, v->layout, next->layout);
    }
    tsl_csr_free(&pattern);
    return status == TSL_OK ? cut_form(&v->form_p, mg->context, v->layout) : status;
}

tsl_status tsl_levels_distribute(tsl_multigrid *mg)
{
    tsl_status status = TSL_OK;
    for (int l = 0; l < mg->levels && status == TSL_OK; l++) {
        tsl_level *v = &mg->level[l];
        if (v->layout->ranks == 1) {
            break; /* and so are all that follow */
        }
        const tsl_csr *m = l == 0 ? v->matrix : &v->own;
        status = tsl_halo_make(&v->halo, mg->context, m, v->layout, v->layout);
        if (status == TSL_OK && l > 0) {
            status = cut_form(&v->form, mg->context, v->layout);
            tsl_csr_free(&v->own);
        }
        if (status == TSL_OK && l + 1 < mg->levels) {
            status = distribute_restriction(mg, v, v + 1);
            status = status == TSL_OK ? distribute_prolongation(mg, v, v + 1) : status;
        }
    }
    return status;
}
