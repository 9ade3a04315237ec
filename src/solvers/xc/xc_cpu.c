/* Functionals on the CPU: threads take runs of points; whole blocks go straight from the caller's
 * arrays to the bodies, the rest through small arrays of the thread's own. */
#include <string.h>

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
    bool direct; /* whole blocks need no copies */
} job;

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
    for (int k = 0; k < call->inputs; k++) {
        const int64_t stride = call->step_in[k];
        const double *source = call->in[k] + first * stride;
        for (int i = 0; i < blocks * j->body.block; i++) {
            in[k][i] = source[(i < count ? i : count - 1) * stride];
        }
        from[k] = in[k];
    }
    for (int k = 0; k < call->outputs; k++) {
        to[k] = out[k];
        step[k] = j->body.block;
    }
    j->body.run(call->constants, from, to, step, blocks);
    for (int k = 0; k < call->outputs; k++) {
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
    if (j->direct) {
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

static bool is_direct(const tsl_xc_call *call)
{
    bool direct = !call->accumulate;
    for (int k = 0; k < call->inputs; k++) {
        direct = direct && call->step_in[k] == 1;
    }
    for (int k = 0; k < call->outputs; k++) {
        direct = direct && (call->out[k] == NULL || call->step_out[k] == 1);
    }
    return direct;
}

static tsl_status cpu_evaluate(tsl_context *context, const tsl_xc_call *call)
{
    const tsl_xc_level level = tsl_xc_level_now();
    job j = {.call = call,
             .body = tsl_xc_cpu_units[call->unit]->body[level][call->polarised][call->order],
             .direct = is_direct(call)};
    const int64_t chunks = (call->points + CHUNK - 1) / CHUNK;
#pragma omp parallel for num_threads(context->threads) if (chunks > 1)
    for (int64_t c = 0; c < chunks; c++) {
        const int64_t first = c * CHUNK;
        run_chunk(&j, first, call->points - first < CHUNK ? call->points - first : CHUNK);
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
                               .is_reachable = cpu_is_reachable};
