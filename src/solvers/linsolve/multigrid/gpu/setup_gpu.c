/* Multigrid's set-up on a GPU, from the matrix that is there: level by level its diagonal, its
 * largest eigenvalue, the next level and the forms of what the cycle needs. The host hears a few
 * numbers of each, and gets the coarsest matrix. */
#include <math.h>

#include "blocks/csr/format_gpu.h"
#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/linsolve/multigrid/gpu/coarsen_gpu.h"
#include "solvers/linsolve/multigrid/multigrid.h"

/* A level in the making. */
typedef struct making {
    tsl_multigrid *mg;
    const tsl_linsolve_options *options;
    bool may_round; /* the cycle, to single precision */
    tsl_spaces spaces;
    tsl_finest finest;
    double facts[TSL_FACTS];
    double *values; /* of the level's matrix, in double precision; the finest level's: NULL */
    double *near;   /* near-null vector of the level; NULL: ones */
    int processors;
} making;

/* ---- what the finest level is --------------------------------------------------------------- */

/* Why the host has to make the levels of a matrix in such a form; NULL: it has not. */
static const char *why_not(const tsl_form *form)
{
    const tsl_format_gpu *gpu = form->gpu;
    return gpu->all_in_tiles ? "levels made by the host: column-blocks"
           : gpu->tiles != NULL || gpu->matrix.long_rows > 0 ? "levels made by the host: long rows"
                                                             : NULL;
}

/* ---- what a level is measured for -------------------------------------------------------------
 */

static tsl_status check_diagonal(const making *k, const tsl_fine *fine)
{
    const int64_t row = fine->a.rows - (int64_t)k->facts[TSL_FACT_WRONG];
    double inverse = 0;
    if (row == fine->a.rows) {
        return TSL_OK;
    }
    const tsl_status status =
        k->mg->context->ops->download(k->mg->context, &inverse, fine->inverse + row, 8);
    return status == TSL_OK ? tsl_fail_diagonal(k->mg->context, row, 1 / inverse) : status;
}

static tsl_status measure(making *k, tsl_fine *fine)
{
    tsl_context *context = k->mg->context;
    tsl_status status = TSL_OK;
    fine->facts = tsl_space_take(&status, &k->spaces.passing, sizeof k->facts);
    fine->inverse = tsl_space_take(&status, &k->spaces.passing, 8 * fine->a.rows);
    const tsl_grouping g = {.a = fine->a, .facts = fine->facts, .inverse = fine->inverse};
    if (status == TSL_OK) {
        status = context->ops->fill(context, fine->facts, 0, sizeof k->facts);
    }
    if (status == TSL_OK) {
        status = context->ops->coarsen->measure(context, &g);
    }
    if (status == TSL_OK) {
        status = context->ops->download(context, k->facts, fine->facts, sizeof k->facts);
    }
    return status == TSL_OK ? check_diagonal(k, fine) : status;
}

/* Precision of the cycle, from the finest level. */
static tsl_status choose_precision(const making *k, const tsl_fine *fine)
{
    tsl_multigrid *mg = k->mg;
    double first = 1;
    const tsl_status status = mg->context->ops->download(mg->context, &first, fine->inverse, 8);
    const bool single =
        k->may_round && 1 / k->facts[TSL_FACT_DIAGONAL] > 1e-10 * k->facts[TSL_FACT_INVERSE];
    mg->bytes = single ? 4 : 8;
    mg->scale = single ? ldexp(1, ilogb(first)) : 1;
    /* values and what they have in common, vectors, T and T^T of this level, and a quarter more for
     * those that follow */
    const int64_t each = 4 * mg->bytes + 2 * (4 + mg->bytes) + 1;
    const int64_t bytes = each * fine->a.rows;
    const int64_t more = bytes + (mg->bytes + 1) * fine->places;
    return status == TSL_OK
               ? tsl_space_begin(&mg->kept, mg->context,
                                 bytes + (mg->bytes + 1) * k->finest.own.places + more / 4, false)
               : status;
}

