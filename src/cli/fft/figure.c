/* The figure of a study: rates over data, and the map of strides. */
#include "io/report/figure.h"
#include "cli/fft/command.h"
#include "core/config.h"
#include "io/report/drawing.h"

enum {
    WIDTH = 1000,
    PLOTS_LEFT = 64,
    PLOTS_RIGHT = 976,
    PLOTS_TOP = 128,
    PLOTS_BOTTOM = 400,
    GAP = 64, /* between plots */
    MAP_TOP = 500,
    MAP_LEFT = 210,
    MAP_RIGHT = 976,
    ROW = 20,
    DIMENSIONS = 3
};

typedef struct figure {
    const char *title;
    const tsl_fft_study *study;
    int *batches; /* the map's columns, ascending */
    int batch_count;
    int row_count; /* rows of the map */
} figure;

static const tsl_fft_case *case_of(const tsl_fft_study *study, int series)
{
    return &study->rows[study->series[series].first].what;
}

/* Find rows and columns of the map; `batches` has room for each measurement. */
static void lay_out_map(figure *f)
{
    const tsl_fft_study *study = f->study;
    for (int i = 0; i < study->series_count; i++) {
        f->row_count += case_of(study, i)->stride > 1;
    }
    for (int i = 0; i < study->count; i++) {
        const int batch = study->rows[i].what.batch;
        int place = f->batch_count;
        while (place > 0 && f->batches[place - 1] > batch) {
            place--;
        }
        const bool stands = place > 0 && f->batches[place - 1] == batch;
        if (study->rows[i].what.stride > 1 && !stands) {
            for (int k = f->batch_count++; k > place; k--) {
                f->batches[k] = f->batches[k - 1];
            }
            f->batches[place] = batch;
        }
    }
}

#ifdef TSL_HAVE_CAIRO

#include <cairo.h>
#include <math.h>

static bool is_plotted(const tsl_fft_study *study, int series, int dimension)
{
    return case_of(study, series)->dimension == dimension && case_of(study, series)->stride == 1;
}

static double rate_of(const tsl_fft_measurement *m)
{
    return (double)m->moved / m->seconds;
}

/* ---- rates -------------------------------------------------------------------------------- */

/* A plot's place, in pixels, and the decades it shows. */
typedef struct frame {
    double left, top, right, bottom;
    double x0, x1, y0, y1;
    bool any; /* there is a point */
} frame;

/* Make room for a point. */
static void make_room(frame *f, double x, double y)
{
    const double decade_x = log10(x), decade_y = log10(y);
    f->x0 = f->any ? fmin(f->x0, floor(decade_x)) : floor(decade_x);
    f->y0 = f->any ? fmin(f->y0, floor(decade_y)) : floor(decade_y);
    f->x1 = fmax(f->any ? f->x1 : f->x0 + 1, ceil(decade_x));
    f->y1 = fmax(f->any ? f->y1 : f->y0 + 1, ceil(decade_y));
    f->any = true;
}

static double x_of(const frame *f, double x)
{
    return f->left + (f->right - f->left) * (log10(x) - f->x0) / (f->x1 - f->x0);
}

static double y_of(const frame *f, double y)
{
    return f->bottom - (f->bottom - f->top) * (log10(y) - f->y0) / (f->y1 - f->y0);
}

/* Write a label such as "10 k" for 1e4. */
static void draw_label(cairo_t *cairo, double x, double y, double align, double power)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T"};
    const int place = power < 0 ? 0 : power >= 15 ? 4 : (int)power / 3;
    tsl_draw_text(cairo, x, y, align, "%g%s", pow(10, power - 3 * place), prefixes[place]);
}

