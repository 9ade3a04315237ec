/* Runs of the versions of docking. */
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "blocks/convolve/offload.h"
#include "cli/dock/ladder.h"
#include "io/file/output.h"
#include "io/file/sha256.h"

const dock_version dock_versions[DOCK_VERSIONS] = {
    {"one-core", NULL, DOCK_ON_ONE_CORE, false, false, DOCK_QUEUE},
    {"all-cores", NULL, DOCK_ON_ALL_CORES, false, false, DOCK_QUEUE},
    {"fft-on-gpu-only", "V1", DOCK_TRANSFORMS_ON_GPU, true, false, DOCK_QUEUE},
    {"all-on-gpu", "V2", DOCK_ON_GPU, true, false, DOCK_QUEUE},
    {"buffered-output", "V3", DOCK_ON_GPU, true, true, DOCK_QUEUE},
    {"static-split", "V4, V5", DOCK_ON_ALL_DEVICES, true, true, DOCK_EQUAL_PARTS},
    {"weighted-split", "V6", DOCK_ON_ALL_DEVICES, true, true, DOCK_MEASURED_PARTS},
    {"one-device", NULL, DOCK_ON_GPU, false, false, DOCK_QUEUE},
    {"all-devices", NULL, DOCK_ON_ALL_DEVICES, false, false, DOCK_QUEUE},
};

/* ---- which versions ----------------------------------------------------------------------- */

/* "V4", "v4" and "4" are the same. */
static bool is_named(const dock_version *version, const char *text, size_t length)
{
    const size_t letter = text[0] == 'V' || text[0] == 'v';
    bool named = strlen(version->name) == length && strncmp(version->name, text, length) == 0;
    for (const char *at = version->source; at != NULL; at = strchr(at + 1, 'V')) {
        named = named || (length == letter + 1 && text[letter] == at[1]);
    }
    return named;
}