static tsl_status find_eigenvalue(double *out, making *k, const tsl_fine *fine, int64_t nonzeros)
{
    tsl_context *context = k->mg->context;
    const double bound = k->facts[TSL_FACT_ROW_SUM];
    *out = bound;
    if (tsl_row_sum_will_do(bound, nonzeros, fine->a.rows)) {
        return TSL_OK;
    }
    double found[2 * TSL_LANCZOS_PRODUCTS];
    tsl_status status = TSL_OK;
    const double begun = tsl_seconds();
    tsl_lanczos a = {
        .a = fine->a,
        .inverse = fine->inverse,
        .now = tsl_space_take(&status, &k->spaces.passing, 8 * fine->a.rows),
        .before = tsl_space_take(&status, &k->spaces.passing, 8 * fine->a.rows),
        .scaled = tsl_space_take(&status, &k->spaces.passing, 8 * fine->a.rows),
        .sums = tsl_space_take(&status, &k->spaces.passing,
                               (int64_t)8 * (TSL_LANCZOS_PRODUCTS + 2) * TSL_LANCZOS_PARTS),
        .diagonal = tsl_space_take(&status, &k->spaces.passing, sizeof found)};
    a.beside = a.diagonal != NULL ? a.diagonal + TSL_LANCZOS_PRODUCTS : NULL;
    if (status == TSL_OK) {
        status = context->ops->coarsen->find_eigenvalue(context, &a, k->processors);
    }
    if (status == TSL_OK) {
        status = context->ops->download(context, found, a.diagonal, sizeof found);
    }
    if (status == TSL_OK) {
        *out = tsl_largest_of_lanczos(found, found + TSL_LANCZOS_PRODUCTS, TSL_LANCZOS_PRODUCTS,
                                      bound);
    }
    tsl_profile_add(context, "eigenvalues", begun, 0, 0);
    return status;
}

/* ---- forms ------------------------------------------------------------------------------------
 */

static tsl_status begin_form(tsl_form *out, tsl_context *context, int bytes, double scale,
                             int64_t rows)
{
    *out = (tsl_form){.bytes = bytes, .scale = scale};
    out->gpu = tsl_allocate_zeroed(1, sizeof *out->gpu);
    if (out->gpu == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *out->gpu, "a matrix");
    }
    out->gpu->context = context;
    out->gpu->borrows = true;
    out->gpu->matrix.rows = rows;
    return TSL_OK;
}

/* Values times `a`, or so many ones, in memory that is kept. */
static void *make_values(tsl_status *status, tsl_multigrid *mg, double a, const double *values,
                         int64_t count)
{
    tsl_space *kept = &mg->kept;
    void *out = tsl_space_take(status, kept, mg->bytes * count);
    if (*status == TSL_OK) {
        *status = mg->context->ops->coarsen->convert(mg->context, out, a, values, count, mg->bytes);
    }
    return out;
}

static tsl_status convert_finest(float *out, tsl_status status, const tsl_multigrid *mg,
                                 const tsl_fine *fine)
{
    return status == TSL_OK ? mg->context->ops->coarsen->convert(mg->context, out, mg->scale,
                                                                 fine->a.value, fine->places, 4)
                            : status;
}

/* The values of slices in single precision: as what they have in common, where most have that. */
static tsl_status narrow_slices(tsl_gpu_matrix *m, making *k, const tsl_fine *fine)
{
    tsl_context *context = k->mg->context;
    tsl_space *const kept = &k->mg->kept;
    tsl_status status = TSL_OK;
    int without = 0;
    const int64_t slices = (m->rows + TSL_SLICE_LANES - 1) / TSL_SLICE_LANES;
    const int width =
        ((int)k->facts[TSL_FACT_LONGEST] + TSL_COMMONS - 1) / TSL_COMMONS * TSL_COMMONS;
    float *const values = tsl_space_take(&status, kept, fine->places * (int64_t)sizeof *values);
    m->value = values;
    if (slices * width * (int64_t)sizeof(tsl_common) > fine->places * (int64_t)sizeof *values) {
        return convert_finest(values, status, k->mg, fine);
    }
    const tsl_space mark = *kept;
    const tsl_narrowing narrowing = {
        .matrix = *m,
        .value = fine->a.value,
        .scale = k->mg->scale,
        .common = tsl_space_take(&status, kept, slices * width * (int64_t)sizeof(tsl_common)),
        .width = width,
        .rest = values,
        .weight = k->mg->level[0].inverse_diagonal,
        .without = tsl_space_take(&status, &k->spaces.passing, sizeof without)};
    if (status == TSL_OK) {
        status = context->ops->fill(context, narrowing.without, 0, sizeof without);
    }
    if (status == TSL_OK) {
        status = context->ops->fused->narrow(context, &narrowing);
    }
    if (status == TSL_OK) {
        status = context->ops->download(context, &without, narrowing.without, sizeof without);
    }
    if (8 * (int64_t)without <= slices) {
        m->common = narrowing.common;
        m->width = width;
        m->weight = narrowing.weight;
        return status;
    }
    tsl_space_return(kept, &mark);
    return convert_finest(values, status, k->mg, fine);
}

