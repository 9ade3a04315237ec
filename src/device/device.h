/* The table a device fills. Everything that solvers do with memory and kernels goes through it. */
#ifndef TSL_DEVICE_H
#define TSL_DEVICE_H

#include "core/context.h"

typedef struct tsl_device tsl_device;

/* The tables of blocks and solvers, which are defined in their folders. */
#define TSL_TABLE(member, type, cpu, sim, cuda) struct type;
#include "device/tables.def"
#undef TSL_TABLE

/* Entries of tables.def for a device that fills a table, TSL_HAS, and for one that does not. */
#define TSL_HAS(...) __VA_ARGS__
#define TSL_NONE(...)
#ifdef TSL_HAVE_NCCL
#define TSL_HAS_NCCL TSL_HAS
#else
#define TSL_HAS_NCCL TSL_NONE
#endif

enum { TSL_DEVICES = 16 }; /* devices of a kind that reports tell of at most */

/* Another device of the same kind whose memory a device can use directly. */
typedef struct tsl_device_peer {
    int index;
    bool native_atomics; /* whether the link has them: NVLink has, PCI Express has not */
} tsl_device_peer;

/* What an NVIDIA GPU says of its multiprocessors and of a block; zeros: not a GPU. */
typedef struct tsl_device_limits {
    int threads, blocks, registers; /* of a multiprocessor */
    int64_t shared;                 /* bytes of a multiprocessor */
    int block_threads, block_registers;
    int64_t block_shared;          /* bytes without opt-in */
    int64_t block_shared_reserved; /* bytes that the driver keeps of each block's */
} tsl_device_limits;

/* Properties of a device, for reports and errors. */
typedef struct tsl_device_properties {
    char model[128];            /* "AMD EPYC 9654" */
    int threads;                /* hardware threads; multiprocessors of a GPU */
    int clock;                  /* of these, MHz at most; 0: unknown */
    int capability[2];          /* compute capability of an NVIDIA GPU, major and minor; else 0 */
    int64_t shared;             /* bytes that the threads of a block can share; 0: not a GPU */
    int64_t memory;             /* bytes in all */
    int64_t memory_free;        /* bytes that could be had now */
    unsigned char identity[16]; /* tells its memory from that of all other devices on any machine;
                                   zeros: its memory is the host's */
    int peers;
    tsl_device_peer peer[TSL_DEVICES];
    tsl_device_limits limits;
} tsl_device_properties;

/* Work that is queued again and again, such as an iteration. */
typedef struct tsl_recording tsl_recording;
typedef tsl_status (*tsl_work)(void *arguments); /* queues it on the context's stream */

typedef struct tsl_device_ops {
    const char *name;  /* first part of the resource string: "cpu" */
    bool takes_stream; /* context->stream: a cudaStream_t */

    /* Device number `index` of its kind, with `context->threads` CPU threads at its service; its
     * work is queued on `context->stream`, if there is one. */
    tsl_status (*open)(tsl_device **out, tsl_context *context, int index);
    void (*close)(tsl_device *device);
    /* A second stream of the context's device, which sees its memory, for work beside its
     * own: peer->record() and wait() order the two. Closed before the device is; allocates
     * nothing. NULL: the device has none. */
    tsl_status (*branch)(tsl_device **out, tsl_context *context);
    tsl_status (*properties)(tsl_device *device, tsl_device_properties *out);

    /* Memory on the device, aligned to 64 bytes, contents undefined; NULL when exhausted. To be
     * called by tsl_device_allocate() and tsl_device_allocate_passing() alone: what is `passing`
     * may be kept by the device, when it is released, for the next that is, until something else
     * lacks it. */
    void *(*allocate)(tsl_device *device, int64_t bytes, bool passing);
    /* Give memory back, once the work that was queued before is done with it. */
    void (*release)(tsl_device *device, void *memory);

    /* Copies return when the host memory may be reused or read; they follow earlier work. */
    tsl_status (*upload)(tsl_context *context, void *target, const void *source, int64_t bytes);
    tsl_status (*download)(tsl_context *context, void *target, const void *source, int64_t bytes);
    /* Set bytes to one value; queued on the stream. */
    tsl_status (*fill)(tsl_context *context, void *target, unsigned char value, int64_t bytes);
    tsl_status (*synchronize)(tsl_context *context);

    /* Record what `work` queues, without running it: kernels and fills alone. replay() queues all
     * of it, on a GPU in one go; a device may also call `work` again, so `arguments` must stay, and
     * each call queue the same. forget(NULL) is fine. */
    tsl_status (*record)(tsl_recording **out, tsl_context *context, tsl_work work, void *arguments);
    tsl_status (*replay)(tsl_recording *recording);
    void (*forget)(tsl_recording *recording);

    /* Pointers to the tables of blocks and solvers; NULL where the device has none. */
#define TSL_TABLE(member, type, cpu, sim, cuda) const struct type *member;
#include "device/tables.def"
#undef TSL_TABLE
} tsl_device_ops;

