#include "io/plot.h"

#include "core/config.h"
#include "io/figure.h"

#ifdef TSL_HAVE_CAIRO

#include <cairo.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 800, HEIGHT = 460, LEFT = 72, TOP = 64, RIGHT = 600, BOTTOM = 400, MOST_TICKS = 12 };

/* Okabe and Ito's colours, told apart by everyone. */
static const double colours[][3] = {{0.00, 0.45, 0.70}, {0.90, 0.62, 0.00}, {0.00, 0.62, 0.45},
                                    {0.84, 0.37, 0.00}, {0.80, 0.47, 0.65}, {0.34, 0.71, 0.91},
                                    {0.15, 0.16, 0.19}};
enum { COLOURS = sizeof colours / sizeof *colours };

/* What an axis shows: of a logarithmic one, decades. */
typedef struct range {
    double low, high;
    double step; /* of the ticks */
    tsl_plot_scale scale;
} range;

static bool is_shown(tsl_plot_scale scale, double value)
{
    return isfinite(value) && (scale == TSL_PLOT_LINEAR || value > 0);
}

static double scaled(const range *r, double value)
{
    return ((r->scale == TSL_PLOT_LINEAR ? value : log10(value)) - r->low) / (r->high - r->low);
}

static void extend(range *r, double value)
{
    if (is_shown(r->scale, value)) {
        const double at = r->scale == TSL_PLOT_LINEAR ? value : log10(value);
        r->low = fmin(r->low, floor(at));
        r->high = fmax(r->high, ceil(at));
    }
}

/* `vertical`: of y, else of x. */
static range fit(const tsl_plot *plot, bool vertical)
{
    range r = {INFINITY, -INFINITY, 1, vertical ? plot->y.scale : plot->x.scale};
    for (int c = 0; c < plot->curves; c++) {
        const tsl_plot_curve *curve = &plot->curve[c];
        for (int64_t i = 0; i < curve->count; i++) {
            extend(&r, vertical ? curve->y[i] : curve->x[i]);
        }
    }
    if (vertical && plot->level_name != NULL) {
        extend(&r, plot->level);
    }
    r.low = r.scale == TSL_PLOT_LINEAR ? 0 : isfinite(r.low) ? r.low : 0;
    r.high = r.high > r.low ? r.high : r.low + 1;
    r.step = tsl_nice_step(r.high - r.low, MOST_TICKS, 1);
    r.low = floor(r.low / r.step) * r.step;
    r.high = ceil(r.high / r.step) * r.step;
    return r;
}

static double x_of(const range *r, double value)
{
    return LEFT + (RIGHT - LEFT) * scaled(r, value);
}

static double y_of(const range *r, double value)
{
    return BOTTOM - (BOTTOM - TOP) * scaled(r, value);
}

static void text(cairo_t *cairo, double x, double y, double align, const char *line)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, line, &extents);
    cairo_move_to(cairo, x - align * extents.x_advance, y);
    cairo_show_text(cairo, line);
}

static void line(cairo_t *cairo, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cairo, x0, y0);
    cairo_line_to(cairo, x1, y1);
    cairo_stroke(cairo);
}

static void name_tick(char out[32], const range *r, double tick)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T"};
    const int power = (int)tick;
    switch (r->scale) {
    case TSL_PLOT_PREFIXES:
        snprintf(out, 32, "%.0f%s", pow(10, power % 3), prefixes[power / 3 % 5]);
        break;
    case TSL_PLOT_POWERS:
        snprintf(out, 32, power == 0 ? "1" : "1e%d", power);
        break;
    case TSL_PLOT_LINEAR:
        snprintf(out, 32, "%.0f", tick);
        break;
    }
}

