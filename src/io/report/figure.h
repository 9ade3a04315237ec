/* Files of figures: SVG, PNG or PDF, drawn with Cairo. */
#ifndef TSL_IO_FIGURE_H
#define TSL_IO_FIGURE_H

#include "core/config.h"
#include "core/core.h"

struct _cairo; /* cairo_t, which a build without Cairo does not know */

/* A function that draws on white paper. */
typedef void tsl_figure_draw(struct _cairo *cairo, const void *what);

/* `draw` for tsl_figure_write(); NULL in a build without Cairo, which compiles no such function. */
#ifdef TSL_HAVE_CAIRO
#define TSL_IF_CAIRO(draw) (draw)
#else
#define TSL_IF_CAIRO(draw) NULL
#endif

/* Does a name end as that of a figure, in .svg, .png or .pdf? */
bool tsl_figure_knows(const char *path);

/* Writes a file of the kind that its name ends in (any other end: SVG), whole or not at all. The
 * same figure makes the same file, but for a PDF's date. Width and height are in units of which a
 * PNG has two pixels each. TSL_E_UNSUPPORTED if the build has no Cairo; TSL_E_IO; TSL_E_NOMEM. */
tsl_status tsl_figure_write(tsl_context *context, const char *path, int width, int height,
                            tsl_figure_draw *draw, const void *what);

/* Of the numbers 1, 2 or 5 times a power of ten, the smallest that divides `range` into at most
 * `parts` and is not below `least`. One of `range` and `least` is above 0. */
double tsl_nice_step(double range, int parts, double least);

#endif
