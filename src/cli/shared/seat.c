/* Which device and how many CPU threads a rank takes. */
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

/* A host's ranks on the CPU share each processor they may run on; each of its ranks on a GPU takes
 * one away from them. Where all are on GPUs, they share them. */
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

/* Ranks before this one on its host. */
static int local_rank(const place *all, int rank)
{
    int before = 0;
    for (int q = 0; q < rank; q++) {
        before += strcmp(all[q].host, all[rank].host) == 0;
    }
    return before;
}

static tsl_status choose(cli_seat *out, tsl_comm *comm, const cli_common *common, place *all)
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

tsl_status cli_take_seat(cli_seat *out, tsl_comm *comm, const cli_common *common)
{
    *out = (cli_seat){.threads = common->threads};
    gethostname(out->host, sizeof out->host - 1);
    if (comm->size == 1) {
        cli_device_name(out->device, sizeof out->device, common->device, 0);
        return TSL_OK;
    }
    place *all = tsl_allocate((size_t)comm->size * sizeof *all);
    if (all == NULL) {
        static const char reason[] = "out of memory: cannot seat the ranks";
        return tsl_comm_fail(comm, TSL_E_NOMEM, reason);
    }
    const tsl_status status = choose(out, comm, common, all);
    tsl_release(all);
    return status;
}

/* ---- all ranks' seats --------------------------------------------------------------------- */

void cli_seat_take_device(cli_seat *seat, const tsl_context *context)
{
    tsl_device_properties device = {.model = ""};
    snprintf(seat->device, sizeof seat->device, "%s", tsl_context_device(context));
    seat->threads = tsl_context_threads(context);
    context->ops->properties(context->device, &device);
    snprintf(seat->model, sizeof seat->model, "%s", device.model);
}

/* Let all know what each computes with. */
static tsl_status exchange_seats(cli_crew *crew, cli_seat seat)
{
    const size_t ranks = (size_t)crew->ranks;
    cli_seat_take_device(&seat, crew->context);
    crew->seats = tsl_allocate(ranks * sizeof seat);
    crew->devices = tsl_allocate(ranks * sizeof seat.device);
    if (crew->seats == NULL || crew->devices == NULL) {
        tsl_fail_memory(crew->context, (int64_t)(ranks * sizeof seat), "the ranks' devices");
        return tsl_comm_fail(crew->comm, TSL_E_NOMEM, tsl_last_error(crew->context));
    }
    const tsl_status status = cli_gather(crew->comm, crew->seats, &seat, sizeof seat);
    for (int q = 0, used = 0; q < crew->ranks && status == TSL_OK; q++) {
        used += sprintf(crew->devices + used, "%s%s", q > 0 ? "," : "", crew->seats[q].device);
    }
    return status;
}

/* "3 ranks: cuda:0, cuda:1, cpu (14 threads)" */
static void note_ranks(const cli_crew *crew)
{
    enum { SHOWN = 16 };
    char text[SHOWN * 96 + 32];
    int used = 0;
    for (int q = 0; q < crew->ranks && q < SHOWN; q++) {
        const cli_seat *seat = &crew->seats[q];
        used += sprintf(text + used, "%s%s", q > 0 ? ", " : "", seat->device);
        if (strcmp(seat->device, "cpu") == 0) {
            used += sprintf(text + used, " (%d thread%s)", seat->threads,
                            seat->threads == 1 ? "" : "s");
        }
    }
    if (crew->ranks > SHOWN) {
        sprintf(text + used, " and %d more", crew->ranks - SHOWN);
    }
    cli_note("%d ranks: %s", crew->ranks, text);
}

tsl_status cli_crew_meet(cli_crew *out, tsl_comm *comm, const cli_common *common)
{
    *out = (cli_crew){.comm = comm, .rank = comm->rank, .ranks = comm->size};
    cli_seat seat;
    tsl_status status = cli_take_seat(&seat, comm, common);
    if (status == TSL_OK) {
        status = cli_open_rank(&out->context, seat.device, seat.threads, comm);
        if (status != TSL_OK) {
            tsl_comm_fail(comm, status, tsl_last_error(NULL));
        }
    }
    if (status == TSL_OK) {
        status = exchange_seats(out, seat);
    }
    if (status == TSL_OK && out->ranks > 1) {
        note_ranks(out);
    }
    return status;
}

void cli_crew_part(cli_crew *crew)
{
    tsl_release(crew->seats);
    tsl_release(crew->devices);
    tsl_context_destroy(crew->context);
}
