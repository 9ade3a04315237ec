/* Preparing a pair: memory, the receptor's grids and spectrum, the ligand's atoms. */
#include "solvers/dock/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blocks/fft/share_wisdom.h"
#include "io/molecule/molecule.h"
#include "solvers/dock/ranges.h"
#include "solvers/dock/receptor.h"
#include "solvers/dock/share.h"

static bool has_charges(const tsl_molecule *molecule)
{
    for (int64_t i = 0; i < molecule->count; i++) {
        if (molecule->charges[i] != 0) {
            return true;
        }
    }
    return false;
}

/* ---- memory ------------------------------------------------------------------------------- */

static int64_t cube(int64_t n)
{
    return n * n * n;
}

/* All that a plan takes at a time with `batch` rotations in flight: transforms while they are
 * planned take no more than their spectrum after that. */
static int64_t bytes_of(const tsl_dock_plan *plan, const tsl_dock_geometry *g,
                        const tsl_convolve_description *what, int batch)
{
    const tsl_convolve_ops *ops = plan->context->ops->convolve;
    const bool charges = plan->options.electrostatics != TSL_ELECTROSTATICS_OFF;
    const int64_t grids = cube(g->grid) * (int64_t)(sizeof(int16_t) + (charges ? 4 : 0));
    tsl_dock_batch rest;
    tsl_dock_lay_out_batch(&rest, NULL, batch, plan->options.keep, plan->charged);
    const tsl_grid_layout layout = ops->layout(what);
    tsl_convolve_description of_batch = *what;
    of_batch.batch = batch;
    const int64_t all = ops->bytes(plan->context, &of_batch) + 2 * rest.bytes +
                        tsl_grid_bytes(&layout, batch) + plan->aside;
    return tsl_dock_has_terms(plan)
               ? all + cube(g->grid) * (int64_t)sizeof(tsl_terms) +
                     tsl_dock_terms_bytes(plan->context, g, what, batch, plan->atoms) +
                     tsl_dock_restraint_bytes(plan, g, batch)
               : all + grids + batch * cube(g->box);
}

/* The largest batch, up to the one asked for, that stays within the bound. */
static tsl_status choose_batch(tsl_dock_plan *plan, const tsl_dock_geometry *g,
                               tsl_convolve_description *what)
{
    const int64_t bound = plan->options.memory;
    int batch = plan->options.batch;
    if (batch == 0) {
        batch = plan->context->ops->dock->batch(plan->context, g);
        /* Terms take several times the memory of a rotation. */
        batch = tsl_dock_has_terms(plan) && batch > 16 ? (batch / 4 + 1) / 2 * 2 : batch;
    }
    while (bound > 0 && batch > 1 && bytes_of(plan, g, what, batch) > bound) {
        batch--;
    }
    const int64_t bytes = bytes_of(plan, g, what, batch);
    char needed[16], allowed[16];
    if (bound > 0 && bytes > bound) {
        return tsl_fail(plan->context, TSL_E_NOMEM,
                        "a grid of %d cells needs %s with one rotation in flight, but the memory "
                        "bound is %s: raise it or take a smaller grid",
                        g->grid, tsl_format_bytes(needed, bytes), tsl_format_bytes(allowed, bound));
    }
    what->batch = batch;
    plan->summary.batch = batch;
    plan->summary.bytes = bytes;
    plan->summary.double_precision = what->precision == TSL_DOUBLE;
    tsl_message(plan->context, TSL_MESSAGE_NOTE,
                "memory: %s for a grid of %d cells in %s precision, %d rotation%s in flight",
                tsl_format_bytes(needed, bytes), g->grid,
                what->precision == TSL_DOUBLE ? "double" : "single", batch, batch == 1 ? "" : "s");
    return TSL_OK;
}

/* Error of a single-precision correlation to expect, three times over: unit roundoff times the
 * norms of both grids (an atom fills about 18 cubic angstrom), falling with N as measured for grids
 * of 48 to 512 cells; docs/accuracy/dock.md has the table. What counts is the error then measured:
 * see TSL_TRANSFORM_ERROR_LIMIT. */
