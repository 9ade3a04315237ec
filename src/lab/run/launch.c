/* The start of the program, and of each kernel: by this process, or by several that share its
 * blocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/run/api.h"
#include "lab/run/graph.h"
#include "lab/run/memory.h"

enum { WORTH_SHARING = 16384 }; /* threads of a launch, below which one process is as fast */

tsl_run tsl_now = {.report = -1};

/* What workers tell the process that started them. */
typedef struct told {
    uint64_t accesses;
    int failed;
    int sticky;
} told;

static told *workers_told;

/* A setting is taken out of the environment once it is read, and out of the memory that
 * /proc/self/environ shows: an answer shall not do otherwise where it is checked. */
static char *take_setting(char text[32], const char *name)
{
    char *own = getenv(name);
    if (own == NULL) {
        return NULL;
    }
    snprintf(text, 32, "%s", own);
    memset(own, ' ', strlen(own));
    unsetenv(name);
    return text;
}

static long setting(const char *name, long fallback)
{
    char text[32];
    return take_setting(text, name) != NULL ? strtol(text, NULL, 10) : fallback;
}

/* Before the learner's own constructors: those may call the device. */
__attribute__((constructor(101))) static void begin(void)
{
    char device[32];
    tsl_now.report = (int)setting("TESELA_LAB_REPORT", -1);
    tsl_now.way = setting("TESELA_LAB_CHECKS", 0) ? TSL_WAY_CHECKS : TSL_WAY_COUNTS;
    tsl_now.order = (enum tsl_order)setting("TESELA_LAB_ORDER", TSL_ORDER_FORWARD);
    tsl_now.seed = (uint64_t)setting("TESELA_LAB_SEED", 1);
    tsl_now.workers = (int)setting("TESELA_LAB_WORKERS", 1);
    tsl_now.memory = setting("TESELA_LAB_MEMORY", 4l << 30);
    tsl_now.device_major = 9;
    if (take_setting(device, "TESELA_LAB_DEVICE") != NULL) {
        sscanf(device, "%d.%d", &tsl_now.device_major, &tsl_now.device_minor);
    }
    tsl_now.outputs = (int)setting("TESELA_LAB_OUTPUTS", -1);
    tsl_now.idle = setting("TESELA_LAB_IDLE", 0) != 0;
    tsl_now.next_serial = 1;
    const bool guarded = setting("TESELA_LAB_GUARD", 0) != 0;
    if (setting("TESELA_LAB_TYPES", 0) != 0) { /* asked for nothing else */
        tsl_types_write();
        _exit(0);
    }
    tsl_symbols_own();
    tsl_counts_allocate();
    tsl_counts_use(0);
    tsl_memory_begin();
    workers_told = mmap(NULL, sizeof(told) * (TSL_MOST_WORKERS + 1), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (workers_told == MAP_FAILED) {
        tsl_fatal("out of memory");
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    tsl_memory_open(false);
    tsl_guard_begin(guarded);
    tsl_write_line("begun");
}

int tsl_lab_outputs(void)
{
    return tsl_now.outputs;
}

__attribute__((destructor(101))) static void end(void)
{
    tsl_write_line("ended");
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- configuration -------------------------------------------------------------------------- */

static int check_configuration(const tsl_lab_launch *launch, uintptr_t pc)
{
    const unsigned *g = launch->grid;
    const unsigned *b = launch->block;
    const uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    const bool old = tsl_now.device_major == 1;
    const uint64_t most = old ? 512 : TSL_MOST_THREADS;
    const uint64_t most_x = tsl_now.device_major < 3 ? 65535 : INT32_MAX;
    const size_t shared = old ? 16 << 10 : TSL_SHARED_BYTES;
    const bool fits = threads > 0 && threads <= most && b[2] <= 64 && g[0] > 0 && g[1] > 0 &&
                      g[2] > 0 && g[0] <= most_x && g[1] <= 65535 && g[2] <= (old ? 1 : 65535) &&
                      launch->shared <= shared;
    if (!fits) {
        tsl_report("launch", pc, 0,
                   "%s<<<(%u,%u,%u), (%u,%u,%u), %zu>>> cannot start: on capability %d.%d a block "
                   "has 1 to %llu threads and at most %zu shared bytes, a grid 1 to %llu x 65535 x "
                   "%d blocks",
                   launch->name, g[0], g[1], g[2], b[0], b[1], b[2], launch->shared,
                   tsl_now.device_major, tsl_now.device_minor, (unsigned long long)most, shared,
                   (unsigned long long)most_x, old ? 1 : 65535);
    }
    return fits ? 0 : 9;
}

/* ---- workers -------------------------------------------------------------------------------- */

static void work(int worker, uint64_t blocks, int workers)
{
    tsl_counts_use(worker);
    tsl_now.accesses = 0;
    tsl_run_blocks((uint64_t)worker - 1, blocks, (uint64_t)workers);
    workers_told[worker] = (told){tsl_now.accesses, tsl_now.failed, tsl_now.sticky};
    fflush(stdout);
    _exit(0);
}

/* Share the blocks among processes; each has its own stacks and shared memory, all the same global
 * memory. */
static void run_shared(uint64_t blocks, int workers)
{
    fflush(stdout);
    fflush(stderr);
    for (int w = 1; w <= workers; w++) {
        workers_told[w] = (told){.failed = 1};
        const long child = tsl_guard_fork();
        if (child == 0) {
            work(w, blocks, workers);
        } else if (child < 0) {
            tsl_fatal("cannot start a process for blocks");
        }
    }
    tsl_now.waiting = true;
    for (int w = 1; w <= workers; w++) {
        wait(NULL);
    }
    tsl_now.waiting = false;
    for (int w = 1; w <= workers; w++) {
        tsl_counts_merge(w);
        tsl_now.accesses += workers_told[w].accesses;
        tsl_now.failed = tsl_now.failed || workers_told[w].failed;
        tsl_now.sticky = workers_told[w].sticky != 0 ? workers_told[w].sticky : tsl_now.sticky;
    }
}

static void run(const tsl_lab_launch *launch)
{
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint64_t threads = blocks * launch->block[0] * launch->block[1] * launch->block[2];
    const uint64_t workers =
        blocks < (uint64_t)tsl_now.workers ? blocks : (uint64_t)tsl_now.workers;
    if (tsl_now.way == TSL_WAY_COUNTS && workers > 1 && !launch->cooperative &&
        threads >= WORTH_SHARING) {
        run_shared(blocks, (int)workers);
    } else {
        tsl_run_blocks(0, blocks, 1);
    }
}

static void write_launch(const tsl_lab_launch *launch, double begun)
{
    tsl_write_line("launch %llu %u %u %u %u %u %u %zu %llu %.6f %s",
                   (unsigned long long)tsl_now.launches, launch->grid[0], launch->grid[1],
                   launch->grid[2], launch->block[0], launch->block[1], launch->block[2],
                   launch->shared, (unsigned long long)tsl_now.accesses, seconds() - begun,
                   launch->name);
}

int tsl_lab_start(const tsl_lab_launch *launch)
{
    const uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    if (tsl_now.current != NULL || !tsl_stream_captures(launch->stream)) {
        return tsl_start_at(launch, pc);
    }
    const int wrong = check_configuration(launch, pc);
    if (wrong == 0) {
        tsl_capture_launch(launch, pc);
    }
    return tsl_api_fail(wrong);
}

int tsl_start_at(const tsl_lab_launch *launch, uintptr_t pc)
{
    if (tsl_now.current != NULL) {
        tsl_report("launch", pc, 0,
                   "%s is started by a kernel: only the host can start kernels here", launch->name);
        tsl_now.failed = true;
        tsl_stop();
    }
    if (tsl_now.sticky != 0) {
        return tsl_api_fail(tsl_now.sticky);
    }
    const int wrong = check_configuration(launch, pc);
    if (wrong != 0) {
        return tsl_api_fail(wrong);
    }
    if (tsl_now.idle) {
        return 0;
    }
    for (int i = 0; i < 3; i++) {
        tsl_now.grid_size[i] = launch->grid[i];
        tsl_now.block_size[i] = launch->block[i];
    }
    const double begun = seconds();
    tsl_now.launch = launch;
    tsl_now.arguments = (uintptr_t)launch->arguments;
    tsl_now.arguments_bytes = launch->bytes;
    tsl_now.launch_serial = tsl_now.next_serial;
    tsl_now.accesses = 0;
    tsl_now.failed = false;
    tsl_memory_begin_shared(launch->shared);
    tsl_memory_open(true);
    run(launch);
    tsl_memory_open(false);
    tsl_order_forget();
    write_launch(launch, begun);
    if (tsl_now.way == TSL_WAY_COUNTS) {
        tsl_counts_write(tsl_now.launches);
        tsl_counts_clear();
    }
    tsl_now.launches++;
    if (tsl_now.failed && tsl_now.sticky == 0) {
        tsl_now.sticky = 719;
    }
    return tsl_api_fail(tsl_now.sticky);
}

void tsl_trap_at(uintptr_t pc, const char *what)
{
    tsl_report("trap", pc, 0, "thread %u of block %llu: %s", tsl_now.current->thread,
               (unsigned long long)tsl_now.block->number, what);
    tsl_now.failed = true;
    tsl_now.sticky = 710;
    tsl_stop();
}

void tsl_lab_trap(const char *what)
{
    if (tsl_now.current == NULL) {
        abort();
    }
    tsl_trap_at((uintptr_t)__builtin_return_address(0), what);
}
