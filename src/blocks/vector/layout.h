/* How rows are dealt out to ranks and threads, and what ranks send each other for it. Every rank
 * has vectors of full length, of which its own rows are current, and others where a halo has just
 * been exchanged. Ranks take whole pieces (blocks/vector/pieces.h), and sums are gathered piece by
 * piece: their order does not depend on who made them. */
#ifndef TSL_SPARSE_LAYOUT_H
#define TSL_SPARSE_LAYOUT_H

#include "blocks/vector/exchange_stream.h"
#include "blocks/vector/pieces.h"
#include "comm/comm.h"

typedef struct tsl_layout {
    int64_t rows;
    bool on_gpu;       /* pieces are those of fused_kernels.h */
    int ranks;         /* 1: every rank has all rows */
    int rank;          /* this one, 0 where ranks = 1 */
    int *rank_piece;   /* [ranks + 1]: first piece of a rank */
    int *thread_piece; /* [threads + 1]: first piece of a thread of this rank */
    int64_t from, to;  /* this rank's rows */
    void *staging;     /* [to - from] of 8 bytes, and the sums; NULL where ranks = 1, and on GPUs */
    int64_t *part_bytes, *part_offset;   /* [ranks] */
    tsl_comm_pair *pairs;                /* [ranks], on GPUs */
    const tsl_exchange_stream *exchange; /* borrowed, set once it is made; NULL: on the CPU, or
                                            where ranks = 1 */
} tsl_layout;

enum { TSL_MOST_SUMS = 1024 }; /* scalar products of one reduction */

/* Deal out rows so that each rank, and each of its threads, has as many entries. `row_start` NULL:
 * as many rows. `whole`: every rank has all rows. */
tsl_status tsl_layout_make(tsl_layout *out, tsl_context *context, int64_t rows,
                           const int64_t *row_start, bool whole);
void tsl_layout_free(tsl_layout *layout);

/* First row of piece `piece`, which may be TSL_SPARSE_SUMS. */
int64_t tsl_layout_piece_row(const tsl_layout *layout, int piece);

/* The parts (fused_kernels.h) of this rank's pieces, as many as have rows. */
typedef struct tsl_part_range {
    int first, count;
} tsl_part_range;
tsl_part_range tsl_layout_parts(const tsl_layout *layout);

/* All ranks get all rows of a vector of elements of so many bytes. */
tsl_status tsl_layout_gather(const tsl_layout *layout, tsl_context *context, void *vector,
                             int bytes);
/* All ranks get the sums [TSL_SPARSE_SUMS][width] of all pieces, on GPUs in device memory. */
tsl_status tsl_layout_gather_sums(const tsl_layout *layout, tsl_context *context, double *sums,
                                  int width);

/* What a GPU has beside a tsl_halo. */
typedef struct tsl_device_halo {
    tsl_context *context;
    const tsl_exchange_stream *exchange;
    /* What a peer is sent, or sends, stands together in x from this row on; -1: it does not, and
     * goes through memory of its own. [peers] */
    int64_t *send_first, *receive_first;
    int32_t *send_row, *receive_row; /* as in tsl_halo; this and what follows, in device memory */
    void *send, *receive;
    int32_t *part; /* parts of this rank's rows (fused_kernels.h), `inner` ones that need nothing of
                      other ranks, then `outer` ones */
    int inner, outer;
} tsl_device_halo;

/* The entries of x that a rank's rows of a product need and other ranks own. */
typedef struct tsl_halo {
    bool collective; /* there are other ranks: all of them call tsl_halo_exchange() */
    int peers;
    tsl_comm_pair *pairs;                  /* [peers] */
    int64_t *send_counts, *receive_counts; /* [peers] */
    int64_t send_count, receive_count;     /* their sums */
    int32_t *send_row, *receive_row;       /* rows of x, peer by peer */
    void *send, *receive;                  /* of 8 bytes each at most; on the CPU */
    bool outer[TSL_SPARSE_SUMS];           /* pieces whose rows need any; on the CPU */
    tsl_device_halo device;                /* on GPUs */
} tsl_halo;

/* For products of `matrix`, its rows dealt out by `rows`, with vectors dealt out by `columns`.
 * Every rank has the whole matrix, so nothing is communicated. */
tsl_status tsl_halo_make(tsl_halo *out, tsl_context *context, const tsl_csr *matrix,
                         const tsl_layout *rows, const tsl_layout *columns);
void tsl_halo_free(tsl_halo *halo);
/* Collective, also of a rank without peers. On the CPU. */
tsl_status tsl_halo_exchange(const tsl_halo *halo, tsl_context *context, void *x, int bytes);

/* On GPUs (halo_gpu.c): what is made, released and exchanged there. The exchange is queued on the
 * stream of exchange, which the caller enters and leaves. */
tsl_status tsl_halo_to_gpu(tsl_halo *halo, tsl_context *context, const tsl_csr *matrix,
                           const tsl_layout *rows, const tsl_layout *columns);
void tsl_halo_leave_gpu(tsl_halo *halo);
tsl_status tsl_halo_exchange_on_gpu(const tsl_halo *halo, void *x, int bytes);

#endif