/* The finest level's, of this rank's rows: all but the values are those of its own form, which it
 * was given. */
static tsl_status narrow_finest(tsl_form *out, making *k, const tsl_form *wide)
{
    tsl_multigrid *mg = k->mg;
    const tsl_fine *fine = &k->finest.own;
    tsl_status status = begin_form(out, mg->context, mg->bytes, mg->scale, fine->a.rows);
    if (status != TSL_OK) {
        return status;
    }
    tsl_gpu_matrix *m = &out->gpu->matrix;
    *m = wide->gpu->matrix;
    out->product_bytes = wide->product_bytes - (wide->bytes - mg->bytes) * fine->places;
    if (mg->bytes == 8 || fine->places == 0) {
        return TSL_OK;
    }
    if (m->value_start != NULL) {
        return narrow_slices(m, k, fine);
    }
    m->entry = make_values(&status, mg, mg->scale, fine->a.value, fine->places);
    return status;
}

/* Cut the rows of a form, whose starts are there, into chunks. */
static tsl_status cut_form(tsl_form *form, making *k, int64_t longest)
{
    tsl_context *context = k->mg->context;
    tsl_gpu_matrix *m = &form->gpu->matrix;
    tsl_status status = TSL_OK;
    int64_t *number = tsl_space_take(&status, &k->spaces.passing, 8 * (m->rows + 1));
    tsl_cut cut = {.rows = m->rows,
                   .row_start = m->row_start,
                   .window = TSL_CHUNK_ENTRIES + 1 - longest,
                   .is_first = tsl_space_take(&status, &k->spaces.passing, 4 * m->rows),
                   .number = number};
    const tsl_running running = {
        .out = number,
        .count = cut.is_first,
        .n = m->rows,
        .tile = tsl_space_take(&status, &k->spaces.passing, 8 * (m->rows / TSL_RUNNING_TILE + 1))};
    if (status == TSL_OK) {
        status = context->ops->coarsen->mark_chunks(context, &cut);
    }
    if (status == TSL_OK) {
        status = context->ops->coarsen->run(context, &running);
    }
    if (status == TSL_OK) {
        status = context->ops->download(context, &m->chunks, number + m->rows, 8);
    }
    cut.chunk = tsl_space_take(&status, k->spaces.kept, m->chunks * (int64_t)sizeof *cut.chunk);
    m->chunk = cut.chunk;
    return status == TSL_OK ? context->ops->coarsen->cut_chunks(context, &cut) : status;
}

/* A level's own matrix; in chunks, the form takes its starts and columns. A level that may be
 * solved is read by rows. */
static tsl_status make_form(tsl_form *out, making *k, const tsl_coarse *coarse)
{
    tsl_multigrid *mg = k->mg;
    tsl_status status = begin_form(out, mg->context, mg->bytes, mg->scale, coarse->count);
    if (status != TSL_OK) {
        return status;
    }
    tsl_gpu_matrix *m = &out->gpu->matrix;
    int64_t places = 0;
    if (coarse->count > TSL_DENSE_ROWS) {
        status = tsl_slice_on_gpu(m, &places, &k->spaces, coarse, mg->scale, mg->bytes);
    }
    if (status != TSL_OK || places > 0) {
        out->product_bytes = places * (4 + mg->bytes) + coarse->count / 2;
        return status;
    }
    m->row_start = coarse->row_start;
    m->column = coarse->column;
    m->entry = make_values(&status, mg, mg->scale, k->values, coarse->nonzeros);
    out->product_bytes = coarse->nonzeros * (4 + mg->bytes) + 8 * coarse->count;
    return status == TSL_OK ? cut_form(out, k, (int64_t)k->facts[TSL_FACT_LONGEST]) : status;
}

/* The form of T^T, which restricts. */
static tsl_status make_restriction(tsl_form *out, making *k, const tsl_coarse *coarse)
{
    tsl_multigrid *mg = k->mg;
    tsl_status status = begin_form(out, mg->context, mg->bytes, 1, coarse->count);
    if (status != TSL_OK) {
        return status;
    }
    tsl_gpu_matrix *m = &out->gpu->matrix;
    m->row_start = coarse->member_start;
    m->column = coarse->member;
    const bool ones = coarse->member_value == NULL;
    m->entry = ones ? NULL : make_values(&status, mg, 1, coarse->member_value, coarse->members);
    out->product_bytes = coarse->members * (ones ? 4 : 4 + mg->bytes) + 8 * coarse->count;
    return status == TSL_OK ? cut_form(out, k, coarse->most_members) : status;
}

