#include "solvers/dock/receptor.h"

#include <string.h>

#include "blocks/queue/queue.h"
#include "io/molecule/molecule.h"

static int64_t cube(int64_t n)
{
    return n * n * n;
}

void tsl_dock_free_receptor(tsl_dock_plan *plan)
{
    tsl_device_release(plan->context, plan->receptor.shape);
    tsl_device_release(plan->context, plan->receptor.potential);
    plan->receptor = (tsl_dock_receptor){0};
    tsl_dock_free_fields(plan);
    plan->receptor_molecule = NULL;
}

/* ---- ranks -------------------------------------------------------------------------------- */

static bool is_gpu(const tsl_context *context)
{
    return context->ops->peer != NULL;
}

static tsl_status find_least(int32_t *numbers, int64_t count, tsl_comm *comm)
{
    return comm->size == 1
               ? TSL_OK
               : tsl_comm_all_reduce(comm, NULL, numbers, count, TSL_COMM_INT32, TSL_COMM_MIN);
}

tsl_status tsl_dock_meet(tsl_dock_rank_group *out, tsl_context *context)
{
    tsl_comm *comm = context->comm;
    int32_t least[2] = {is_gpu(context) ? comm->rank : comm->size, is_gpu(context)};
    const tsl_status status = find_least(least, 2, comm);
    *out = (tsl_dock_rank_group){.first_gpu = least[0] < comm->size ? least[0] : -1,
                                 .has_cpu = least[1] == 0};
    return status;
}

tsl_status tsl_dock_ask(tsl_dock_rank_group *group, tsl_context *context, bool makes)
{
    int32_t none = !makes;
    const tsl_status status = find_least(&none, 1, context->comm);
    group->makes_any = none == 0;
    return status;
}

/* ---- memory ------------------------------------------------------------------------------- */

static int surface_reach(const tsl_dock_geometry *g, double surface)
{
    return tsl_dock_reach((float)surface, g->spacing);
}

/* Does this rank have the potential on the host for others? */
static bool gives(const tsl_context *context, const tsl_dock_rank_group *group)
{
    return group->has_cpu && group->first_gpu == context->comm->rank;
}

int64_t tsl_dock_making_bytes(const tsl_dock_plan *plan, const tsl_dock_geometry *g,
                              const tsl_molecule *receptor, const tsl_dock_rank_group *group)
{
    const tsl_context *context = plan->context;
    const int64_t offsets =
        cube(2 * surface_reach(g, plan->options.surface) + 1) * 3 * (int64_t)sizeof(int);
    const bool charges = plan->options.electrostatics != TSL_ELECTROSTATICS_OFF;
    const int64_t shared = context->comm->size * (int64_t)(sizeof(double) + sizeof(tsl_comm_pair));
    return tsl_dock_atoms_bytes(receptor) + offsets +
           (charges ? shared + (gives(context, group) ? 4 * cube(g->grid) : 0) : 0);
}

/* Steps to the cells nearer than the surface's thickness, the nearest first. */
static int *surface_offsets(const tsl_dock_geometry *g, double surface, int *count)
{
    const int reach = surface_reach(g, surface);
    int *offsets = tsl_allocate((size_t)cube(2 * reach + 1) * 3 * sizeof *offsets);
    if (offsets == NULL) {
        return NULL;
    }
    *count = 0;
    for (int square = 1; tsl_dock_is_near(square, g->spacing, (float)surface); square++) {
        for (int x = -reach; x <= reach; x++) {
            for (int y = -reach; y <= reach; y++) {
                for (int z = -reach; z <= reach; z++) {
                    if (x * x + y * y + z * z == square) {
                        memcpy(offsets + 3 * *count, (const int[3]){x, y, z}, 3 * sizeof(int));
                        ++*count;
                    }
                }
            }
        }
    }
    return offsets;
}

