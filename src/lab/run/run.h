/* The runtime of `tesela lab run`: runs kernels of an instrumented CUDA file on the CPU, a fiber
 * for each CUDA thread. It is linked into the learner's program, of which it is the only state, so
 * that one static `tsl_run` serves; nothing of it is part of libtesela. */
#ifndef TSL_LAB_RUN_H
#define TSL_LAB_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tesela-lab/tesela_lab.h"

#define TSL_UNLIKELY(x) __builtin_expect(!!(x), 0)

enum {
    TSL_LANES = 32,
    TSL_MOST_THREADS = 1024,   /* of a block */
    TSL_MOST_SITES = 4096,     /* places in the code that access memory */
    TSL_MOST_WORKERS = 64,     /* processes that share the blocks of a launch */
    TSL_SHARED_BYTES = 232448, /* dynamic shared memory of a block: 227 KiB */
    TSL_OLD_SERIALS = 64
};

/* How kernels run. */
enum tsl_way {
    TSL_WAY_COUNTS, /* warps in lockstep, accesses counted */
    TSL_WAY_CHECKS  /* thread by thread up to the next barrier, accesses checked */
};

enum tsl_order { TSL_ORDER_FORWARD, TSL_ORDER_REVERSED, TSL_ORDER_STRIDED, TSL_ORDER_RANDOM };

/* What an access does. */
enum {
    TSL_READ = 1,
    TSL_WRITE = 2,
    TSL_STRONG = 4, /* atomic, or volatile in memory that blocks share */
    TSL_ATOMIC = 8
};

enum tsl_space_kind { TSL_SPACE_GLOBAL, TSL_SPACE_SHARED, TSL_SPACE_CONSTANT, TSL_SPACES };

/* What is known of a 4-byte word: its last write and its last read, each a stamp (see stamp.h). */
typedef struct tsl_cell {
    uint64_t write;
    uint64_t read;
} tsl_cell;

/* Memory that kernels may use. */
typedef struct tsl_space {
    uintptr_t begin;
    size_t bytes;
    tsl_cell *cells;  /* one a word */
    uint8_t *written; /* a bit a byte */
    uint8_t *valid;   /* a bit a byte that belongs to a variable; NULL: pieces tell */
    enum tsl_space_kind kind;
} tsl_space;

typedef struct tsl_warp tsl_warp;
typedef struct tsl_block tsl_block;

typedef struct tsl_fiber {
    void *stack_pointer;
    uintptr_t stack; /* lowest address */
    /* the access that waits in lockstep */
    uintptr_t address;
    uintptr_t pc;
    uint16_t size;
    uint16_t kind;
    uint32_t depth; /* of calls */
    uint64_t stamp; /* of accesses now: serial, thread and tick */
    uint32_t warp_since;
    uint16_t lane;
    uint16_t thread; /* in its block */
    tsl_warp *warp;
    unsigned index[3];
    /* what waits in a warp's or block's operation */
    int operation;
    int barrier_kind;
    unsigned mask;
    unsigned argument;
    unsigned width;
    uint64_t value;
    uintptr_t wait_pc;
    int predicate;
    /* order by fences */
    uint32_t fence_block;  /* tick of the last fence of any scope */
    uint32_t fence_device; /* of device scope or wider */
    struct tsl_known *known;
    /* a write of another's word, to be judged by its value */
    uintptr_t pending;
    uint32_t pending_value;
    uintptr_t pending_pc;
    uint64_t pending_stamp;
    /* a struct's copy that gcc told of before it calls memcpy() */
    uintptr_t announced_from;
    uintptr_t announced_to;
    size_t announced_bytes;
    uintptr_t strong_pc;
    uintptr_t strong_address;
    uint32_t strong_value;
    uint32_t strong_run; /* strong accesses since it was last resumed */
    bool touched;        /* it has accessed memory since its last barrier */
} tsl_fiber;

struct tsl_warp {
    tsl_fiber *lanes;
    tsl_block *block;
    uint32_t live;
    uint32_t ready;
    uint32_t access;  /* stopped before an access */
    uint32_t waiting; /* at a warp's operation */
    uint32_t barrier;
    uint32_t count;  /* lanes there are */
    uint32_t strong; /* groups of strong accesses since the scheduler chose this warp */
};

enum tsl_outcome { TSL_BLOCK_DONE, TSL_BLOCK_SPINS, TSL_BLOCK_AT_GRID, TSL_BLOCK_STUCK };