/* The form of T, which prolongs. */
static tsl_status make_prolongation(tsl_form *out, const making *k, const tsl_fine *fine,
                                    const tsl_coarse *coarse)
{
    tsl_context *context = k->mg->context;
    const int bytes = k->mg->bytes;
    const int64_t slices = (fine->a.rows + TSL_SLICE_LANES - 1) / TSL_SLICE_LANES;
    const bool ones = bytes == 4 && fine->near_null == NULL && coarse->members == fine->a.rows;
    tsl_status status = begin_form(out, context, bytes, 1, fine->a.rows);
    if (status != TSL_OK) {
        return status;
    }
    tsl_tentative_form t = {
        .rows = fine->a.rows,
        .aggregate = coarse->aggregate,
        .near_null = fine->near_null,
        .norm = coarse->norm,
        .bytes = bytes,
        .value_start = tsl_space_take(&status, k->spaces.kept, 8 * (slices + 1)),
        .index_start = tsl_space_take(&status, k->spaces.kept, 8 * (slices + 1)),
        .index = tsl_space_take(&status, k->spaces.kept, 4 * slices * TSL_SLICE_LANES),
        .value = ones ? NULL
                      : tsl_space_take(&status, k->spaces.kept, bytes * slices * TSL_SLICE_LANES)};
    tsl_gpu_matrix *m = &out->gpu->matrix;
    m->value_start = t.value_start;
    m->index_start = t.index_start;
    m->index = t.index;
    m->value = t.value;
    m->only = t.index;
    out->product_bytes = (ones ? 4 : 4 + bytes) * fine->a.rows + 16 * slices;
    return status == TSL_OK ? context->ops->coarsen->make_tentative(context, &t) : status;
}

/* ---- levels -----------------------------------------------------------------------------------
 */

static tsl_status take_vectors(tsl_multigrid *mg, tsl_level *v)
{
    tsl_status status = TSL_OK;
    const int64_t bytes = (v->rows + TSL_SLICE_ROWS) * mg->bytes;
    void **const vectors[] = {&v->inverse_diagonal, &v->b, &v->x[0], &v->x[1]};
    for (int i = 0; i < 4; i++) {
        *vectors[i] = tsl_space_take(&status, &mg->kept, bytes);
        if (status == TSL_OK) {
            status = mg->context->ops->fill(mg->context, *vectors[i], 0, bytes);
        }
    }
    return status;
}

/* Level l, whose matrix is `fine`: what smooths it. */
static tsl_status make_level(making *k, int l, tsl_fine *fine, const tsl_linsolve_plan *plan)
{
    tsl_multigrid *mg = k->mg;
    tsl_level *v = &mg->level[l];
    tsl_status status = measure(k, fine);
    if (status == TSL_OK && l == 0) {
        status = choose_precision(k, fine);
    }
    v->pooled = true;
    v->layout = plan->layout;
    if (status == TSL_OK && l > 0) {
        status = tsl_level_lay_out_on_gpu(mg, v, &fine->a);
    }
    if (status == TSL_OK) {
        status = take_vectors(mg, v);
    }
    if (status == TSL_OK) {
        status = mg->context->ops->coarsen->convert(mg->context, v->inverse_diagonal, 1 / mg->scale,
                                                    fine->inverse, v->rows, mg->bytes);
    }
    tsl_level_begin_smoother(mg, v, k->options);
    if (status == TSL_OK) {
        status = find_eigenvalue(&v->smoother.largest, k, fine, v->nonzeros);
    }
    return status;
}

