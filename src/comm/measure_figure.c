/* Bandwidth over message size. */
#include "comm/measure.h"
#include "core/config.h"

#ifdef TSL_HAVE_CAIRO

#include <cairo-svg.h>
#include <math.h>
#include <stdio.h>

#include "io/output.h"

enum { WIDTH = 800, HEIGHT = 460, LEFT = 72, TOP = 64, RIGHT = 600, BOTTOM = 400 };

/* Okabe and Ito's colours, told apart by everyone. */
static const double colours[][3] = {{0.00, 0.45, 0.70}, {0.90, 0.62, 0.00}, {0.00, 0.62, 0.45},
                                    {0.84, 0.37, 0.00}, {0.80, 0.47, 0.65}, {0.34, 0.71, 0.91},
                                    {0.15, 0.16, 0.19}};
enum { COLOURS = sizeof colours / sizeof *colours };

/* Decades shown: x is log10 of bytes, y of bytes a second. */
typedef struct range {
    double x0, x1, y0, y1;
} range;

static range fit(const tsl_comm_measurement *measurements, int count)
{
    range r = {1, 2, 6, 7};
    bool any = false;
    for (int i = 0; i < count; i++) {
        const tsl_comm_measurement *m = &measurements[i];
        if (m->sent > 0 && m->bandwidth > 0) {
            const double x = log10((double)m->bytes), y = log10(m->bandwidth);
            r.x0 = any ? fmin(r.x0, floor(x)) : floor(x);
            r.x1 = any ? fmax(r.x1, ceil(x)) : ceil(x);
            r.y0 = any ? fmin(r.y0, floor(y)) : floor(y);
            r.y1 = any ? fmax(r.y1, ceil(y)) : ceil(y);
            any = true;
        }
    }
    r.x1 = r.x1 > r.x0 ? r.x1 : r.x0 + 1;
    r.y1 = r.y1 > r.y0 ? r.y1 : r.y0 + 1;
    return r;
}

static double x_of(const range *r, double bytes)
{
    return LEFT + (RIGHT - LEFT) * (log10(bytes) - r->x0) / (r->x1 - r->x0);
}

static double y_of(const range *r, double bandwidth)
{
    return BOTTOM - (BOTTOM - TOP) * (log10(bandwidth) - r->y0) / (r->y1 - r->y0);
}

static void text(cairo_t *cairo, double x, double y, double align, const char *line)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, line, &extents);
    cairo_move_to(cairo, x - align * extents.x_advance, y);
    cairo_show_text(cairo, line);
}

/* "1 k" for 1e3 and so on. */
static void name_power(char *out, size_t bytes, double power)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T"};
    const int thousands = (int)power / 3;
    snprintf(out, bytes, "%.0f%s", pow(10, power - 3 * thousands), prefixes[thousands % 5]);
}

static void draw_axes(cairo_t *cairo, const range *r)
{
    char label[32];
    cairo_set_line_width(cairo, 0.7);
    for (double x = r->x0; x <= r->x1; x++) {
        const double at = x_of(r, pow(10, x));
        cairo_set_source_rgb(cairo, 0.88, 0.88, 0.9);
        cairo_move_to(cairo, at, TOP);
        cairo_line_to(cairo, at, BOTTOM);
        cairo_stroke(cairo);
        cairo_set_source_rgb(cairo, 0.45, 0.47, 0.51);
        name_power(label, sizeof label, x);
        text(cairo, at, BOTTOM + 16, 0.5, label);
    }
    for (double y = r->y0; y <= r->y1; y++) {
        const double at = y_of(r, pow(10, y));
        cairo_set_source_rgb(cairo, 0.88, 0.88, 0.9);
        cairo_move_to(cairo, LEFT, at);
        cairo_line_to(cairo, RIGHT, at);
        cairo_stroke(cairo);
        cairo_set_source_rgb(cairo, 0.45, 0.47, 0.51);
        name_power(label, sizeof label, y);
        text(cairo, LEFT - 6, at + 4, 1, label);
    }
    text(cairo, (LEFT + RIGHT) / 2.0, BOTTOM + 36, 0.5, "message, bytes");
    text(cairo, LEFT - 40, TOP - 12, 0, "bytes a second");
}

/* The line of one operation, and its name beside. */
static void draw_operation(cairo_t *cairo, const range *r, const tsl_comm_measurement *measurements,
                           int count, int operation, int place)
{
    const double *c = colours[place % COLOURS];
    const double y = TOP + 20.0 * place;
    bool first = true;
    cairo_set_source_rgb(cairo, c[0], c[1], c[2]);
    cairo_set_line_width(cairo, 1.8);
    for (int i = 0; i < count; i++) {
        const tsl_comm_measurement *m = &measurements[i];
        if ((int)m->operation == operation && m->sent > 0) {
            (first ? cairo_move_to : cairo_line_to)(cairo, x_of(r, (double)m->bytes),
                                                    y_of(r, m->bandwidth));
            first = false;
        }
    }
    cairo_stroke(cairo);
    cairo_move_to(cairo, RIGHT + 20, y - 4);
    cairo_line_to(cairo, RIGHT + 44, y - 4);
    cairo_stroke(cairo);
    cairo_set_source_rgb(cairo, 0.15, 0.16, 0.19);
    text(cairo, RIGHT + 52, y, 0, tsl_measured_name((tsl_measured)operation));
}

static cairo_status_t write_part(void *stream, const unsigned char *data, unsigned int bytes)
{
    return fwrite(data, 1, bytes, stream) == bytes ? CAIRO_STATUS_SUCCESS
                                                   : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_status_t draw(FILE *stream, const char *title,
                           const tsl_comm_measurement *measurements, int count)
{
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(write_part, stream, WIDTH, HEIGHT);
    cairo_t *cairo = cairo_create(surface);
    const range r = fit(measurements, count);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
    cairo_set_font_size(cairo, 16);
    cairo_set_source_rgb(cairo, 0.15, 0.16, 0.19);
    text(cairo, 24, 30, 0, title);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, 12);
    draw_axes(cairo, &r);
    int place = 0;
    for (int operation = 0; operation < TSL_MEASURED; operation++) {
        bool found = false;
        for (int i = 0; i < count; i++) {
            found =
                found || ((int)measurements[i].operation == operation && measurements[i].sent > 0);
        }
        if (found) {
            draw_operation(cairo, &r, measurements, count, operation, place++);
        }
    }
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    status = status == CAIRO_STATUS_SUCCESS ? cairo_surface_status(surface) : status;
    cairo_surface_destroy(surface);
    return status;
}

tsl_status tsl_comm_figure(tsl_context *context, const char *path, const char *title,
                           const tsl_comm_measurement *measurements, int count)
{
    tsl_output *output = NULL;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    const cairo_status_t drawn = draw(tsl_output_stream(output), title, measurements, count);
    tsl_plain_numbers_leave(numbers);
    if (drawn == CAIRO_STATUS_SUCCESS || drawn == CAIRO_STATUS_WRITE_ERROR) {
        return tsl_output_commit(output); /* knows the reason of a write error */
    }
    tsl_output_discard(output);
    return tsl_fail(context, drawn == CAIRO_STATUS_NO_MEMORY ? TSL_E_NOMEM : TSL_E_INTERNAL,
                    "%s: cannot draw the figure: %s", path, cairo_status_to_string(drawn));
}

#else

tsl_status tsl_comm_figure(tsl_context *context, const char *path, const char *title,
                           const tsl_comm_measurement *measurements, int count)
{
    (void)title;
    (void)measurements;
    (void)count;
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "%s: this build draws no figures; build tesela with Cairo", path);
}

#endif