/* A block that runs, or that has begun and waits for others. */
struct tsl_block {
    uint64_t number; /* in its grid */
    unsigned index[3];
    uint32_t serial;
    uint32_t old[TSL_OLD_SERIALS]; /* that barriers have ended */
    uint32_t old_count;
    uint32_t threads;
    uint32_t warps;
    uint32_t tick;
    uint32_t since; /* tick of the last barrier */
    uint32_t live;
    uint32_t ended;  /* threads that ended in this interval after having accessed memory */
    bool unchecked;  /* ticks ran out: races are not looked for until the next barrier */
    bool at_grid;    /* all threads wait for the grid */
    bool any_known;  /* some thread knows of others by fences */
    uint32_t passes; /* of the scheduler without a thread that went on */
    tsl_fiber *fibers;
    tsl_warp *warp;
    uintptr_t stacks;
    size_t stacks_bytes;
    char *saved; /* shared memory while others run, and what is known of it */
    struct tsl_known *known;
    tsl_block *next;
};

/* Counts of a site in a launch. */
typedef struct tsl_count {
    uint64_t requests;
    uint64_t lanes;
    uint64_t sectors;
    uint64_t least; /* sectors that the bytes asked for fill */
    uint64_t wavefronts;
    uint64_t conflicts;
    uint64_t transactions; /* of half-warps, on 1.x */
    uint64_t uncoalesced;  /* half-warps */
    uint32_t kind;
    uint32_t size;
} tsl_count;

typedef struct tsl_run {
    /* hot */
    tsl_fiber *current; /* NULL: the host runs */
    tsl_block *block;
    void *scheduler;
    enum tsl_way way;
    tsl_space global;
    tsl_space shared; /* the file's variables, and the dynamic piece behind them */
    uintptr_t piece;  /* of global memory, that was used last */
    size_t piece_bytes;
    tsl_space variables;      /* __device__ and __managed__ */
    uintptr_t constant_begin; /* __constant__ */
    uintptr_t constant_end;
    uintptr_t arguments; /* of the launch */
    size_t arguments_bytes;
    uint32_t launch_serial; /* the first of this launch */
    uint32_t next_serial;
    uint64_t accesses;
    /* of the run */
    enum tsl_order order;
    uint64_t seed;
    int device_major, device_minor; /* capability: 9.0 */
    int workers;
    int report;  /* descriptor of the file of results */
    int outputs; /* of what an answer hands over; -1: none */
    bool idle;   /* launches do nothing */
    int64_t memory;
    uint64_t launches;
    const tsl_lab_launch *launch;
    unsigned block_size[3], grid_size[3];
    bool waiting; /* for the processes that share a launch's blocks */
    bool failed;  /* the launch ends here: an access that no memory backs */
    int error;    /* of the last call, a cudaError_t */
    int sticky;   /* that ends all later ones */
    size_t dynamic_shared;
    size_t shared_used; /* bytes of shared memory up to the end of this launch's dynamic piece */
    bool any_release;
} tsl_run;

extern tsl_run tsl_now;

/* Bytes of a fiber's stack; the stride is no multiple of a large power of two, so that stacks' tops
 * do not fall into the same sets of a cache. */
enum { TSL_STACK = (64 << 10) + 448 };

/* ---- switch.c ---- */
/* Leave the running stack in *save and go on at `to`. */
void tsl_switch(void **save, void *to);
/* Make the stack that ends at `top` begin in `entry`; returns its stack pointer. */
void *tsl_prepare_stack(uintptr_t top, void (*entry)(void));

/* ---- threads.c: blocks, fibers and their scheduler ---- */
void tsl_run_blocks(uint64_t first, uint64_t end, uint64_t step);
void tsl_stop(void); /* the current thread stops here for good */
void tsl_wait_for_scheduler(void);
/* Barrier of a block, called from `pc`; kind: 0 plain, 1 count, 2 and, 3 or of the predicates. */
int tsl_meet_block(int kind, int predicate, uintptr_t pc);
void tsl_spin(tsl_fiber *fiber);
/* Is a strong access the same as the thread's last, with the value unchanged? */
bool tsl_repeats(tsl_fiber *fiber, uintptr_t address, uintptr_t pc);
/* Let others run where a thread waits for a value in a loop. */
void tsl_spin_if_repeated(tsl_fiber *fiber, uintptr_t address, uintptr_t pc);

