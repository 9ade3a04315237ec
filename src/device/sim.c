#include "device/sim.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes before and after each piece of memory that nobody may change. */
enum { GUARD_BYTES = 64, GUARD_VALUE = 0xA5 };

/* Bytes of addresses before and after a piece that are always closed, so that no other piece is
 * next to it. They take no memory. */
#define CLOSED_BYTES ((size_t)1 << 20)

/* Bytes of memory of a sim: as few as a card may have, so that tests can use them up. */
#define SIM_MEMORY (INT64_C(8) << 30)

/* Processors of a sim, and bytes that the threads of a block can share. */
enum { SIM_PROCESSORS = 3, SIM_SHARED = 128 << 10 };

/* A piece of device memory, guards included, on pages of its own. */
typedef struct region {
    struct region *next;
    char *memory;
    size_t bytes;
    size_t mapped; /* without the closed bytes */
} region;

/* A piece of work that is queued. */
typedef struct task {
    struct task *next;
    tsl_sim_task run; /* NULL: a kernel */
    tsl_sim_kernel kernel;
    int blocks, members, layers, threads;
    bool grid;             /* of grid phases: each block keeps shared memory of its own */
    int64_t shared;        /* bytes of shared memory of a block */
    int64_t shared_offset; /* from the arguments on: it lies last, where AddressSanitizer sees its
                              end */
    _Alignas(16) char arguments[];
} task;

struct tsl_device {
    tsl_device *owner; /* of the memory; itself unless this is a branch */
    int order;         /* 0 forward, 1 reversed, 2 strided */
    region *regions;
    int64_t taken; /* bytes of the regions, without guards */
    int broken;    /* end of a piece that was written over, -1 or 1; 0: none was */
    size_t broken_bytes;
    task *first, *last;
    int64_t queued, done; /* pieces of work so far */
    int opened;           /* how often its memory has been opened and not closed */
    int64_t serial;
    tsl_device *next; /* in the list of open devices */
};

/* Devices of one machine can see each other: whoever runs work or touches a device holds the lock.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tsl_device *open_devices;
static int64_t opened_so_far;

static void add_open(tsl_device *device)
{
    pthread_mutex_lock(&lock);
    device->serial = ++opened_so_far;
    device->next = open_devices;
    open_devices = device;
    pthread_mutex_unlock(&lock);
}

static tsl_status sim_open(tsl_device **out, tsl_context *context, int index)
{
    tsl_device *device = tsl_allocate_zeroed(1, sizeof *device);
    if (device == NULL) {
        return tsl_fail_memory(context, sizeof *device, "the device sim");
    }
    device->owner = device;
    device->order = index;
    add_open(device);
    *out = device;
    return TSL_OK;
}

static tsl_status sim_branch(tsl_device **out, tsl_context *context)
{
    tsl_device *device = tsl_allocate_zeroed(1, sizeof *device);
    if (device == NULL) {
        return tsl_fail_memory(context, sizeof *device, "a second stream");
    }
    device->owner = context->device->owner;
    device->order = context->device->order;
    add_open(device);
    *out = device;
    return TSL_OK;
}

/* Open device memory to the host's code, or close it. */
static void open_memory(const tsl_device *any, bool open)
{
    tsl_device *device = any->owner;
    device->opened += open ? 1 : -1;
    if (device->opened != (open ? 1 : 0)) {
        return;
    }
    for (const region *r = device->regions; r != NULL; r = r->next) {
        mprotect(r->memory, r->mapped, open ? PROT_READ | PROT_WRITE : PROT_NONE);
    }
}

/* The piece that holds an address; NULL: it is an address of the host's. */
static region *region_of(const tsl_device *any, const void *address)
{
    region *r = any->owner->regions;
    while (r != NULL &&
           ((const char *)address < r->memory || (const char *)address >= r->memory + r->mapped)) {
        r = r->next;
    }
    return r;
}

bool tsl_sim_owns(tsl_context *context, const void *address)
{
    pthread_mutex_lock(&lock);
    const bool owns = region_of(context->device, address) != NULL;
    pthread_mutex_unlock(&lock);
    return owns;
}

static void unmap(region *r)
{
    munmap(r->memory - CLOSED_BYTES, r->mapped + 2 * CLOSED_BYTES);
    tsl_release(r);
}

static int64_t shared_of_all(const task *t)
{
    return t->grid ? t->blocks * t->shared : t->shared;
}