static double expected_error(const tsl_dock_plan *plan, const tsl_dock_geometry *g,
                             const tsl_molecule *receptor, const tsl_molecule *ligand)
{
    const double cells_of_atom = 18.0 / pow((double)g->spacing, 3);
    const double cells = cells_of_atom * sqrt((double)receptor->count * (double)ligand->count);
    return 800 * pow(g->grid, -1.4) * ldexp(1.0, -24) * -plan->options.core * cells;
}

static void free_batch(tsl_dock_plan *plan)
{
    tsl_context *context = plan->context;
    context->ops->convolve->destroy(plan->convolve);
    tsl_release(plan->reserve);
    plan->convolve = NULL;
    plan->reserve = NULL;
    plan->is_loaded = false;
    tsl_device_release(context, plan->boxes);
    tsl_device_release(context, plan->grids);
    tsl_device_release(context, plan->device.memory);
    tsl_release(plan->host.memory);
    plan->boxes = NULL;
    plan->grids = NULL;
    plan->device = plan->host = (tsl_dock_batch){0};
    tsl_dock_free_terms(plan);
    tsl_dock_free_restraint(plan);
}

static int64_t aligned(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

void tsl_dock_lay_out_batch(tsl_dock_batch *batch, char *memory, int count, int keep,
                            int64_t charged)
{
    const int64_t many = (int64_t)count * TSL_CANDIDATES;
    const int64_t candidates = many > TSL_CANDIDATES_MORE ? many : TSL_CANDIDATES_MORE;
    const struct {
        void **array;
        int64_t bytes;
    } parts[] = {{(void **)&batch->turns, count * (int64_t)sizeof *batch->turns},
                 {(void **)&batch->shifts, count * 3 * (int64_t)sizeof *batch->shifts},
                 {(void **)&batch->after, count * (int64_t)sizeof *batch->after},
                 {(void **)&batch->kept, count * (int64_t)sizeof *batch->kept},
                 {(void **)&batch->error, sizeof *batch->error},
                 {(void **)&batch->found, count * (int64_t)sizeof *batch->found},
                 {(void **)&batch->winners, count * keep * (int64_t)sizeof *batch->winners},
                 {(void **)&batch->energies, count * keep * (int64_t)sizeof *batch->energies},
                 {(void **)&batch->scores, count * (int64_t)sizeof *batch->scores},
                 {(void **)&batch->candidates, candidates * (int64_t)sizeof *batch->candidates},
                 {(void **)&batch->corners, count * charged * 3 * (int64_t)sizeof *batch->corners}};
    int64_t ends[sizeof parts / sizeof *parts];
    int64_t bytes = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].array = memory != NULL ? memory + bytes : NULL;
        bytes += aligned(parts[i].bytes);
        ends[i] = bytes;
    }
    batch->memory = memory;
    batch->bytes = bytes;
    batch->sent = ends[4];
    batch->received = ends[8] - ends[2];
}

/* Grids and boxes for plan->correlation. */
static tsl_status make_batch(tsl_dock_plan *plan)
{
    tsl_context *context = plan->context;
    const int64_t batch = plan->correlation.batch;
    void *boxes = NULL;
    free_batch(plan);
    plan->summary.transposed = 0; /* until transforms are planned */
    plan->layout = context->ops->convolve->layout(&plan->correlation);
    tsl_status status = tsl_device_allocate(
        &plan->grids, context, tsl_grid_bytes(&plan->layout, (int)batch), "the correlation grids");
    if (status == TSL_OK && !tsl_dock_has_terms(plan)) {
        status = tsl_device_allocate(&boxes, context, batch * cube(plan->correlation.box[0]),
                                     "the ligand's boxes");
        plan->boxes = boxes;
    }
    return status;
}

static const tsl_fft_patience *patience_of(const tsl_dock_plan *plan)
{
    return plan->watcher != NULL ? &plan->watcher->patience : NULL;
}

