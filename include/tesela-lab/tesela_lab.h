/* What the headers for learners ask of the runtime, libtesela_lab_run.a: plain C functions. No file
 * of a learner needs to include this one. */
#ifndef TESELA_LAB_H
#define TESELA_LAB_H

#include <stddef.h>
#include <stdint.h>

/* With clang's own CUDA front end, which only diagnoses, functions say which side they serve. */
#ifdef __CUDA__
#define TSL_LAB_BOTH __attribute__((host)) __attribute__((device))
#define TSL_LAB_DEVICE __attribute__((device))
#define TSL_LAB_HOST __attribute__((host))
#else
#define TSL_LAB_BOTH
#define TSL_LAB_DEVICE
#define TSL_LAB_HOST
#endif

/* Calls that the compiler must neither join nor double: threads meet there, and reports name their
 * lines. */
#if defined(__CUDA__)
#define TSL_LAB_APART
#elif defined(__clang__)
#define TSL_LAB_APART __attribute__((nomerge, convergent, nothrow))
#else
#define TSL_LAB_APART __attribute__((nothrow))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A size of the learner's structs and its alignment: how a copy of that many bytes is split. Where
 * two structs of one size differ in it, those with a number can be made to be copied piece by
 * piece, by -D'TSL_LAB_IF_number(...)=__VA_ARGS__'. */
typedef struct tsl_lab_type {
    size_t bytes;
    size_t alignment;
    int number; /* -1: none */
} tsl_lab_type;

/* What a launch is: grid and block as x, y, z; dynamic shared bytes; the kernel's name; a function
 * that calls the kernel with the arguments at `arguments`, of `bytes` bytes. */
typedef struct tsl_lab_launch {
    unsigned grid[3];
    unsigned block[3];
    size_t shared;
    const char *name;
    void (*call)(void *arguments);
    void *arguments;
    size_t bytes;
    void *stream;
    int cooperative;
} tsl_lab_launch;

/* The calling thread's place; `axis` is 0 for x, 1 for y, 2 for z. They stay the same while a
 * thread lives, so that a compiler may keep them. */
TSL_LAB_DEVICE unsigned tsl_lab_thread_index(int axis) __attribute__((const, nothrow));
TSL_LAB_DEVICE unsigned tsl_lab_block_index(int axis) __attribute__((const, nothrow));
TSL_LAB_DEVICE unsigned tsl_lab_block_size(int axis) __attribute__((const, nothrow));
TSL_LAB_DEVICE unsigned tsl_lab_grid_size(int axis) __attribute__((const, nothrow));

/* Place of a __shared__ variable of a function: `where` is the function's own text, so that each
 * instance of a template has its own. The same for all threads of a launch. */
TSL_LAB_DEVICE void *tsl_lab_shared(int number, const char *where, const char *name, size_t bytes,
                                    size_t alignment) __attribute__((const, nothrow));

/* The dynamic piece of shared memory. */
extern char tsl_dynamic_shared[];

/* Barrier of all blocks of a cooperative launch. */
TSL_LAB_DEVICE void tsl_lab_grid_barrier(void) TSL_LAB_APART;

/* What lanes of a warp do together. */
enum {
    TSL_LAB_SYNC,   /* orders memory */
    TSL_LAB_BALLOT, /* mask of the lanes whose value isn't 0 */
    TSL_LAB_SHUFFLE,
    TSL_LAB_SHUFFLE_UP,
    TSL_LAB_SHUFFLE_DOWN,
    TSL_LAB_SHUFFLE_XOR,
    TSL_LAB_MATCH,  /* mask of the lanes with the same value */
    TSL_LAB_ACTIVE, /* mask of the lanes that came here together */
    TSL_LAB_WARP_OPERATIONS
};
TSL_LAB_DEVICE uint64_t tsl_lab_warp(int operation, unsigned mask, uint64_t value,
                                     unsigned argument, unsigned width) TSL_LAB_APART;

/* Atomic operations on 4 or 8 bytes, of halves on 2 or 4; each returns the old value. */
enum {
    TSL_LAB_ADD,
    TSL_LAB_EXCHANGE,
    TSL_LAB_COMPARE, /* store `value` where `other` stands */
    TSL_LAB_AND,
    TSL_LAB_OR,
    TSL_LAB_XOR,
    TSL_LAB_MIN,
    TSL_LAB_MAX,
    TSL_LAB_MIN_SIGNED,
    TSL_LAB_MAX_SIGNED,
    TSL_LAB_INCREMENT, /* back to 0 after `value` */
    TSL_LAB_DECREMENT, /* back to `value` after 0 */
    TSL_LAB_ADD_FLOAT, /* the bits of a float or double */
    TSL_LAB_ADD_HALF   /* of one half or two */
};
TSL_LAB_DEVICE uint64_t tsl_lab_atomic(void *address, int bytes, int operation, uint64_t value,
                                       uint64_t other);
/* Count of accesses so far, for clock(). */
TSL_LAB_DEVICE uint64_t tsl_lab_clock(void);
TSL_LAB_DEVICE void tsl_lab_sleep(void);
/* __trap() and assert(). */
TSL_LAB_DEVICE void tsl_lab_trap(const char *what) TSL_LAB_APART;

TSL_LAB_HOST int tsl_lab_start(const tsl_lab_launch *launch);
/* The calling thread of the device ends here. It never returns, which compilers are not told: they
 * would take what leads here for rare and arrange it otherwise. */
TSL_LAB_DEVICE void tsl_lab_leave(void) TSL_LAB_APART;

/* Descriptor that results are handed over by, for lab_check.h; -1: none. */
TSL_LAB_HOST int tsl_lab_outputs(void);

/* Is the caller a thread of a kernel? */
TSL_LAB_BOTH int tsl_lab_in_kernel(void);

#ifdef __cplusplus
}
#endif

#endif