/* Run all blocks, in the device's order; of a kernel of grid phases run the phase `at->stage`. */
static void run_blocks(const tsl_device *device, task *t, tsl_sim_block *at)
{
    char *const shared = t->arguments + t->shared_offset;
    const int64_t plane = (int64_t)t->blocks * t->members;
    for (int64_t i = 0; i < plane * t->layers; i++) {
        const int64_t turn = device->order == 1 ? plane * t->layers - 1 - i : i;
        at->block = (int)(turn % t->blocks);
        at->member = (int)(turn / t->blocks % t->members);
        at->layer = (int)(turn / plane);
        at->shared = shared + (t->grid ? at->block * t->shared : 0);
        if (!t->grid) {
            memset(shared, 0xFF, (size_t)t->shared);
        }
        *at->passed = 0;
        t->kernel(t->arguments, at);
    }
}

static void run_kernel(const tsl_device *device, task *t)
{
    int passed = 0;
    tsl_sim_block at = {.blocks = t->blocks,
                        .members = t->members,
                        .layers = t->layers,
                        .threads = t->threads,
                        .passed = &passed};
    /* Strides coprime to every number of threads. */
    enum { PRIME = 1021 };
    const int steps[3] = {1, t->threads - 1, PRIME % t->threads};
    at.first = device->order == 1 ? t->threads - 1 : 0;
    at.step = t->threads == 1 ? 1 : steps[device->order];
    memset(t->arguments + t->shared_offset, 0xFF, (size_t)shared_of_all(t));
    do {
        run_blocks(device, t, &at);
        at.stage++;
    } while (at.stage < passed);
}

/* The end of the region that was written over: -1 or 1; 0: neither. */
static int broken_guard(const region *r)
{
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if ((unsigned char)r->memory[i] != GUARD_VALUE) {
            return -1;
        }
        if ((unsigned char)r->memory[r->bytes - 1 - i] != GUARD_VALUE) {
            return 1;
        }
    }
    return 0;
}

/* Run queued work up to piece number `last`, with the memory open. */
static void run_tasks(tsl_device *device, int64_t last)
{
    open_memory(device, true);
    while (device->first != NULL && device->done < last) {
        task *t = device->first;
        device->first = t->next;
        device->last = t->next != NULL ? device->last : NULL;
        if (t->run != NULL) {
            t->run(t->arguments);
        } else {
            run_kernel(device, t);
        }
        device->done++;
        tsl_release(t);
    }
    tsl_device *owner = device->owner;
    for (const region *r = owner->regions; r != NULL && owner->broken == 0; r = r->next) {
        owner->broken = broken_guard(r);
        owner->broken_bytes = r->bytes - 2 * GUARD_BYTES;
    }
    open_memory(device, false);
}

/* On sim:reversed second streams run before the first, as far as they don't wait for it: a piece of
 * work of each in turn, so that memory which they must not share shows. */
static void run_branches(tsl_device *device)
{
    bool any = true;
    while (any) {
        any = false;
        for (tsl_device *d = open_devices; d != NULL; d = d->next) {
            if (d != device && d->owner == device && d->done < d->queued) {
                run_tasks(d, d->done + 1);
                any = true;
            }
        }
    }
}

static tsl_status synchronize(tsl_context *context)
{
    tsl_device *device = context->device;
    const tsl_device *owner = device->owner;
    if (device->order == 1) {
        run_branches(device);
    }
    run_tasks(device, device->queued);
    return owner->broken == 0
               ? TSL_OK
               : tsl_fail(context, TSL_E_DEVICE, "%s: a kernel wrote %s a piece of %zu bytes",
                          context->name, owner->broken < 0 ? "before" : "past the end of",
                          owner->broken_bytes);
}