/* ---- block.c ---- */
tsl_block *tsl_block_take(uint64_t number);
void tsl_block_give(tsl_block *block);
void tsl_block_enter(tsl_block *block);
void tsl_block_leave(tsl_block *block);
void tsl_block_renew(tsl_block *block);
void tsl_blocks_release(void);

/* ---- lockstep.c ---- */
void tsl_lockstep_stop(tsl_fiber *fiber);
/* Run a warp until it waits for others; false if it could not, or only spun. */
bool tsl_lockstep_enter(tsl_warp *warp);
void tsl_lockstep_next(tsl_warp *warp, tsl_fiber *self);

/* ---- warp.c ---- */
/* Complete the operations of a warp for which all lanes named are there; true if any was. */
bool tsl_warp_complete(tsl_warp *warp);
uint64_t tsl_meet_lanes(int operation, unsigned mask, uint64_t value, unsigned argument,
                        unsigned width, uintptr_t pc);

/* ---- count.c ---- */
void tsl_count_group(const tsl_warp *warp, uint32_t group);
tsl_count *tsl_counts(void);
void tsl_counts_clear(void);
void tsl_counts_allocate(void);
void tsl_counts_merge(int worker);
void tsl_counts_use(int worker);
void tsl_counts_write(uint64_t launch);
/* Number of the site at `pc`, from 1; 0 when there are too many. */
uint32_t tsl_site(uintptr_t pc);
uintptr_t tsl_site_pc(uint32_t site);

/* ---- halfwarp.c: the rules of capability 1.x ---- */
typedef struct tsl_half {
    unsigned transactions;
    bool coalesced;
} tsl_half;
/* `lanes`: mask of the 16 that take part; addresses of each; size 1, 2, 4, 8 or 16. */
tsl_half tsl_half_strict(const uintptr_t address[16], uint32_t lanes, unsigned size);
unsigned tsl_half_segments(const uintptr_t address[16], uint32_t lanes, unsigned size,
                           unsigned bytes[16]);

/* ---- check.c ---- */
void tsl_check(tsl_fiber *fiber, uintptr_t address, unsigned size, unsigned kind, uintptr_t pc);
void tsl_settle_pending(tsl_fiber *fiber);
void tsl_mark_written(uintptr_t address, size_t bytes, bool written);

/* ---- order.c: what fences and atomics order ---- */
bool tsl_known_before(const tsl_fiber *fiber, uint64_t stamp);
void tsl_release_acquire(tsl_fiber *fiber, uintptr_t address, bool writes);
/* `scope`: 0 block, 1 device or wider. */
void tsl_fence(int scope);
void tsl_order_join_block(tsl_block *block);
void tsl_order_join_warp(tsl_warp *warp, uint32_t mask);
void tsl_order_forget(void);

/* ---- memory.c ---- */
void tsl_memory_begin(void);
void tsl_memory_open(bool open); /* to the host */
void *tsl_memory_take(size_t bytes, bool host_too);
bool tsl_memory_give(void *memory);
/* Is [address, address + size) part of one piece? If not, *text says where it lies. */
bool tsl_memory_holds(uintptr_t address, size_t size);
void tsl_memory_describe(char *text, size_t bytes, uintptr_t address, size_t size);
int64_t tsl_memory_free(void);
bool tsl_is_read_only(uintptr_t address);
/* Alignment of the learner's structs of that size; 0 unknown. */
size_t tsl_type_alignment(size_t bytes);
/* Address for the runtime's own copies, open at all times. */
void *tsl_memory_alias(const void *address);
/* The variable of the learner's file at an address in shared memory. */
bool tsl_symbol_at(uintptr_t address, char *name, size_t bytes, uintptr_t *begin, size_t *size);

/* ---- report.c ---- */
/* Write one report: kind as in docs/lab.md, at `pc`, beside the access at `other` (0: none). */
void tsl_report(const char *kind, uintptr_t pc, uintptr_t other, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void tsl_write_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* End a kernel's thread and its launch, as __trap() does. */
void tsl_trap_at(uintptr_t pc, const char *what);
void tsl_fatal(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- guard.c ---- */
/* Faults are told; `refuse`: the kernel refuses what reaches out of the program. */
void tsl_guard_begin(bool refuse);
long tsl_guard_fork(void);
/* write(), the only way to the file of results while the guard stands; negative: -errno. */
long tsl_guard_write(int file, const void *text, size_t bytes);

#endif
