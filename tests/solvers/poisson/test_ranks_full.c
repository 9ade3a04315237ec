/* Large periodic boxes over ranks: plane waves come out of any number of them, on shares of any
 * kind, whether a GPU has one rank or several. */
/* ctest: cost 60 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "device/device.h"
#include "device/plugin.h"
#include "solvers/poisson/box.h"

enum { WAVES = 3, MOST = 512 };

typedef struct trial {
    const char *device; /* its kind */
    int gpus;           /* that ranks take in turn; 0: it is no GPU */
    int n[3];
    int ranks[2], form, overlap; /* as of tsl_poisson_options; the CPU has no forms */
} trial;

/* exp(i k x) of each wave at each sample of an axis. */
typedef struct tables {
    double turn[3][WAVES][MOST][2];
    double k2[WAVES];
} tables;

/* A frequency of either sign, up to the last wave but one. */
static int frequency(const int n[3], int wave, int axis)
{
    const int most = (n[axis] - 1) / 2;
    const int all[WAVES][3] = {{1, -2, 3}, {most, 1 - most, most - 1}, {-most / 3, most / 2, 0}};
    return all[wave][axis];
}

static void fill_tables(tables *t, const int n[3])
{
    memset(t->k2, 0, sizeof t->k2);
    for (int axis = 0; axis < 3; axis++) {
        for (int w = 0; w < WAVES; w++) {
            const int f = frequency(n, w, axis);
            t->k2[w] += pow(2 * M_PI * f, 2); /* edges are 1 */
            for (int i = 0; i < n[axis]; i++) {
                const double angle = 2 * M_PI * (double)((int64_t)f * i % n[axis]) / n[axis];
                t->turn[axis][w][i][0] = cos(angle);
                t->turn[axis][w][i][1] = sin(angle);
            }
        }
    }
}

/* The sum of cos(k_w x) / divisor[w] over the cells of a box; NULL to compare: the squares of what
 * differs, and of the sum itself. */
static void sweep(const tables *t, const tsl_box *box, double *cells, double squares[2])
{
    for (int64_t x = box->begin[0]; x < box->end[0]; x++) {
        for (int64_t y = box->begin[1]; y < box->end[1]; y++) {
            double phase[WAVES][2];
            for (int w = 0; w < WAVES; w++) {
                const double *a = t->turn[0][w][x];
                const double *b = t->turn[1][w][y];
                const double scale = squares != NULL ? -1 / t->k2[w] : 1;
                phase[w][0] = scale * (a[0] * b[0] - a[1] * b[1]);
                phase[w][1] = scale * (a[0] * b[1] + a[1] * b[0]);
            }
            for (int64_t z = box->begin[2]; z < box->end[2]; z++, cells++) {
                double value = 0;
                for (int w = 0; w < WAVES; w++) {
                    const double *c = t->turn[2][w][z];
                    value += phase[w][0] * c[0] - phase[w][1] * c[1];
                }
                if (squares == NULL) {
                    *cells = value;
                } else {
                    squares[0] += (*cells - value) * (*cells - value);
                    squares[1] += value * value;
                }
            }
        }
    }
}

static int64_t bytes_of(const tsl_box *box)
{
    int64_t bytes = sizeof(double);
    for (int axis = 0; axis < 3; axis++) {
        bytes *= box->end[axis] - box->begin[axis];
    }
    return bytes;
}