static tsl_status take_surface(tsl_dock_making *m, tsl_dock_plan *plan)
{
    const tsl_dock_turns unturned = {.cosine = {1, 1, 1}};
    const int64_t zeros[8] = {0};
    tsl_context *context = plan->context;
    int *offsets = surface_offsets(&plan->geometry, plan->options.surface, &m->count);
    if (offsets == NULL) {
        return tsl_fail_memory(context, cube(plan->geometry.reach), "the surface layer");
    }
    const int64_t bytes = m->count * 3 * (int64_t)sizeof *offsets;
    char *at = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_device_allocate(&m->memory, context, 128 + bytes, "the surface layer"));
    at = m->memory;
    m->unturned = m->memory;
    m->cells = (int64_t *)(void *)(at + 64);
    m->largest = (double *)(void *)(at + 80);
    m->offsets = (int *)(void *)(at + 128);
    TSL_TRY(context->ops->upload(context, at, &unturned, sizeof unturned));
    TSL_TRY(context->ops->upload(context, m->cells, zeros, sizeof zeros));
    TSL_TRY(context->ops->upload(context, m->offsets, offsets, bytes));
done:
    tsl_release(offsets);
    return status;
}

/* The potential, and what sharing it takes. */
static tsl_status take_potential(tsl_dock_making *m, tsl_dock_plan *plan,
                                 const tsl_dock_rank_group *group)
{
    tsl_context *context = plan->context;
    const size_t ranks = (size_t)context->comm->size;
    const int64_t bytes = 4 * cube(plan->geometry.grid);
    void *potential = NULL;
    const tsl_status status =
        tsl_device_allocate(&potential, context, bytes, "the receptor's potential");
    plan->receptor.potential = potential;
    if (status != TSL_OK || ranks == 1) {
        return status;
    }
    m->weights = tsl_allocate(ranks * sizeof *m->weights);
    m->pairs = tsl_allocate(ranks * sizeof *m->pairs);
    m->staging = gives(context, group) ? tsl_allocate((size_t)bytes) : NULL;
    return m->weights == NULL || m->pairs == NULL || (gives(context, group) && m->staging == NULL)
               ? tsl_fail_memory(context, bytes, "the potential on its way between ranks")
               : TSL_OK;
}

tsl_status tsl_dock_begin_making(tsl_dock_making *out, tsl_dock_plan *plan,
                                 const tsl_molecule *receptor, const tsl_dock_rank_group *group)
{
    tsl_context *context = plan->context;
    void *shape = NULL;
    tsl_dock_free_receptor(plan);
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_dock_upload_atoms(context, receptor, &out->atoms));
    TSL_TRY(take_surface(out, plan));
    TSL_TRY(
        tsl_device_allocate(&shape, context, 2 * cube(plan->geometry.grid), "the receptor's grid"));
    plan->receptor.shape = shape;
    if (plan->options.electrostatics != TSL_ELECTROSTATICS_OFF) {
        TSL_TRY(take_potential(out, plan, group));
    }
done:
    return status;
}

void tsl_dock_end_making(tsl_dock_making *m, tsl_context *context)
{
    tsl_device_release(context, m->memory);
    tsl_dock_free_atoms(context, &m->atoms);
    tsl_release(m->weights);
    tsl_release(m->pairs);
    tsl_release(m->staging);
    *m = (tsl_dock_making){0};
}

/* ---- shape -------------------------------------------------------------------------------- */

/* The first result grid serves as scratch. */
static tsl_status make_shape(tsl_dock_plan *plan, const tsl_dock_making *m)
{
    tsl_context *context = plan->context;
    const double begun = tsl_seconds();
    tsl_dock_geometry whole = plan->geometry;
    int64_t cells[2] = {0, 0};
    whole.box = whole.grid;
    tsl_status status = TSL_OK;
    TSL_TRY(context->ops->dock->place(context, &whole, &m->atoms, m->unturned, 1, plan->grids));
    TSL_TRY(context->ops->dock->surface(context, &whole, plan->grids, m->offsets, m->count,
                                        plan->options.core, plan->receptor.shape, m->cells));
    TSL_TRY(context->ops->download(context, cells, m->cells, sizeof cells));
done:
    plan->summary.surface_cells = cells[0];
    plan->summary.core_cells = cells[1];
    tsl_profile_add(context, "receptor shape", begun, 3 * cube(whole.grid), 0);
    return tsl_comm_refuse(context, status);
}