bool dock_ladder_choose(bool asked[DOCK_VERSIONS], const char *list)
{
    bool weighted = false;
    for (int i = 0; i < DOCK_VERSIONS; i++) {
        asked[i] = list == NULL || dock_versions[i].place <= DOCK_ON_ALL_CORES;
    }
    for (const char *text = list; text != NULL;) {
        const size_t length = strcspn(text, ",");
        bool found = false;
        for (int i = 0; i < DOCK_VERSIONS; i++) {
            const bool named = is_named(&dock_versions[i], text, length);
            asked[i] = asked[i] || named;
            found = found || named;
            weighted = weighted || (named && dock_versions[i].split == DOCK_MEASURED_PARTS);
        }
        if (!found) {
            cli_error("--variant '%.*s': the ladder has V1 to V6, or one-core, all-cores, "
                      "fft-on-gpu-only, all-on-gpu, buffered-output, static-split, "
                      "weighted-split, one-device and all-devices",
                      (int)length, text);
            return false;
        }
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    for (int i = 0; i < DOCK_VERSIONS; i++) {
        asked[i] = asked[i] || (weighted && dock_versions[i].split == DOCK_EQUAL_PARTS);
    }
    return true;
}

/* Rotations, for each rank, of the run before those that are timed. */
enum { WARM_UP = 4 };

/* ---- one run ------------------------------------------------------------------------------ */

static tsl_status record(dock_ladder *ladder, dock_rung *rung, const dock_pair *pair)
{
    char path[DOCK_PATH], digest[65];
    rung->seconds[rung->runs] = pair->computed - pair->begun;
    rung->search[rung->runs] = pair->computed - pair->ready;
    rung->runs++;
    ladder->compute += pair->computed - pair->begun;
    ladder->grid = pair->summary.grid;
    const tsl_status status = tsl_sha256_file(
        ladder->work->context, dock_path(path, pair->folder, "ftdock_global.dat"), digest);
    if (status == TSL_OK) {
        if (ladder->digest[0] == '\0') {
            memcpy(ladder->digest, digest, sizeof digest);
        }
        rung->same =
            rung->same && dock_pair_verified(pair) == 1 && strcmp(digest, ladder->digest) == 0;
    }
    return status;
}

/* Note how fast each rank was when all had equal parts: the weighted split is in proportion to
 * that. */
static void keep_rates(dock_ladder *ladder, const dock_pair *pair)
{
    ladder->measured = true;
    for (int q = 0; q < ladder->work->ranks; q++) {
        const dock_share *share = &pair->shares[q];
        ladder->rates[q] = share->seconds > 0 ? (double)share->rotations / share->seconds : 0;
        ladder->measured = ladder->measured && ladder->rates[q] > 0;
    }
}

/* Dock the pair as `work` says, reading it anew. */
static tsl_status dock_once(dock_ladder *ladder, dock_rung *rung, dock_work *work, bool counts)
{
    dock_input receptor, ligand;
    dock_pair pair = dock_pair_of(work->options, &receptor, &ligand);
    cli_be_silent(true);
    tsl_status status = dock_pair_run(work, &pair);
    cli_be_silent(ladder->work->rank > 0);
    if (status == TSL_OK && counts && work->rank == 0) {
        status = record(ladder, rung, &pair);
    }
    if (status == TSL_OK && counts && rung->version->split == DOCK_EQUAL_PARTS) {
        keep_rates(ladder, &pair);
    }
    dock_pair_free(&pair);
    tsl_dock_plan_destroy(work->plan);
    work->plan = NULL;
    dock_input_free(&receptor);
    dock_input_free(&ligand);
    return status;
}

/* Run a version as often as asked for, with the context and the ranks of `work`; a first run warms
 * up. */
static tsl_status repeat(dock_ladder *ladder, dock_rung *rung, dock_work work)
{
    char folder[DOCK_PATH];
    const dock_version *v = rung->version;
    const dock_rotations all = work.rotations;
    const int64_t few = WARM_UP * (int64_t)work.ranks;
    dock_options options = *work.options;
    options.folder = dock_path(folder, ladder->folder, v->name);
    if (v->plain) {
        options.dock.correlation = TSL_CORRELATION_PLAIN;
        options.dock.batch = 1;
    }
    work.options = &options;
    work.manner.keeps_at_end = v->keeps_at_end;
    work.manner.parts = v->split == DOCK_EQUAL_PARTS      ? ladder->equal
                        : v->split == DOCK_MEASURED_PARTS ? ladder->rates
                                                          : NULL;
    rung->same = true;
    work.rotations.count = few < all.count ? few : all.count;
    tsl_status status = dock_once(ladder, rung, &work, false);
    work.rotations = all;
    for (int i = 0; i < options.repeat && status == TSL_OK; i++) {
        status = cli_agree(work.context, dock_once(ladder, rung, &work, true));
    }
    return status;
}

/* ---- one version -------------------------------------------------------------------------- */

/* The ladder's counters: versions that rank 0 has done alone, and ranks that wait for it and have
 * had each of these signals. */
static const int signals[TSL_COUNTERS] = {0, SIGINT, SIGTERM, SIGHUP};
enum { DONE = 0 };

/* Wait until rank 0 has done another version alone. This rank sleeps, so that rank 0 has the
 * processors. */
static tsl_status wait_for_first(dock_ladder *ladder)
{
    int64_t add[TSL_COUNTERS] = {0}, seen[TSL_COUNTERS] = {0};
    bool told = false;
    tsl_status status = tsl_counters_add(ladder->turns, add, seen);
    while (status == TSL_OK && seen[DONE] < ladder->turn) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        const int signal = told ? 0 : cli_signal();
        for (int i = 1; i < TSL_COUNTERS; i++) {
            add[i] = signal == signals[i];
        }
        told = told || signal != 0;
        status = tsl_counters_add(ladder->turns, add, seen);
    }
    return status;
}

/* Look for signals that came to other ranks, on rank 0, while they wait for it. A failure shows
 * later, when ranks agree. */
static void hear(void *user)
{
    dock_ladder *ladder = user;
    const int64_t nothing[TSL_COUNTERS] = {0};
    int64_t seen[TSL_COUNTERS] = {0};
    if (tsl_counters_add(ladder->turns, nothing, seen) != TSL_OK) {
        return;
    }
    for (int i = 1; i < TSL_COUNTERS; i++) {
        if (seen[i] > 0) {
            cli_take_signal(signals[i]);
        }
    }
}

