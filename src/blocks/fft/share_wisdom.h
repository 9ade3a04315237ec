/* Ranks of a host measure for the same transforms. Ranks that are threads share what the CPU's
 * library learns, since it is the process's; those that are processes learn it from one of them,
 * which has the host to itself while it measures. */
#ifndef TSL_SHARE_WISDOM_H
#define TSL_SHARE_WISDOM_H

#include "blocks/fft/fft.h"
#include "comm/comm.h"

typedef struct tsl_fft_planning {
    tsl_precision precision;
    bool plans; /* this rank has something to plan */
    /* `settled` is what the plan of the host's first rank settled on, of meaning to plan() alone;
     * NULL on that rank, and where each plans for itself. The plan's own goes into *out. */
    tsl_status (*plan)(void *user, int *out, const int *settled);
    void *user;
} tsl_fft_planning;

/* Let all plan that have to, on each host one rank before the others. What one of them lacks is the
 * outcome of all, as of tsl_comm_agree(). Collective. */
tsl_status tsl_fft_share_wisdom(tsl_context *context, const tsl_fft_planning *planning);

#endif
