/* From a level of multigrid to the next, on a GPU. */
#ifndef TSL_SPARSE_COARSEN_GPU_H
#define TSL_SPARSE_COARSEN_GPU_H

#include "solvers/linsolve/multigrid/gpu/coarsen.h"

enum {
    TSL_SPACE_CHUNKS = 32,
    TSL_LONGEST_MADE = 768 /* entries of a row, and rows of an aggregate, at most */
};

/* Device memory that is taken piece by piece and given back all at once, for taking it from the
 * device costs more than much of what is done in it. */
typedef struct tsl_space {
    tsl_context *context;
    bool passing; /* given back when the set-up is done */
    char *chunk[TSL_SPACE_CHUNKS];
    int64_t size[TSL_SPACE_CHUNKS], used[TSL_SPACE_CHUNKS];
    int chunks;
} tsl_space;

/* At least so many bytes of memory are there for what follows. */
tsl_status tsl_space_begin(tsl_space *space, tsl_context *context, int64_t bytes, bool passing);
/* `*status` is looked at first, and set; NULL where it is no TSL_OK. */
void *tsl_space_take(tsl_status *status, tsl_space *space, int64_t bytes);
/* What was taken since `mark` was a copy of `space` may be had again; the memory stays. */
void tsl_space_return(tsl_space *space, const tsl_space *mark);
/* A space that never began is fine. */
void tsl_space_free(tsl_space *space);

/* A level that is to be coarsened. */
typedef struct tsl_fine {
    tsl_device_rows a;
    int64_t places;  /* entries, zeros that slices are filled up with among them */
    int64_t longest; /* entries of a row, at most */
    int64_t more;    /* bytes of passing memory that P and the products will want */
    int reach;       /* of aggregates, see tsl_grouping */
    tsl_lattice lattice;
    double *facts;   /* [TSL_FACTS] of `measure` */
    double *inverse; /* [rows] */
    double strength, omega;
    const double *near_null; /* [rows]; NULL: ones */
} tsl_fine;

/* Where results are put. */
typedef struct tsl_spaces {
    tsl_space passing; /* given back when the level is done */
    tsl_space results; /* given back when the set-up is done */
    tsl_space *kept;
} tsl_spaces;

/* What comes out, all in device memory. */
typedef struct tsl_coarse {
    int64_t count;         /* of aggregates; 0: rows hardly join */
    int32_t *aggregate;    /* [rows], passing */
    double *norm;          /* [count], a result: the next level's near-null vector; NULL: ones */
    int64_t members;       /* rows in aggregates */
    int64_t most_members;  /* rows of the largest aggregate */
    int64_t *member_start; /* [count + 1], kept */
    int32_t *member;       /* [members], kept */
    double *member_value;  /* [members], passing; NULL: ones */
    int64_t nonzeros;
    int64_t *row_start; /* [count + 1], kept */
    int32_t *column;    /* [nonzeros], kept */
    double *value;      /* [nonzeros], a result */
} tsl_coarse;

/* Aggregates. */
tsl_status tsl_group_on_gpu(tsl_coarse *out, tsl_spaces *spaces, const tsl_fine *fine);
/* All else. *fits: false where an aggregate or a row is too long to be made here. */
tsl_status tsl_project_on_gpu(tsl_coarse *out, bool *fits, tsl_spaces *spaces,
                              const tsl_fine *fine);

/* The matrix that came out, times `scale`, in slices, where these have no more than half as many
 * zeros as it has entries: columns and values of rows side by side then come side by side. In
 * memory that is kept; *places: entries and zeros, or 0 where they are too many. */
tsl_status tsl_slice_on_gpu(tsl_gpu_matrix *out, int64_t *places, tsl_spaces *spaces,
                            const tsl_coarse *from, double scale, int bytes);

#endif
