/* The roofline, latency by Little's law, the link and Amdahl's law. */
#include <math.h>

#include "lab/rates/advice.h"

const char *const tsl_lab_bound_names[TSL_LAB_BOUNDS] = {"memory", "arithmetic", "launches",
                                                         "latency", "copies"};

void tsl_lab_advise(tsl_lab_advice *out, const tsl_lab_loop *loop, const tsl_lab_rates *rates)
{
    const double *r = rates->value;
    double *s = out->seconds;
    *out = (tsl_lab_advice){.bound = TSL_LAB_BOUND_MEMORY};
    s[TSL_LAB_BOUND_MEMORY] = loop->bytes / r[TSL_LAB_COPY];
    s[TSL_LAB_BOUND_ARITHMETIC] =
        loop->operations / (r[loop->fp64 ? TSL_LAB_DOUBLE : TSL_LAB_SINGLE] * loop->active);
    s[TSL_LAB_BOUND_LAUNCHES] = loop->launches * r[TSL_LAB_LAUNCH];
    s[TSL_LAB_BOUND_LATENCY] = loop->threads > 0
                                   ? fmax(loop->threads / r[TSL_LAB_RESIDENT], loop->launches) *
                                         (r[TSL_LAB_START] + loop->chain * r[TSL_LAB_LATENCY])
                                   : 0;
    s[TSL_LAB_BOUND_COPIES] =
        loop->to_card / r[loop->pinned ? TSL_LAB_TO_CARD_PINNED : TSL_LAB_TO_CARD] +
        loop->from_card / r[loop->pinned ? TSL_LAB_FROM_CARD_PINNED : TSL_LAB_FROM_CARD];
    for (int i = 0; i < TSL_LAB_BOUND_COPIES; i++) {
        out->kernel = fmax(out->kernel, s[i]);
    }
    out->loop = out->kernel + s[TSL_LAB_BOUND_COPIES];
    for (int i = 0; i < TSL_LAB_BOUNDS; i++) {
        out->bound = s[i] > s[out->bound] ? (enum tsl_lab_bound)i : out->bound;
    }
    if (loop->host_seconds > 0) {
        out->loop_gain = loop->host_seconds / out->loop;
        out->program_gain = 1 / (1 - loop->share + loop->share / out->loop_gain);
        out->most_gain = 1 / (1 - loop->share);
    }
}
