/* Curves over logarithmic or linear axes. */
#ifndef TSL_IO_PLOT_H
#define TSL_IO_PLOT_H

#include "core/core.h"

typedef enum tsl_plot_scale {
    TSL_PLOT_LINEAR,   /* from 0 */
    TSL_PLOT_PREFIXES, /* logarithmic: 1, 10, 100, 1 k, … */
    TSL_PLOT_POWERS,   /* logarithmic: 1e-3, 1e-2, … */
    TSL_PLOT_DOUBLINGS /* logarithmic: 1, 2, 4, … */
} tsl_plot_scale;

typedef struct tsl_plot_axis {
    const char *label;
    tsl_plot_scale scale;
} tsl_plot_axis;

/* Points joined by lines; a single point is a dot. On a logarithmic axis those that are not above 0
 * are left out. */
typedef struct tsl_plot_curve {
    const char *name;
    int64_t count;
    const double *x, *y; /* [count] */
} tsl_plot_curve;

typedef struct tsl_plot {
    const char *title;
    tsl_plot_axis x, y;
    int curves;
    const tsl_plot_curve *curve;
    const int *colours;     /* [curves] of tsl_colours; NULL: by their order */
    bool marks;             /* a dot at each point, where nothing is known between the points */
    const char *level_name; /* name of a horizontal line; NULL: there is none */
    double level;
} tsl_plot;

/* Writes a figure. Kinds of files and errors are those of tsl_figure_write(). */
tsl_status tsl_plot_write(tsl_context *context, const char *path, const tsl_plot *plot);

#endif