/* The next level and the ways there and back. *fits as tsl_project_on_gpu(). */
static tsl_status coarsen(making *k, int l, tsl_fine *fine, tsl_coarse *coarse, bool *fits)
{
    tsl_multigrid *mg = k->mg;
    tsl_level *v = &mg->level[l];
    double begun = tsl_seconds();
    fine->longest = (int64_t)k->facts[TSL_FACT_LONGEST];
    fine->reach = v->nonzeros <= TSL_SHORT_ROW * v->rows ? 3 : 2;
    fine->strength = ldexp(k->options->strength, -l);
    if (l == 0) {
        fine->lattice = tsl_lattice_find(v->matrix, fine->strength, fine->reach);
    }
    fine->more = l == 0 ? 35 * v->nonzeros + 40 * v->rows : 0;
    fine->omega = 4 / (3 * v->smoother.largest);
    fine->near_null = k->near;
    tsl_status status = tsl_group_on_gpu(coarse, &k->spaces, fine);
    tsl_profile_add(mg->context, "aggregates", begun, 0, 0);
    if (status != TSL_OK || coarse->count == 0) {
        return status;
    }
    status = tsl_project_on_gpu(coarse, fits, &k->spaces, fine);
    if (status != TSL_OK || !*fits) {
        return status;
    }
    begun = tsl_seconds();
    tsl_level *next = &mg->level[mg->levels++];
    next->rows = coarse->count;
    next->nonzeros = coarse->nonzeros;
    status = make_prolongation(&v->form_p, k, fine, coarse);
    status = status == TSL_OK ? make_restriction(&v->form_r, k, coarse) : status;
    tsl_profile_add(mg->context, "forms", begun, 0, 0);
    return status;
}

/* Is a level to be coarsened? */
static bool goes_on(const making *k)
{
    const tsl_multigrid *mg = k->mg;
    return mg->levels < TSL_LINSOLVE_LEVELS &&
           mg->level[mg->levels - 1].rows > k->options->coarse_rows;
}

/* What has come out is the level that is made now. */
static void enter_level(making *k, tsl_fine *fine, const tsl_coarse *coarse)
{
    const tsl_space none = {.chunks = 0};
    k->values = coarse->value;
    k->near = coarse->norm;
    tsl_space_return(&k->spaces.passing, &none);
    *fine = (tsl_fine){.a = {.rows = coarse->count,
                             .row_start = coarse->row_start,
                             .column = coarse->column,
                             .value = k->values},
                       .places = coarse->nonzeros};
}

static tsl_status make_levels(making *k, bool *fits, const tsl_linsolve_plan *plan)
{
    tsl_multigrid *mg = k->mg;
    tsl_fine fine = k->finest.all;
    tsl_coarse coarse = {.count = 0};
    tsl_status status = TSL_OK;
    mg->levels = 1;
    for (int l = 0; status == TSL_OK; l++) {
        status = make_level(k, l, &fine, plan);
        *fits = k->facts[TSL_FACT_LONGEST] <= TSL_LONGEST_MADE;
        if (status == TSL_OK && *fits) {
            status = l == 0 ? narrow_finest(&mg->level[0].form, k, &plan->matrix->form)
                            : make_form(&mg->level[l].form, k, &coarse);
        }
        if (status != TSL_OK || !*fits || !goes_on(k)) {
            break;
        }
        status = coarsen(k, l, &fine, &coarse, fits);
        if (status != TSL_OK || !*fits || coarse.count == 0) {
            break;
        }
        enter_level(k, &fine, &coarse);
    }
    return status;
}

/* The coarsest level's inverse, where it is to be solved. */
static tsl_status invert_coarsest(making *k)
{
    tsl_multigrid *mg = k->mg;
    tsl_context *context = mg->context;
    const tsl_level *v = &mg->level[mg->levels - 1];
    const tsl_gpu_matrix *m = &v->form.gpu->matrix;
    const int64_t n = v->rows;
    const int64_t all = n * n;
    tsl_space *const passing = &k->spaces.passing;
    tsl_status status = begin_form(&mg->inverse, context, mg->bytes, 1 / mg->scale, n);
    tsl_gpu_matrix *out = mg->inverse.gpu != NULL ? &mg->inverse.gpu->matrix : NULL;
    tsl_inversion a = {
        .a = {.rows = n, .row_start = m->row_start, .column = m->column, .value = k->values},
        .n = (int)n,
        .dense = tsl_space_take(&status, passing, 8 * all),
        .diagonal = tsl_space_take(&status, passing, 8 * n),
        .line = tsl_space_take(&status, passing, 16 * n),
        .taken = tsl_space_take(&status, passing, 4 * n),
        .scale = 1 / mg->scale,
        .bytes = mg->bytes,
        .row_start = tsl_space_take(&status, &mg->kept, 8 * (n + 1)),
        .column = tsl_space_take(&status, &mg->kept, 4 * all),
        .entry = tsl_space_take(&status, &mg->kept, mg->bytes * all)};
    if (status == TSL_OK) {
        out->row_start = a.row_start;
        out->column = a.column;
        out->entry = a.entry;
        mg->inverse.product_bytes = all * (4 + mg->bytes) + 8 * n;
        mg->solved = true;
        status = context->ops->fill(context, a.dense, 0, 8 * all);
    }
    if (status == TSL_OK) {
        status = context->ops->coarsen->invert(context, &a, k->processors);
    }
    return status == TSL_OK ? cut_form(&mg->inverse, k, n) : status;
}