static void draw_grid(cairo_t *cairo, const frame *f)
{
    cairo_set_line_width(cairo, 0.7);
    for (double x = f->x0; x <= f->x1; x++) {
        const double at = x_of(f, pow(10, x));
        tsl_draw_colour(cairo, tsl_pale);
        tsl_draw_line(cairo, at, f->top, at, f->bottom);
        tsl_draw_colour(cairo, tsl_faint);
        draw_label(cairo, at, f->bottom + 16, 0.5, x);
    }
    for (double y = f->y0; y <= f->y1; y++) {
        const double at = y_of(f, pow(10, y));
        tsl_draw_colour(cairo, tsl_pale);
        tsl_draw_line(cairo, f->left, at, f->right, at);
        tsl_draw_colour(cairo, tsl_faint);
        draw_label(cairo, f->left - 6, at + 4, 1, y);
    }
    tsl_draw_text(cairo, (f->left + f->right) / 2, f->bottom + 36, 0.5, "data of a batch, bytes");
}

static void dash(cairo_t *cairo, tsl_fft_kind kind)
{
    static const double dashes[] = {7, 3}, dots[] = {2, 3};
    cairo_set_dash(cairo, kind == TSL_FFT_REAL_FORWARD ? dashes : dots,
                   kind == TSL_FFT_FORWARD ? 0 : 2, 0);
}

static void draw_series(cairo_t *cairo, const frame *plot, const tsl_fft_study *study, int series,
                        tsl_colour colour)
{
    const tsl_fft_series *s = &study->series[series];
    const tsl_fft_case *what = case_of(study, series);
    tsl_draw_colour(cairo, colour);
    cairo_set_line_width(cairo, what->precision == TSL_SINGLE ? 0.8 : 1.8);
    dash(cairo, what->kind);
    cairo_new_path(cairo);
    for (int i = 0; i < s->count; i++) {
        const tsl_fft_measurement *m = &study->rows[s->first + i];
        cairo_line_to(cairo, x_of(plot, (double)m->data), y_of(plot, rate_of(m)));
    }
    cairo_stroke(cairo);
    cairo_set_dash(cairo, NULL, 0, 0);
    if (s->count == 1) { /* a line of no length is not drawn */
        const tsl_fft_measurement *m = &study->rows[s->first];
        cairo_arc(cairo, x_of(plot, (double)m->data), y_of(plot, rate_of(m)), 3, 0, 2 * M_PI);
        cairo_fill(cairo);
    }
}

/* Shade a part of the x axis, from `from` to `to` bytes of data, cut to the plot. */
static void draw_band(cairo_t *cairo, const frame *plot, double from, double to, const char *name,
                      double y)
{
    const double x0 = fmax(x_of(plot, from), plot->left);
    const double x1 = fmin(x_of(plot, to), plot->right);
    if (x0 <= x1) {
        cairo_rectangle(cairo, x0 - 1, plot->top, x1 - x0 + 2, plot->bottom - plot->top);
        cairo_fill(cairo);
        tsl_draw_colour(cairo, tsl_faint);
        tsl_draw_text(cairo, x1 - 3, y, 1, "%s", name);
    }
}

/* Draw where the source has knee and plateau, and where they are here, if at least half of the
 * series have one. */
static void draw_rules(cairo_t *cairo, const frame *plot, const tsl_fft_study *study)
{
    tsl_draw_font(cairo, 10, false, tsl_ink);
    cairo_set_source_rgba(cairo, 0.45, 0.47, 0.51, 0.18);
    draw_band(cairo, plot, TSL_FFT_KNEE, TSL_FFT_KNEE, "knee (source)", plot->bottom - 6);
    cairo_set_source_rgba(cairo, 0.45, 0.47, 0.51, 0.18);
    draw_band(cairo, plot, TSL_FFT_PLATEAU_FIRST, TSL_FFT_PLATEAU_LAST, "plateau (source)",
              plot->bottom - 18);
    if (2 * study->knee.found >= study->series_count) {
        cairo_set_source_rgba(cairo, 0.84, 0.37, 0, 0.5);
        draw_band(cairo, plot, study->knee.median, study->knee.median, "knee", plot->bottom - 30);
    }
    if (2 * study->plateau.found >= study->series_count) {
        cairo_set_source_rgba(cairo, 0.84, 0.37, 0, 0.5);
        draw_band(cairo, plot, study->plateau.median, study->plateau.median, "plateau",
                  plot->bottom - 42);
    }
    tsl_draw_font(cairo, 12, false, tsl_ink);
}

