#include "io/report/matrix_plot.h"

#include <math.h>

#include "core/config.h"
#include "io/report/drawing.h"
#include "io/report/figure.h"

tsl_status tsl_matrix_plot_begin(tsl_matrix_plot *plot, tsl_context *context, int64_t rows,
                                 int64_t columns)
{
    const int64_t sizes[2] = {rows, columns};
    for (int a = 0; a < 2; a++) {
        plot->size[a] = sizes[a];
        plot->cells[a] = sizes[a] < TSL_MATRIX_PLOT_CELLS ? (int)sizes[a] : TSL_MATRIX_PLOT_CELLS;
    }
    const size_t cells = (size_t)plot->cells[0] * (size_t)plot->cells[1];
    plot->least = tsl_allocate(cells * sizeof *plot->least);
    if (plot->least == NULL) {
        return tsl_fail_memory(context, (int64_t)(cells * sizeof *plot->least), "a figure");
    }
    for (size_t c = 0; c < cells; c++) {
        plot->least[c] = INFINITY;
    }
    return TSL_OK;
}

void tsl_matrix_plot_add(tsl_matrix_plot *plot, int64_t i, int64_t j, double value)
{
    const int64_t row = i * plot->cells[0] / plot->size[0];
    const int64_t column = j * plot->cells[1] / plot->size[1];
    double *const least = &plot->least[row * plot->cells[1] + column];
    *least = fmin(*least, value); /* the number, where the other is none */
}

void tsl_matrix_plot_release(tsl_matrix_plot *plot)
{
    tsl_release(plot->least);
    plot->least = NULL;
}

enum {
    WIDTH = 680,
    HEIGHT = 620,
    SIDE = TSL_MATRIX_PLOT_CELLS, /* of the square that the matrix is fitted to */
    LEFT = 72,
    TOP = 76,
    BAR = 588, /* where colours are explained */
    BAR_WIDTH = 14,
    SPACE = 60 /* between ticks at least */
};

/* What is drawn. */
typedef struct picture {
    const tsl_matrix_plot *plot;
    double extent[2]; /* height and width */
    double low, high; /* of the values */
} picture;

static picture picture_of(const tsl_matrix_plot *plot)
{
    picture p = {.plot = plot, .low = INFINITY, .high = -INFINITY};
    const double longest = fmax(fmax((double)plot->size[0], (double)plot->size[1]), 1);
    for (int a = 0; a < 2; a++) {
        p.extent[a] = fmax(round(SIDE * (double)plot->size[a] / longest), 2);
    }
    for (int64_t c = 0; c < (int64_t)plot->cells[0] * plot->cells[1]; c++) {
        if (isfinite(plot->least[c])) {
            p.low = fmin(p.low, plot->least[c]);
            p.high = fmax(p.high, plot->least[c]);
        }
    }
    return p;
}

#ifdef TSL_HAVE_CAIRO

#include <cairo.h>
#include <stdio.h>

/* The least of the cells that a pixel covers. */
static double least_at(const picture *p, int x, int y)
{
    const tsl_matrix_plot *const plot = p->plot;
    const int at[2] = {y, x};
    int from[2], end[2];
    double least = INFINITY;
    for (int a = 0; a < 2; a++) {
        from[a] = (int)(at[a] * plot->cells[a] / p->extent[a]);
        end[a] = (int)fmax((at[a] + 1) * plot->cells[a] / p->extent[a], from[a] + 1);
    }
    for (int row = from[0]; row < end[0]; row++) {
        for (int column = from[1]; column < end[1]; column++) {
            least = fmin(least, plot->least[(int64_t)row * plot->cells[1] + column]);
        }
    }
    return least;
}

static uint32_t pixel(const picture *p, int x, int y)
{
    const double value = least_at(p, x, y);
    if (!isfinite(value)) {
        return 0xffffff;
    }
    const double range = p->high - p->low;
    const tsl_colour c = tsl_viridis(range > 0 ? (value - p->low) / range : 0);
    return (uint32_t)(255 * c.red) << 16 | (uint32_t)(255 * c.green) << 8 |
           (uint32_t)(255 * c.blue);
}