static tsl_status plan_transforms(tsl_dock_plan *plan, const tsl_fft_patience *patience,
                                  const int *transposed)
{
    const tsl_convolve_ops *ops = plan->context->ops->convolve;
    const double begun = tsl_seconds();
    if (plan->convolve != NULL) {
        return TSL_OK;
    }
    tsl_convolve_description what = plan->correlation;
    what.patience = patience;
    what.transposed = transposed;
    tsl_release(plan->reserve);
    plan->reserve = NULL;
    const tsl_status status = ops->create(&plan->convolve, plan->context, &what);
    if (status == TSL_OK && ops->transposed != NULL) {
        plan->summary.transposed = ops->transposed(plan->convolve);
    }
    tsl_profile_add(plan->context, "transform plans", begun, 0, 0);
    return status;
}

/* A CPU that plans while GPUs are searching has by then what it takes. */
static tsl_status reserve(tsl_dock_plan *plan)
{
    const int64_t bytes = plan->context->ops->convolve->bytes(plan->context, &plan->correlation);
    if (plan->convolve == NULL && plan->reserve == NULL) {
        plan->reserve = tsl_allocate((size_t)bytes);
    }
    return plan->convolve == NULL && plan->reserve == NULL
               ? tsl_fail_memory(plan->context, bytes, "transforms to come")
               : TSL_OK;
}

static tsl_status plan_in_turn(void *user, int *transposed, const int *settled)
{
    tsl_dock_plan *plan = user;
    const tsl_status status = plan_transforms(plan, patience_of(plan), settled);
    *transposed = plan->summary.transposed;
    return status;
}

/* GPUs plan at once, each its own, and CPUs beside them when they are needed; CPUs among themselves
 * measure once. */
static tsl_status plan_together(tsl_dock_plan *plan, const tsl_dock_rank_group *group, bool later)
{
    const tsl_fft_planning planning = {.precision = plan->correlation.precision,
                                       .plans = plan->convolve == NULL,
                                       .plan = plan_in_turn,
                                       .user = plan};
    return group->first_gpu < 0
               ? tsl_fft_share_wisdom(plan->context, &planning)
               : tsl_comm_agree(plan->context,
                                later ? reserve(plan)
                                      : plan_transforms(plan, patience_of(plan), NULL));
}

/* The rest of a batch, whose size depends on the ligand's charges. */
static tsl_status make_batch_memory(tsl_dock_plan *plan)
{
    tsl_context *context = plan->context;
    const int batch = plan->correlation.batch;
    const int keep = plan->options.keep;
    const int64_t charged = plan->ligand.charged;
    tsl_dock_batch size;
    void *device = NULL;
    tsl_device_release(context, plan->device.memory);
    tsl_release(plan->host.memory);
    plan->device = plan->host = (tsl_dock_batch){0};
    tsl_dock_lay_out_batch(&size, NULL, batch, keep, charged);
    tsl_status status = tsl_device_allocate(&device, context, size.bytes, "a batch of rotations");
    if (status != TSL_OK) {
        return status;
    }
    tsl_dock_lay_out_batch(&plan->device, device, batch, keep, charged);
    /* What comes back comes back whole, places without a winner too. */
    status = context->ops->fill(context, device, 0, size.bytes);
    if (status != TSL_OK) {
        return status;
    }
    char *host = tsl_allocate_zeroed(1, (size_t)size.bytes);
    if (host == NULL) {
        return tsl_fail_memory(context, size.bytes, "a batch of rotations");
    }
    tsl_dock_lay_out_batch(&plan->host, host, batch, keep, charged);
    return TSL_OK;
}

/* Give the receptor to the correlation. */
static tsl_status load_receptor(tsl_dock_plan *plan)
{
    tsl_context *context = plan->context;
    const double begun = tsl_seconds();
    if (plan->is_loaded) {
        return TSL_OK;
    }
    if (tsl_dock_has_terms(plan)) {
        const tsl_status loaded = tsl_dock_load_fields(plan);
        plan->is_loaded = loaded == TSL_OK;
        return loaded;
    }
    tsl_status status = context->ops->dock->load_shape(context, &plan->geometry, &plan->layout,
                                                       plan->receptor.shape, plan->grids);
    if (status == TSL_OK) {
        status = context->ops->convolve->set_fixed(plan->convolve, plan->grids);
    }
    plan->is_loaded = status == TSL_OK;
    tsl_profile_add(context, "receptor spectrum", begun, 3 * plan->layout.member_bytes,
                    tsl_convolve_flops(&plan->correlation) / 2);
    return status;
}