/* The coarsest level's matrix in the host's memory, for the host to invert. */
static tsl_status fetch_coarsest(const making *k)
{
    tsl_context *context = k->mg->context;
    tsl_level *v = &k->mg->level[k->mg->levels - 1];
    const tsl_gpu_matrix *m = &v->form.gpu->matrix;
    tsl_status status = tsl_csr_allocate(&v->own, context, v->rows, v->rows, v->nonzeros);
    v->matrix = &v->own;
    if (status == TSL_OK) {
        status = context->ops->download(context, v->own.row_start, m->row_start, 8 * (v->rows + 1));
    }
    if (status == TSL_OK) {
        status = context->ops->download(context, v->own.column, m->column, 4 * v->nonzeros);
    }
    return status == TSL_OK
               ? context->ops->download(context, v->own.value, k->values, 8 * v->nonzeros)
               : status;
}

static tsl_status finish_coarsest(making *k)
{
    const tsl_level *v = &k->mg->level[k->mg->levels - 1];
    if (v->matrix != NULL || v->rows > TSL_DENSE_ROWS) {
        return TSL_OK;
    }
    const double begun = tsl_seconds();
    const tsl_status status = v->rows <= TSL_LONGEST_MADE ? invert_coarsest(k) : fetch_coarsest(k);
    tsl_profile_add(k->mg->context, "coarsest level", begun, 0, 0);
    return status;
}

static tsl_status begin(making *k, const tsl_linsolve_plan *plan)
{
    tsl_multigrid *mg = k->mg;
    tsl_context *context = plan->context;
    tsl_device_properties properties;
    tsl_status status = tsl_device_read_properties(context, &properties);
    if (status != TSL_OK) {
        return status;
    }
    k->processors = properties.threads;
    mg->level[0].matrix = &plan->matrix->csr;
    mg->level[0].rows = plan->rows;
    mg->level[0].nonzeros = tsl_csr_nonzeros(&plan->matrix->csr);
    const bool sliced = plan->matrix->form.gpu->matrix.value_start != NULL;
    /* for aggregates */
    status = tsl_space_begin(&k->spaces.passing, context,
                             (sliced ? 0 : 4 * mg->level[0].nonzeros) + 68 * plan->rows + (1 << 20),
                             true);
    if (status == TSL_OK) {
        status = tsl_space_begin(&k->spaces.results, context, 2 * mg->level[0].nonzeros, true);
    }
    if (status == TSL_OK && plan->options.near_null != NULL) {
        k->near = tsl_space_take(&status, &k->spaces.results, 8 * plan->rows);
        status = status == TSL_OK ? context->ops->upload(context, k->near, plan->options.near_null,
                                                         8 * plan->rows)
                                  : status;
    }
    return status;
}

tsl_status tsl_setup_on_gpu(const char **left, tsl_multigrid *mg, const tsl_linsolve_plan *plan)
{
    making k = {.mg = mg,
                .options = &plan->options,
                .may_round = !tsl_linsolve_method_of(plan)->adds_before,
                .spaces = {.kept = &mg->kept}};
    bool fits = true;
    *left = why_not(&plan->matrix->form);
    tsl_status status = *left == NULL ? tsl_finest_find(&k.finest, plan) : TSL_OK;
    *left = status == TSL_OK && *left == NULL ? why_not(k.finest.form) : *left;
    if (status == TSL_OK && *left == NULL) {
        status = begin(&k, plan);
    }
    if (status == TSL_OK && *left == NULL) {
        status = make_levels(&k, &fits, plan);
    }
    if (status == TSL_OK && *left == NULL && fits) {
        status = finish_coarsest(&k);
    }
    if (status == TSL_OK && *left == NULL && fits) {
        status = tsl_levels_distribute(mg);
    }
    tsl_space_free(&k.spaces.passing);
    tsl_space_free(&k.spaces.results);
    tsl_form_free(&k.finest.made);
    if (*left != NULL) {
        return status;
    }
    if (status == TSL_E_NOMEM && !plan->options.deterministic) { /* the host needs less of it */
        *left = "levels made by the host: out of memory";
        return tsl_fail(plan->context, TSL_OK, "%s", "");
    }
    *left = status == TSL_OK && !fits ? "levels made by the host: large rows or aggregates" : NULL;
    return status;
}
