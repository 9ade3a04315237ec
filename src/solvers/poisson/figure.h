/* A figure of a Poisson problem: slices of source and potential. */
#ifndef TSL_POISSON_FIGURE_H
#define TSL_POISSON_FIGURE_H

#include "core/core.h"

/* A point marked where a slice comes near it, a nucleus. */
typedef struct tsl_slices_mark {
    const char *name;
    double at[3];
} tsl_slices_mark;

typedef struct tsl_poisson_slices {
    const char *name;      /* of the file */
    const char *subtitle;  /* of the problem, a line */
    const char *labels[2]; /* of source and potential, with their units */
    int64_t n[3];
    double lengths[3];
    double first[3];       /* position of sample (0, 0, 0) */
    int precision;         /* bytes of a number: 4 or 8 */
    const void *values[2]; /* source and potential, [n0][n1][n2], host memory */
    const tsl_slices_mark *marks;
    int64_t count; /* of marks */
} tsl_poisson_slices;

/* Write an SVG file with three slices of each, normal to x, y and z, through the sample next to the
 * marks' middle or, where there are none, the one where the source is largest. Colours follow
 * asinh(value / median of the absolute values shown), lines stand at 0 and at powers of ten.
 * TSL_E_UNSUPPORTED if the build has no Cairo. */
tsl_status tsl_poisson_figure(tsl_context *context, const char *path,
                              const tsl_poisson_slices *slices);

#endif
