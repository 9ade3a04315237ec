/* Functionals on the CPU: threads take runs of points; whole blocks go straight from the caller's
 * arrays to the bodies, the rest, and inputs of float, through small arrays of the thread's own. */
#include <string.h>

#include "core/clones.h"
#include "core/context.h"
#include "solvers/xc/xc.h"
#include "solvers/xc/xc_cpu.h"

enum {
    PIECE = 128,  /* points that go through arrays of the thread's own at a time */
    CHUNK = 4096, /* points a thread takes at a time */
};

static tsl_xc_level held = TSL_XC_LEVELS;

void tsl_test_xc_level(tsl_xc_level level)
{
    held = level;
}

tsl_xc_level tsl_xc_level_now(void)
{
    tsl_xc_level level = TSL_XC_BASELINE;
#ifdef XC_HAS_LEVELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) {
        level = TSL_XC_V4;
    } else if (__builtin_cpu_supports("x86-64-v3")) {
        level = TSL_XC_V3;
    }
#endif
    return held < level ? held : level;
}

/* What threads share of a call. */
typedef struct job {
    const tsl_xc_call *call;
    tsl_xc_cpu_body body;
    bool reads, writes; /* the caller's arrays, of whole blocks */
} job;

_Static_assert(CHUNK % TSL_XC_GROUP == 0, "a chunk is whole groups");

_Static_assert((int)TSL_XC_CPU_ORDERS == (int)TSL_XC_ORDERS, "the CPU has all orders");

static int order_of(int unit, int polarised)
{
    int order = -1;
    for (int i = 0; i < TSL_XC_ORDERS; i++) {
        if (tsl_xc_cpu_units[unit]->body[TSL_XC_BASELINE][polarised][i].run != NULL) {
            order = i;
        }
    }
    return order;
}

/* Input k of points `first` to first + count - 1 as an array of `filled`, whose rest repeats the
 * last one. */
static void read_input(double *to, const tsl_xc_call *call, int k, int64_t first, int count,
                       int filled)
{
    const int64_t stride = call->step_in[k];
    if (call->in_float[k] != NULL) {
        const float *source = call->in_float[k] + first * stride;
        for (int i = 0; i < count; i++) {
            to[i] = source[i * stride];
        }
    } else {
        const double *source = call->in[k] + first * stride;
        for (int i = 0; i < count; i++) {
            to[i] = source[i * stride];
        }
    }
    for (int i = count; i < filled; i++) {
        to[i] = to[count - 1];
    }
}

/* Points `first` to first + count - 1, count <= PIECE, through arrays of our own; points that fill
 * the last block repeat the last one. */
static void run_piece(const job *j, int64_t first, int count)
{
    double in[TSL_XC_INPUTS][PIECE];
    double out[TSL_XC_OUTPUTS][PIECE];
    const double *from[TSL_XC_INPUTS];
    double *to[TSL_XC_OUTPUTS];
    int64_t step[TSL_XC_OUTPUTS];
    const tsl_xc_call *call = j->call;
    const int blocks = (count + j->body.block - 1) / j->body.block;
    const bool writes = j->writes && count % j->body.block == 0;
    for (int k = 0; k < call->inputs; k++) {
        read_input(in[k], call, k, first, count, blocks * j->body.block);
        from[k] = in[k];
    }
    for (int k = 0; k < call->outputs; k++) {
        to[k] = writes && call->out[k] != NULL ? call->out[k] + first : out[k];
        step[k] = j->body.block;
    }
    j->body.run(call->constants, from, to, step, blocks);
    for (int k = 0; k < call->outputs && !writes; k++) {
        if (call->out[k] == NULL) {
            continue;
        }
        const int64_t stride = call->step_out[k];
        double *target = call->out[k] + first * stride;
        for (int i = 0; i < count; i++) {
            target[i * stride] = out[k][i] + (call->accumulate ? target[i * stride] : 0);
        }
    }
}

/* Whole blocks from point `first` on. */
static void run_blocks(const job *j, int64_t first, int64_t blocks)
{
    double unwanted[PIECE];
    const double *from[TSL_XC_INPUTS];
    double *to[TSL_XC_OUTPUTS];
    int64_t step[TSL_XC_OUTPUTS];
    const tsl_xc_call *call = j->call;
    for (int k = 0; k < call->inputs; k++) {
        from[k] = call->in[k] + first;
    }
    for (int k = 0; k < call->outputs; k++) {
        const bool wanted = call->out[k] != NULL;
        to[k] = wanted ? call->out[k] + first : unwanted;
        step[k] = wanted ? j->body.block : 0;
    }
    j->body.run(call->constants, from, to, step, blocks);
}

static void run_chunk(const job *j, int64_t first, int64_t count)
{
    int64_t done = 0;
    if (j->reads && j->writes) {
        const int64_t blocks = count / j->body.block;
        run_blocks(j, first, blocks);
        done = blocks * j->body.block;
    }
    while (done < count) {
        const int piece = (int)(count - done < PIECE ? count - done : PIECE);
        run_piece(j, first + done, piece);
        done += piece;
    }
}

/* ---- energies of groups --------------------------------------------------------------------- */

