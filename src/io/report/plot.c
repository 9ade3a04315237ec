#include "io/report/plot.h"

#include "core/config.h"
#include "io/report/drawing.h"
#include "io/report/figure.h"

enum { WIDTH = 840, HEIGHT = 460, LEFT = 72, TOP = 64, RIGHT = 600, BOTTOM = 400, MOST_TICKS = 12 };

#ifdef TSL_HAVE_CAIRO

#include <cairo.h>
#include <math.h>
#include <stdio.h>

/* The range that an axis shows; of a logarithmic axis in decades or doublings. */
typedef struct range {
    double low, high;
    double step; /* of the ticks */
    tsl_plot_scale scale;
} range;

static bool is_shown(tsl_plot_scale scale, double value)
{
    return isfinite(value) && (scale == TSL_PLOT_LINEAR || value > 0);
}

/* A value in the units of the axis. */
static double along(tsl_plot_scale scale, double value)
{
    return scale == TSL_PLOT_LINEAR      ? value
           : scale == TSL_PLOT_DOUBLINGS ? log2(value)
                                         : log10(value);
}

static double scaled(const range *r, double value)
{
    return (along(r->scale, value) - r->low) / (r->high - r->low);
}

static void extend(range *r, double value)
{
    if (is_shown(r->scale, value)) {
        const double at = along(r->scale, value);
        r->low = fmin(r->low, floor(at));
        r->high = fmax(r->high, ceil(at));
    }
}

/* The range of y if `vertical`, else of x. */
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
    case TSL_PLOT_DOUBLINGS:
        snprintf(out, 32, "%.0f", exp2(tick));
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
        tsl_draw_colour(cairo, tsl_pale);
        tsl_draw_line(cairo, at, TOP, at, BOTTOM);
        tsl_draw_colour(cairo, tsl_faint);
        name_tick(label, x, tick);
        tsl_draw_text(cairo, at, BOTTOM + 16, 0.5, "%s", label);
    }
    for (double tick = y->low; tick <= y->high; tick += y->step) {
        const double at = BOTTOM - (BOTTOM - TOP) * (tick - y->low) / (y->high - y->low);
        tsl_draw_colour(cairo, tsl_pale);
        tsl_draw_line(cairo, LEFT, at, RIGHT, at);
        tsl_draw_colour(cairo, tsl_faint);
        name_tick(label, y, tick);
        tsl_draw_text(cairo, LEFT - 6, at + 4, 1, "%s", label);
    }
    tsl_draw_text(cairo, (LEFT + RIGHT) / 2.0, BOTTOM + 36, 0.5, "%s", plot->x.label);
    tsl_draw_text(cairo, LEFT - 40, TOP - 12, 0, "%s", plot->y.label);
}

static void dot(cairo_t *cairo, double x, double y)
{
    cairo_arc(cairo, x, y, 3, 0, 2 * M_PI);
    cairo_fill(cairo);
}

/* Draw a curve, and its name beside it. */
static void draw_curve(cairo_t *cairo, const tsl_plot *plot, const range *x, const range *y,
                       int place)
{
    const tsl_plot_curve *curve = &plot->curve[place];
    const int colour = plot->colours != NULL ? plot->colours[place] : place;
    const bool marks = plot->marks || curve->count == 1;
    const double beside = TOP + 20.0 * place;
    bool joins = false;
    tsl_draw_colour(cairo, tsl_colours[colour % TSL_COLOURS]);
    cairo_set_line_width(cairo, 1.8);
    for (int64_t i = 0; i < curve->count; i++) {
        const bool shown = is_shown(x->scale, curve->x[i]) && is_shown(y->scale, curve->y[i]);
        if (shown) {
            (joins ? cairo_line_to : cairo_move_to)(cairo, x_of(x, curve->x[i]),
                                                    y_of(y, curve->y[i]));
        }
        joins = shown;
    }
    cairo_stroke(cairo);
    for (int64_t i = 0; i < curve->count && marks; i++) {
        if (is_shown(x->scale, curve->x[i]) && is_shown(y->scale, curve->y[i])) {
            dot(cairo, x_of(x, curve->x[i]), y_of(y, curve->y[i]));
        }
    }
    if (marks) {
        dot(cairo, RIGHT + 32, beside - 4);
    }
    if (curve->count > 1) {
        tsl_draw_line(cairo, RIGHT + 20, beside - 4, RIGHT + 44, beside - 4);
    }
    tsl_draw_colour(cairo, tsl_ink);
    tsl_draw_text(cairo, RIGHT + 52, beside, 0, "%s", curve->name);
}

static void draw_level(cairo_t *cairo, const tsl_plot *plot, const range *y)
{
    static const double dashes[] = {5, 4};
    const double beside = TOP + 20.0 * plot->curves;
    tsl_draw_colour(cairo, tsl_faint);
    cairo_set_line_width(cairo, 1.2);
    cairo_set_dash(cairo, dashes, 2, 0);
    tsl_draw_line(cairo, LEFT, y_of(y, plot->level), RIGHT, y_of(y, plot->level));
    tsl_draw_line(cairo, RIGHT + 20, beside - 4, RIGHT + 44, beside - 4);
    cairo_set_dash(cairo, dashes, 0, 0);
    tsl_draw_colour(cairo, tsl_ink);
    tsl_draw_text(cairo, RIGHT + 52, beside, 0, "%s", plot->level_name);
}

static void draw(cairo_t *cairo, const void *what)
{
    const tsl_plot *plot = what;
    const range x = fit(plot, false);
    const range y = fit(plot, true);
    tsl_draw_font(cairo, 16, true, tsl_ink);
    tsl_draw_text(cairo, 24, 30, 0, "%s", plot->title);
    tsl_draw_font(cairo, 12, false, tsl_ink);
    draw_axes(cairo, plot, &x, &y);
    for (int place = 0; place < plot->curves; place++) {
        draw_curve(cairo, plot, &x, &y, place);
    }
    if (plot->level_name != NULL && is_shown(y.scale, plot->level)) {
        draw_level(cairo, plot, &y);
    }
}

#endif

tsl_status tsl_plot_write(tsl_context *context, const char *path, const tsl_plot *plot)
{
    return tsl_figure_write(context, path, WIDTH, HEIGHT, TSL_IF_CAIRO(draw), plot);
}
