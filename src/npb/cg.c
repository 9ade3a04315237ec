/* CG: classes, and the power method. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "npb/cg.h"
#include "tesela/npb.h"

static const tsl_cg_class classes[] = {
    {'S', 1400, 7, 15, 10, 8.5971775078648, 78148},
    {'W', 7000, 8, 15, 12, 10.362595087124, 508402},
    {'A', 14000, 11, 15, 20, 17.130235054029, 1853104},
    {'B', 75000, 13, 75, 60, 22.712745482631, 13708072},
    {'C', 150000, 15, 75, 110, 28.973605592845, 36121058},
    {'D', 1500000, 21, 100, 500, 52.514532105794, 694392620},
    {'E', 9000000, 26, 100, 1500, 77.522164599383, 0},
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

/* One run. */
typedef struct work {
    tsl_context *context;
    const tsl_cg_class *what;
    tsl_csr matrix;
    int64_t nonzeros;
    tsl_sparse *product;
    tsl_cg_vectors vectors;
    tsl_recording *iteration;
} work;

static void free_work(work *w)
{
    tsl_context *context = w->context;
    tsl_cg_vectors *v = &w->vectors;
    context->ops->forget(w->iteration);
    context->ops->sparse->destroy(w->product);
    double *const all[] = {v->x, v->z, v->p, v->q, v->r, v->partial, v->norms};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_device_release(context, all[i]);
    }
    tsl_csr_free(&w->matrix);
}

static tsl_status make_vectors(work *w)
{
    tsl_cg_vectors *v = &w->vectors;
    v->n = w->what->rows;
    struct {
        double **at;
        int64_t count;
    } all[] = {{&v->x, v->n},
               {&v->z, v->n},
               {&v->p, v->n},
               {&v->q, v->n},
               {&v->r, v->n},
               {&v->partial, (int64_t)TSL_CG_SUMS * TSL_CG_PARTIALS},
               {&v->norms, TSL_CG_NORMS}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *memory = NULL;
        const tsl_status status = tsl_device_allocate(
            &memory, w->context, all[i].count * (int64_t)sizeof(double), "vectors");
        if (status != TSL_OK) {
            return status;
        }
        *all[i].at = memory;
    }
    return TSL_OK;
}

static tsl_status make_work(work *w)
{
    double begun = tsl_seconds();
    tsl_status status = tsl_cg_matrix(&w->matrix, w->context, w->what, 0, w->what->rows);
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
    return status == TSL_OK ? make_vectors(w) : status;
}

static tsl_status multiply(const work *w, double *y, const double *x, double *sums)
{
    const double begun = tsl_seconds();
    const tsl_status status = w->context->ops->sparse->multiply(w->product, y, x, sums);
    tsl_profile_add(w->context, "product", begun, 12 * w->nonzeros + 20 * w->what->rows,
                    2 * w->nonzeros);
    return status;
}

/* An iteration of the power method. */
static tsl_status iterate(void *arguments)
{
    const work *w = arguments;
    const tsl_cg_vectors *v = &w->vectors;
    const tsl_cg_ops *cg = w->context->ops->cg;
    tsl_status status = cg->begin(w->context, v);
    for (int inner = 0; status == TSL_OK && inner < TSL_CG_INNER; inner++) {
        status = multiply(w, v->q, v->p, tsl_cg_product(v));
        if (status == TSL_OK) {
            const double begun = tsl_seconds();
            status = cg->step(w->context, v, inner);
            tsl_profile_add(w->context, "vectors", begun, 72 * v->n, 8 * v->n);
        }
    }
    if (status == TSL_OK) {
        status = multiply(w, v->r, v->z, NULL);
    }
    return status == TSL_OK ? cg->finish(w->context, v) : status;
}

/* `count` iterations from x = 1; returns when they are done. */
static tsl_status run(const work *w, int count)
{
    tsl_status status = w->context->ops->cg->ones(w->context, &w->vectors);
    for (int i = 0; status == TSL_OK && i < count; i++) {
        status = w->context->ops->replay(w->iteration);
    }
    return status == TSL_OK ? w->context->ops->synchronize(w->context) : status;
}

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
    const tsl_status status =
        w->context->ops->download(w->context, last, w->vectors.norms, sizeof last);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_cg_class *what = w->what;
    memset(out, 0, sizeof *out);
    out->size_class = what->name;
    out->iterations = what->iterations;
    out->rows = what->rows;
    out->nonzeros = w->nonzeros;
    out->nonzeros_expected = what->nonzeros;
    out->rnorm = last[0];
    out->zeta = what->shift + 1 / last[1];
    out->error = fabs(out->zeta - what->zeta) / what->zeta;
    out->verified = out->error <= 1e-10 && (what->nonzeros == 0 || what->nonzeros == out->nonzeros);
    out->setup = setup;
    out->seconds = seconds;
    out->mops = 1e-6 * nominal_operations(what) / seconds;
    return TSL_OK;
}

tsl_status tsl_npb_cg_run(tsl_npb_cg *out, tsl_context *context, char size_class)
{
    work w = {.context = context, .what = tsl_cg_find_class(size_class)};
    if (w.what == NULL) {
        return tsl_fail(context, TSL_E_ARG, "class '%c' of CG: give S, W, A, B, C, D or E",
                        size_class);
    }
    const double begun = tsl_seconds();
    tsl_status status = make_work(&w);
    if (status == TSL_OK) {
        status = context->ops->record(&w.iteration, context, iterate, &w);
    }
    if (status == TSL_OK) {
        status = run(&w, 1); /* untimed, as NPB has it */
    }
    const double started = tsl_seconds();
    if (status == TSL_OK) {
        status = run(&w, w.what->iterations);
    }
    const double seconds = tsl_seconds() - started;
    if (status == TSL_OK) {
        status = fill(out, &w, started - begun, seconds);
    }
    free_work(&w);
    return status;
}
