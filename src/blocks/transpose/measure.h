/* How fast a device transposes, beside how fast it copies, and whether the result is right. */
#ifndef TSL_TRANSPOSE_MEASURE_H
#define TSL_TRANSPOSE_MEASURE_H

#include "core/core.h"
#include "tesela/transpose.h"

/* Two arrays on a device, the source filled with elements that differ from each other. */
typedef struct tsl_transpose_bench tsl_transpose_bench;

typedef struct tsl_transpose_result {
    double seconds;    /* median of one transposition */
    int64_t bytes;     /* read and written by it at least: twice the array, or nothing */
    int64_t auxiliary; /* bytes of device memory the plan held */
    int64_t compared;  /* bytes of the result that were looked at */
    int64_t wrong;     /* elements of them that are not where they belong; -1: none was */
} tsl_transpose_result;

/* Memory for arrays of `shape`: on the device twice their size, on the host once. TSL_E_NOMEM,
 * before any of it is taken, if less is free. */
tsl_status tsl_transpose_bench_create(tsl_transpose_bench **out, tsl_context *context,
                                      const int64_t shape[3], int element);
void tsl_transpose_bench_destroy(tsl_transpose_bench *bench); /* NULL is fine */

/* Transpose once, compare with the definition, then time. Of a result of more than `most` bytes
 * about so many are compared, in pieces spread from its first to its last element; 0: none. The
 * options' shape and element must be the bench's. */
tsl_status tsl_transpose_bench_run(tsl_transpose_bench *bench, tsl_transpose_result *result,
                                   const tsl_transpose_options *options, int64_t most);

#endif