static void draw_plot(cairo_t *cairo, frame *plot, const tsl_fft_study *study, int dimension)
{
    int sizes[TSL_COLOURS], size_count = 0;
    for (int i = 0; i < study->series_count; i++) {
        for (int k = 0; k < study->series[i].count && is_plotted(study, i, dimension); k++) {
            const tsl_fft_measurement *m = &study->rows[study->series[i].first + k];
            make_room(plot, (double)m->data, rate_of(m));
        }
    }
    draw_grid(cairo, plot);
    tsl_draw_colour(cairo, tsl_ink);
    tsl_draw_text(cairo, plot->left, plot->top - 12, 0, "%d-D", dimension);
    draw_rules(cairo, plot, study);
    for (int i = 0; i < study->series_count; i++) {
        if (!is_plotted(study, i, dimension)) {
            continue;
        }
        const int n = case_of(study, i)->n;
        int place = 0;
        while (place < size_count && sizes[place] != n) {
            place++;
        }
        if (place == size_count && size_count < TSL_COLOURS) {
            sizes[size_count++] = n;
            tsl_draw_colour(cairo, tsl_colours[place]);
            tsl_draw_text(cairo, plot->left + 34 + 38 * place, plot->top - 12, 0, "%d", n);
        }
        /* sizes beyond the colours share the last */
        draw_series(cairo, plot, study, i,
                    tsl_colours[place < TSL_COLOURS ? place : TSL_COLOURS - 1]);
    }
}

static void draw_plots(cairo_t *cairo, const tsl_fft_study *study)
{
    int shown[DIMENSIONS], count = 0;
    for (int dimension = 1; dimension <= DIMENSIONS; dimension++) {
        bool any = false;
        for (int i = 0; i < study->series_count; i++) {
            any = any || is_plotted(study, i, dimension);
        }
        if (any) {
            shown[count++] = dimension;
        }
    }
    const double width = (double)(PLOTS_RIGHT - PLOTS_LEFT - GAP * (count - 1)) / fmax(count, 1);
    for (int i = 0; i < count; i++) {
        const double left = PLOTS_LEFT + i * (width + GAP);
        frame plot = {
            .left = left, .top = PLOTS_TOP, .right = left + width, .bottom = PLOTS_BOTTOM};
        draw_plot(cairo, &plot, study, shown[i]);
    }
}

/* Draw the key to the lines. */
static void draw_key(cairo_t *cairo)
{
    static const tsl_fft_kind kinds[] = {TSL_FFT_FORWARD, TSL_FFT_REAL_FORWARD,
                                         TSL_FFT_REAL_BACKWARD};
    double x = PLOTS_LEFT;
    for (int i = 0; i < 3; i++) {
        cairo_set_line_width(cairo, 1.8);
        tsl_draw_colour(cairo, tsl_ink);
        dash(cairo, kinds[i]);
        tsl_draw_line(cairo, x, 62, x + 30, 62);
        tsl_draw_text(cairo, x + 36, 66, 0, "%s", tsl_fft_kind_name(kinds[i]));
        x += 84;
    }
    cairo_set_dash(cairo, NULL, 0, 0);
    cairo_set_line_width(cairo, 0.8);
    tsl_draw_line(cairo, x, 62, x + 30, 62);
    tsl_draw_text(cairo, x + 36, 66, 0, "thin: single precision");
    tsl_draw_colour(cairo, tsl_faint);
    tsl_draw_text(cairo, PLOTS_LEFT - 40, 92, 0,
                  "Contiguous transforms: bytes a second, each element read and written once. "
                  "Source: cuFFT on a Tesla M2090 (Jodra, Gurrutxaga & Muguerza 2015).");
}

/* ---- the map of strides ------------------------------------------------------------------- */

/* A cell is blue where transposing is faster and orange where it is not, in full colour from a
 * factor of 2. */