tsl_status tsl_dock_get_ready(tsl_dock_plan *plan, const tsl_fft_patience *patience)
{
    tsl_status status = plan_transforms(plan, patience, NULL);
    if (status == TSL_OK) {
        status = load_receptor(plan);
    }
    if (status != TSL_OK && status != TSL_E_CANCELLED) {
        plan->ligand_molecule = NULL; /* the plan is void */
    }
    return status;
}

/* ---- the plan ----------------------------------------------------------------------------- */

static tsl_convolve_description describe(const tsl_dock_options *options,
                                         const tsl_dock_geometry *g, tsl_precision precision)
{
    static const tsl_convolve_form forms[] = {[TSL_CORRELATION_LINES] = TSL_CONVOLVE_LINES,
                                              [TSL_CORRELATION_PLAIN] = TSL_CONVOLVE_PLAIN,
                                              [TSL_CORRELATION_STRIDED] = TSL_CONVOLVE_STRIDED,
                                              [TSL_CORRELATION_TRANSPOSED] =
                                                  TSL_CONVOLVE_TRANSPOSED};
    return (tsl_convolve_description){
        .n = {g->grid, g->grid, g->grid},
        .box = {g->box, g->box, g->box},
        .precision = precision,
        .top = TSL_CANDIDATES,
        .top_of_one = TSL_CANDIDATES_MORE,
        .form = forms[options->correlation],
        .terms = options->score == TSL_SCORE_COMPLEMENTARITY ? TSL_TERMS : 0,
        .points = 1};
}

tsl_status tsl_dock_use_double(tsl_dock_plan *plan)
{
    tsl_message(plan->context, TSL_MESSAGE_NOTE,
                "single precision is off by %.3f at a grid of %d cells: going on in double",
                plan->summary.transform_error, plan->geometry.grid);
    tsl_convolve_description what = describe(&plan->options, &plan->geometry, TSL_DOUBLE);
    free_batch(plan);
    tsl_status status = TSL_OK;
    TSL_TRY(choose_batch(plan, &plan->geometry, &what));
    plan->correlation = what;
    plan->summary.transform_error = 0;
    plan->summary.transform_bound = tsl_dock_has_terms(plan) ? 0 : TSL_TRANSFORM_ERROR_LIMIT;
    TSL_TRY(make_batch(plan));
    TSL_TRY(make_batch_memory(plan));
    if (tsl_dock_has_terms(plan)) {
        TSL_TRY(tsl_dock_take_terms(plan, plan->ligand_molecule));
        TSL_TRY(tsl_dock_take_restraint(plan, plan->receptor_molecule, plan->ligand_molecule));
    }
    return tsl_dock_get_ready(plan, NULL);
done:
    plan->ligand_molecule = NULL; /* the plan is void */
    return status;
}

/* Whether the transforms at hand serve a grid: a box may be larger than it need be. */
static bool batch_serves(const tsl_dock_plan *plan, const tsl_dock_geometry *g,
                         const tsl_convolve_description *what)
{
    const tsl_convolve_description *have = &plan->correlation;
    const int spare = have->box[0] - g->box;
    return plan->convolve != NULL && have->n[0] == g->grid && have->precision == what->precision &&
           have->batch == what->batch && spare >= 0 && spare <= g->grid / 8;
}

static tsl_status check_pair(const tsl_dock_plan *plan, const tsl_molecule *receptor,
                             const tsl_molecule *ligand)
{
    if (receptor == NULL || ligand == NULL) {
        return tsl_fail(plan->context, TSL_E_ARG, "docking needs a receptor and a ligand");
    }
    if (plan->options.electrostatics != TSL_ELECTROSTATICS_OFF &&
        !(has_charges(receptor) && has_charges(ligand))) {
        return tsl_fail(plan->context, TSL_E_ARG,
                        "the %s has no charges, so no pose can have a negative energy: switch "
                        "electrostatics off",
                        has_charges(receptor) ? "ligand" : "receptor");
    }
    return TSL_OK;
}

