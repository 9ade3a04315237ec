/* CG: classes, and the power method. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blocks/csr/tiles.h"
#include "blocks/vector/pieces.h"
#include "comm/comm.h"
#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/npb/cg.h"
#include "solvers/npb/size_class.h"
#include "tesela/npb.h"

/* Iterations that are queued before the host looks up. */
enum { AHEAD = 8 };

static const tsl_cg_class classes[] = {
    {'S', 1400, 7, 15, 10, 8.5971775078648, 78148},
    {'W', 7000, 8, 15, 12, 10.362595087124, 508402},
    {'A', 14000, 11, 15, 20, 17.130235054029, 1853104},
    {'B', 75000, 13, 75, 60, 22.712745482631, 13708072},
    {'C', 150000, 15, 75, 110, 28.973605592845, 36121058},
    {'D', 1500000, 21, 100, 500, 52.514532105794, 694392620},
    {'E', 9000000, 26, 100, 1500, 77.522164599383, 6326754836},
};

const tsl_cg_class *tsl_cg_find_class(char name)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (classes[i].name == name) {
            return &classes[i];
        }
    }
    return NULL;
}

tsl_cg_rows tsl_cg_rows_of(int64_t all, int rank, int size)
{
    const int64_t first = tsl_piece_of(all, TSL_CG_PARTIALS * rank / size).from;
    const int64_t end =
        rank + 1 < size ? tsl_piece_of(all, TSL_CG_PARTIALS * (rank + 1) / size).from : all;
    return (tsl_cg_rows){.all = all, .first = first, .count = end - first};
}

tsl_status tsl_cg_rows_in_bytes(int64_t **parts, tsl_context *context, int64_t all)
{
    const int size = context->comm->size;
    int64_t *made = tsl_allocate(2 * (size_t)size * sizeof *made);
    if (made == NULL) {
        return tsl_fail_memory(context, 2 * size * (int64_t)sizeof *made, "the ranks' rows");
    }
    for (int q = 0; q < size; q++) {
        const tsl_cg_rows rows = tsl_cg_rows_of(all, q, size);
        made[q] = rows.count * (int64_t)sizeof(double);
        made[size + q] = rows.first * (int64_t)sizeof(double);
    }
    *parts = made;
    return TSL_OK;
}

/* A rank's part of one run. */
typedef struct work {
    tsl_context *context;
    const tsl_cg_class *what;
    tsl_csr matrix;   /* its rows */
    int64_t nonzeros; /* of these */
    double bring;     /* seconds: to the device */
    tsl_sparse *product;
    tsl_cg_vectors vectors;
    double *whole;  /* [rows.all] what the matrix is multiplied with, of all ranks */
    int64_t *parts; /* [2][ranks] the bytes of each rank's rows, and where they are in `whole` */
    tsl_reducer *reducer; /* of partial sums; NULL where there is one rank */
    tsl_cg_peers peers;   /* where ranks read each other's vectors */
    tsl_recording *iteration;
} work;

static bool is_shared(const work *w)
{
    return w->context->comm->size > 1;
}

/* Do ranks, of which there are several, go without the host? Then an iteration can be recorded. */
static bool is_direct(const work *w)
{
    return w->reducer != NULL && tsl_reducer_is_direct(w->reducer) &&
           w->context->comm->size <= TSL_CG_PEERS;
}

/* ---- memory ------------------------------------------------------------------------------- */

static void free_work(work *w)
{
    tsl_context *context = w->context;
    tsl_cg_vectors *v = &w->vectors;
    context->ops->forget(w->iteration);
    tsl_reducer_destroy(w->reducer);
    context->ops->sparse->destroy(w->product);
    double *const p = w->peers.ranks > 0 ? NULL : v->p; /* else a part of `whole` */
    double *const all[] = {v->x, v->z, p, v->q, v->r, v->partial, v->norms, w->whole};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_device_release(context, all[i]);
    }
    tsl_release(w->parts);
    tsl_csr_free(&w->matrix);
}

