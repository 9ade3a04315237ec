/* A rank on device memory, by what its device is: what tests of ranks that are threads work with.
 */
#ifndef TSL_TESTS_COMM_BENCH_H
#define TSL_TESTS_COMM_BENCH_H

#include "comm/comm.h"
#include "comm/gpu/peer.h"
#include "support/devices.h"

enum { COMM_PATIENCE = 120, COMM_MOST_RANKS = 7, COMM_BYTES = 1 << 16, COMM_UNTOUCHED = 0xEE };

/* A rank, its device, and memory on it. */
typedef struct comm_bench {
    const char *kind; /* "cpu", "sim", "cuda", or "meeting": sim, where the ranks meet */
    tsl_comm *comm;
    tsl_context *context;
    unsigned char *send, *receive; /* [COMM_BYTES], on the device */
    unsigned char host[COMM_BYTES];
    const tsl_device_ops *own_ops; /* the context's, where a test has changed them */
} comm_bench;

tsl_status comm_bench_make(comm_bench *b, tsl_comm *comm, const char *kind);
void comm_bench_free(comm_bench *b);

tsl_status comm_bench_fill(const comm_bench *b, unsigned char *target, unsigned char value,
                           int64_t bytes);

/* The byte rank `from` sends to `to`. */
unsigned char comm_byte_of(int from, int to);
/* Parts to, or from, each rank, at odd places and even ones, some of them empty. */
tsl_comm_parts comm_bench_lay_out(const comm_bench *b, bool receive, int64_t *bytes,
                                  int64_t *offsets);
tsl_status comm_bench_fill_parts(const comm_bench *b, const tsl_comm_parts *parts);
/* Wait, and count the bytes that are not what was sent. */
int64_t comm_bench_wrong_parts(comm_bench *b, const tsl_comm_parts *parts);
/* All-to-alls of such parts, looked at: three, of which the first finds out how ranks can meet. */
tsl_status comm_bench_all_to_all(comm_bench *b);

/* For a table: true. */
bool comm_side_by_side(void);
/* Ranks have met so often, of kind "meeting". */
int comm_meetings(void);

/* For tsl_comm_run(): run() on a bench of `kind`; `user` is one of these. */
typedef struct comm_row {
    const char *kind;
    tsl_status (*run)(comm_bench *b);
} comm_row;

tsl_status comm_bench_run(tsl_comm *comm, void *user);

/* Run run() as tsl_comm_run() does, on each kind of communicator there is and with 1 to
 * `most_ranks` ranks, each of which must end with `expected`. */
void comm_run_to_end(tsl_status (*run)(comm_bench *b), int most_ranks, tsl_status expected);
/* Run run() with up to COMM_MOST_RANKS ranks, each of which must end with TSL_OK. */
void comm_run_everywhere(tsl_status (*run)(comm_bench *b));

#endif
