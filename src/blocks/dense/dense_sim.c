/* Dense matrices on sim: the CPU's, deferred. */
#include "blocks/dense/dense.h"
#include "device/sim.h"

typedef struct multiply_arguments {
    tsl_context *context;
    tsl_product product;
} multiply_arguments;

static void run_multiply(const void *arguments)
{
    const multiply_arguments *a = arguments;
    (void)tsl_dense_cpu.multiply(a->context, &a->product);
}

static tsl_status sim_multiply(tsl_context *context, const tsl_product *product)
{
    const multiply_arguments arguments = {context, *product};
    return tsl_sim_defer(context, run_multiply, &arguments, sizeof arguments);
}

/* Arguments of an operation on one matrix. The caller waits for it, and takes its status. */
typedef struct matrix_arguments {
    tsl_context *context;
    int64_t n;
    double *a, *values;
    const double *factor;
    bool *positive;
    tsl_status *status;
} matrix_arguments;

static void run_eigen(const void *arguments)
{
    const matrix_arguments *m = arguments;
    *m->status = tsl_dense_cpu.eigen(m->context, m->n, m->a, m->values);
}

static void run_cholesky(const void *arguments)
{
    const matrix_arguments *m = arguments;
    *m->status = tsl_dense_cpu.cholesky(m->context, m->n, m->a, m->positive);
}

static void run_solve(const void *arguments)
{
    const matrix_arguments *m = arguments;
    (void)tsl_dense_cpu.solve(m->context, m->n, m->factor, m->a);
}

static tsl_status defer_and_wait(tsl_context *context, tsl_sim_task task, matrix_arguments *m)
{
    tsl_status found = TSL_OK;
    m->status = &found;
    const tsl_status status = tsl_sim_defer(context, task, m, sizeof *m);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_status waited = context->ops->synchronize(context);
    return found != TSL_OK ? found : waited;
}

static tsl_status sim_eigen(tsl_context *context, int64_t n, double *a, double *values)
{
    matrix_arguments m = {.context = context, .n = n, .a = a, .values = values};
    return defer_and_wait(context, run_eigen, &m);
}

static tsl_status sim_cholesky(tsl_context *context, int64_t n, double *a, bool *positive)
{
    matrix_arguments m = {.context = context, .n = n, .a = a, .positive = positive};
    return defer_and_wait(context, run_cholesky, &m);
}

static tsl_status sim_solve(tsl_context *context, int64_t n, const double *factor, double *x)
{
    const matrix_arguments m = {.context = context, .n = n, .a = x, .factor = factor};
    return tsl_sim_defer(context, run_solve, &m, sizeof m);
}

const tsl_dense_ops tsl_dense_sim = {
    .multiply = sim_multiply, .eigen = sim_eigen, .cholesky = sim_cholesky, .solve = sim_solve};