/* Settle the grid and the batch. What the plan has of another pair and is of no use goes. */
static tsl_status aim(tsl_dock_plan *plan, const tsl_molecule *receptor, const tsl_molecule *ligand,
                      const tsl_dock_rank_group *group)
{
    tsl_context *context = plan->context;
    tsl_dock_geometry g;
    tsl_status status = check_pair(plan, receptor, ligand);
    if (status == TSL_OK) {
        status =
            tsl_dock_choose_grid(context, &plan->options, receptor, ligand, &g, &plan->summary);
    }
    if (status != TSL_OK) {
        return status;
    }
    /* The bound on the error of complementarity is known when its fields are. */
    const double error = tsl_dock_has_terms(plan) ? 0 : expected_error(plan, &g, receptor, ligand);
    tsl_convolve_description what =
        describe(&plan->options, &g, error < TSL_TRANSFORM_ERROR_LIMIT ? TSL_SINGLE : TSL_DOUBLE);
    status = tsl_dock_count_restrained(plan, receptor, ligand);
    if (status != TSL_OK) {
        return status;
    }
    plan->charged = tsl_dock_count_charged(ligand);
    plan->atoms = ligand->count;
    plan->aside = tsl_dock_atoms_bytes(ligand) + tsl_dock_making_bytes(plan, &g, receptor, group);
    status = choose_batch(plan, &g, &what);
    if (status != TSL_OK) {
        return status;
    }
    if (batch_serves(plan, &g, &what)) {
        g.box = plan->correlation.box[0];
    } else {
        free_batch(plan);
        plan->correlation = what;
    }
    if (plan->receptor_molecule != receptor || plan->geometry.grid != g.grid ||
        plan->geometry.span != g.span) {
        tsl_dock_free_receptor(plan);
    }
    plan->geometry = g;
    plan->summary.transform_error = 0;
    plan->summary.transform_bound = tsl_dock_has_terms(plan) ? 0 : TSL_TRANSFORM_ERROR_LIMIT;
    return TSL_OK;
}

/* Refuse what does not fit before it is taken. What a plan has of another pair stays and is not
 * asked for again. Collective. */
static tsl_status check_memory(const tsl_dock_plan *plan)
{
    char what[64];
    snprintf(what, sizeof what, "a grid of %d cells with %d rotation%s in flight needs",
             plan->geometry.grid, plan->summary.batch, plan->summary.batch == 1 ? "" : "s");
    const tsl_device_need need = {.what = what,
                                  .remedy = "take a smaller grid or batch",
                                  .device = plan->grids == NULL ? plan->summary.bytes : 0};
    return tsl_comm_foresee(plan->context, &need);
}

/* All memory but that of transforms. */
static tsl_status take_memory(tsl_dock_plan *plan, const tsl_molecule *receptor,
                              const tsl_molecule *ligand, const tsl_dock_rank_group *group,
                              tsl_dock_making *making)
{
    tsl_status status = TSL_OK;
    TSL_TRY(plan->grids == NULL ? make_batch(plan) : TSL_OK);
    if (group->makes_any) {
        plan->is_loaded = false;
        TSL_TRY(tsl_dock_has_terms(plan) ? tsl_dock_take_fields(plan)
                                         : tsl_dock_begin_making(making, plan, receptor, group));
    }
    TSL_TRY(tsl_dock_upload_atoms(plan->context, ligand, &plan->ligand));
    TSL_TRY(make_batch_memory(plan));
    if (tsl_dock_has_terms(plan)) {
        TSL_TRY(tsl_dock_take_terms(plan, ligand));
        TSL_TRY(tsl_dock_take_restraint(plan, receptor, ligand));
    }
done:
    return status;
}

/* Ranks do this together. They agree on what each can lack, memory, before they compute: memory
 * that is merely taken first, since planning transforms measures them. */
