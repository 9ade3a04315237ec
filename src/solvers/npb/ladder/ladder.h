/* The ladder: the steps by which EP and CG came to GPUs, one change at a time, each a version with
 * a number. They follow D. L. Caballero de Gea, "Aceleración de aplicaciones científicas mediante
 * GPUs" (University of Murcia, 2010), sections 4.2 and 4.3, those that did not pay included. What
 * today's hardware does in another way says so (tsl_ladder_version.today). They are there to learn
 * from and to measure, slow to fast; tsl_npb_ep_run() and tsl_npb_cg_run() stand at the end. */
#ifndef TSL_NPB_LADDER_H
#define TSL_NPB_LADDER_H

#include "blocks/csr/sparse.h"
#include "solvers/npb/cg.h"
#include "solvers/npb/ep.h"

/* ---- the table ---------------------------------------------------------------------------- */

/* Where a version runs. */
typedef enum tsl_ladder_place {
    TSL_LADDER_ONE_CORE,
    TSL_LADDER_ALL_CORES,
    TSL_LADDER_GPU,    /* on a device whose table has `ladder` */
    TSL_LADDER_GPUS,   /* the same, by all ranks */
    TSL_LADDER_DEVICE, /* any device: the solver itself */
    TSL_LADDER_DEVICES /* any devices, by all ranks */
} tsl_ladder_place;

typedef struct tsl_ladder_version {
    const char *name; /* "V1" */
    tsl_ladder_place place;
    const char *what;  /* what is new in it, in a few words */
    const char *today; /* what does the same now; NULL: it is still done so */
} tsl_ladder_version;

/* The versions of EP or CG, slow to fast; their number. */
int tsl_ladder_versions(const tsl_ladder_version **out, bool is_cg);

/* ---- running one -------------------------------------------------------------------------- */

/* What is to be done. */
typedef struct tsl_ladder_case {
    const tsl_ep_class *ep; /* NULL: CG */
    const tsl_cg_class *cg; /* NULL: EP */
    tsl_csr matrix;         /* of CG, in host memory; empty but on rank 0 */
} tsl_ladder_case;

/* Begin with a class: makes CG's matrix on the communicator's rank 0, which no clock counts.
 * TSL_E_ARG: there is no such class, or NPB has no signed sums for it. Not collective. Release
 * with tsl_ladder_case_end(). */
tsl_status tsl_ladder_case_begin(tsl_ladder_case *out, tsl_context *context, bool is_cg,
                                 char size_class);
void tsl_ladder_case_end(tsl_ladder_case *what);

/* Seconds of a run. */
typedef struct tsl_ladder_times {
    double compute; /* from data that is on the device to results that are on the host */
    double thesis;  /* and taking device memory, bringing data there, giving memory back */
} tsl_ladder_times;

typedef struct tsl_ladder_outcome {
    tsl_ladder_times times;
    double error;  /* largest relative error against NPB */
    bool verified; /* EP: at most 1e-8, and as many pairs as NPB; CG: at most 1e-10 */
} tsl_ladder_outcome;

/* Can that version run with this context? Those of all ranks also work with one. */
bool tsl_ladder_runs_on(const tsl_context *context, bool is_cg, int number);

/* Run version `number` of the table, counted from 0. TSL_E_UNSUPPORTED: not on this device. Places
 * that end in S are collective over the context's communicator, and all ranks get the outcome; the
 * others are run by a context of one rank. A failure is published. Synchronous. */
tsl_status tsl_ladder_run(tsl_ladder_outcome *out, tsl_context *context,
                          const tsl_ladder_case *what, int number);

/* ---- what the versions are made of -------------------------------------------------------- */

/* EP: a thread takes parts of so many pairs. */
enum {
    TSL_LADDER_PAIRS = 512,
    TSL_LADDER_BLOCK = 256,
    TSL_LADDER_EP = 7,
    TSL_LADDER_CG = 9,
    TSL_LADDER_PAD = 32 /* a warp */
};

/* What parts of EP sum to. */
typedef struct tsl_ladder_sums {
    double x, y;
    int64_t counts[TSL_EP_ANNULI];
} tsl_ladder_sums;

/* `count` parts from number `first` on; `count` is a multiple of TSL_LADDER_BLOCK. */
typedef tsl_status (*tsl_ladder_ep)(tsl_ladder_sums *out, tsl_ladder_times *times,
                                    tsl_context *context, int64_t first, int64_t count);

/* How V9 of CG reaches the other ranks, by memory of the host. */
typedef struct tsl_ladder_ranks {
    int rank;
    /* Rank 0's data to all. */
    tsl_status (*broadcast)(const struct tsl_ladder_ranks *ranks, void *data, int64_t bytes);
    /* All ranks' rows of a vector to rank 0's `whole`. */
    tsl_status (*gather)(const struct tsl_ladder_ranks *ranks, double *whole, const double *own);
    tsl_context *context;
    const int64_t *bytes, *offsets; /* [ranks] of each rank's rows */
} tsl_ladder_ranks;

/* The power method: zeta after the class's iterations, on rank 0 alone. `matrix`: this rank's rows,
 * each filled up with zeros to a multiple of 32 entries if the version `pads`. */
typedef struct tsl_ladder_cg {
    bool pads;
    tsl_status (*run)(double *zeta, tsl_ladder_times *times, tsl_context *context,
                      const tsl_cg_class *what, const tsl_csr *matrix,
                      const tsl_ladder_ranks *ranks);
} tsl_ladder_cg;

/* Versions V1 to V7 of EP, and V1 to V9 of CG, on a GPU; `ranks` is NULL but for V9. */
typedef struct tsl_ladder_ops {
    tsl_ladder_ep ep[TSL_LADDER_EP];
    tsl_ladder_cg cg[TSL_LADDER_CG];
} tsl_ladder_ops;

/* V8 of EP: V7 on all ranks' GPUs, `parts` parts. */
tsl_status tsl_ladder_ep_v8(tsl_ladder_sums *sums, tsl_ladder_times *times, tsl_context *context,
                            int64_t parts);

/* Run V1 to V9 of CG, `version` from 0, on this context's device: pads what is to be padded, and
 * shares V9 out among the ranks of the communicator. `matrix` is the whole one, used on rank 0
 * alone. */
tsl_status tsl_ladder_cg_run(double *zeta, tsl_ladder_times *times, tsl_context *context,
                             int version, const tsl_cg_class *what, const tsl_csr *matrix);

/* The benchmarks' loops on the CPU, plain: by one thread, or by all of the context's with OpenMP.
 */
tsl_status tsl_ladder_ep_loop(tsl_ladder_sums *out, tsl_ladder_times *times, tsl_context *context,
                              int64_t first, int64_t count);
tsl_status tsl_ladder_cg_loop(double *zeta, tsl_ladder_times *times, tsl_context *context,
                              const tsl_cg_class *what, const tsl_csr *matrix);

#endif