static void use_cell_colour(cairo_t *cairo, double ratio)
{
    const tsl_colour c = tsl_colours[ratio > 1 ? 0 : 1];
    const double depth = 0.75 * fmin(fabs(log2(ratio)), 1);
    cairo_set_source_rgb(cairo, 1 - depth * (1 - c.red), 1 - depth * (1 - c.green),
                         1 - depth * (1 - c.blue));
}

static void draw_map_row(cairo_t *cairo, const figure *f, const tsl_fft_series *s, double y)
{
    const double width = (double)(MAP_RIGHT - MAP_LEFT) / f->batch_count;
    const tsl_fft_case *what = &f->study->rows[s->first].what;
    tsl_draw_colour(cairo, tsl_ink);
    tsl_draw_text(cairo, MAP_LEFT - 8, y + ROW - 6, 1, "%d %s %s, stride %d", what->n,
                  tsl_fft_kind_name(what->kind),
                  what->precision == TSL_SINGLE ? "single" : "double", what->stride);
    for (int i = 0; i < s->count; i++) {
        const tsl_fft_measurement *m = &f->study->rows[s->first + i];
        int column = 0;
        while (f->batches[column] != m->what.batch) {
            column++;
        }
        const double x = MAP_LEFT + column * width;
        const double ratio = m->seconds / m->transposed;
        use_cell_colour(cairo, ratio);
        cairo_rectangle(cairo, x, y, width - 2, ROW - 2);
        cairo_fill(cairo);
        tsl_draw_colour(cairo, tsl_ink);
        tsl_draw_text(cairo, x + width / 2 - 1, y + ROW - 6, 0.5, "%.2f", ratio);
    }
}

static void draw_map(cairo_t *cairo, const figure *f)
{
    const double width = (double)(MAP_RIGHT - MAP_LEFT) / f->batch_count;
    double y = MAP_TOP;
    tsl_draw_colour(cairo, tsl_ink);
    tsl_draw_text(cairo, PLOTS_LEFT - 40, MAP_TOP - 38, 0,
                  "Strides: time as they lie over time by transposing there and back. Above 1 "
                  "(blue) transpose first.");
    tsl_draw_font(cairo, 11, false, tsl_faint);
    tsl_draw_text(cairo, MAP_LEFT - 8, MAP_TOP - 6, 1, "batch");
    for (int i = 0; i < f->batch_count; i++) {
        tsl_draw_text(cairo, MAP_LEFT + (i + 0.5) * width - 1, MAP_TOP - 6, 0.5, "%d",
                      f->batches[i]);
    }
    for (int i = 0; i < f->study->series_count; i++) {
        if (case_of(f->study, i)->stride > 1) {
            draw_map_row(cairo, f, &f->study->series[i], y);
            y += ROW;
        }
    }
}

static void draw(cairo_t *cairo, const void *work)
{
    const figure *f = work;
    tsl_draw_font(cairo, 16, true, tsl_ink);
    tsl_draw_text(cairo, PLOTS_LEFT - 40, 30, 0, "%s", f->title);
    tsl_draw_font(cairo, 12, false, tsl_ink);
    draw_key(cairo);
    draw_plots(cairo, f->study);
    if (f->row_count > 0) {
        draw_map(cairo, f);
    }
}

#endif

tsl_status fft_figure(tsl_context *context, const char *path, const char *title,
                      const tsl_fft_study *study)
{
    figure f = {.title = title, .study = study};
    f.batches = tsl_allocate((size_t)study->count * sizeof *f.batches);
    if (f.batches == NULL) {
        return tsl_fail_memory(context, study->count * (int64_t)sizeof *f.batches, "a figure");
    }
    lay_out_map(&f);
    const int height = f.row_count > 0 ? MAP_TOP + f.row_count * ROW + 24 : PLOTS_BOTTOM + 60;
    const tsl_status status =
        tsl_figure_write(context, path, WIDTH, height, TSL_IF_CAIRO(draw), &f);
    tsl_release(f.batches);
    return status;
}
