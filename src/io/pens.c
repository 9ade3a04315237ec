#include "io/pens.h"

#ifdef TSL_HAVE_CAIRO

#include <stdarg.h>
#include <stdio.h>

const double tsl_colours[TSL_COLOURS][3] = {
    {0.00, 0.45, 0.70}, {0.90, 0.62, 0.00}, {0.00, 0.62, 0.45}, {0.84, 0.37, 0.00},
    {0.80, 0.47, 0.65}, {0.34, 0.71, 0.91}, {0.15, 0.16, 0.19}};

void tsl_use_colour(cairo_t *cairo, const double colour[3])
{
    cairo_set_source_rgb(cairo, colour[0], colour[1], colour[2]);
}

void tsl_use_ink(cairo_t *cairo)
{
    cairo_set_source_rgb(cairo, 0.15, 0.16, 0.19);
}

void tsl_use_faint(cairo_t *cairo)
{
    cairo_set_source_rgb(cairo, 0.45, 0.47, 0.51);
}

void tsl_use_grid(cairo_t *cairo)
{
    cairo_set_source_rgb(cairo, 0.88, 0.88, 0.9);
}

void tsl_use_font(cairo_t *cairo, double size, bool bold)
{
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

void tsl_draw_text(cairo_t *cairo, double x, double y, double align, const char *format, ...)
{
    char line[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, line, &extents);
    cairo_move_to(cairo, x - align * extents.x_advance, y);
    cairo_show_text(cairo, line);
}

void tsl_draw_line(cairo_t *cairo, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cairo, x0, y0);
    cairo_line_to(cairo, x1, y1);
    cairo_stroke(cairo);
}

#endif