/* ---- potential ---------------------------------------------------------------------------- */

typedef struct summing {
    tsl_dock_plan *plan;
    const tsl_dock_making *making;
    int64_t cells;    /* done by this rank */
    int64_t rows;     /* that this rank is to do */
    tsl_queue *queue; /* NULL: this rank does all of it */
    bool stopped;     /* the plan is not wanted any more */
} summing;

/* Seconds after which a rank that works alone asks again whether it should stop. */
static const double asking = 0.1;

static tsl_status sum_rows(void *user, int64_t first, int64_t count)
{
    summing *s = user;
    tsl_dock_plan *plan = s->plan;
    const tsl_dock_watcher *watcher = plan->watcher;
    if (watcher != NULL && !watcher->patience.is_wanted(watcher->patience.user)) {
        s->stopped = true;
        return s->queue != NULL ? tsl_queue_stop(s->queue) : TSL_OK;
    }
    s->cells += count * plan->geometry.grid;
    const tsl_status status = plan->context->ops->dock->potential(
        plan->context, &plan->geometry, &s->making->atoms, plan->receptor.shape, plan->options.core,
        first, count, plan->receptor.potential, s->making->largest);
    if (status == TSL_OK && watcher != NULL && watcher->summed != NULL && !is_gpu(plan->context)) {
        watcher->summed(watcher->user, count, s->rows);
    }
    return status;
}

/* In pieces that grow until they take long enough. */
static tsl_status sum_alone(summing *s, int64_t rows)
{
    tsl_status status = TSL_OK;
    int64_t piece = s->plan->context->threads;
    for (int64_t first = 0; first < rows && status == TSL_OK && !s->stopped;) {
        const int64_t count = rows - first < piece ? rows - first : piece;
        const double begun = tsl_seconds();
        status = sum_rows(s, first, count);
        first += count;
        piece *= tsl_seconds() - begun < asking ? 2 : 1;
    }
    return status;
}

/* What this rank sums of it. */
static tsl_status sum_own(summing *s, const tsl_dock_rank_group *group)
{
    tsl_context *context = s->plan->context;
    const int64_t grid = s->plan->geometry.grid, rows = grid * grid;
    s->rows = rows;
    if (is_gpu(context)) {
        return sum_rows(s, 0, rows);
    }
    if (context->comm->size == 1) {
        return sum_alone(s, rows);
    }
    if (group->first_gpu >= 0) {
        return TSL_OK;
    }
    const int rank = context->comm->rank, ranks = context->comm->size;
    s->rows = tsl_queue_part(rows, s->making->weights, ranks, rank + 1) -
              tsl_queue_part(rows, s->making->weights, ranks, rank);
    tsl_status status = tsl_queue_create(&s->queue, context->comm, rows, context->threads);
    if (status == TSL_OK) {
        tsl_queue_split(s->queue, s->making->weights);
        status = tsl_queue_do(s->queue, context, sum_rows, s);
    }
    tsl_queue_destroy(s->queue);
    s->queue = NULL;
    return status;
}

/* The rows that rank `from` gives rank `to`; their number. */
static int64_t rows_given(int64_t *first, const tsl_dock_plan *plan, const tsl_dock_making *m,
                          const tsl_dock_rank_group *group, int from, int to)
{
    const int64_t grid = plan->geometry.grid, rows = grid * grid;
    const int ranks = plan->context->comm->size;
    *first = 0;
    if (group->first_gpu >= 0) {
        return from == group->first_gpu && m->weights[to] > 0 ? rows : 0;
    }
    *first = tsl_queue_part(rows, m->weights, ranks, from);
    return tsl_queue_part(rows, m->weights, ranks, from + 1) - *first;
}