/* Open a context that belongs to no other rank. */
static tsl_status open_alone(tsl_context **out, dock_ladder *ladder, const char *device,
                             int threads)
{
    const tsl_status status = cli_open_rank(out, device, threads, NULL);
    return status == TSL_OK ? TSL_OK
                            : tsl_fail(ladder->work->context, status, "%s", tsl_last_error(NULL));
}

static tsl_status repeat_alone(dock_ladder *ladder, dock_rung *rung, tsl_context *context)
{
    const dock_work *work = ladder->work;
    cli_placement placement = work->placements[0];
    cli_placement_take_device(&placement, context);
    const dock_work alone = {.options = work->options,
                             .comm = context->comm,
                             .context = context,
                             .ranks = 1,
                             .placements = &placement,
                             .devices = placement.device,
                             .rotations = work->rotations,
                             .manner = {.hear = hear, .user = ladder},
                             .begun = work->begun};
    const tsl_status status = repeat(ladder, rung, alone);
    return status == TSL_OK ? TSL_OK
                            : tsl_fail(work->context, status, "%s", tsl_last_error(context));
}

const char *dock_rung_devices(const dock_ladder *ladder, const dock_rung *rung)
{
    const dock_place place = rung->version->place;
    return place == DOCK_ON_ALL_DEVICES ? ladder->work->devices
           : place <= DOCK_ON_ALL_CORES ? "cpu"
                                        : ladder->work->placements[0].device;
}

/* Run a version on one device or on the CPU, on rank 0. */
static tsl_status run_alone(dock_ladder *ladder, dock_rung *rung)
{
    const dock_work *work = ladder->work;
    const dock_place place = rung->version->place;
    const char *devices = dock_rung_devices(ladder, rung);
    const char *own = place == DOCK_TRANSFORMS_ON_GPU ? "cpu" : devices;
    const int threads = place == DOCK_ON_ALL_CORES ? work->options->common.threads : 1;
    tsl_context *context = NULL, *other = NULL;
    tsl_offload offload;
    tsl_status status = open_alone(&context, ladder, own, threads);
    if (status == TSL_OK && place == DOCK_TRANSFORMS_ON_GPU) {
        status = open_alone(&other, ladder, devices, 1);
        if (status == TSL_OK) {
            tsl_convolve_offload(&offload, context, other);
        }
    }
    if (status == TSL_OK) {
        status = repeat_alone(ladder, rung, context);
    }
    tsl_context_destroy(context);
    tsl_context_destroy(other);
    return status;
}

/* Say why a version cannot be run here; "" where it can. */
static void find_reason(const dock_ladder *ladder, dock_rung *rung)
{
    const dock_work *work = ladder->work;
    const dock_version *v = rung->version;
    const bool wants_gpu = v->place == DOCK_TRANSFORMS_ON_GPU || v->place == DOCK_ON_GPU;
    if (wants_gpu && work->context->ops->peer == NULL) {
        snprintf(rung->reason, sizeof rung->reason, "the first device, %s, is no GPU",
                 work->context->name);
    } else if (v->place == DOCK_ON_ALL_DEVICES && work->ranks == 1) {
        snprintf(rung->reason, sizeof rung->reason, "there is one device");
    } else if (v->split == DOCK_MEASURED_PARTS && !ladder->measured) {
        snprintf(rung->reason, sizeof rung->reason, "a device had no rotation in the static split");
    }
}

static tsl_status run_version(dock_ladder *ladder, dock_rung *rung)
{
    const dock_work *work = ladder->work;
    tsl_status status = TSL_OK;
    find_reason(ladder, rung);
    if (rung->version->place == DOCK_ON_ALL_DEVICES) {
        return rung->reason[0] == '\0' ? repeat(ladder, rung, *work) : TSL_OK;
    }
    ladder->turn++;
    if (work->rank > 0) {
        status = wait_for_first(ladder);
    } else {
        const int64_t done[TSL_COUNTERS] = {[DONE] = 1};
        int64_t before[TSL_COUNTERS];
        status = rung->reason[0] == '\0' ? run_alone(ladder, rung) : TSL_OK;
        const tsl_status told = tsl_counters_add(ladder->turns, done, before);
        status = status == TSL_OK ? told : status;
    }
    return cli_agree(work->context, status);
}