static void draw_axes(cairo_t *cairo, const tsl_plot *plot, const range *x, const range *y)
{
    char label[32];
    cairo_set_line_width(cairo, 0.7);
    for (double tick = x->low; tick <= x->high; tick += x->step) {
        const double at = LEFT + (RIGHT - LEFT) * (tick - x->low) / (x->high - x->low);
        cairo_set_source_rgb(cairo, 0.88, 0.88, 0.9);
        line(cairo, at, TOP, at, BOTTOM);
        cairo_set_source_rgb(cairo, 0.45, 0.47, 0.51);
        name_tick(label, x, tick);
        text(cairo, at, BOTTOM + 16, 0.5, label);
    }
    for (double tick = y->low; tick <= y->high; tick += y->step) {
        const double at = BOTTOM - (BOTTOM - TOP) * (tick - y->low) / (y->high - y->low);
        cairo_set_source_rgb(cairo, 0.88, 0.88, 0.9);
        line(cairo, LEFT, at, RIGHT, at);
        cairo_set_source_rgb(cairo, 0.45, 0.47, 0.51);
        name_tick(label, y, tick);
        text(cairo, LEFT - 6, at + 4, 1, label);
    }
    text(cairo, (LEFT + RIGHT) / 2.0, BOTTOM + 36, 0.5, plot->x.label);
    text(cairo, LEFT - 40, TOP - 12, 0, plot->y.label);
}

static void dot(cairo_t *cairo, double x, double y)
{
    cairo_arc(cairo, x, y, 4, 0, 2 * M_PI);
    cairo_fill(cairo);
}

/* A curve, and its name beside. */
static void draw_curve(cairo_t *cairo, const tsl_plot_curve *curve, const range *x, const range *y,
                       int place)
{
    const double *c = colours[place % COLOURS];
    const double beside = TOP + 20.0 * place;
    bool joins = false;
    cairo_set_source_rgb(cairo, c[0], c[1], c[2]);
    cairo_set_line_width(cairo, 1.8);
    for (int64_t i = 0; i < curve->count; i++) {
        const bool shown = is_shown(x->scale, curve->x[i]) && is_shown(y->scale, curve->y[i]);
        if (shown && curve->count == 1) {
            dot(cairo, x_of(x, curve->x[i]), y_of(y, curve->y[i]));
        } else if (shown) {
            (joins ? cairo_line_to : cairo_move_to)(cairo, x_of(x, curve->x[i]),
                                                    y_of(y, curve->y[i]));
        }
        joins = shown;
    }
    cairo_stroke(cairo);
    if (curve->count == 1) {
        dot(cairo, RIGHT + 32, beside - 4);
    } else {
        line(cairo, RIGHT + 20, beside - 4, RIGHT + 44, beside - 4);
    }
    cairo_set_source_rgb(cairo, 0.15, 0.16, 0.19);
    text(cairo, RIGHT + 52, beside, 0, curve->name);
}

static void draw_level(cairo_t *cairo, const tsl_plot *plot, const range *y)
{
    static const double dashes[] = {5, 4};
    const double beside = TOP + 20.0 * plot->curves;
    cairo_set_source_rgb(cairo, 0.45, 0.47, 0.51);
    cairo_set_line_width(cairo, 1.2);
    cairo_set_dash(cairo, dashes, 2, 0);
    line(cairo, LEFT, y_of(y, plot->level), RIGHT, y_of(y, plot->level));
    line(cairo, RIGHT + 20, beside - 4, RIGHT + 44, beside - 4);
    cairo_set_dash(cairo, dashes, 0, 0);
    cairo_set_source_rgb(cairo, 0.15, 0.16, 0.19);
    text(cairo, RIGHT + 52, beside, 0, plot->level_name);
}

static void draw(cairo_t *cairo, const void *what)
{
    const tsl_plot *plot = what;
    const range x = fit(plot, false);
    const range y = fit(plot, true);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(cairo, 16);
    cairo_set_source_rgb(cairo, 0.15, 0.16, 0.19);
    text(cairo, 24, 30, 0, plot->title);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, 12);
    draw_axes(cairo, plot, &x, &y);
    for (int place = 0; place < plot->curves; place++) {
        draw_curve(cairo, &plot->curve[place], &x, &y, place);
    }
    if (plot->level_name != NULL && is_shown(y.scale, plot->level)) {
        draw_level(cairo, plot, &y);
    }
}

tsl_status tsl_plot_write(tsl_context *context, const char *path, const tsl_plot *plot)
{
    return tsl_figure_write(context, path, WIDTH, HEIGHT, draw, plot);
}

#else

tsl_status tsl_plot_write(tsl_context *context, const char *path, const tsl_plot *plot)
{
    return tsl_figure_write(context, path, 0, 0, NULL, plot);
}

#endif
