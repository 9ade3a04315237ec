/* What figures are drawn with; empty in a build without Cairo. */
#ifndef TSL_IO_PENS_H
#define TSL_IO_PENS_H

#include "core/config.h"
#include "core/core.h"

#ifdef TSL_HAVE_CAIRO

#include <cairo.h>

/* Okabe and Ito's colours, told apart by everyone. */
enum { TSL_COLOURS = 7 };
extern const double tsl_colours[TSL_COLOURS][3];

void tsl_use_colour(cairo_t *cairo, const double colour[3]);
void tsl_use_ink(cairo_t *cairo);   /* of text and what it speaks of */
void tsl_use_faint(cairo_t *cairo); /* of what stands on axes */
void tsl_use_grid(cairo_t *cairo);
void tsl_use_font(cairo_t *cairo, double size, bool bold);

/* Text with its start (align 0), middle (0.5) or end (1) at x, and its base at y. */
void tsl_draw_text(cairo_t *cairo, double x, double y, double align, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void tsl_draw_line(cairo_t *cairo, double x0, double y0, double x1, double y1);

#endif

#endif
