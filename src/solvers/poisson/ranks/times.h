/* How long the stages of a solve take, each by itself.
 *
 * With times asked for, a rank waits for its device at the end of each stage, and for the others of
 * its group before each exchange. What passes between the ends of two stages is the second one's,
 * so stages add up to the solve, but for what comes after the last. */
#ifndef TSL_POISSON_TIMES_H
#define TSL_POISSON_TIMES_H

#include "core/context.h"

typedef enum tsl_poisson_timed {
    TSL_TIMED_EXCHANGE,
    TSL_TIMED_TO_HOST, /* copies from the device, of exchanges by way of the host */
    TSL_TIMED_FROM_HOST,
    TSL_TIMED_ROWS,        /* along the last axis */
    TSL_TIMED_PLANES,      /* along the last two */
    TSL_TIMED_SECOND,      /* along the second */
    TSL_TIMED_FIRST,       /* along the first */
    TSL_TIMED_FIRST_FUSED, /* with the spectrum */
    TSL_TIMED_SPECTRUM,
    TSL_TIMED_PACKING, /* moves between the orders of two stages */
    TSL_TIMED_WAITING, /* for ranks that come later to an exchange */
    TSL_TIMED_OTHER,   /* after the last stage */
    TSL_TIMED
} tsl_poisson_timed;

/* One rank's, over all solves. */
typedef struct tsl_poisson_times {
    double last;  /* the end of the stage before */
    double total; /* seconds of the solves */
    double seconds[TSL_TIMED];
    int64_t bytes[TSL_TIMED]; /* read and written at least; of exchanges: sent to others */
    int64_t calls[TSL_TIMED];
} tsl_poisson_times;

/* "exchange" and so on. */
const char *tsl_poisson_timed_name(tsl_poisson_timed stage);

/* All that was queued on `where` since the stage before was this one. `times` NULL: nothing is
 * done. A device's failure shows at the next call that can report it. */
void tsl_poisson_end_stage(tsl_poisson_times *times, tsl_context *where, tsl_poisson_timed stage,
                           int64_t bytes);

#endif