static tsl_status retarget(tsl_dock_plan *plan, const tsl_molecule *receptor,
                           const tsl_molecule *ligand, tsl_dock_making *making)
{
    tsl_context *context = plan->context;
    tsl_dock_rank_group group;
    tsl_status status = tsl_dock_meet(&group, context);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_status aimed = aim(plan, receptor, ligand, &group);
    status = tsl_dock_ask(&group, context, plan->receptor_molecule == NULL);
    if (status != TSL_OK) {
        return status;
    }
    const bool plans_later = group.first_gpu >= 0 && context->ops->peer == NULL;
    TSL_TRY(tsl_comm_agree(context, aimed));
    TSL_TRY(check_memory(plan));
    TSL_TRY(tsl_comm_agree(context, take_memory(plan, receptor, ligand, &group, making)));
    TSL_TRY(plan_together(plan, &group, plans_later));
    if (group.makes_any) {
        TSL_TRY(tsl_dock_has_terms(plan)
                    ? tsl_comm_refuse(context, tsl_dock_make_fields(plan, receptor))
                    : tsl_dock_make_receptor(plan, making, &group));
    }
    /* Ranks agree here, so that none goes on whom the others will not follow. */
    TSL_TRY(tsl_comm_agree(context, plans_later ? TSL_OK : load_receptor(plan)));
done:
    plan->receptor_molecule = receptor;
    plan->ligand_molecule = ligand;
    return status;
}

tsl_status tsl_dock_plan_update(tsl_dock_plan *plan, const tsl_molecule *receptor,
                                const tsl_molecule *ligand)
{
    tsl_dock_making making = {.memory = NULL};
    const tsl_status status = retarget(plan, receptor, ligand, &making);
    tsl_dock_end_making(&making, plan->context);
    if (status != TSL_OK) {
        free_batch(plan);
        tsl_dock_free_receptor(plan);
        tsl_dock_free_atoms(plan->context, &plan->ligand);
        plan->ligand_molecule = NULL;
    }
    return status;
}

/* The other ranks are in an update. */
static tsl_status decline(tsl_context *context, tsl_status status)
{
    tsl_dock_rank_group group;
    tsl_status heard = tsl_dock_meet(&group, context);
    if (heard == TSL_OK) {
        heard = tsl_dock_ask(&group, context, false);
    }
    return heard == TSL_OK ? tsl_comm_agree(context, status) : heard;
}

tsl_status tsl_dock_plan_create(tsl_dock_plan **out, tsl_context *context,
                                const tsl_molecule *receptor, const tsl_molecule *ligand,
                                const tsl_dock_options *options)
{
    return tsl_dock_plan_create_while(out, context, receptor, ligand, options, NULL);
}

tsl_status tsl_dock_plan_create_while(tsl_dock_plan **out, tsl_context *context,
                                      const tsl_molecule *receptor, const tsl_molecule *ligand,
                                      const tsl_dock_options *options,
                                      const tsl_dock_watcher *watcher)
{
    const tsl_dock_options defaults = TSL_DOCK_OPTIONS_INIT;
    tsl_dock_plan *plan = NULL;
    if (options == NULL) {
        options = &defaults;
    }
    tsl_status status = tsl_dock_check_options(context, options);
    if (status == TSL_OK) {
        plan = tsl_allocate_zeroed(1, sizeof *plan);
        status = plan != NULL ? TSL_OK : tsl_fail_memory(context, sizeof *plan, "a docking plan");
    }
    if (status != TSL_OK) {
        return decline(context, status);
    }
    plan->context = context;
    plan->options = *options;
    if (tsl_dock_has_terms(plan)) {
        const double *table = options->complementarity.table;
        plan->options.electrostatics = TSL_ELECTROSTATICS_OFF; /* FTDock's */
        plan->terms.weights = (tsl_score_weights){
            .clash = options->complementarity.clash,
            .electrostatics = options->complementarity.electrostatics,
            .contacts = options->complementarity.contacts,
            .factors = tsl_contact_factorise(table != NULL ? table : &tsl_contact_table[0][0])};
    }
    plan->watcher = watcher;
    status = tsl_dock_plan_update(plan, receptor, ligand);
    if (status != TSL_OK) {
        tsl_release(plan);
        return status;
    }
    *out = plan;
    return TSL_OK;
}

void tsl_dock_plan_destroy(tsl_dock_plan *plan)
{
    if (plan != NULL) {
        tsl_context_synchronize(plan->context);
        free_batch(plan);
        tsl_dock_free_receptor(plan);
        tsl_dock_free_atoms(plan->context, &plan->ligand);
        tsl_release(plan);
    }
}

void tsl_dock_plan_summary(const tsl_dock_plan *plan, tsl_dock_summary *out)
{
    *out = plan->summary;
}