static void draw_cells(cairo_t *cairo, const picture *p)
{
    const int height = (int)p->extent[0], width = (int)p->extent[1];
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    unsigned char *data = cairo_image_surface_get_data(image); /* NULL: painting it fails, too */
    const int stride = cairo_image_surface_get_stride(image);
    for (int y = 0; y < height && data != NULL; y++) {
        uint32_t *row = (uint32_t *)(void *)(data + (ptrdiff_t)y * stride);
        for (int x = 0; x < width; x++) {
            row[x] = pixel(p, x, y);
        }
    }
    cairo_surface_mark_dirty(image);
    cairo_set_source_surface(cairo, image, LEFT, TOP);
    cairo_paint(cairo);
    cairo_surface_destroy(image);
}

/* Numbers of rows (axis 0) or of columns, from 0. */
static void draw_axis(cairo_t *cairo, const picture *p, int axis)
{
    const double size = (double)p->plot->size[axis];
    const double step = tsl_nice_step(size, (int)fmax(p->extent[axis] / SPACE, 1), 1);
    tsl_draw_font(cairo, 11, false, tsl_faint);
    cairo_set_line_width(cairo, 1);
    for (double tick = 0; tick < size; tick += step) {
        const double at = (tick + 0.5) / size * p->extent[axis];
        if (axis == 0) {
            tsl_draw_line(cairo, LEFT - 4, TOP + at, LEFT, TOP + at);
            tsl_draw_text(cairo, LEFT - 7, TOP + at + 4, 1, "%.0f", tick);
        } else {
            const double y = TOP + p->extent[0];
            tsl_draw_line(cairo, LEFT + at, y, LEFT + at, y + 4);
            tsl_draw_text(cairo, LEFT + at, y + 16, 0.5, "%.0f", tick);
        }
    }
}

static void draw_bar(cairo_t *cairo, const picture *p)
{
    const double range = p->high - p->low;
    if (p->high < p->low) {
        return; /* all is white */
    }
    for (int i = 0; i < SIDE; i++) {
        tsl_draw_colour(cairo, tsl_viridis(range > 0 ? 1 - (i + 0.5) / SIDE : 0));
        cairo_rectangle(cairo, BAR, TOP + i, BAR_WIDTH, 1.5);
        cairo_fill(cairo);
    }
    tsl_draw_font(cairo, 11, false, tsl_faint);
    for (int t = 0; t <= SIDE / SPACE; t++) {
        const double y = TOP + SIDE - t * SPACE;
        tsl_draw_line(cairo, BAR + BAR_WIDTH, y, BAR + BAR_WIDTH + 4, y);
        tsl_draw_text(cairo, BAR + BAR_WIDTH + 7, y + 4, 0, "%.4g",
                      p->low + range * t * SPACE / SIDE);
    }
    tsl_draw_text(cairo, WIDTH - 12, TOP - 10, 1, "%s", p->plot->colours);
}

static void draw(cairo_t *cairo, const void *user)
{
    const picture *p = user;
    const tsl_matrix_plot *const plot = p->plot;
    char name[256];
    tsl_draw_font(cairo, 17, true, tsl_ink);
    tsl_draw_text(cairo, 24, 32, 0, "%s", plot->title);
    if (plot->size[0] > 0 && plot->size[1] > 0) {
        draw_cells(cairo, p);
    }
    tsl_draw_colour(cairo, tsl_faint);
    cairo_set_line_width(cairo, 1);
    cairo_rectangle(cairo, LEFT, TOP, p->extent[1], p->extent[0]);
    cairo_stroke(cairo);
    draw_axis(cairo, p, 0);
    draw_axis(cairo, p, 1);
    draw_bar(cairo, p);
    tsl_draw_font(cairo, 12, false, tsl_ink);
    for (int k = 0; k < 2; k++) {
        static const char *const ways[] = {"down", "right"};
        tsl_draw_name(name, plot->of[k]);
        tsl_draw_shorten(cairo, name, SIDE - 150);
        tsl_draw_text(cairo, 24, TOP - 26 + 16 * k, 0, "%s: %s of %s, from 0", ways[k], plot->what,
                      name);
    }
    if (plot->cells[0] < plot->size[0] || plot->cells[1] < plot->size[1]) {
        tsl_draw_font(cairo, 11, false, tsl_faint);
        tsl_draw_text(cairo, 24, HEIGHT - 14, 0,
                      "Each cell of the picture has the least of the numbers that fall into it.");
    }
}

#endif

tsl_status tsl_matrix_plot_write(tsl_context *context, const char *path,
                                 const tsl_matrix_plot *plot)
{
    const picture p = picture_of(plot);
    return tsl_figure_write(context, path, WIDTH, HEIGHT, TSL_IF_CAIRO(draw), &p);
}
