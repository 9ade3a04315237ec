/* A solve over ranks, whatever their device: what each has, what is done at one time, and what
 * ranks exchange between their stages.
 *
 * A segment's work is phases of computing with an exchange between each two. With overlap there are
 * two lanes, each with buffers of its own, that take turns: while one computes a phase the other is
 * in an exchange. All ranks go through the same exchanges in the same order, since the number of
 * segments is the same.
 *
 * Arrays of a segment of c columns, b' and a' being ranks of the groups:
 *   gathered  [b'][x of mine][y of mine][c of b']
 *   columns   [b'][x of b'][y of b'][c]
 *   spread    [a'][x][lines of a'][c]
 *   lines     [a'][x of a'][lines][c] = [n0][lines][c] */
#ifndef TSL_POISSON_SEGMENTS_H
#define TSL_POISSON_SEGMENTS_H

#include "comm/comm.h"
#include "solvers/poisson/poisson.h"
#include "solvers/poisson/ranks/times.h"

/* A rank's side of one exchange, [ranks of the group] each: what it has before, and after. */
typedef struct tsl_poisson_parts {
    int64_t *bytes[2], *offsets[2];
    int64_t *packed[2];        /* offsets without gaps */
    tsl_comm_block *blocks[2]; /* [][2], of parts that are left where they are */
} tsl_poisson_parts;

typedef struct tsl_poisson_rank {
    tsl_context *context;
    tsl_poisson_grid grid;
    tsl_poisson_share share;
    tsl_poisson_rows mine;   /* rows of this rank */
    tsl_poisson_range x;     /* planes of its group of q */
    tsl_poisson_lines lines; /* its lines along the first axis */
    bool keeps;              /* of what is spread, its own part is in the lines' place already */
    bool planes;             /* the second axis is transformed with the rows, a plane at a time */
    tsl_comm *groups[2];     /* of q ranks: rows to columns; of p: columns to lines; NULL: one */
    tsl_poisson_parts parts; /* of the exchange under way */
    int64_t *numbers;        /* theirs */
    char *rows;              /* [x][y][row], for exchanges that leave them where they are */
    int64_t plane;           /* bytes from one x to the next among these */
    int64_t buffer;          /* bytes of one */
    char *buffers;           /* of each lane two, there and back; alone one or none */
    char *host;              /* pinned, two of `host_bytes`; NULL: exchanges don't go by the host */
    int64_t host_bytes;
    tsl_poisson_times *times; /* NULL: none are wanted */
} tsl_poisson_rank;

typedef enum tsl_poisson_stage {
    TSL_POISSON_GATHER,      /* rows to what others' columns need */
    TSL_POISSON_SECOND,      /* columns along the second axis, to what others' lines need */
    TSL_POISSON_FIRST,       /* lines along the first axis, times the spectrum, and back */
    TSL_POISSON_SECOND_BACK, /* likewise back */
    TSL_POISSON_SCATTER
} tsl_poisson_stage;

enum { TSL_POISSON_STAGES = 6 }; /* of a tick at most */

/* What is done at one time: stages of one lane, and an exchange of the other. */
typedef struct tsl_poisson_tick {
    int count, lane;
    tsl_poisson_stage stages[TSL_POISSON_STAGES];
    int segments[TSL_POISSON_STAGES];
    int group; /* of the exchange; -1: none */
    int exchange_lane, exchange_segment;
    bool there;
} tsl_poisson_tick;

/* Is the second axis transformed with the rows? */
bool tsl_poisson_has_planes(const tsl_poisson_grid *grid, const tsl_poisson_share *share);

/* Settle all but the buffers' memory. Not collective. */
tsl_status tsl_poisson_rank_create(tsl_poisson_rank *rank, tsl_context *context,
                                   const tsl_poisson_grid *grid, const tsl_poisson_share *share);
/* Divide the communicator: ranks of the same part of x, and those of the same part of kz; those
 * without a part stay among themselves.
 * Collective. */
tsl_status tsl_poisson_rank_divide(tsl_poisson_rank *rank);
/* All but the buffers' memory. */
void tsl_poisson_rank_release(tsl_poisson_rank *rank);

/* Bytes of a buffer that holds any segment at any stage, and the number of them. Lines are not
 * padded. */
int64_t tsl_poisson_buffer_bytes(const tsl_poisson_grid *grid, const tsl_poisson_share *share);
int tsl_poisson_buffer_count(const tsl_poisson_grid *grid, const tsl_poisson_share *share);

static inline int64_t tsl_poisson_complex(const tsl_poisson_grid *grid)
{
    return 2 * (int64_t)grid->precision;
}

/* One of a lane's two buffers: 0 is on this side of an exchange, 1 on the other. */
static inline char *tsl_poisson_buffer(const tsl_poisson_rank *rank, int lane, int side)
{
    return rank->buffers + (2 * lane + side) * rank->buffer;
}

/* This rank's columns of a segment. */
tsl_poisson_range tsl_poisson_columns_in(const tsl_poisson_rank *rank, int segment);

/* A tick's exchange; on a device queued on the stream of `context`. */
tsl_status tsl_poisson_exchange(const tsl_poisson_rank *rank, tsl_context *context,
                                const tsl_poisson_tick *now);

/* Exchange what is settled: by the way of the rank's share, from and to device memory where `where`
 * has a stream, else host memory (transfer.c). */
tsl_status tsl_poisson_transfer(const tsl_poisson_rank *rank, tsl_context *where, int group,
                                const tsl_comm_parts *send, const tsl_comm_parts *receive);
/* Exchange what is settled, from and to host memory, by MPI's derived datatypes. */
tsl_status tsl_poisson_transfer_strided(const tsl_poisson_rank *rank, int group,
                                        const tsl_comm_strided *send,
                                        const tsl_comm_strided *receive);
/* What a stream does goes to the rank's one error line, and to all others. */
tsl_status tsl_poisson_refuse(const tsl_poisson_rank *rank, const tsl_context *where,
                              tsl_status status);

/* Go through all segments. `run` does a tick; its stages need what the ticks before exchanged. */
tsl_status tsl_poisson_run_segments(const tsl_poisson_rank *rank,
                                    tsl_status (*run)(void *solver, const tsl_poisson_tick *now),
                                    void *solver);

#endif
