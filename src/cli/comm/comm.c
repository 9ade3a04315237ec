/* `tesela comm bench`: how fast ranks reach each other. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/comm/command.h"
#include "cli/shared/ranks.h"
#include "comm/plugin.h"
#include "device/device.h"
#include "io/file/output.h"

enum { MOST_MEASUREMENTS = 256, SMALLEST = 16, STEP = 4 };

typedef struct bench {
    cli_common common;
    bool asked; /* the word "bench" */
    int ranks;  /* 0: not given */
    int64_t most;
    int repeats;
    tsl_comm_way way; /* of device memory, if --path is given */
    const char *figure;
    double begun;
    /* on rank 0 only */
    int size, count;
    char path[TSL_DEVICE_NAME + 256]; /* "mpi, cuda:0 memory by NCCL 2.28.9" */
    const cli_rank_group *group;
    double link; /* bytes a second; 0: some rank has no link */
    tsl_comm_measurement measurements[MOST_MEASUREMENTS];
} bench;

/* ---- measuring ---------------------------------------------------------------------------- */

static bool is_skipped(tsl_measured operation, const tsl_comm *comm, const tsl_context *memory)
{
    return (operation == TSL_MEASURED_LINK && comm->size == 1) ||
           (operation == TSL_MEASURED_ROWS && !tsl_comm_has_rows(comm, memory));
}

static tsl_status measure_all(bench *b, tsl_comm *comm, tsl_context *memory, void *work)
{
    tsl_status status = TSL_OK;
    for (int i = 0; i < TSL_MEASURED; i++) {
        const tsl_measured operation = (tsl_measured)i;
        for (int64_t bytes = tsl_measured_has_bytes(operation) ? SMALLEST : 0;
             bytes <= b->most && status == TSL_OK && !is_skipped(operation, comm, memory);
             bytes *= STEP) {
            tsl_comm_measurement found;
            status = tsl_comm_measure(&found, comm, memory, operation, bytes, b->repeats, work);
            if (comm->rank == 0 && status == TSL_OK && b->count < MOST_MEASUREMENTS) {
                b->measurements[b->count++] = found;
            }
            if (bytes == 0) {
                break;
            }
        }
    }
    return status;
}

/* Shares are relative to the link: the rate of the largest message sent one way. */
static void add_shares(bench *b)
{
    for (int i = 0; i < b->count; i++) {
        if (b->measurements[i].operation == TSL_MEASURED_LINK) {
            b->link = b->measurements[i].bandwidth;
        }
    }
    for (int i = 0; i < b->count && b->link > 0; i++) {
        b->measurements[i].share = b->measurements[i].bandwidth / b->link;
    }
}

static tsl_status run_with(bench *b, tsl_comm *comm, tsl_context *context)
{
    tsl_context *memory = context->ops->peer != NULL ? context : NULL;
    const int64_t bytes = tsl_comm_measure_bytes(comm, b->most);
    char what[64], most[16];
    snprintf(what, sizeof what, "messages of %s among %d ranks need",
             tsl_format_bytes(most, b->most), comm->size);
    const tsl_device_need need = {.what = what, .remedy = "take a smaller --most", .device = bytes};
    void *work = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_comm_foresee(context, &need));
    TSL_TRY(tsl_device_allocate(&work, context, bytes, "messages"));
    TSL_TRY(context->ops->fill(context, work, 0, bytes));
    TSL_TRY(measure_all(b, comm, memory, work));
done:
    if (status == TSL_OK && comm->rank == 0) {
        b->size = comm->size;
        const char *way = tsl_comm_memory_path(comm, memory);
        snprintf(b->path, sizeof b->path, "%s, %s memory%s%s", tsl_comm_path(comm),
                 memory != NULL ? context->name : "host", way != NULL ? " by " : "",
                 way != NULL ? way : "");
    }
    tsl_device_release(context, work);
    return status;
}

static tsl_status report(const bench *b, tsl_context *context);