/* ---- all of them -------------------------------------------------------------------------- */

static tsl_status make_folder(dock_ladder *ladder)
{
    const dock_work *work = ladder->work;
    const char *place = getenv("TMPDIR");
    tsl_status status = TSL_OK;
    if (work->options->folder != NULL) {
        snprintf(ladder->folder, sizeof ladder->folder, "%s", work->options->folder);
        return TSL_OK;
    }
    if (work->rank == 0) {
        place = place != NULL && place[0] != '\0' ? place : "/tmp";
        const int length = snprintf(ladder->folder, sizeof ladder->folder,
                                    "%.*s/tesela-ladder-XXXXXX", DOCK_FOLDER_LENGTH, place);
        ladder->is_scratch = length > 0 && mkdtemp(ladder->folder) != NULL;
        if (!ladder->is_scratch) {
            status = tsl_fail(work->context, TSL_E_IO,
                              "%s: cannot make a folder there: give another with -o", place);
        }
    }
    status = cli_agree(work->context, status);
    return status == TSL_OK
               ? tsl_comm_broadcast(work->comm, NULL, ladder->folder, sizeof ladder->folder, 0)
               : status;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static tsl_status prepare(dock_ladder *ladder)
{
    dock_work *work = ladder->work;
    tsl_status status = TSL_OK;
    ladder->equal = tsl_allocate(2 * (size_t)work->ranks * sizeof *ladder->equal);
    if (ladder->equal == NULL) {
        status = tsl_fail_memory(work->context, 2 * work->ranks * (int64_t)sizeof *ladder->equal,
                                 "the parts of the ranks");
    }
    status = cli_agree(work->context, status);
    if (status != TSL_OK) {
        return status;
    }
    ladder->rates = ladder->equal + work->ranks;
    for (int q = 0; q < work->ranks; q++) {
        ladder->equal[q] = 1;
    }
    status = tsl_counters_create(&ladder->turns, work->comm);
    return status == TSL_OK ? make_folder(ladder) : status;
}

static tsl_status run_all(dock_ladder *ladder)
{
    const dock_work *work = ladder->work;
    FILE *stream = cli_summary_stream(&work->options->common);
    bool asked[DOCK_VERSIONS];
    int done = 0, total = 0;
    tsl_status status = TSL_OK;
    dock_ladder_choose(asked, work->options->variants);
    for (int i = 0; i < DOCK_VERSIONS; i++) {
        ladder->rungs[i] = (dock_rung){.version = &dock_versions[i], .asked = asked[i]};
        total += asked[i];
    }
    for (int i = 0; i < DOCK_VERSIONS && status == TSL_OK; i++) {
        if (!asked[i]) {
            continue;
        }
        status = run_version(ladder, &ladder->rungs[i]);
        if (status == TSL_OK && !cli_is_quiet()) {
            if (i == 0) {
                dock_ladder_print_head(stream, ladder);
            }
            dock_ladder_print_row(stream, ladder, &ladder->rungs[i]);
            cli_flush(stream);
        } else if (status == TSL_E_CANCELLED) {
            tsl_fail(work->context, status, "interrupted: %d of %d versions are measured", done,
                     total);
        }
        done++;
    }
    return status == TSL_OK
               ? cli_agree(work->context, work->rank == 0 ? dock_ladder_write(ladder) : TSL_OK)
               : status;
}

int dock_ladder_run(dock_work *work)
{
    dock_ladder ladder = {.work = work};
    cli_defer_signals(true);
    tsl_status status = prepare(&ladder);
    if (status == TSL_OK) {
        status = run_all(&ladder);
    }
    int exit_status = dock_end(work, status);
    if (status == TSL_OK && work->rank == 0 && !dock_ladder_verified(&ladder)) {
        cli_error("the versions do not give the same list of poses: see the table");
        exit_status = CLI_CHECK_FAILED;
    }
    if (ladder.is_scratch) {
        nftw(ladder.folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
    tsl_counters_destroy(ladder.turns);
    tsl_release(ladder.equal);
    cli_defer_signals(false);
    return exit_status;
}
