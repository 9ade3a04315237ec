/* Three staircases: what becomes of resident warps if a block has more threads, a thread more
 * registers or a block more shared memory. */
#include "core/config.h"
#include "io/report/drawing.h"
#include "io/report/figure.h"
#include "lab/occupancy.h"

/* All lengths in pixels. */
enum { WIDTH = 1120, HEIGHT = 420, LEFT = 70, TOP = 104, BOTTOM = 316, PANEL = 310, GAP = 44 };
enum { PANELS = 3, TICKS = 6, WARP_TICKS = 8 };

typedef struct figure {
    const tsl_multiprocessor *multiprocessor;
    const tsl_occupancy_kernel *kernel;
    tsl_occupancy_result result; /* the kernel's own */
} figure;

#ifdef TSL_HAVE_CAIRO

#include <cairo.h>
#include <math.h>
#include <stdio.h>

/* One quantity along x, in steps between which nothing changes. */
typedef struct panel {
    const char *label;
    int64_t high, own; /* the largest value, and the kernel's own */
    int64_t step;      /* warps change after first, first + step and so on alone */
    int64_t first;
    int64_t tick_unit; /* that labels count in */
    void (*set)(tsl_occupancy_kernel *kernel, int64_t value);
} panel;

static void set_threads(tsl_occupancy_kernel *kernel, int64_t value)
{
    kernel->threads = (int)value;
}

static void set_registers(tsl_occupancy_kernel *kernel, int64_t value)
{
    kernel->registers = (int)value;
}

static void set_shared(tsl_occupancy_kernel *kernel, int64_t value)
{
    kernel->static_shared = 0;
    kernel->dynamic_shared = value;
}

static tsl_occupancy_result result_at(const figure *f, const panel *p, int64_t value)
{
    tsl_occupancy_kernel kernel = *f->kernel;
    tsl_occupancy_result result;
    p->set(&kernel, value);
    tsl_occupancy(&result, f->multiprocessor, &kernel); /* the kernel's own numbers were checked */
    return result;
}

static double x_of(const panel *p, int place, double value)
{
    return LEFT + place * (PANEL + GAP) + PANEL * value / (double)p->high;
}

static double y_of(const figure *f, double warps)
{
    return BOTTOM - (BOTTOM - TOP) * warps / f->multiprocessor->warps;
}

/* The resource that limits, or TSL_OCCUPANCY_RESOURCES for what cannot be launched. */
static int shown_limit(const tsl_occupancy_result *result)
{
    return result->blocks > 0 ? (int)result->limit : TSL_OCCUPANCY_RESOURCES;
}

/* The five resources have a colour each; what cannot be launched is grey. */
static tsl_colour colour_of(int limit)
{
    return limit < TSL_OCCUPANCY_RESOURCES ? tsl_colours[limit] : tsl_faint;
}

static void draw_axes(cairo_t *cairo, const figure *f, const panel *p, int place)
{
    const double left = x_of(p, place, 0);
    const double range = (double)p->high / (double)p->tick_unit;
    const double step =
        p->tick_unit == 1 ? exp2(ceil(log2(range / TICKS))) : tsl_nice_step(range, TICKS, 1);
    const double warp_step = f->multiprocessor->warps / WARP_TICKS; /* 3, 4, 6 or 8 */
    cairo_set_line_width(cairo, 0.7);
    tsl_draw_font(cairo, 11, false, tsl_faint);
    for (double tick = 0; tick <= range; tick += step) {
        const double x = x_of(p, place, tick * (double)p->tick_unit);
        tsl_draw_colour(cairo, tsl_pale);
        tsl_draw_line(cairo, x, TOP, x, BOTTOM);
        tsl_draw_colour(cairo, tsl_faint);
        tsl_draw_text(cairo, x, BOTTOM + 16, 0.5, "%.0f", tick);
    }
    for (double tick = 0; tick <= f->multiprocessor->warps; tick += warp_step) {
        const double y = y_of(f, tick);
        tsl_draw_colour(cairo, tsl_pale);
        tsl_draw_line(cairo, left, y, left + PANEL, y);
        tsl_draw_colour(cairo, tsl_faint);
        tsl_draw_text(cairo, left - 6, y + 4, 1, "%.0f", tick);
    }
    tsl_draw_font(cairo, 12, false, tsl_ink);
    tsl_draw_text(cairo, left + PANEL / 2.0, BOTTOM + 36, 0.5, "%s", p->label);
}

/* A piece of the curve along which neither warps nor their limit change. */
static void draw_run(cairo_t *cairo, const figure *f, const panel *p, int place, int64_t from,
                     int64_t to)
{
    const tsl_occupancy_result result = result_at(f, p, to);
    const double y = y_of(f, result.warps);
    const double x = x_of(p, place, (double)from);
    if (from > 0) {
        const double before = y_of(f, result_at(f, p, from).warps);
        tsl_draw_colour(cairo, tsl_faint);
        cairo_set_line_width(cairo, 0.8);
        tsl_draw_line(cairo, x, before, x, y);
    }
    tsl_draw_colour(cairo, colour_of(shown_limit(&result)));
    cairo_set_line_width(cairo, 2.6);
    tsl_draw_line(cairo, x, y, x_of(p, place, (double)to), y);
}

