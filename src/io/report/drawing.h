/* Drawing for tsl_figure_write(), in builds that have Cairo. y goes down. */
#ifndef TSL_IO_DRAWING_H
#define TSL_IO_DRAWING_H

#include "core/core.h"

typedef struct _cairo cairo_t; /* declared here, since a build without Cairo does not know it */

typedef struct tsl_colour {
    double red, green, blue;
} tsl_colour;

extern const tsl_colour tsl_ink;   /* for titles */
extern const tsl_colour tsl_faint; /* for axes */
extern const tsl_colour tsl_pale;  /* for the lines of a grid */

/* Okabe and Ito's colours, which the colour-blind tell apart too. */
enum { TSL_COLOURS = 7 };
extern const tsl_colour tsl_colours[TSL_COLOURS];

void tsl_draw_colour(cairo_t *cairo, tsl_colour colour);
void tsl_draw_font(cairo_t *cairo, double size, bool bold, tsl_colour colour);
/* Draws a line of text with its start (align 0), middle (0.5) or end (1) at x, and its base at
 * y. */
void tsl_draw_text(cairo_t *cairo, double x, double y, double align, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void tsl_draw_line(cairo_t *cairo, double x0, double y0, double x1, double y1);
/* Cuts `text` at its end until it is at most `width` wide in the font in use. */
void tsl_draw_shorten(cairo_t *cairo, char text[256], double width);
/* The last part of a path as text that can be drawn: printable ASCII. */
void tsl_draw_name(char out[256], const char *path);

/* Colours of Viridis (N. Smith and S. van der Walt, 2015), from dark at 0 to light at 1: evenly
 * spaced to the eye, also in grey and to the colour-blind. */
tsl_colour tsl_viridis(double t);

#endif