static tsl_status make_vectors(work *w)
{
    tsl_cg_vectors *v = &w->vectors;
    struct {
        double **at;
        int64_t count;
    } all[] = {{&v->x, v->n},
               {&v->z, v->n},
               {&v->p, is_direct(w) ? 0 : v->n},
               {&v->q, v->n},
               {&v->r, v->n},
               {&v->partial, (int64_t)TSL_CG_SUMS * TSL_CG_PARTIALS},
               {&v->norms, TSL_CG_NORMS},
               {&w->whole, is_shared(w) ? v->rows.all : 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *memory = NULL;
        const tsl_status status =
            all[i].count > 0
                ? tsl_device_allocate(&memory, w->context, all[i].count * (int64_t)sizeof(double),
                                      "vectors")
                : TSL_OK;
        if (status != TSL_OK) {
            return status;
        }
        *all[i].at = memory;
    }
    return TSL_OK;
}

/* What a rank tells the others of its vectors. */
typedef struct offer {
    const double *r, *z;
} offer;

static tsl_status meet_peers(work *w)
{
    const tsl_comm *comm = w->context->comm;
    tsl_cg_vectors *v = &w->vectors;
    const offer mine = {v->r, v->z};
    offer all[TSL_CG_PEERS];
    const tsl_status status =
        tsl_comm_gather_records(w->context->comm, all, &mine, (int64_t)sizeof mine);
    for (int q = 0; q < comm->size && status == TSL_OK; q++) {
        w->peers.r[q] = all[q].r;
        w->peers.z[q] = all[q].z;
        w->peers.first[q] = tsl_cg_rows_of(v->rows.all, q, comm->size).first;
    }
    if (status == TSL_OK) {
        w->peers.first[comm->size] = v->rows.all;
        w->peers.whole = w->whole;
        w->peers.ranks = comm->size;
        v->p = w->whole + v->rows.first;
    }
    return status;
}

static tsl_status make_work(work *w)
{
    const tsl_comm *comm = w->context->comm;
    const tsl_cg_rows rows = tsl_cg_rows_of(w->what->rows, comm->rank, comm->size);
    w->vectors.n = rows.count;
    w->vectors.rows = rows;
    double begun = tsl_seconds();
    tsl_status status = tsl_cg_rows_in_bytes(&w->parts, w->context, w->what->rows);
    if (status == TSL_OK) {
        status = tsl_cg_matrix(&w->matrix, w->context, w->what, rows.first, rows.count);
    }
    if (status != TSL_OK) {
        return status;
    }
    w->nonzeros = tsl_csr_nonzeros(&w->matrix);
    tsl_profile_add(w->context, "matrix", begun, 12 * w->nonzeros, 0);
    begun = tsl_seconds();
    status = tsl_sparse_create(&w->product, w->context, &w->matrix);
    if (status == TSL_OK && w->context->ops->sparse->copies) {
        tsl_csr_free(&w->matrix);
    }
    tsl_profile_add(w->context, "bring the matrix", begun, 12 * w->nonzeros, 0);
    if (is_shared(w)) {
        status = tsl_comm_refuse(w->context, status);
    }
    if (status == TSL_OK && is_shared(w)) {
        status = tsl_reducer_create(&w->reducer, w->context->comm, w->context,
                                    (int64_t)TSL_CG_SUMS * TSL_CG_PARTIALS, TSL_COMM_DOUBLE,
                                    TSL_COMM_SUM);
    }
    status = status == TSL_OK ? make_vectors(w) : status;
    if (is_shared(w)) {
        status = tsl_comm_refuse(w->context, status);
    }
    if (status == TSL_OK && is_direct(w)) {
        status = meet_peers(w);
    }
    w->bring = tsl_seconds() - begun;
    return status;
}

/* ---- iterations --------------------------------------------------------------------------- */

/* All ranks' rows of a vector, z or p: the vector itself where there is one rank. */
static tsl_status gather(const work *w, const double **out, const double *own)
{
    tsl_comm *comm = w->context->comm;
    *out = is_shared(w) ? w->whole : own;
    if (!is_shared(w) || (is_direct(w) && own == w->vectors.p)) {
        return TSL_OK;
    }
    if (is_direct(w)) {
        return w->context->ops->cg->collect(w->context, &w->peers, w->peers.z);
    }
    const double begun = tsl_seconds();
    const tsl_comm_parts all = {
        .data = w->whole, .bytes = w->parts, .offsets = w->parts + comm->size};
    const tsl_status status =
        tsl_comm_gather(comm, w->context, own, w->parts[comm->rank], &all, TSL_COMM_ALL);
    tsl_profile_add(w->context, "gather", begun, 8 * w->vectors.rows.all, 0);
    return status;
}

/* `count` rows of partial sums become those of all ranks. */
static tsl_status add_ranks(const work *w, double *partial, int count)
{
    if (!is_shared(w)) {
        return TSL_OK;
    }
    const double begun = tsl_seconds();
    const tsl_status status =
        tsl_reducer_execute(w->reducer, partial, (int64_t)count * TSL_CG_PARTIALS);
    tsl_profile_add(w->context, "add ranks", begun, 0, 0);
    return status;
}

/* y <- A x, of this rank's rows; with `sums` also partial sums of x.y, if there is one rank. */
static tsl_status multiply(const work *w, double *y, const double *own, double *sums)
{
    const double *x;
    tsl_status status = gather(w, &x, own);
    const double begun = tsl_seconds();
    if (status == TSL_OK) {
        status = w->context->ops->sparse->multiply(w->product, y, x, is_shared(w) ? NULL : sums);
    }
    tsl_profile_add(w->context, "product", begun, 12 * w->nonzeros + 20 * w->vectors.n,
                    2 * w->nonzeros);
    return status;
}

/* q <- A p, and p.q */
static tsl_status multiply_direction(const work *w)
{
    const tsl_cg_vectors *v = &w->vectors;
    double *const sums = tsl_cg_product(v);
    tsl_status status = multiply(w, v->q, v->p, sums);
    if (status == TSL_OK && is_shared(w)) {
        status = w->context->ops->cg->product(w->context, v);
    }
    return status == TSL_OK ? add_ranks(w, sums, 1) : status;
}

/* The next direction. Where ranks read each other's vectors there is none after the last, for
 * they are still to be read then when r is written. */
static tsl_status turn(const work *w, int inner)
{
    const tsl_cg_ops *cg = w->context->ops->cg;
    if (!is_direct(w)) {
        return cg->turn(w->context, &w->vectors, inner);
    }
    return inner + 1 < TSL_CG_INNER ? cg->turn_whole(w->context, &w->vectors, &w->peers, inner)
                                    : TSL_OK;
}

/* An inner iteration, from q = A p on. */
static tsl_status step(const work *w, int inner)
{
    const tsl_cg_vectors *v = &w->vectors;
    const tsl_cg_ops *cg = w->context->ops->cg;
    const double begun = tsl_seconds();
    tsl_status status = TSL_OK;
    TSL_TRY(cg->advance(w->context, v, inner));
    TSL_TRY(add_ranks(w, tsl_cg_rho(v, inner + 1), 1));
    TSL_TRY(turn(w, inner));
done:
    tsl_profile_add(w->context, "vectors", begun, 72 * v->n, 8 * v->n);
    return status;
}

/* The matrix, if the device does an iteration of the power method with it at once; else NULL.
 * Stages that are to be timed one by one are done one by one. */
static const struct tsl_device_tiles *at_once(const work *w)
{
    const tsl_device_ops *ops = w->context->ops;
    if (ops->cg->iterate == NULL || is_shared(w) || w->context->profile.exact) {
        return NULL;
    }
    const struct tsl_device_tiles *tiles = ops->sparse->tiles(w->product);
    return ops->cg->suits(tiles) ? tiles : NULL;
}

/* An iteration of the power method. */
static tsl_status iterate(void *arguments)
{
    const work *w = arguments;
    const tsl_cg_vectors *v = &w->vectors;
    const struct tsl_device_tiles *const matrix = at_once(w);
    if (matrix != NULL) {
        return w->context->ops->cg->iterate(w->context, v, matrix);
    }
    const tsl_cg_ops *cg = w->context->ops->cg;
    tsl_status status = cg->begin(w->context, v);
    if (status == TSL_OK) {
        status = add_ranks(w, tsl_cg_rho(v, 0), 1);
    }
    if (status == TSL_OK && is_direct(w)) {
        status = cg->collect(w->context, &w->peers, w->peers.r);
    }
    for (int inner = 0; status == TSL_OK && inner < TSL_CG_INNER; inner++) {
        status = multiply_direction(w);
        if (status == TSL_OK) {
            status = step(w, inner);
        }
    }
    if (status == TSL_OK) {
        status = multiply(w, v->r, v->z, NULL);
    }
    if (status == TSL_OK) {
        status = cg->sum_norms(w->context, v);
    }
    if (status == TSL_OK) {
        status = add_ranks(w, v->partial, TSL_CG_SUMS);
    }
    return status == TSL_OK ? cg->normalise(w->context, v) : status;
}

/* Where ranks go without the host: wait, and see whether all are still well. After a failure the
 * others go through all that they have queued. */
static tsl_status look_around(const work *w)
{
    const tsl_status status = w->context->ops->synchronize(w->context);
    return status == TSL_OK ? tsl_comm_check(w->context->comm) : status;
}

/* `count` iterations from x = 1; returns when they are done. */
static tsl_status run(work *w, int count)
{
    tsl_status status = w->context->ops->cg->ones(w->context, &w->vectors);
    for (int i = 0; status == TSL_OK && i < count; i++) {
        status = w->iteration != NULL ? w->context->ops->replay(w->iteration) : iterate(w);
        if (status == TSL_OK && is_direct(w) && i % AHEAD == AHEAD - 1) {
            status = look_around(w);
        }
    }
    return status == TSL_OK ? w->context->ops->synchronize(w->context) : status;
}

/* ---- a run -------------------------------------------------------------------------------- */

/* NPB's count of operations: what the generator draws, not what is left after sums of equal
 * places. */
static double nominal_operations(const tsl_cg_class *what)
{
    const double drawn = what->row_draws * (what->row_draws + 1.0);
    return 2.0 * what->iterations * (double)what->rows *
           (3 + drawn + TSL_CG_INNER * (5 + drawn) + 3);
}

static tsl_status fill(tsl_npb_cg *out, const work *w, double setup, double seconds)
{
    double last[TSL_CG_NORMS];
    int64_t nonzeros = w->nonzeros;
    double slowest[2] = {seconds, w->bring};
    tsl_comm *comm = w->context->comm;
    tsl_status status = w->context->ops->download(w->context, last, w->vectors.norms, sizeof last);
    TSL_TRY(tsl_comm_refuse(w->context, status));
    TSL_TRY(tsl_comm_all_reduce(comm, NULL, &nonzeros, 1, TSL_COMM_INT64, TSL_COMM_SUM));
    TSL_TRY(tsl_comm_all_reduce(comm, NULL, slowest, 2, TSL_COMM_DOUBLE, TSL_COMM_MAX));
done:
    if (status != TSL_OK) {
        return status;
    }
    const tsl_cg_class *what = w->what;
    memset(out, 0, sizeof *out);
    out->size_class = what->name;
    out->iterations = what->iterations;
    out->rows = what->rows;
    out->nonzeros = nonzeros;
    out->nonzeros_expected = what->nonzeros;
    out->rnorm = last[0];
    out->zeta = what->shift + 1 / last[1];
    out->error = fabs(out->zeta - what->zeta) / what->zeta;
    out->verified = out->error <= 1e-10 && what->nonzeros == out->nonzeros;
    out->setup = setup;
    out->seconds = slowest[0];
    out->bring = slowest[1];
    out->mops = 1e-6 * nominal_operations(what) / slowest[0];
    return TSL_OK;
}

/* Can these ranks do it together? All of them come to the same end. */
static tsl_status check_ranks(tsl_context *context)
{
    tsl_comm *comm = context->comm;
    char first[TSL_DEVICE_NAME] = "";
    tsl_status status = TSL_OK;
    if (comm->size > 1 && context->ops->cg->product == NULL) {
        status =
            tsl_fail(context, TSL_E_UNSUPPORTED,
                     "%s: CG does not run on several ranks there: give one device", context->name);
    } else if (comm->size > TSL_CG_RANKS) {
        status = tsl_fail(context, TSL_E_UNSUPPORTED, "CG on %d ranks: give at most %d", comm->size,
                          (int)TSL_CG_RANKS);
    } else if (comm->size > 1) {
        strncpy(first, context->ops->name, sizeof first - 1);
        status = tsl_comm_broadcast(comm, NULL, first, sizeof first, 0);
    }
    if (status == TSL_OK && comm->size > 1 && strcmp(first, context->ops->name) != 0) {
        status = tsl_fail(context, TSL_E_UNSUPPORTED,
                          "CG's ranks are on '%s' and on '%s': give devices of one kind", first,
                          context->ops->name);
    }
    return tsl_comm_refuse(context, status);
}

/* Before minutes of drawing: is there memory for the matrix? Asked for is no more than is taken at
 * a time: the rows beside the vectors that they are made of, or the CPU's tiles that are made of
 * them, and the values on a device that copies them. A rank's rows may have a few entries less than
 * their share. */
static tsl_status foresee(const work *w)
{
    tsl_context *context = w->context;
    const tsl_comm *comm = context->comm;
    const tsl_cg_class *what = w->what;
    const tsl_cg_rows rows = tsl_cg_rows_of(what->rows, comm->rank, comm->size);
    const int64_t nonzeros =
        is_shared(w) ? what->nonzeros / 8 * 7 / rows.all * rows.count : what->nonzeros;
    const int64_t tiles =
        context->ops->peer == NULL ? tsl_tiles_host_bytes(rows.count, what->rows, nonzeros) : 0;
    char text[32];
    snprintf(text, sizeof text, "CG's class %c needs", what->name);
    const tsl_device_need need = {
        .what = text,
        .remedy = "take a smaller class",
        .device = context->ops->sparse->copies ? nonzeros * (int64_t)sizeof(double) : 0,
        .host = tsl_cg_making_bytes(what, rows.count, nonzeros, tiles)};
    return tsl_comm_foresee(context, &need);
}

/* Setup, an iteration that is not timed, as NPB has it, and the timed ones. */
static tsl_status run_class(tsl_npb_cg *out, work *w)
{
    tsl_context *context = w->context;
    const double begun = tsl_seconds();
    tsl_status status = make_work(w);
    if (status == TSL_OK && (!is_shared(w) || is_direct(w))) { /* nothing waits for a host */
        status = context->ops->record(&w->iteration, context, iterate, w);
    }
    if (status == TSL_OK) {
        status = run(w, 1);
    }
    status = tsl_comm_refuse(context, status);
    if (status == TSL_OK) {
        status = tsl_comm_barrier(context->comm);
    }
    const double started = tsl_seconds();
    if (status == TSL_OK) {
        status = tsl_comm_refuse(context, run(w, w->what->iterations));
    }
    const double seconds = tsl_seconds() - started;
    return status == TSL_OK ? fill(out, w, started - begun, seconds) : status;
}

tsl_status tsl_npb_cg_run(tsl_npb_cg *out, tsl_context *context, char size_class)
{
    work w = {.context = context, .what = tsl_cg_find_class(size_class)};
    if (w.what == NULL) {
        tsl_fail(context, TSL_E_ARG, "class '%c' of CG: give S, W, A, B, C, D or E",
                 tsl_shown_class(size_class));
        return tsl_comm_refuse(context, TSL_E_ARG);
    }
    tsl_status status = check_ranks(context);
    if (status == TSL_OK) {
        status = foresee(&w);
    }
    if (status == TSL_OK) {
        status = run_class(out, &w);
        free_work(&w);
    }
    return status;
}
