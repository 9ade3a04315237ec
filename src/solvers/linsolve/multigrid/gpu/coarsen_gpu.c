#include "solvers/linsolve/multigrid/gpu/coarsen_gpu.h"

#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"

enum {
    ALIGNMENT = 256,
    ROUNDS = 5,         /* rounds over all rows; after them the rows not yet decided are listed */
    LATTICE_ROUNDS = 2, /* the same where roots are on a lattice */
    APART = 2, /* entries more between roots of the first round, so that others fit between them */
    HIGHEST_PRIORITY =
        7,            /* of a row whose neighbours are all decided; 0 of one with none decided */
    STRONG_BITS = 32, /* most entries of a row for which a bit each tells whether it is strong */
    FILL_ORDER = 4,   /* entries of A for each entry of P^T A P, about */
};

static const char *const what = "making multigrid's levels";

/* ---- memory --------------------------------------------------------------------------------- */

/* A quarter of what there is, at least: so there are not many. */
static tsl_status add_chunk(tsl_space *space, int64_t least)
{
    void *memory = NULL;
    int64_t all = 0;
    for (int c = 0; c < space->chunks; c++) {
        all += space->size[c];
    }
    const int64_t bytes = least > all / 4 ? least : all / 4;
    if (space->chunks == TSL_SPACE_CHUNKS) {
        return tsl_fail(space->context, TSL_E_NOMEM, "%s takes too many pieces of memory", what);
    }
    const double begun = tsl_seconds();
    const tsl_status status =
        space->passing ? tsl_device_allocate_passing(&memory, space->context, bytes, what)
                       : tsl_device_allocate(&memory, space->context, bytes, what);
    tsl_profile_add(space->context, "device memory", begun, bytes, 0);
    if (status == TSL_OK) {
        space->chunk[space->chunks] = memory;
        space->size[space->chunks] = bytes;
        space->used[space->chunks++] = 0;
    }
    return status;
}

tsl_status tsl_space_begin(tsl_space *space, tsl_context *context, int64_t bytes, bool passing)
{
    *space = (tsl_space){.context = context, .passing = passing};
    return add_chunk(space, bytes + ALIGNMENT);
}

/* So much more is there for what follows. */
static void add_to_space(tsl_status *status, tsl_space *space, int64_t bytes)
{
    if (*status == TSL_OK && bytes > 0) {
        *status = add_chunk(space, bytes);
    }
}

void *tsl_space_take(tsl_status *status, tsl_space *space, int64_t bytes)
{
    const int64_t wanted = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    int c = 0;
    while (*status == TSL_OK && c < space->chunks && space->used[c] + wanted > space->size[c]) {
        c++;
    }
    if (*status == TSL_OK && c == space->chunks) {
        *status = add_chunk(space, wanted);
    }
    if (*status != TSL_OK) {
        return NULL;
    }
    char *const out = space->chunk[c] + space->used[c];
    space->used[c] += wanted;
    return out;
}

void tsl_space_return(tsl_space *space, const tsl_space *mark)
{
    for (int c = 0; c < space->chunks; c++) {
        space->used[c] = c < mark->chunks ? mark->used[c] : 0;
    }
}

void tsl_space_free(tsl_space *space)
{
    const double begun = tsl_seconds();
    for (int c = 0; c < space->chunks; c++) {
        tsl_device_release(space->context, space->chunk[c]);
    }
    if (space->chunks > 0) {
        tsl_profile_add(space->context, "device memory given back", begun, 0, 0);
    }
    space->chunks = 0;
}

/* Zeroed. */
static void *take_zeros(tsl_status *status, tsl_space *space, int64_t bytes)
{
    void *out = tsl_space_take(status, space, bytes);
    if (*status == TSL_OK) {
        *status = space->context->ops->fill(space->context, out, 0, bytes);
    }
    return out;
}

static void run_sums(tsl_status *status, tsl_space *space, int64_t *out, const int32_t *count,
                     int64_t n)
{
    const tsl_running a = {.out = out,
                           .count = count,
                           .n = n,
                           .tile = tsl_space_take(status, space, 8 * (n / TSL_RUNNING_TILE + 1))};
    if (*status == TSL_OK) {
        *status = space->context->ops->coarsen->run(space->context, &a);
    }
}

/* ---- roots ------------------------------------------------------------------------------- */