/* `appears[i]`: limit i colours some of the curve. */
static void draw_curve(cairo_t *cairo, const figure *f, const panel *p, int place, bool appears[])
{
    int64_t from = 0; /* of the run that `to` belongs to */
    for (int64_t to = p->first; from < p->high; to += p->step) {
        const int64_t end = to < p->high ? to : p->high;
        const tsl_occupancy_result result = result_at(f, p, end);
        const int64_t next = to + p->step < p->high ? to + p->step : p->high;
        const tsl_occupancy_result after = result_at(f, p, next);
        appears[shown_limit(&result)] = true;
        if (end == p->high || after.warps != result.warps ||
            shown_limit(&after) != shown_limit(&result)) {
            draw_run(cairo, f, p, place, from, end);
            from = end;
        }
    }
}

static void draw_own_point(cairo_t *cairo, const figure *f, const panel *p, int place)
{
    static const double dashes[] = {3, 3};
    if (p->own > p->high) {
        return; /* what no block can have: the line of text says so */
    }
    const double x = x_of(p, place, (double)p->own);
    const double y = y_of(f, f->result.warps);
    tsl_draw_colour(cairo, tsl_ink);
    cairo_set_line_width(cairo, 1);
    cairo_set_dash(cairo, dashes, 2, 0);
    tsl_draw_line(cairo, x, TOP, x, BOTTOM);
    cairo_set_dash(cairo, dashes, 0, 0);
    cairo_arc(cairo, x, y, 5, 0, 2 * M_PI);
    cairo_fill(cairo);
    tsl_draw_font(cairo, 12, true, tsl_ink);
    tsl_draw_text(cairo, x, TOP - 8, 0.5, p->tick_unit > 1 ? "%.4g" : "%.0f",
                  (double)p->own / (double)p->tick_unit);
}

static void draw_legend(cairo_t *cairo, const bool appears[])
{
    double x = LEFT;
    const double y = HEIGHT - 22;
    tsl_draw_font(cairo, 12, false, tsl_ink);
    tsl_draw_text(cairo, x, y, 0, "What allows no more blocks:");
    x += 180;
    for (int i = 0; i <= TSL_OCCUPANCY_RESOURCES; i++) {
        if (!appears[i]) {
            continue;
        }
        tsl_draw_colour(cairo, colour_of(i));
        cairo_set_line_width(cairo, 2.6);
        tsl_draw_line(cairo, x, y - 4, x + 24, y - 4);
        tsl_draw_colour(cairo, tsl_ink);
        tsl_draw_text(cairo, x + 32, y, 0, "%s",
                      i < TSL_OCCUPANCY_RESOURCES ? tsl_occupancy_limit_name((tsl_occupancy_limit)i)
                                                  : "cannot be launched");
        x += 140;
    }
}

static void draw_title(cairo_t *cairo, const figure *f)
{
    const tsl_multiprocessor *m = f->multiprocessor;
    const tsl_occupancy_kernel *k = f->kernel;
    tsl_draw_font(cairo, 16, true, tsl_ink);
    tsl_draw_text(cairo, 24, 30, 0, "Occupancy on compute capability %d.%d", m->major, m->minor);
    tsl_draw_font(cairo, 12, false, tsl_ink);
    tsl_draw_text(
        cairo, 24, 52, 0,
        "%d threads a block, %d registers a thread, %.0f bytes of shared memory a block: %d "
        "block%s, %d of %d warps, %.1f %%",
        k->threads, k->registers, (double)(k->static_shared + k->dynamic_shared), f->result.blocks,
        f->result.blocks == 1 ? "" : "s", f->result.warps, m->warps, 100 * f->result.occupancy);
    tsl_draw_font(cairo, 12, false, tsl_ink);
    tsl_draw_text(cairo, LEFT - 40, TOP - 24, 0, "resident warps");
}

static void draw(cairo_t *cairo, const void *what)
{
    const figure *f = what;
    const tsl_multiprocessor *m = f->multiprocessor;
    const tsl_occupancy_kernel *k = f->kernel;
    const int64_t fixed = m->reserved_shared + (m->major == 1 ? k->arguments : 0);
    const panel panels[PANELS] = {{.label = "threads a block",
                                   .high = m->block_threads,
                                   .own = k->threads,
                                   .step = TSL_WARP,
                                   .first = TSL_WARP,
                                   .tick_unit = 1,
                                   .set = set_threads},
                                  {.label = "registers a thread",
                                   .high = m->thread_registers,
                                   .own = k->registers,
                                   .step = 1,
                                   .first = 1,
                                   .tick_unit = 1,
                                   .set = set_registers},
                                  {.label = "shared memory a block, KiB",
                                   .high = m->block_shared_opt_in,
                                   .own = k->static_shared + k->dynamic_shared,
                                   .step = m->shared_unit,
                                   .first = m->shared_unit - fixed % m->shared_unit,
                                   .tick_unit = 1024,
                                   .set = set_shared}};
    bool appears[TSL_OCCUPANCY_RESOURCES + 1] = {false};
    draw_title(cairo, f);
    for (int place = 0; place < PANELS; place++) {
        draw_axes(cairo, f, &panels[place], place);
        draw_curve(cairo, f, &panels[place], place, appears);
        draw_own_point(cairo, f, &panels[place], place);
    }
    draw_legend(cairo, appears);
}

#endif

tsl_status tsl_occupancy_figure(tsl_context *context, const char *path,
                                const tsl_multiprocessor *multiprocessor,
                                const tsl_occupancy_kernel *kernel)
{
    figure f = {.multiprocessor = multiprocessor, .kernel = kernel};
    const tsl_status status = tsl_occupancy(&f.result, multiprocessor, kernel);
    if (status != TSL_OK) {
        return tsl_fail(context, status, "%s", tsl_last_error(NULL));
    }
    return tsl_figure_write(context, path, WIDTH, HEIGHT, TSL_IF_CAIRO(draw), &f);
}