/* Two solves, the second of what is on the device still; the last one's error, of its norm. */
static tsl_status solve(double *error, tsl_context *context, const tsl_poisson_options *o,
                        const tables *t)
{
    tsl_poisson_plan *plan = NULL;
    tsl_box box;
    void *cells = NULL, *result = NULL;
    double squares[2] = {0, 0};
    tsl_status status = tsl_poisson_box(&box, context, o);
    if (status != TSL_OK) {
        return status;
    }
    const int64_t bytes = bytes_of(&box);
    double *host = tsl_allocate((size_t)bytes + 1);
    sweep(t, &box, host, NULL);
    status = tsl_device_allocate(&cells, context, bytes + 64, "a test");
    if (status == TSL_OK) {
        status = tsl_device_allocate(&result, context, bytes + 64, "a test");
    }
    if (status == TSL_OK) {
        status = context->ops->upload(context, cells, host, bytes);
    }
    status = tsl_comm_agree(context, status);
    if (status == TSL_OK) {
        status = tsl_poisson_plan_create(&plan, context, o);
    }
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        status = tsl_poisson_execute(plan, result, cells);
    }
    if (status == TSL_OK) {
        status = context->ops->download(context, host, result, bytes);
    }
    if (status == TSL_OK) {
        sweep(t, &box, host, squares);
        status =
            tsl_comm_all_reduce(context->comm, NULL, squares, 2, TSL_COMM_DOUBLE, TSL_COMM_SUM);
    }
    *error = sqrt(squares[0] / squares[1]);
    tsl_poisson_plan_destroy(plan);
    tsl_device_release(context, cells);
    tsl_device_release(context, result);
    tsl_release(host);
    return status;
}

static tsl_status run_rank(tsl_comm *comm, void *user)
{
    static const double lengths[3] = {1, 1, 1};
    const trial *what = user;
    char device[32];
    tsl_context *context = NULL;
    tables *t = tsl_allocate(sizeof *t);
    tsl_poisson_options o = box_options(what->n, lengths, "ppp");
    double error = HUGE_VAL;
    o.equation = TSL_POISSON_PLAIN;
    o.background = 1;
    o.plain = what->gpus > 0 ? what->form : 0;
    o.overlap = what->overlap;
    memcpy(o.ranks, what->ranks, sizeof o.ranks);
    snprintf(device, sizeof device, what->gpus > 0 ? "%s:%d" : "%s", what->device,
             what->gpus > 0 ? comm->rank % what->gpus : 0);
    fill_tables(t, what->n);
    tsl_status status = test_rank_context(&context, comm, device);
    if (status == TSL_OK) {
        status = solve(&error, context, &o, t);
    }
    if (status == TSL_OK && comm->rank == 0) {
        print_message("%d x %d x %d, %d ranks on %s, pencils %d x %d, form %d, overlap %d: %.2e\n",
                      what->n[0], what->n[1], what->n[2], comm->size, what->device, what->ranks[0],
                      what->ranks[1], what->form, what->overlap, error);
    }
    if (status == TSL_OK && !(error <= 1e-13)) {
        status = tsl_comm_fail(comm, TSL_E_INTERNAL, "the potential is wrong");
    } else if (status != TSL_OK && status != TSL_E_COMM) {
        tsl_comm_fail(comm, status, tsl_last_error(context));
    }
    tsl_context_destroy(context);
    tsl_release(t);
    return status;
}

static void try_ranks(const char *device, int gpus, int edge)
{
    static const int sizes[] = {1, 2, 3, 4, 7};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int p = sizes[i];
        const trial trials[] = {{device, gpus, {edge, edge, edge}, {p, 1}, 0, 0},
                                {device, gpus, {edge, edge, edge}, {p, 1}, 1, 0},
                                {device, gpus, {edge, edge, edge}, {1, p}, 0, 0},
                                {device, gpus, {edge, edge, edge}, {p, 1}, -1, -1},
                                {device, gpus, {edge - 2, edge - 8, edge - 32}, {0, 0}, 0, 0}};
        for (size_t k = 0; k < sizeof trials / sizeof *trials; k++) {
            trial t = trials[k];
            if (tsl_comm_run(p, run_rank, &t) != TSL_OK) {
                fail_msg("%d ranks on %s: %s", p, device, tsl_last_error(NULL));
            }
        }
    }
}

static void plane_waves_come_out_of_large_boxes(void **state)
{
    (void)state;
    char reason[512];
    int gpus = 0;
    try_ranks("cpu", 0, 96);
    if (tsl_plugin_cuda(&gpus, reason, sizeof reason) != NULL && gpus > 0) {
        for (int used = gpus; used > 0; used--) {
            try_ranks("cuda", used, MOST);
        }
    } else {
        print_message("not run on GPUs: %s\n", reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plane_waves_come_out_of_large_boxes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