static tsl_status give_and_take(tsl_dock_plan *plan, const tsl_dock_making *m,
                                const tsl_dock_rank_group *group)
{
    tsl_context *context = plan->context;
    tsl_comm *comm = context->comm;
    const int64_t row = (int64_t)sizeof(int32_t) * plan->geometry.grid;
    char *grid = m->staging != NULL ? m->staging : (char *)plan->receptor.potential;
    int count = 0;
    tsl_status status = TSL_OK;
    if (m->staging != NULL) {
        status = context->ops->download(context, m->staging, plan->receptor.potential,
                                        row * plan->geometry.grid * plan->geometry.grid);
        tsl_comm_refuse(context, status);
    }
    for (int q = 0; q < comm->size; q++) {
        int64_t ours, theirs;
        const int64_t send = rows_given(&ours, plan, m, group, comm->rank, q);
        const int64_t receive = rows_given(&theirs, plan, m, group, q, comm->rank);
        if (q != comm->rank && send + receive > 0) {
            m->pairs[count++] = (tsl_comm_pair){.peer = q,
                                                .send = grid + ours * row,
                                                .send_bytes = send * row,
                                                .receive = grid + theirs * row,
                                                .receive_bytes = receive * row};
        }
    }
    return status == TSL_OK ? tsl_comm_exchange(comm, NULL, count, m->pairs) : status;
}

/* Find the largest value of all ranks; TSL_E_CANCELLED if one of them was stopped. */
static tsl_status find_largest(double *largest, tsl_context *context, const summing *s)
{
    double most[2] = {0, s->stopped};
    tsl_status status = tsl_comm_refuse(
        context, context->ops->download(context, most, s->making->largest, sizeof *most));
    if (status == TSL_OK && context->comm->size > 1) {
        status = tsl_comm_all_reduce(context->comm, NULL, most, 2, TSL_COMM_DOUBLE, TSL_COMM_MAX);
    }
    *largest = most[0];
    return status == TSL_OK && most[1] > 0
               ? tsl_fail(context, TSL_E_CANCELLED, "stopped while a pair was set up")
               : status;
}

static tsl_status share_potential(tsl_dock_plan *plan, const tsl_dock_making *m,
                                  const tsl_dock_rank_group *group)
{
    tsl_context *context = plan->context;
    summing s = {.plan = plan, .making = m};
    const double weight = is_gpu(context) ? 0 : context->threads;
    double largest = 0;
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    if (context->comm->size > 1) {
        status = tsl_comm_gather_records(context->comm, m->weights, &weight, sizeof weight);
    }
    if (status == TSL_OK) {
        status = tsl_comm_refuse(context, sum_own(&s, group));
    }
    if (status == TSL_OK) {
        status = find_largest(&largest, context, &s);
    }
    tsl_profile_add(context, "receptor potential", begun, 4 * s.cells,
                    12 * m->atoms.charged * s.cells);
    return status == TSL_OK && largest >= 8
               ? tsl_fail(context, TSL_E_ARG,
                          "the receptor's potential reaches %.1f e/angstrom, more than 8: check "
                          "its charges",
                          largest)
               : status;
}

static tsl_status make_potential(tsl_dock_plan *plan, const tsl_dock_making *m,
                                 const tsl_dock_rank_group *group)
{
    tsl_status status = share_potential(plan, m, group);
    if (status == TSL_OK && plan->context->comm->size > 1 && group->has_cpu) {
        const double begun = tsl_seconds();
        status = give_and_take(plan, m, group);
        tsl_profile_add(plan->context, "gather potential", begun, 4 * cube(plan->geometry.grid), 0);
    }
    return status;
}

tsl_status tsl_dock_make_receptor(tsl_dock_plan *plan, const tsl_dock_making *making,
                                  const tsl_dock_rank_group *group)
{
    tsl_status status = make_shape(plan, making);
    if (status == TSL_OK && plan->receptor.potential != NULL) {
        status = make_potential(plan, making, group);
    }
    return status;
}