static tsl_status sim_synchronize(tsl_context *context)
{
    pthread_mutex_lock(&lock);
    const tsl_status status = synchronize(context);
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- other devices ------------------------------------------------------------------------ */

tsl_sim_mark tsl_sim_mark_now(const tsl_context *context)
{
    pthread_mutex_lock(&lock);
    const tsl_sim_mark mark = {.serial = context->device->serial,
                               .queued = context->device->queued};
    pthread_mutex_unlock(&lock);
    return mark;
}

static tsl_device *find_open(int64_t serial)
{
    tsl_device *device = open_devices;
    while (device != NULL && device->serial != serial) {
        device = device->next;
    }
    return device;
}

static void run_wait(const void *mark)
{
    const tsl_sim_mark *m = mark;
    tsl_device *device = find_open(m->serial);
    /* A device that is closed has done its work. */
    if (device != NULL && device->done < m->queued) {
        run_tasks(device, m->queued);
    }
}

void tsl_sim_run(tsl_sim_mark mark)
{
    pthread_mutex_lock(&lock);
    run_wait(&mark);
    pthread_mutex_unlock(&lock);
}

void tsl_sim_defer_or_run(tsl_context *context, tsl_sim_task task_to_run, const void *arguments,
                          int64_t bytes)
{
    if (tsl_sim_defer(context, task_to_run, arguments, bytes) != TSL_OK) {
        pthread_mutex_lock(&lock);
        synchronize(context);
        task_to_run(arguments);
        pthread_mutex_unlock(&lock);
    }
}

void tsl_sim_wait(tsl_context *context, tsl_sim_mark mark)
{
    tsl_sim_defer_or_run(context, run_wait, &mark, sizeof mark);
}

void tsl_sim_open_other(tsl_sim_mark mark, bool open)
{
    tsl_device *device = find_open(mark.serial);
    if (device != NULL) {
        open_memory(device, open);
    }
}

static tsl_status add_task(tsl_context *context, const task *what, const void *arguments,
                           int64_t bytes)
{
    tsl_device *device = context->device;
    const int64_t offset = (bytes + 15) / 16 * 16;
    const int64_t shared = shared_of_all(what);
    task *t = tsl_allocate(sizeof *t + (size_t)(offset + shared));
    if (t == NULL) {
        return tsl_fail_memory(context, offset + shared, "queued work");
    }
    *t = *what;
    t->shared_offset = offset;
    memcpy(t->arguments, arguments, (size_t)bytes);
    pthread_mutex_lock(&lock);
    if (device->last != NULL) {
        device->last->next = t;
    } else {
        device->first = t;
    }
    device->last = t;
    device->queued++;
    pthread_mutex_unlock(&lock);
    return TSL_OK;
}

tsl_status tsl_sim_defer(tsl_context *context, tsl_sim_task task_to_run, const void *arguments,
                         int64_t bytes)
{
    const task what = {.run = task_to_run};
    return add_task(context, &what, arguments, bytes);
}

/* Queue a kernel, if there can be such a grid of blocks. */
static tsl_status add_kernel(tsl_context *context, const task *what, const void *arguments,
                             int64_t bytes)
{
    const bool possible = what->blocks >= 1 && what->members >= 1 && what->layers >= 1 &&
                          what->threads >= 1 && what->threads <= TSL_BLOCK_THREADS &&
                          (!what->grid || what->blocks <= SIM_PROCESSORS);
    return possible
               ? add_task(context, what, arguments, bytes)
               : tsl_fail(context, TSL_E_INTERNAL, "a kernel of %d x %d x %d blocks of %d threads",
                          what->blocks, what->members, what->layers, what->threads);
}

tsl_status tsl_sim_launch(tsl_context *context, tsl_sim_kernel kernel, const void *arguments,
                          int64_t bytes, int blocks, int members, int layers, int threads,
                          int64_t shared)
{
    const task what = {.kernel = kernel,
                       .blocks = blocks,
                       .members = members,
                       .layers = layers,
                       .threads = threads,
                       .shared = shared};
    return add_kernel(context, &what, arguments, bytes);
}

tsl_status tsl_sim_launch_grid(tsl_context *context, tsl_sim_kernel kernel, const void *arguments,
                               int64_t bytes, int blocks, int threads, int64_t shared)
{
    const task what = {.kernel = kernel,
                       .blocks = blocks,
                       .members = 1,
                       .layers = 1,
                       .threads = threads,
                       .grid = true,
                       .shared = shared};
    return add_kernel(context, &what, arguments, bytes);
}

static void sim_close(tsl_device *device)
{
    pthread_mutex_lock(&lock);
    for (tsl_device **at = &open_devices; *at != NULL; at = &(*at)->next) {
        if (*at == device) {
            *at = device->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    while (device->first != NULL) {
        task *t = device->first;
        device->first = t->next;
        tsl_release(t);
    }
    while (device->regions != NULL) {
        region *r = device->regions;
        device->regions = r->next;
        unmap(r);
    }
    tsl_release(device);
}

static tsl_status sim_properties(tsl_device *device, tsl_device_properties *out)
{
    *out = (tsl_device_properties){.model = "a GPU simulated for tests",
                                   .threads = SIM_PROCESSORS,
                                   .shared = SIM_SHARED,
                                   .memory = SIM_MEMORY,
                                   .memory_free = SIM_MEMORY - device->taken};
    memcpy(out->identity, &device, sizeof device);
    return TSL_OK;
}

/* Passing memory is fresh each time, so that reading what was not written shows. */
static void *sim_allocate(tsl_device *device, int64_t bytes, bool passing)
{
    (void)passing;
    if (bytes > SIM_MEMORY - device->taken) {
        return NULL;
    }
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t whole = (size_t)bytes + 2 * GUARD_BYTES;
    const size_t mapped = (whole + page - 1) / page * page;
    region *r = tsl_allocate(sizeof *r);
    if (r == NULL) {
        return NULL;
    }
    void *memory = mmap(NULL, mapped + 2 * CLOSED_BYTES, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        tsl_release(r);
        return NULL;
    }
    *r = (region){.memory = (char *)memory + CLOSED_BYTES, .bytes = whole, .mapped = mapped};
    mprotect(r->memory, mapped, PROT_READ | PROT_WRITE);
    memset(r->memory, GUARD_VALUE, whole);
    memset(r->memory + GUARD_BYTES, 0xFF, (size_t)bytes);
    device->taken += bytes;
    mprotect(r->memory, mapped, PROT_NONE);
    pthread_mutex_lock(&lock);
    r->next = device->regions;
    device->regions = r;
    pthread_mutex_unlock(&lock);
    return r->memory + GUARD_BYTES;
}

static void sim_release(tsl_device *device, void *memory)
{
    pthread_mutex_lock(&lock);
    run_tasks(device, device->queued);
    for (region **at = &device->regions; *at != NULL; at = &(*at)->next) {
        region *r = *at;
        if (r->memory + GUARD_BYTES == memory) {
            *at = r->next;
            device->taken -= (int64_t)(r->bytes - 2 * GUARD_BYTES);
            unmap(r);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Open only the pieces that the copy touches: opening all takes longer than most copies. */
static void copy(tsl_context *context, void *target, const void *source, int64_t bytes)
{
    const tsl_device *device = context->device;
    const region *const touched[] = {region_of(device, target), region_of(device, source)};
    const bool closed = device->owner->opened == 0;
    for (int i = 0; i < 2 && closed; i++) {
        if (touched[i] != NULL) {
            mprotect(touched[i]->memory, touched[i]->mapped, PROT_READ | PROT_WRITE);
        }
    }
    memcpy(target, source, (size_t)bytes);
    for (int i = 0; i < 2 && closed; i++) {
        if (touched[i] != NULL) {
            mprotect(touched[i]->memory, touched[i]->mapped, PROT_NONE);
        }
    }
}

/* Copies wait for earlier work, then touch both sides. */
static tsl_status sim_copy(tsl_context *context, void *target, const void *source, int64_t bytes)
{
    pthread_mutex_lock(&lock);
    const tsl_status status = synchronize(context);
    copy(context, target, source, bytes);
    pthread_mutex_unlock(&lock);
    return status;
}

void tsl_sim_peek(tsl_context *context, void *target, const void *source, int64_t bytes)
{
    pthread_mutex_lock(&lock);
    copy(context, target, source, bytes);
    pthread_mutex_unlock(&lock);
}

typedef struct fill_arguments {
    void *target;
    unsigned char value;
    int64_t bytes;
} fill_arguments;

static void run_fill(const void *arguments)
{
    const fill_arguments *a = arguments;
    memset(a->target, a->value, (size_t)a->bytes);
}

static tsl_status sim_fill(tsl_context *context, void *target, unsigned char value, int64_t bytes)
{
    const fill_arguments arguments = {.target = target, .value = value, .bytes = bytes};
    return tsl_sim_defer(context, run_fill, &arguments, sizeof arguments);
}

#define TSL_TABLE(member, type, cpu, sim, cuda) sim(extern const struct type tsl_##member##_sim;)
#include "device/tables.def"
#undef TSL_TABLE

const tsl_device_ops tsl_device_sim = {
    .name = "sim",
    .open = sim_open,
    .close = sim_close,
    .branch = sim_branch,
    .properties = sim_properties,
    .allocate = sim_allocate,
    .release = sim_release,
    .upload = sim_copy,
    .download = sim_copy,
    .fill = sim_fill,
    .synchronize = sim_synchronize,
    .record = tsl_record_call,
    .replay = tsl_replay_call,
    .forget = tsl_forget_call,
#define TSL_TABLE(member, type, cpu, sim, cuda) sim(.member = &tsl_##member##_sim, )
#include "device/tables.def"
#undef TSL_TABLE
};