/* One of the kernels, if all was well before. */
static void group(tsl_status *status, const tsl_space *space, tsl_group kernel,
                  const tsl_grouping *g)
{
    if (*status == TSL_OK) {
        *status = kernel(space->context, g);
    }
}

static void zero_left(tsl_status *status, const tsl_space *space, const tsl_grouping *g)
{
    if (*status == TSL_OK) {
        *status = space->context->ops->fill(space->context, g->left, 0, sizeof *g->left);
    }
}

static void read_left(tsl_status *status, const tsl_space *space, const tsl_grouping *g,
                      int32_t *left)
{
    if (*status == TSL_OK) {
        *status = space->context->ops->download(space->context, left, g->left, sizeof *left);
    }
}

/* Put the rows that are not decided yet into `list`. */
static void list_left(tsl_status *status, const tsl_space *space, tsl_grouping *g, int32_t *list)
{
    g->next_list = list;
    zero_left(status, space, g);
    group(status, space, space->context->ops->coarsen->prioritise, g);
    read_left(status, space, g, &g->listed);
    g->list = list;
}

/* Decide on all rows until few are left. `more` memory is taken for what comes later, while the
 * device works. */
static void select_most(tsl_status *status, tsl_space *space, tsl_grouping *g, int32_t *list,
                        int64_t more)
{
    const tsl_coarsen_ops *ops = space->context->ops->coarsen;
    uint32_t *const around[] = {tsl_space_take(status, space, 4 * g->a.rows),
                                tsl_space_take(status, space, 4 * g->a.rows)};
    int32_t *const roots = tsl_space_take(status, space, 4 * g->a.rows);
    const bool on_lattice = g->lattice.phases > 0;
    const int rounds = on_lattice ? LATTICE_ROUNDS : ROUNDS;
    for (int round = 0; round < rounds; round++) {
        const int reach = round == 0 && !on_lattice ? g->reach + APART : g->reach;
        g->from = g->key;
        for (int step = 1; step < reach; step++) {
            g->to = around[step % 2];
            group(status, space, ops->spread, g);
            g->from = g->to;
        }
        g->next_list = roots;
        zero_left(status, space, g);
        group(status, space, ops->select, g);
        if (on_lattice && round == 0) { /* the next round finds whom so many roots reach */
            continue;
        }
        group(status, space, ops->exclude, g);
        g->next_list = NULL;
        if (round < rounds - 1) {
            group(status, space, ops->prioritise, g);
        }
    }
    add_to_space(status, space, more);
    list_left(status, space, g, list);
}

/* Decide on those that are left. */
static void select_rest(tsl_status *status, tsl_space *space, tsl_grouping *g,
                        int32_t *const lists[2])
{
    const tsl_coarsen_ops *ops = space->context->ops->coarsen;
    int32_t *const roots = tsl_space_take(status, space, (int64_t)4 * g->listed);
    g->decision = tsl_space_take(status, space, (int64_t)4 * g->listed);
    for (int round = 1; g->listed > 0 && *status == TSL_OK; round++) {
        g->next_list = roots;
        zero_left(status, space, g);
        group(status, space, ops->decide, g);
        group(status, space, ops->apply, g);
        group(status, space, ops->exclude, g);
        list_left(status, space, g, lists[round % 2]);
    }
}

/* ---- aggregates ----------------------------------------------------------------------------- */

/* Each row's root: g->root, and is_root. */
static void join_roots(tsl_status *status, tsl_space *space, tsl_grouping *g)
{
    const tsl_coarsen_ops *ops = space->context->ops->coarsen;
    int32_t *const roots[] = {tsl_space_take(status, space, 4 * g->a.rows),
                              tsl_space_take(status, space, 4 * g->a.rows)};
    g->joined = roots[0];
    group(status, space, ops->found, g);
    for (int step = 1; step < g->reach; step++) {
        g->root = g->joined;
        g->joined = roots[step % 2];
        group(status, space, ops->join, g);
    }
    g->is_root = tsl_space_take(status, space, 4 * g->a.rows);
    group(status, space, ops->single, g);
    g->root = g->joined;
}

