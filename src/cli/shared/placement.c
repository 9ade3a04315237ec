/* The device and the number of CPU threads that a rank takes. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/shared/ranks.h"
#include "comm/comm.h"
#include "device/device.h"

/* Where a rank runs. */
typedef struct place {
    char host[TSL_COMM_HOST];
    cpu_set_t processors;
    char device[64];
} place;

static bool is_on_cpu(const place *p)
{
    return strncmp(p->device, "cuda", 4) != 0;
}

/* The share of a host's processors for a rank on the CPU. Each rank on a GPU takes a processor away
 * from those on the CPU; where all are on GPUs, they share the processors. */
static int share_of_processors(const place *all, int size, int rank)
{
    const place *mine = &all[rank];
    double share = 0;
    int on_cpu = 0, on_gpu = 0;
    for (int q = 0; q < size; q++) {
        const bool neighbour = strcmp(all[q].host, mine->host) == 0;
        on_cpu += neighbour && is_on_cpu(&all[q]);
        on_gpu += neighbour && !is_on_cpu(&all[q]);
    }
    if (!is_on_cpu(mine) && on_cpu > 0) {
        return 1;
    }
    for (size_t processor = 0; processor < CPU_SETSIZE; processor++) {
        int users = 0;
        for (int q = 0; q < size; q++) {
            users += strcmp(all[q].host, mine->host) == 0 &&
                     is_on_cpu(&all[q]) == is_on_cpu(mine) &&
                     CPU_ISSET(processor, &all[q].processors);
        }
        share += CPU_ISSET(processor, &mine->processors) ? 1.0 / users : 0;
    }
    const int threads = (int)(share - (on_cpu > 0 ? (double)on_gpu / on_cpu : 0) + 1e-6);
    return threads > 1 ? threads : 1;
}

/* Ranks of lower number on the same host. */
static int local_rank(const place *all, int rank)
{
    int before = 0;
    for (int q = 0; q < rank; q++) {
        before += strcmp(all[q].host, all[rank].host) == 0;
    }
    return before;
}

static tsl_status choose(cli_placement *out, tsl_comm *comm, const cli_common *common, place *all)
{
    place mine = {.host = ""};
    tsl_comm_host(mine.host);
    if (sched_getaffinity(0, sizeof mine.processors, &mine.processors) != 0) {
        CPU_ZERO(&mine.processors);
    }
    tsl_status status = cli_gather(comm, all, &mine, sizeof mine);
    if (status != TSL_OK) {
        return status;
    }
    cli_device_name(out->device, sizeof out->device, common->device, local_rank(all, comm->rank));
    snprintf(mine.device, sizeof mine.device, "%s", out->device);
    status = cli_gather(comm, all, &mine, sizeof mine);
    if (status == TSL_OK && common->threads == 0 && getenv("OMP_NUM_THREADS") == NULL) {
        out->threads = share_of_processors(all, comm->size, comm->rank);
    }
    return status;
}

tsl_status cli_place_rank(cli_placement *out, tsl_comm *comm, const cli_common *common)
{
    *out = (cli_placement){.threads = common->threads};
    gethostname(out->host, sizeof out->host - 1);
    if (comm->size == 1) {
        cli_device_name(out->device, sizeof out->device, common->device, 0);
        return TSL_OK;
    }
    place *all = tsl_allocate((size_t)comm->size * sizeof *all);
    if (all == NULL) {
        static const char reason[] = "out of memory: cannot placement the ranks";
        return tsl_comm_fail(comm, TSL_E_NOMEM, reason);
    }
    const tsl_status status = choose(out, comm, common, all);
    tsl_release(all);
    return status;
}

/* ---- all ranks' placements ---------------------------------------------------------------------
 */

void cli_placement_take_device(cli_placement *placement, const tsl_context *context)
{
    tsl_device_properties device = {.model = ""};
    snprintf(placement->device, sizeof placement->device, "%s", tsl_context_device(context));
    placement->threads = tsl_context_threads(context);
    context->ops->properties(context->device, &device);
    snprintf(placement->model, sizeof placement->model, "%s", device.model);
}

/* Tell all ranks what each computes with. */
static tsl_status exchange_placements(cli_rank_group *group, cli_placement placement)
{
    const size_t ranks = (size_t)group->ranks;
    cli_placement_take_device(&placement, group->context);
    group->placements = tsl_allocate(ranks * sizeof placement);
    group->devices = tsl_allocate(ranks * sizeof placement.device);
    if (group->placements == NULL || group->devices == NULL) {
        tsl_fail_memory(group->context, (int64_t)(ranks * sizeof placement), "the ranks' devices");
        return tsl_comm_fail(group->comm, TSL_E_NOMEM, tsl_last_error(group->context));
    }
    const tsl_status status =
        cli_gather(group->comm, group->placements, &placement, sizeof placement);
    for (int q = 0, used = 0; q < group->ranks && status == TSL_OK; q++) {
        used +=
            sprintf(group->devices + used, "%s%s", q > 0 ? "," : "", group->placements[q].device);
    }
    return status;
}

/* Print "3 ranks: cuda:0, cuda:1, cpu (14 threads)". */
static void note_ranks(const cli_rank_group *group)
{
    enum { SHOWN = 16 };
    char text[SHOWN * 96 + 32];
    int used = 0;
    for (int q = 0; q < group->ranks && q < SHOWN; q++) {
        const cli_placement *placement = &group->placements[q];
        used += sprintf(text + used, "%s%s", q > 0 ? ", " : "", placement->device);
        if (strcmp(placement->device, "cpu") == 0) {
            used += sprintf(text + used, " (%d thread%s)", placement->threads,
                            placement->threads == 1 ? "" : "s");
        }
    }
    if (group->ranks > SHOWN) {
        sprintf(text + used, " and %d more", group->ranks - SHOWN);
    }
    cli_note("%d ranks: %s", group->ranks, text);
}

tsl_status cli_rank_group_open(cli_rank_group *out, tsl_comm *comm, const cli_common *common)
{
    *out = (cli_rank_group){.comm = comm, .rank = comm->rank, .ranks = comm->size};
    cli_placement placement;
    tsl_status status = cli_place_rank(&placement, comm, common);
    if (status == TSL_OK) {
        status = cli_open_rank(&out->context, placement.device, placement.threads, comm);
        if (status != TSL_OK) {
            tsl_comm_fail(comm, status, tsl_last_error(NULL));
        }
    }
    if (status == TSL_OK) {
        status = exchange_placements(out, placement);
    }
    if (status == TSL_OK && out->ranks > 1) {
        note_ranks(out);
    }
    return status;
}

void cli_rank_group_close(cli_rank_group *group)
{
    tsl_release(group->placements);
    tsl_release(group->devices);
    tsl_context_destroy(group->context);
}