extern const tsl_device_ops tsl_device_cpu;

/* Find the device a resource string names. `resource` is rewritten to the canonical name
 * (context->name). Errors go to the context. */
tsl_status tsl_device_find(tsl_context *context, const char *resource, const tsl_device_ops **out,
                           int *index);

/* record, replay and forget of devices that only call the work again. */
tsl_status tsl_record_call(tsl_recording **out, tsl_context *context, tsl_work work,
                           void *arguments);
tsl_status tsl_replay_call(tsl_recording *recording);
void tsl_forget_call(tsl_recording *recording);

/* Seconds of one run of `work` on the context's device: the median of five times, each of as many
 * runs in a row as take `shortest` seconds, 200 at most (timing.c). The caller has run it once. */
tsl_status tsl_device_time(double *seconds, tsl_context *context, tsl_work work, void *arguments,
                           double shortest);

/* All device memory comes from here, so that it is counted and tests can make it fail. On failure
 * *out is NULL, the status TSL_E_NOMEM, and the error says what was wanted and what is free. */
tsl_status tsl_device_allocate(void **out, tsl_context *context, int64_t bytes, const char *what);
/* Takes memory that is wanted only while something is set up, again and again, for work on the
 * context's own stream. Taking that from the device's driver each time would cost more than much of
 * the work. Errors are those of tsl_device_allocate(). */
tsl_status tsl_device_allocate_passing(void **out, tsl_context *context, int64_t bytes,
                                       const char *what);
/* Releases memory of tsl_device_allocate() and tsl_device_allocate_passing(); NULL is fine. */
void tsl_device_release(tsl_context *context, void *memory);
/* Release what the context still holds. */
void tsl_device_release_all(tsl_context *context);

/* "cuda:0: out of memory: cannot take 2.1 GiB for WHAT, 1.3 GiB are free: …", for whatever takes
 * device memory; 0 bytes: as many as a library wanted. Returns TSL_E_NOMEM. */
tsl_status tsl_device_fail_memory(tsl_context *context, int64_t bytes, const char *what);

/* What something is going to take, and what its error says of it. */
typedef struct tsl_device_need {
    const char *what;    /* "in.npy: 64 x 64 x 64 elements need" */
    const char *remedy;  /* "take fewer cells" */
    int64_t device;      /* bytes on the device */
    int64_t host;        /* bytes of host memory at that time */
    int64_t bound;       /* bytes that are allowed; 0: what is free */
    int64_t others;      /* bytes that other ranks are going to take of the same device memory */
    int64_t others_host; /* bytes that other ranks are going to take of the host's memory */
} tsl_device_need;

/* The sum of two sizes >= 0, or INT64_MAX where it is larger. */
static inline int64_t tsl_add_bytes(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Bytes of the host's memory that programs could still take. */
int64_t tsl_host_memory_free(void);

/* The device's properties, or a line that says that they cannot be read. */
tsl_status tsl_device_read_properties(tsl_context *context, tsl_device_properties *out);

/* Bytes of the memory that `need` is about: the host's share counts where the device's memory is
 * the host's. */
int64_t tsl_device_needed(const tsl_context *context, const tsl_device_need *need);

/* Before anything is taken: TSL_E_NOMEM, and a line with both figures, if less is free, or allowed,
 * than tsl_device_needed(), or less is free of the host's. Ranks ask tsl_comm_foresee(). */
tsl_status tsl_device_foresee(tsl_context *context, const tsl_device_need *need);

/* For tests: the k-th device allocation of a context from now (1 is the next) and all after it
 * fail; 0 ends that. Returns the number of allocations since the last call. What is live stands in
 * context->memory. */
int64_t tsl_test_fail_device_allocation(tsl_context *context, int64_t k);

#endif