/* Founders become numbers, in the order of their rows. */
static void number_aggregates(tsl_status *status, tsl_spaces *spaces, tsl_grouping *g,
                              tsl_coarse *out)
{
    tsl_space *space = &spaces->passing;
    tsl_context *context = space->context;
    int64_t *number = tsl_space_take(status, space, 8 * (g->a.rows + 1));
    run_sums(status, space, number, g->is_root, g->a.rows);
    if (*status == TSL_OK) {
        *status = context->ops->download(context, &out->count, number + g->a.rows, 8);
    }
    if (*status != TSL_OK || out->count == 0 || 10 * out->count >= 9 * g->a.rows) {
        out->count = 0;
        return;
    }
    g->number = number;
    g->aggregate = out->aggregate;
    g->count = take_zeros(status, space, 4 * out->count);
    group(status, space, context->ops->coarsen->name, g);
    out->member_start = tsl_space_take(status, spaces->kept, 8 * (out->count + 1));
    run_sums(status, space, out->member_start, g->count, out->count);
    if (*status == TSL_OK) {
        *status = context->ops->download(context, &out->members, out->member_start + out->count, 8);
    }
}

/* Priorities begin with a row's bits, and have room for what is favoured, and for phases, or there
 * is no lattice. */
static void choose_bits(tsl_grouping *g, const tsl_lattice *lattice)
{
    g->row_bits = 2;
    while (g->a.rows >> g->row_bits > 0) {
        g->row_bits++;
    }
    const uint32_t room = (1U << (31 - g->row_bits)) - 1;
    g->highest_priority = room < HIGHEST_PRIORITY ? room : (uint32_t)HIGHEST_PRIORITY;
    if (lattice->phases <= (int64_t)room + 1) {
        g->lattice = *lattice;
    }
}

tsl_status tsl_group_on_gpu(tsl_coarse *out, tsl_spaces *spaces, const tsl_fine *fine)
{
    tsl_space *space = &spaces->passing;
    const int64_t rows = fine->a.rows;
    tsl_status status = TSL_OK;
    *out = (tsl_coarse){.aggregate = tsl_space_take(&status, space, 4 * rows)};
    const tsl_space before = *space;
    tsl_grouping g = {.a = fine->a,
                      .facts = fine->facts,
                      .inverse = fine->inverse,
                      .strength = fine->strength,
                      .reach = fine->reach,
                      .strong = fine->a.row_start == NULL && fine->longest <= STRONG_BITS
                                    ? NULL
                                    : tsl_space_take(&status, space, 4 * fine->places),
                      .strong_of = tsl_space_take(&status, space, 4 * rows),
                      .key = tsl_space_take(&status, space, 4 * rows),
                      .left = tsl_space_take(&status, space, sizeof *g.left)};
    int32_t *const lists[] = {tsl_space_take(&status, space, 4 * rows),
                              tsl_space_take(&status, space, 4 * rows)};
    choose_bits(&g, &fine->lattice);
    group(&status, space, space->context->ops->coarsen->find_strong, &g);
    select_most(&status, space, &g, lists[0], fine->more);
    select_rest(&status, space, &g, lists);
    join_roots(&status, space, &g);
    number_aggregates(&status, spaces, &g, out);
    tsl_space_return(space, &before);
    return status;
}

/* ---- P^T A P -------------------------------------------------------------------------------- */

static void project(tsl_status *status, const tsl_space *space, tsl_project kernel,
                    const tsl_projection *p)
{
    if (*status == TSL_OK) {
        *status = kernel(space->context, p);
    }
}

/* The rows of each aggregate, and their entries of T. */
static void make_members(tsl_status *status, tsl_spaces *spaces, tsl_projection *p, tsl_coarse *out)
{
    tsl_space *space = &spaces->passing;
    tsl_context *context = space->context;
    out->member = tsl_space_take(status, spaces->kept, 4 * out->members);
    p->member_start = out->member_start;
    p->member = out->member;
    p->unordered = tsl_space_take(status, space, 4 * out->members);
    p->cursor = take_zeros(status, space, 4 * out->count);
    project(status, space, context->ops->coarsen->list_members, p);
}

static void order_members(tsl_status *status, tsl_spaces *spaces, tsl_projection *p,
                          tsl_coarse *out)
{
    tsl_space *space = &spaces->passing;
    const tsl_coarsen_ops *ops = space->context->ops->coarsen;
    project(status, space, ops->order_members, p);
    if (p->near_null != NULL) {
        out->norm = tsl_space_take(status, &spaces->results, 8 * out->count);
        out->member_value = tsl_space_take(status, space, 8 * out->members);
        p->norm = out->norm;
        p->member_value = out->member_value;
        project(status, space, ops->measure_members, p);
    }
}

