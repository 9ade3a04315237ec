/* EP: classes, and what NPB expects of them. */
#include <math.h>
#include <string.h>

#include "blocks/queue/queue.h"
#include "comm/comm.h"
#include "core/context.h"
#include "core/profile.h"
#include "device/device.h"
#include "solvers/npb/ep.h"
#include "solvers/npb/size_class.h"
#include "tesela/npb.h"

_Static_assert((int)TSL_NPB_EP_ANNULI == (int)TSL_EP_ANNULI, "one number of annuli");

static const tsl_ep_class classes[] = {
    {'S', 24, -3.247834652034740e3, -6.958407078382297e3, 1.051299420395306e7, 1.051517131857535e7,
     13176389},
    {'W', 25, -2.863319731645753e3, -6.320053679109499e3, 2.102505525182392e7, 2.103162209578822e7,
     26354769},
    {'A', 28, -4.295875165629892e3, -1.580732573678431e4, 1.682235632304711e8, 1.682195123368299e8,
     210832767},
    {'B', 30, 4.033815542441498e4, -2.660669192809235e4, 6.728927543423024e8, 6.728951822504275e8,
     843345606},
    {'C', 32, 4.764367927995374e4, -8.084072988043731e4, 2.691444083862931e9, 2.691519118724585e9,
     3373275903},
    {'D', 36, 1.982481200946593e5, -1.020596636361769e5, 4.306350280812112e10, 4.306347571859157e10,
     53972171957},
    {'E', 40, -5.319717441530e5, -3.688834557731e5, 6.890169663167274e11, 6.890164670688535e11,
     863554308186},
    {'F', 44, 0, 0, 1.102426773788175e13, 1.102426773787993e13, 13816870608324},
};

const tsl_ep_class *tsl_ep_find_class(char name)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (classes[i].name == name) {
            return &classes[i];
        }
    }
    return NULL;
}

static double larger_error(double error, double value, double expected)
{
    const double own = fabs((value - expected) / expected);
    return isnan(error) || own <= error ? error : own; /* not-a-number stays */
}

double tsl_ep_error_signed(const tsl_ep_class *expected, double sx, double sy)
{
    return expected->sx != 0 ? larger_error(larger_error(0, sx, expected->sx), sy, expected->sy)
                             : -1;
}

static void verify(tsl_npb_ep *out, const tsl_ep_class *expected)
{
    out->error_signed = tsl_ep_error_signed(expected, out->sx, out->sy);
    out->error_absolute = larger_error(0, out->sx_abs, expected->sx_abs);
    out->error_absolute = larger_error(out->error_absolute, out->sy_abs, expected->sy_abs);
    out->error_absolute =
        larger_error(out->error_absolute, (double)out->gaussians, expected->gaussians);
    out->verified = out->error_signed <= 1e-8 && out->error_absolute <= 1e-8;
}

/* The double nearest to a total. */
static double sum_of(const int64_t total[2])
{
    const int64_t carry = total[1] >> 32; /* a sum of numbers >= 0 */
    const int64_t low = total[1] - carry * (INT64_C(1) << 32);
    const int64_t high = total[0] + carry;
    /* the upper part has 53 bits at most below class F, so that only the last sum rounds */
    return ldexp((double)high, 32 - TSL_EP_FIXED_BITS) + ldexp((double)low, -TSL_EP_FIXED_BITS);
}

static void fill_sums(tsl_npb_ep *out, const int64_t totals[TSL_EP_TOTALS])
{
    out->sx = sum_of(totals + 2 * TSL_EP_SUM_X);
    out->sy = sum_of(totals + 2 * TSL_EP_SUM_Y);
    out->sx_abs = sum_of(totals + 2 * TSL_EP_SUM_X_ABS);
    out->sy_abs = sum_of(totals + 2 * TSL_EP_SUM_Y_ABS);
    out->gaussians = 0;
    for (int l = 0; l < TSL_EP_ANNULI; l++) {
        out->counts[l] = totals[2 * TSL_EP_SUMS + l];
        out->gaussians += out->counts[l];
    }
}

/* ---- a run -------------------------------------------------------------------------------- */

/* What a rank adds batches to. */
typedef struct tallying {
    tsl_context *context;
    int64_t *totals; /* in device memory */
} tallying;

static tsl_status tally(void *user, int64_t first, int64_t count)
{
    const tallying *t = user;
    return t->context->ops->ep->tally(t->context, first, count, t->totals);
}

/* This rank's totals. */
static tsl_status tally_on_device(tsl_context *context, tsl_queue *queue, int64_t batches,
                                  int64_t totals[TSL_EP_TOTALS])
{
    const int64_t bytes = TSL_EP_TOTALS * (int64_t)sizeof *totals;
    const double begun = tsl_seconds();
    void *memory = NULL;
    tsl_status status = tsl_device_allocate(&memory, context, bytes, "sums");
    if (status == TSL_OK) {
        status = context->ops->fill(context, memory, 0, bytes);
    }
    if (status == TSL_OK) {
        tallying all = {.context = context, .totals = memory};
        status =
            queue != NULL ? tsl_queue_do(queue, context, tally, &all) : tally(&all, 0, batches);
        tsl_profile_add(context, "pairs", begun, 0, 0);
    }
    if (status == TSL_OK) {
        status = context->ops->download(context, totals, memory, bytes);
    }
    tsl_device_release(context, memory);
    return status;
}

/* All ranks' totals, and the time of the slowest. */
static tsl_status tally_on_ranks(tsl_context *context, int64_t batches,
                                 int64_t totals[TSL_EP_TOTALS], double *seconds)
{
    tsl_comm *comm = context->comm;
    tsl_queue *queue = NULL;
    tsl_status status = TSL_OK;
    if (comm->size > 1) {
        status = tsl_queue_create(&queue, comm, batches, context->ops->ep->at_a_time(context));
    }
    const double begun = tsl_seconds();
    if (status == TSL_OK) {
        status = tsl_comm_refuse(context, tally_on_device(context, queue, batches, totals));
    }
    if (status == TSL_OK) {
        status =
            tsl_comm_all_reduce(comm, NULL, totals, TSL_EP_TOTALS, TSL_COMM_INT64, TSL_COMM_SUM);
    }
    *seconds = tsl_seconds() - begun;
    if (status == TSL_OK) {
        status = tsl_comm_all_reduce(comm, NULL, seconds, 1, TSL_COMM_DOUBLE, TSL_COMM_MAX);
    }
    tsl_queue_destroy(queue);
    return status;
}

tsl_status tsl_npb_ep_run(tsl_npb_ep *out, tsl_context *context, char size_class)
{
    const tsl_ep_class *chosen = tsl_ep_find_class(size_class);
    if (chosen == NULL) {
        tsl_fail(context, TSL_E_ARG, "class '%c' of EP: give S, W, A, B, C, D, E or F",
                 tsl_shown_class(size_class));
        return tsl_comm_refuse(context, TSL_E_ARG);
    }
    int64_t totals[TSL_EP_TOTALS];
    double seconds = 0;
    const tsl_status status = tally_on_ranks(
        context, INT64_C(1) << (chosen->log2_pairs - TSL_EP_BATCH_BITS), totals, &seconds);
    if (status != TSL_OK) {
        return status;
    }
    memset(out, 0, sizeof *out);
    out->size_class = chosen->name;
    out->log2_pairs = chosen->log2_pairs;
    out->seconds = seconds;
    out->mops = ldexp(1e-6, chosen->log2_pairs + 1) / seconds;
    fill_sums(out, totals);
    verify(out, chosen);
    return TSL_OK;
}
