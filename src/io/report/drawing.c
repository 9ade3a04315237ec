#include "io/report/drawing.h"

#include <math.h>

#include "core/config.h"

const tsl_colour tsl_ink = {0.15, 0.16, 0.19};
const tsl_colour tsl_faint = {0.45, 0.47, 0.51};
const tsl_colour tsl_pale = {0.88, 0.88, 0.9};

const tsl_colour tsl_colours[TSL_COLOURS] = {
    {0.00, 0.45, 0.70}, {0.90, 0.62, 0.00}, {0.00, 0.62, 0.45}, {0.84, 0.37, 0.00},
    {0.80, 0.47, 0.65}, {0.34, 0.71, 0.91}, {0.15, 0.16, 0.19}};

tsl_colour tsl_viridis(double t)
{
    static const tsl_colour table[9] = {
        {0.267, 0.005, 0.329}, {0.279, 0.175, 0.483}, {0.230, 0.322, 0.546},
        {0.173, 0.449, 0.558}, {0.128, 0.567, 0.551}, {0.158, 0.684, 0.502},
        {0.369, 0.789, 0.383}, {0.678, 0.864, 0.190}, {0.993, 0.906, 0.144}};
    const double at = 8 * fmin(fmax(t, 0), 1);
    const int i = at < 7 ? (int)at : 7;
    const double w = at - i;
    return (tsl_colour){table[i].red + w * (table[i + 1].red - table[i].red),
                        table[i].green + w * (table[i + 1].green - table[i].green),
                        table[i].blue + w * (table[i + 1].blue - table[i].blue)};
}

#ifdef TSL_HAVE_CAIRO

#include <cairo.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/file/output.h"

void tsl_draw_colour(cairo_t *cairo, tsl_colour colour)
{
    cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue);
}

void tsl_draw_font(cairo_t *cairo, double size, bool bold, tsl_colour colour)
{
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
    tsl_draw_colour(cairo, colour);
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

void tsl_draw_shorten(cairo_t *cairo, char text[256], double width)
{
    cairo_text_extents_t extents;
    size_t length = strlen(text);
    cairo_text_extents(cairo, text, &extents);
    while (extents.x_advance > width && length > 4) {
        do { /* whole characters of UTF-8 */
            length--;
        } while (length > 4 && ((unsigned char)text[length] & 0xc0) == 0x80);
        memcpy(text + length - 3, "...", 4);
        cairo_text_extents(cairo, text, &extents);
    }
}

void tsl_draw_name(char out[256], const char *path)
{
    tsl_plain_name(out, 256, path, true);
    for (char *p = out; *p != 0; p++) {
        *p = *p >= ' ' && *p <= '~' ? *p : '?';
    }
}

#endif
