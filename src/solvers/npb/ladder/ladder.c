/* The ladder's table, and how a version is run and verified. */
#include "solvers/npb/ladder/ladder.h"

#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "device/device.h"
#include "solvers/npb/size_class.h"
#include "tesela/npb.h"

/* ---- the table ---------------------------------------------------------------------------- */

static const char *const by_launch_bounds = "launch bounds of a kernel, for -maxrregcount";
static const char *const by_arguments = "kernel arguments, which are in constant memory";
static const char *const by_read_only = "read-only loads, for texture references";
static const char *const by_any_thread = "one host thread a rank, events and streams";

static const tsl_ladder_version ep_versions[] = {
    {"serial", TSL_LADDER_ONE_CORE, "the benchmark's loop", NULL},
    {"openmp", TSL_LADDER_ALL_CORES, "the same with OpenMP", NULL},
    {"V1", TSL_LADDER_GPU, "a thread a part, atomic counters", NULL},
    {"V2", TSL_LADDER_GPU, "trees in shared memory", NULL},
    {"V3", TSL_LADDER_GPU, "less shared memory, fewer registers", by_launch_bounds},
    {"V4", TSL_LADDER_GPU, "V3, pinned host memory", NULL},
    {"V5", TSL_LADDER_GPU, "V3, zero copy", NULL},
    {"V6", TSL_LADDER_GPU, "V4, counters of each thread's own", NULL},
    {"V7", TSL_LADDER_GPU, "V6, unrolled", NULL},
    {"V8", TSL_LADDER_GPUS, "V7 on several GPUs", by_any_thread},
    {"tesela", TSL_LADDER_DEVICE, "tesela npb ep", NULL},
    {"ranks", TSL_LADDER_DEVICES, "tesela npb ep on all devices", NULL},
};

static const tsl_ladder_version cg_versions[] = {
    {"serial", TSL_LADDER_ONE_CORE, "the benchmark's loop", NULL},
    {"openmp", TSL_LADDER_ALL_CORES, "the same with OpenMP", NULL},
    {"V1", TSL_LADDER_GPU, "a thread a row", NULL},
    {"V2", TSL_LADDER_GPU, "a warp a row", "barriers, for steps in lock-step"},
    {"V3", TSL_LADDER_GPU, "half a warp a row", NULL},
    {"V4", TSL_LADDER_GPU, "V2, rows padded to warps", NULL},
    {"V5", TSL_LADDER_GPU, "V4, parameters in constant memory", by_arguments},
    {"V6", TSL_LADDER_GPU, "V5, pinned host memory", NULL},
    {"V7", TSL_LADDER_GPU, "V6, texture on p", by_read_only},
    {"V8", TSL_LADDER_GPU, "V6, textures on the matrix", by_read_only},
    {"V9", TSL_LADDER_GPUS, "V8's product on several GPUs", by_any_thread},
    {"tesela", TSL_LADDER_DEVICE, "tesela npb cg", NULL},
    {"ranks", TSL_LADDER_DEVICES, "tesela npb cg on all devices", NULL},
};

enum { FIRST_GPU = 2 /* place of V1 in the tables */ };

int tsl_ladder_versions(const tsl_ladder_version **out, bool is_cg)
{
    *out = is_cg ? cg_versions : ep_versions;
    return (int)(is_cg ? sizeof cg_versions / sizeof *cg_versions
                       : sizeof ep_versions / sizeof *ep_versions);
}

/* ---- what is to be done ------------------------------------------------------------------- */

tsl_status tsl_ladder_case_begin(tsl_ladder_case *out, tsl_context *context, bool is_cg,
                                 char size_class)
{
    memset(out, 0, sizeof *out);
    if (is_cg) {
        out->cg = tsl_cg_find_class(size_class);
    } else {
        out->ep = tsl_ep_find_class(size_class);
    }
    if (out->cg == NULL && (out->ep == NULL || out->ep->sx == 0)) {
        out->ep = NULL;
        return tsl_fail(context, TSL_E_ARG, "class '%c': the ladder of %s has S, W, A, B, C, D, E",
                        tsl_shown_class(size_class), is_cg ? "CG" : "EP");
    }
    return is_cg && context->comm->rank == 0
               ? tsl_cg_matrix(&out->matrix, context, out->cg, 0, out->cg->rows)
               : TSL_OK;
}

void tsl_ladder_case_end(tsl_ladder_case *what)
{
    tsl_csr_free(&what->matrix);
}

/* ---- verification ------------------------------------------------------------------------- */

static void verify_ep(tsl_ladder_outcome *out, const tsl_ep_class *expected,
                      const tsl_ladder_sums *sums)
{
    int64_t pairs = 0;
    for (int l = 0; l < TSL_EP_ANNULI; l++) {
        pairs += sums->counts[l];
    }
    out->error = tsl_ep_error_signed(expected, sums->x, sums->y);
    out->verified = out->error <= 1e-8 && (double)pairs == expected->gaussians;
}