/* Is all ranks' memory on devices, or all on hosts? Collective. */
static tsl_status check_memory(const bench *b, tsl_comm *comm, tsl_context *context)
{
    const int32_t is_device = context->ops->peer != NULL;
    int32_t least[2] = {is_device, -is_device};
    const tsl_status status =
        tsl_comm_all_reduce(comm, NULL, least, 2, TSL_COMM_INT32, TSL_COMM_MIN);
    if (status == TSL_OK && least[0] != -least[1]) {
        return tsl_fail(context, TSL_E_ARG,
                        "--device %s: messages go from memory of a kind to the same: give devices "
                        "of one kind, e.g. cuda:0-3",
                        b->common.device);
    }
    return status == TSL_OK && cli_given(&b->common, &b->way) && !is_device
               ? tsl_fail(context, TSL_E_ARG,
                          "--path %s: it is for device memory, and messages are in the host's: "
                          "give --device, e.g. cuda:0-1",
                          tsl_comm_way_name(b->way))
               : status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    bench *b = user;
    cli_rank_group group;
    cli_common common = b->common;
    common.threads = common.threads > 0 ? common.threads : 1;
    cli_be_silent(true); /* the table says who the ranks are */
    tsl_status status = cli_rank_group_open(&group, comm, &common);
    cli_be_silent(false);
    if (status == TSL_OK) {
        status = check_memory(b, comm, group.context);
        if (status == TSL_OK) {
            status = run_with(b, comm, group.context);
        }
        if (status == TSL_OK && comm->rank == 0) {
            b->group = &group;
            add_shares(b);
            status = report(b, group.context);
        }
        if (status != TSL_OK) {
            tsl_comm_fail(comm, status, tsl_last_error(group.context));
        }
    }
    cli_rank_group_close(&group);
    return status;
}

/* ---- reports ------------------------------------------------------------------------------ */

static void print_table(const bench *b, FILE *stream)
{
    char size[16];
    fprintf(stream, "%d rank%s: %s\n", b->size, b->size == 1 ? "" : "s", b->path);
    if (b->link > 0) {
        fprintf(stream, "link, one way: %.3f GB/s\n", b->link / 1e9);
    }
    fprintf(stream, "\n%-19s %10s %12s %10s %8s\n", "operation", "message", "time us", "GB/s",
            "of link");
    for (int i = 0; i < b->count; i++) {
        const tsl_comm_measurement *m = &b->measurements[i];
        fprintf(stream, "%-19s %10s %12.2f", tsl_measured_name(m->operation),
                m->bytes > 0 ? tsl_format_bytes(size, m->bytes) : "-", 1e6 * m->seconds);
        if (m->sent > 0) {
            fprintf(stream, " %10.3f %7.1f%%", m->bandwidth / 1e9, 100 * m->share);
        }
        fputc('\n', stream);
    }
}

static void write_csv_rows(FILE *stream, const void *work)
{
    const bench *b = work;
    fprintf(stream, "path,ranks,operation,message_bytes,sent_bytes,seconds,bytes_per_second,"
                    "share_of_link\n");
    for (int i = 0; i < b->count; i++) {
        const tsl_comm_measurement *m = &b->measurements[i];
        fprintf(stream, "\"%s\",%d,%s,%" PRId64 ",%" PRId64 ",%.9g,%.6g,%.4f\n", b->path, b->size,
                tsl_measured_name(m->operation), m->bytes, m->sent, m->seconds, m->bandwidth,
                m->share);
    }
}

static tsl_status write_csv(const bench *b, tsl_context *context)
{
    return cli_csv_write(context, b->common.csv, write_csv_rows, b);
}