/* P, and how many entries the rows of P^T have. */
static void make_p(tsl_status *status, tsl_space *space, tsl_projection *p, int64_t places)
{
    tsl_context *context = space->context;
    const int64_t room = places + p->a.rows + TSL_SLICE_LANES;
    int64_t *start = tsl_space_take(status, space, 8 * (p->aggregates + 1));
    p->p_count = tsl_space_take(status, space, 4 * p->a.rows);
    p->p_column = tsl_space_take(status, space, 4 * room);
    p->p_value = tsl_space_take(status, space, 8 * room);
    p->transposed_count = take_zeros(status, space, 4 * p->aggregates);
    p->transposed_start = start;
    project(status, space, context->ops->coarsen->smooth, p);
    run_sums(status, space, start, p->transposed_count, p->aggregates);
}

/* A P: as many entries as were thought, or, once that is known, as there are. */
static void make_ap(tsl_status *status, tsl_space *space, tsl_projection *p, int64_t room)
{
    tsl_context *context = space->context;
    p->ap_at = tsl_space_take(status, space, 8 * p->a.rows);
    p->ap_count = tsl_space_take(status, space, 4 * p->a.rows);
    p->ap_bound = tsl_space_take(status, space, 8 * p->a.rows);
    int64_t used = room;
    do {
        p->ap_room = used;
        p->ap_column = tsl_space_take(status, space, 4 * used);
        p->ap_value = tsl_space_take(status, space, 8 * used);
        p->ap_used = take_zeros(status, space, sizeof *p->ap_used);
        project(status, space, context->ops->coarsen->premultiply, p);
        if (*status == TSL_OK) {
            *status = context->ops->download(context, &used, p->ap_used, sizeof used);
        }
    } while (*status == TSL_OK && used > p->ap_room);
}

/* P^T, once P and A P are there. */
static void transpose_p(tsl_status *status, tsl_space *space, tsl_projection *p)
{
    tsl_context *context = space->context;
    int64_t entries = 0;
    if (*status == TSL_OK) {
        *status = context->ops->download(context, &entries, p->transposed_start + p->aggregates, 8);
    }
    p->transposed = tsl_space_take(status, space, entries * (int64_t)sizeof *p->transposed);
    p->cursor = take_zeros(status, space, 4 * p->aggregates);
    project(status, space, context->ops->coarsen->transpose, p);
}

/* What a product came to. */
typedef struct outcome {
    int64_t entries;
    int32_t too_wide, none;
} outcome;

static void multiply(tsl_status *status, const tsl_space *space, tsl_projection *p, outcome *out)
{
    tsl_context *context = space->context;
    if (*status == TSL_OK) {
        *status = context->ops->fill(context, p->too_wide_count, 0, sizeof *p->too_wide_count);
    }
    project(status, space, context->ops->coarsen->multiply, p);
    if (*status == TSL_OK) {
        *status = context->ops->download(context, out, p->used, sizeof *out);
    }
}

/* All rows where there is room, in small tables and then in large ones: how many entries there are.
 */
static void pile_rows(tsl_status *status, tsl_space *space, tsl_projection *p, outcome *out,
                      int64_t room)
{
    int32_t *const wide[] = {tsl_space_take(status, space, 4 * p->aggregates),
                             tsl_space_take(status, space, 4 * p->aggregates)};
    p->used = take_zeros(status, space, sizeof *out);
    p->too_wide_count = p->used != NULL ? (int32_t *)(void *)(p->used + 1) : NULL;
    p->too_wide = wide[0];
    p->table = TSL_TABLE_SMALL;
    p->wide_rows = NULL;
    p->room = room;
    p->piled_column = tsl_space_take(status, space, 4 * room);
    p->piled_value = tsl_space_take(status, space, 8 * room);
    multiply(status, space, p, out);
    if (*status == TSL_OK && out->too_wide > 0) {
        p->table = TSL_TABLE_LARGE;
        p->wide = out->too_wide;
        p->wide_rows = wide[0];
        p->too_wide = wide[1];
        multiply(status, space, p, out);
    }
}

