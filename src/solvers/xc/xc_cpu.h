/* The CPU's bodies of generated units. It includes nothing of the plan's, so that units need not be
 * compiled again when that changes. */
#ifndef TSL_XC_CPU_H
#define TSL_XC_CPU_H

#include <stdint.h>

/* Defined where units are compiled for later instruction sets too. A build with sanitizers, which
 * defines XC_BASELINE_ONLY, has the first alone: each takes long to compile. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 &&           \
    !defined(XC_BASELINE_ONLY)
#define XC_HAS_LEVELS 1
#endif

/* The first takes a point at a time where fused operations are calls of a function. */
#ifdef __x86_64__
#define XC_BY_POINT 1
#endif

/* Instruction sets that bodies are compiled for. */
typedef enum tsl_xc_level { TSL_XC_BASELINE, TSL_XC_V3, TSL_XC_V4, TSL_XC_LEVELS } tsl_xc_level;

/* Evaluate `blocks` blocks of points. Component k of block b is at in[k] + b * block and at
 * out[k] + b * step[k], unaligned. */
typedef void tsl_xc_body(const double *c, const double *const *in, double *const *out,
                         const int64_t *step, int64_t blocks);

typedef struct tsl_xc_cpu_body {
    tsl_xc_body *run;
    int block; /* points */
} tsl_xc_cpu_body;

enum { TSL_XC_CPU_ORDERS = 4 };

/* [instruction set][spin][order]; NULL where the build has none. */
typedef struct tsl_xc_cpu_unit {
    tsl_xc_cpu_body body[TSL_XC_LEVELS][2][TSL_XC_CPU_ORDERS];
} tsl_xc_cpu_unit;

extern const tsl_xc_cpu_unit *const tsl_xc_cpu_units[];

/* The best instruction set that this build has and this processor runs; tests may hold it below
 * that (TSL_XC_LEVELS: no longer). */
tsl_xc_level tsl_xc_level_now(void);
void tsl_test_xc_level(tsl_xc_level level);

#endif
