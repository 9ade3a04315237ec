/* Is a loop worth moving to a card? The time of its kernels by the roofline, of copies by the link,
 * and what the program gains by Amdahl's law. */
#ifndef TSL_LAB_ADVICE_H
#define TSL_LAB_ADVICE_H

#include "lab/rates/rates.h"

typedef struct tsl_lab_loop {
    double bytes;        /* that its kernels move to and from the card's memory */
    double operations;   /* of floating point; a fused multiplication and addition is two */
    bool fp64;           /* operations are of double precision, else of single */
    double active;       /* lanes of a warp that are at work, on average: above 0, at most 1 */
    double launches;     /* of kernels */
    double threads;      /* that all launches start; 0: not known */
    double chain;        /* reads of a thread of which each waits for the one before */
    double to_card;      /* bytes copied to the card before the loop */
    double from_card;    /* bytes copied from the card after the loop */
    bool pinned;         /* the host's memory of both copies is pinned */
    double host_seconds; /* of the loop on the host; 0: not known */
    double share;        /* of the program's time that the loop takes there, 0 to 1 */
} tsl_lab_loop;

/* What takes most of the time. */
enum tsl_lab_bound {
    TSL_LAB_BOUND_MEMORY,
    TSL_LAB_BOUND_ARITHMETIC,
    TSL_LAB_BOUND_LAUNCHES,
    TSL_LAB_BOUND_LATENCY,
    TSL_LAB_BOUND_COPIES,
    TSL_LAB_BOUNDS
};
/* "memory" and so on. */
extern const char *const tsl_lab_bound_names[TSL_LAB_BOUNDS];

typedef struct tsl_lab_advice {
    double seconds[TSL_LAB_BOUNDS]; /* of each alone */
    double kernel;                  /* the longest of the first four */
    double loop;                    /* kernel and copies */
    enum tsl_lab_bound bound;
    double loop_gain;    /* host_seconds / loop; 0: not known */
    double program_gain; /* 1 / (1 - share + share / loop_gain); 0: not known */
    double most_gain;    /* 1 / (1 - share), which no card exceeds; INFINITY where share is 1 */
} tsl_lab_advice;

/* memory = bytes / copy; arithmetic = operations / (single or double * active);
 * launches = launches * launch; latency = max(threads / resident, launches) * (start + chain *
 * latency), as the next threads start where others have ended, 0 where threads are not known;
 * copies = to_card / rate + from_card / rate, pinned or not. */
void tsl_lab_advise(tsl_lab_advice *out, const tsl_lab_loop *loop, const tsl_lab_rates *rates);

#endif