static void make_matrix(tsl_status *status, bool *fits, tsl_spaces *spaces, tsl_projection *p,
                        tsl_coarse *out, int64_t places)
{
    tsl_space *space = &spaces->passing;
    tsl_context *context = space->context;
    outcome now = {0, 0, 0};
    p->row_at = tsl_space_take(status, space, 8 * p->aggregates);
    p->row_count = tsl_space_take(status, space, 4 * p->aggregates);
    pile_rows(status, space, p, &now, places / FILL_ORDER);
    if (*status == TSL_OK && now.entries > p->room) {
        pile_rows(status, space, p, &now, now.entries);
    }
    *fits = *status == TSL_OK && now.too_wide == 0;
    if (!*fits) {
        return;
    }
    out->nonzeros = now.entries;
    out->row_start = tsl_space_take(status, spaces->kept, 8 * (out->count + 1));
    out->column = tsl_space_take(status, spaces->kept, 4 * out->nonzeros);
    out->value = tsl_space_take(status, &spaces->results, 8 * out->nonzeros);
    run_sums(status, space, out->row_start, p->row_count, out->count);
    p->row_start = out->row_start;
    p->column = out->column;
    p->value = out->value;
    project(status, space, context->ops->coarsen->arrange, p);
}

tsl_status tsl_project_on_gpu(tsl_coarse *out, bool *fits, tsl_spaces *spaces, const tsl_fine *fine)
{
    tsl_space *space = &spaces->passing;
    tsl_context *context = space->context;
    double facts[TSL_FACTS];
    tsl_status status = TSL_OK;
    double begun = tsl_seconds();
    tsl_projection p = {.a = fine->a,
                        .facts = fine->facts,
                        .inverse = fine->inverse,
                        .strength = fine->strength,
                        .omega = fine->omega,
                        .aggregate = out->aggregate,
                        .near_null = fine->near_null,
                        .aggregates = out->count};
    make_members(&status, spaces, &p, out);
    if (status == TSL_OK) {
        status = context->ops->download(context, facts, p.facts, sizeof facts);
    }
    *fits = status == TSL_OK && facts[TSL_FACT_MEMBERS] <= TSL_LONGEST_MADE;
    if (!*fits) {
        return status;
    }
    out->most_members = (int64_t)facts[TSL_FACT_MEMBERS];
    order_members(&status, spaces, &p, out);
    make_p(&status, space, &p, fine->places);
    tsl_profile_add(context, "prolongators", begun, 0, 0);
    begun = tsl_seconds();
    make_ap(&status, space, &p, fine->places);
    transpose_p(&status, space, &p);
    make_matrix(&status, fits, spaces, &p, out, fine->places);
    tsl_profile_add(context, "coarse matrices", begun, 0, 0);
    return status;
}

/* ---- slices --------------------------------------------------------------------------------- */

tsl_status tsl_slice_on_gpu(tsl_gpu_matrix *out, int64_t *places, tsl_spaces *spaces,
                            const tsl_coarse *from, double scale, int bytes)
{
    tsl_context *context = spaces->passing.context;
    const int64_t slices = (from->count + TSL_SLICE_LANES - 1) / TSL_SLICE_LANES;
    const tsl_space mark = *spaces->kept;
    tsl_status status = TSL_OK;
    int64_t groups = 0;
    tsl_slicing s = {.a = {.rows = from->count,
                           .row_start = from->row_start,
                           .column = from->column,
                           .value = from->value},
                     .scale = scale,
                     .bytes = bytes,
                     .groups = tsl_space_take(&status, &spaces->passing, 4 * slices),
                     .value_start = tsl_space_take(&status, spaces->kept, 8 * (slices + 1)),
                     .index_start = tsl_space_take(&status, spaces->kept, 8 * (slices + 1))};
    if (status == TSL_OK) {
        status = context->ops->coarsen->measure_slices(context, &s);
    }
    run_sums(&status, &spaces->passing, s.value_start, s.groups, slices);
    if (status == TSL_OK) {
        status = context->ops->download(context, &groups, s.value_start + slices, 8);
    }
    *places = groups * TSL_SLICE_LANES;
    if (status != TSL_OK || 2 * *places > 3 * from->nonzeros) {
        tsl_space_return(spaces->kept, &mark);
        *places = 0;
        return status;
    }
    s.index = tsl_space_take(&status, spaces->kept, 4 * *places);
    s.value = tsl_space_take(&status, spaces->kept, bytes * *places);
    out->value_start = s.value_start;
    out->index_start = s.index_start;
    out->index = s.index;
    out->value = s.value;
    out->shared = true;
    return status == TSL_OK ? context->ops->coarsen->fill_slices(context, &s) : status;
}
