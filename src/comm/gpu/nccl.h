/* Messages between devices of several processes, by NCCL: a part of the CUDA plug-in, which opens
 * NCCL's own library at run time. MPI starts it and watches it (mpi_nccl.c).
 *
 * Work is queued on the context's stream, after what is queued there already. Ranks must queue the
 * same in the same order, with sizes that agree: one that doesn't come leaves the others' kernels
 * waiting until abort(). Two ranks on one GPU cannot be. */
#ifndef TSL_NCCL_H
#define TSL_NCCL_H

#include "comm/comm.h"

typedef struct tsl_nccl tsl_nccl;

enum { TSL_NCCL_ID = 128, TSL_NCCL_GPU = 16 }; /* bytes */

typedef struct tsl_nccl_ops {
    /* "NCCL 2.28.9" into `text`; false: it cannot be opened, and `text` says why. */
    bool (*library)(char *text, size_t bytes);
    /* What tells this context's GPU from all others, on whatever machine. */
    tsl_status (*identify)(tsl_context *context, unsigned char gpu[TSL_NCCL_GPU]);

    /* What ranks that start together have in common; one rank makes it. */
    tsl_status (*make_id)(tsl_context *context, char id[TSL_NCCL_ID]);
    /* Begin to start; look() says when all ranks have. */
    tsl_status (*open)(tsl_nccl **out, tsl_context *context, const char id[TSL_NCCL_ID], int rank,
                       int size);
    /* When all ranks come to it. */
    void (*close)(tsl_nccl *nccl);
    /* At any time, on this rank alone: kernels that wait end. */
    void (*abort)(tsl_nccl *nccl);

    /* Queue messages; pairs with this rank itself are passed over. */
    tsl_status (*move)(tsl_nccl *nccl, const tsl_comm_pair *pairs, int count);
    tsl_status (*broadcast)(tsl_nccl *nccl, void *data, int64_t bytes, int root);
    /* Is what was asked for last done, on the device too? Does not wait; an error when NCCL or the
     * device has failed. */
    tsl_status (*look)(tsl_nccl *nccl, bool *done);
} tsl_nccl_ops;

#endif