static void write_body(tsl_json *json, const void *work)
{
    const bench *b = work;
    tsl_json_open_object(json, "parameters");
    tsl_json_integer(json, "most", b->most);
    tsl_json_integer(json, "repeats", b->repeats);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_string(json, "path", b->path);
    tsl_json_open_array(json, "ranks");
    for (int q = 0; q < b->size; q++) {
        const cli_placement *placement = &b->group->placements[q];
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "host", placement->host);
        tsl_json_string(json, "device", placement->device);
        tsl_json_string(json, "model", placement->model);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_number(json, "link", b->link > 0 ? b->link : 0);
    tsl_json_open_array(json, "measurements");
    for (int i = 0; i < b->count; i++) {
        const tsl_comm_measurement *m = &b->measurements[i];
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "operation", tsl_measured_name(m->operation));
        tsl_json_integer(json, "message_bytes", m->bytes);
        tsl_json_integer(json, "sent_bytes", m->sent);
        tsl_json_number(json, "seconds", m->seconds);
        tsl_json_number(json, "bytes_per_second", m->bandwidth);
        tsl_json_number(json, "share_of_link", m->share);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static tsl_status write_json(const bench *b, tsl_context *context)
{
    const double total = tsl_seconds() - b->begun;
    const cli_report report = {.command = "comm bench",
                               .device = b->group->devices,
                               .ranks = b->size,
                               .verified = -1,
                               .total = total,
                               .compute = total};
    return cli_report_write(context, b->common.json, &report, write_body, b);
}

static tsl_status report(const bench *b, tsl_context *context)
{
    tsl_status status = TSL_OK;
    if (!b->common.quiet) {
        print_table(b, cli_summary_stream(&b->common));
    }
    if (b->common.csv != NULL) {
        status = write_csv(b, context);
    }
    if (status == TSL_OK && b->figure != NULL) {
        char title[128];
        /* without the reason, which is long */
        snprintf(title, sizeof title, "%d ranks: %.*s", b->size, (int)strcspn(b->path, "("),
                 b->path);
        status = comm_figure(context, b->figure, title, b->measurements, b->count);
    }
    if (status == TSL_OK && b->common.json != NULL) {
        status = write_json(b, context);
    }
    return status;
}

/* ---- command line ------------------------------------------------------------------------- */

static const char *way_name(int place)
{
    return place < TSL_COMM_WAYS ? tsl_comm_way_name((tsl_comm_way)place) : NULL;
}

static const cli_option rows[] = {
    {.heading = "What is measured:"},
    {"ranks", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(bench, ranks), .range = {1, 64},
     .help = "ranks, as threads, @; under mpirun its processes are the ranks",
     .otherwise = "one for each device of --device, at least 2"},
    {"most", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(bench, most),
     .range = {SMALLEST, INT64_C(1) << 32}, .help = "largest message, @, e.g. 256M"},
    {"repeats", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(bench, repeats), .range = {1, 101},
     .help = "number of measurements, whose median is reported"},
    {"path", .value = "PATH", .kind = CLI_CHOICE, CLI_FIELD(bench, way), .word = way_name,
     .help = "how device memory is exchanged between processes of mpirun: @; auto: the first of "
             "these that is available, and with nccl, staged for small messages"},
    {.heading = cli_reporting},
    {"csv", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(bench, common.csv), .written = CLI_TABLE,
     .help = "write the table"},
    {"figure", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(bench, figure), .written = CLI_FIGURE,
     .help = "draw bandwidth over message size"},
    {0}};

static error_t set_argument(void *options, const char *text)
{
    (void)options;
    cli_error("'%s': comm has one action, bench (see tesela comm --help)", text);
    return EINVAL;
}

/* Check --path and the variable of the environment, which choose the way of device memory. */
static bool check_way(const bench *b)
{
    const char *set = getenv(TSL_COMM_PATH_VARIABLE);
    if (!cli_given(&b->common, &b->way) && set != NULL && tsl_comm_way_of(set) == TSL_COMM_WAYS) {
        cli_error(TSL_COMM_PATH_VARIABLE "=%s: give " TSL_COMM_WAY_LIST, set);
        return false;
    }
    if (cli_given(&b->common, &b->way) && !cli_is_launched()) {
        cli_error("--path is for the processes of mpirun: threads copy from each other's memory");
        return false;
    }
    return true;
}

/* Check the options against each other. */
static bool check(void *options)
{
    const bench *const b = options;
    if (!b->asked) {
        cli_error("comm: say what to do: tesela comm bench (see tesela comm --help)");
        return false;
    }
    const int devices = cli_device_count(b->common.device);
    if (b->ranks > 0 && cli_is_launched()) {
        cli_error("--ranks does not go with mpirun: its processes are the ranks");
        return false;
    }
    if (b->ranks > 0 && b->ranks < devices && strcmp(b->common.device, "auto") != 0) {
        cli_error("--ranks %d: --device %s has %d devices: give as many ranks, or more", b->ranks,
                  b->common.device, devices);
        return false;
    }
    if (b->common.profile) {
        cli_error("--profile does not go with comm bench: its table is where the time went");
        return false;
    }
    return check_way(b) && cli_check_files(&b->common, NULL, 0);
}

static const char command_doc[] =
    "Measure communication between ranks: latency and bandwidth of each operation by message size, "
    "and the bandwidth as a share of the link's. The link's bandwidth is that of the largest "
    "message from rank 0 to rank 1. Bandwidth is the number of bytes that a rank sends or "
    "receives, whichever is more, divided by the time of the slowest rank. --device takes a list "
    "with one device for each rank in turn; without it messages are in host memory.\v"
    "Operations:\n"
    "  barrier             all ranks wait for each other\n"
    "  broadcast           rank 0's message to all ranks\n"
    "  all-reduce          element-wise maximum of all ranks' doubles, to all ranks\n"
    "  2-value all-reduce  sum of two doubles, prepared beforehand, as solvers use it\n"
    "  gather to all       each rank's message to all ranks\n"
    "  all-to-all          a message from each rank to each rank\n"
    "  all-to-all of rows  the same in 64 rows that are not contiguous, by MPI's derived\n"
    "                      datatypes (mpirun, host memory)\n"
    "  ring exchange       a message to the next rank, one from the rank before\n"
    "  one way             rank 0 to rank 1: the link\n"
    "  counters            add to counters that all ranks share, and get their old values\n"
    "\n"
    "Examples:\n"
    "  tesela comm bench --ranks 4\n"
    "  tesela comm bench --device cuda:0-3 --most 256M --csv links.csv\n"
    "  mpirun -n 4 tesela comm bench --figure mpi.svg\n"
    "  mpirun -n 2 tesela comm bench --device cuda:0-1 --path nccl --most 256M";

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(bench *)options = (bench){.common = {.device = "cpu"},
                                .most = INT64_C(4) << 20,
                                .repeats = 11,
                                .begun = tsl_seconds()};
}

static int bench_command(const cli_command *self, int argc, char **argv)
{
    bench b;
    int exit_status;
    if (!cli_parse_options(self, &b, argc, argv, &exit_status)) {
        return exit_status;
    }
    if (cli_given(&b.common, &b.way)) {
        setenv(TSL_COMM_PATH_VARIABLE, tsl_comm_way_name(b.way), 1);
    }
    if (b.ranks == 0) {
        const int devices = cli_device_count(b.common.device);
        b.ranks = devices > 1 ? devices : 2;
    }
    return cli_run_ranks(b.ranks, &b.common, run_rank, &b);
}

static const cli_task tasks[] = {{.name = "nothing"}, {.word = "bench"}, {0}};

const cli_command cli_comm = {
    .run = bench_command,
    .doc = command_doc,
    .arguments = "bench",
    .rows = rows,
    .size = sizeof(bench),
    .init = init,
    .check = check,
    .argument = set_argument,
    .tasks = tasks,
    CLI_TASK(bench, asked),
    .places = CLI_ONE_RANK,
    .device = "cpu, cuda:0, or a list, a rank each: cuda:0-3 or cuda:0,cpu; see tesela info"};