static void verify_cg(tsl_ladder_outcome *out, const tsl_cg_class *expected, double zeta)
{
    out->error = fabs(zeta - expected->zeta) / expected->zeta;
    out->verified = out->error <= 1e-10;
}

/* ---- versions ----------------------------------------------------------------------------- */

static tsl_status run_ep(tsl_ladder_outcome *out, tsl_context *context, const tsl_ep_class *what,
                         int number)
{
    const int64_t parts = (INT64_C(1) << what->log2_pairs) / TSL_LADDER_PAIRS;
    const tsl_ladder_place place = ep_versions[number].place;
    tsl_ladder_sums sums = {0};
    tsl_status status;
    if (place == TSL_LADDER_DEVICE || place == TSL_LADDER_DEVICES) {
        tsl_npb_ep ep = {0};
        status = tsl_npb_ep_run(&ep, context, what->name);
        out->times = (tsl_ladder_times){.compute = ep.seconds, .thesis = ep.seconds};
        out->error = fmax(ep.error_signed, ep.error_absolute);
        out->verified = ep.verified != 0;
        return status;
    }
    if (place == TSL_LADDER_GPUS) {
        status = tsl_ladder_ep_v8(&sums, &out->times, context, parts);
    } else {
        const tsl_ladder_ep run = place == TSL_LADDER_GPU
                                      ? context->ops->ladder->ep[number - FIRST_GPU]
                                      : tsl_ladder_ep_loop;
        status = run(&sums, &out->times, context, 0, parts);
    }
    verify_ep(out, what, &sums);
    return status;
}

static tsl_status run_cg(tsl_ladder_outcome *out, tsl_context *context, const tsl_ladder_case *what,
                         int number)
{
    const tsl_ladder_place place = cg_versions[number].place;
    double zeta = 0;
    if (place == TSL_LADDER_DEVICE || place == TSL_LADDER_DEVICES) {
        tsl_npb_cg cg = {0};
        const tsl_status status = tsl_npb_cg_run(&cg, context, what->cg->name);
        out->times = (tsl_ladder_times){.compute = cg.seconds, .thesis = cg.seconds + cg.bring};
        out->error = cg.error;
        out->verified = cg.verified != 0;
        return status;
    }
    const bool on_gpu = place == TSL_LADDER_GPU || place == TSL_LADDER_GPUS;
    tsl_status status =
        on_gpu ? tsl_ladder_cg_run(&zeta, &out->times, context, number - FIRST_GPU, what->cg,
                                   &what->matrix)
               : tsl_ladder_cg_loop(&zeta, &out->times, context, what->cg, &what->matrix);
    if (status == TSL_OK && place == TSL_LADDER_GPUS) { /* rank 0 has the answer, and the clocks */
        status = tsl_comm_broadcast(context->comm, NULL, &zeta, sizeof zeta, 0);
    }
    if (status == TSL_OK && place == TSL_LADDER_GPUS) {
        status = tsl_comm_broadcast(context->comm, NULL, &out->times, sizeof out->times, 0);
    }
    verify_cg(out, what->cg, zeta);
    return status;
}

bool tsl_ladder_runs_on(const tsl_context *context, bool is_cg, int number)
{
    const int ranks = context->comm->size;
    switch (is_cg ? cg_versions[number].place : ep_versions[number].place) {
    case TSL_LADDER_ONE_CORE:
        return strcmp(context->ops->name, "cpu") == 0 && context->threads == 1;
    case TSL_LADDER_ALL_CORES:
        return strcmp(context->ops->name, "cpu") == 0;
    case TSL_LADDER_GPU:
    case TSL_LADDER_GPUS: /* the smallest class has as many blocks for a rank each */
        return context->ops->ladder != NULL && ranks <= TSL_CG_RANKS;
    case TSL_LADDER_DEVICE:
    case TSL_LADDER_DEVICES:
        break;
    }
    return !is_cg || ranks == 1 || context->ops->cg->product != NULL;
}

tsl_status tsl_ladder_run(tsl_ladder_outcome *out, tsl_context *context,
                          const tsl_ladder_case *what, int number)
{
    const bool is_cg = what->cg != NULL;
    memset(out, 0, sizeof *out);
    if (!tsl_ladder_runs_on(context, is_cg, number)) {
        tsl_fail(context, TSL_E_UNSUPPORTED, "%s: version %s of %s does not run there",
                 context->name, is_cg ? cg_versions[number].name : ep_versions[number].name,
                 is_cg ? "CG" : "EP");
        return tsl_comm_refuse(context, TSL_E_UNSUPPORTED);
    }
    const tsl_status status =
        is_cg ? run_cg(out, context, what, number) : run_ep(out, context, what->ep, number);
    return tsl_comm_refuse(context, status);
}