/* Add numbers i and i + count / 2, then those by halves again; `count` is a power of two. */
static inline double add_by_halves(double *values, int count)
{
    for (int half = count / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            values[i] += values[i + half];
        }
    }
    return values[0];
}

/* The energy of a group's points, whose density is a + b, or a where b is NULL. */
TSL_CLONES
static double add_points(const double *weight, const double *a, const double *b, const double *exc)
{
    double term[TSL_XC_GROUP];
    if (b == NULL) {
        for (int i = 0; i < TSL_XC_GROUP; i++) {
            term[i] = weight[i] * a[i] * exc[i];
        }
    } else {
        for (int i = 0; i < TSL_XC_GROUP; i++) {
            term[i] = weight[i] * (a[i] + b[i]) * exc[i];
        }
    }
    return add_by_halves(term, TSL_XC_GROUP);
}

/* A group of `count` points, through arrays of our own. */
static double add_gathered(const tsl_xc_call *call, int64_t first, int count)
{
    double weight[TSL_XC_GROUP] = {0};
    double exc[TSL_XC_GROUP] = {0};
    double rho[2][TSL_XC_GROUP] = {{0}};
    for (int k = 0; k <= call->polarised; k++) {
        read_input(rho[k], call, k, first, count, count);
    }
    for (int i = 0; i < count; i++) {
        weight[i] = call->weight[first + i];
        exc[i] = call->out[0][(first + i) * call->step_out[0]];
    }
    return add_points(weight, rho[0], call->polarised ? rho[1] : NULL, exc);
}

/* The groups of a chunk. */
static void add_chunk(const job *j, int64_t first, int64_t count)
{
    const tsl_xc_call *call = j->call;
    for (int64_t done = 0; done < count; done += TSL_XC_GROUP) {
        const int64_t at = first + done;
        const int64_t left = count - done;
        double *to = &call->group_energy[at / TSL_XC_GROUP];
        if (j->reads && call->step_out[0] == 1 && left >= TSL_XC_GROUP) {
            *to = add_points(call->weight + at, call->in[0] + at,
                             call->polarised ? call->in[1] + at : NULL, call->out[0] + at);
        } else {
            *to = add_gathered(call, at, left < TSL_XC_GROUP ? (int)left : TSL_XC_GROUP);
        }
    }
}

static tsl_status cpu_add_groups(tsl_context *context, int64_t groups, const double *group_energy,
                                 double *energy)
{
    double sums[TSL_XC_SUMS] = {0};
    (void)context;
    for (int64_t first = 0; first < groups; first += TSL_XC_SUMS) {
        const int64_t left = groups - first;
        const int count = left < TSL_XC_SUMS ? (int)left : TSL_XC_SUMS;
        for (int k = 0; k < count; k++) {
            sums[k] += group_energy[first + k];
        }
    }
    *energy = add_by_halves(sums, TSL_XC_SUMS);
    return TSL_OK;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static void choose_arrays(job *j)
{
    const tsl_xc_call *call = j->call;
    j->reads = true;
    j->writes = !call->accumulate;
    for (int k = 0; k < call->inputs; k++) {
        j->reads = j->reads && call->in_float[k] == NULL && call->step_in[k] == 1;
    }
    for (int k = 0; k < call->outputs; k++) {
        j->writes = j->writes && (call->out[k] == NULL || call->step_out[k] == 1);
    }
}

static tsl_status cpu_evaluate(tsl_context *context, const tsl_xc_call *call)
{
    const tsl_xc_level level = tsl_xc_level_now();
    job j = {.call = call,
             .body = tsl_xc_cpu_units[call->unit]->body[level][call->polarised][call->order]};
    const int64_t chunks = (call->points + CHUNK - 1) / CHUNK;
    choose_arrays(&j);
#pragma omp parallel for num_threads(context->threads) if (chunks > 1)
    for (int64_t c = 0; c < chunks; c++) {
        const int64_t first = c * CHUNK;
        const int64_t count = call->points - first < CHUNK ? call->points - first : CHUNK;
        run_chunk(&j, first, count);
        if (call->group_energy != NULL) {
            add_chunk(&j, first, count);
        }
    }
    return TSL_OK;
}

static tsl_status cpu_move(tsl_context *context, const tsl_xc_call *call)
{
    const int64_t chunks = (call->points + CHUNK - 1) / CHUNK;
#pragma omp parallel for num_threads(context->threads) if (chunks > 1)
    for (int64_t c = 0; c < chunks; c++) {
        const int64_t end = (c + 1) * CHUNK < call->points ? (c + 1) * CHUNK : call->points;
        for (int64_t i = c * CHUNK; i < end; i++) {
            double sum = 0;
            for (int k = 0; k < call->inputs; k++) {
                sum += call->in[k][i * call->step_in[k]];
            }
            for (int k = 0; k < call->outputs; k++) {
                if (call->out[k] != NULL) {
                    call->out[k][i * call->step_out[k]] = sum;
                }
            }
        }
    }
    return TSL_OK;
}

static bool cpu_is_reachable(tsl_context *context, const void *address)
{
    (void)context;
    (void)address;
    return true;
}

const tsl_xc_ops tsl_xc_cpu = {.order = order_of,
                               .evaluate = cpu_evaluate,
                               .move = cpu_move,
                               .add_groups = cpu_add_groups,
                               .is_reachable = cpu_is_reachable};
