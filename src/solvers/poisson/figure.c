#include "solvers/poisson/figure.h"

#include <math.h>
#include <stdlib.h>

#include "core/config.h"
#include "io/report/drawing.h"
#include "io/report/figure.h"

enum {
    WIDTH = 1000,
    HEIGHT = 720,
    SIDE = 236,   /* of the square that a slice is fitted to */
    LEFT = 72,    /* of the first one */
    TOP = 112,    /* of the first one */
    ACROSS = 286, /* from one to the next */
    DOWN = 308,
    BAR = 920, /* where colours are explained */
    BAR_WIDTH = 14
};

/* From values to colours. */
typedef struct scale {
    double unit;      /* linear below, logarithmic above */
    double largest;   /* of the absolute values */
    double low, high; /* of the values and 0 */
} scale;

/* A slice: its plane's normal, the axes that go right and up, and where it is on the paper. */
typedef struct slice {
    int normal, right, up;
    double x, y, width, height;
} slice;

/* What is drawn. */
typedef struct figure {
    const tsl_poisson_slices *of;
    int64_t through[3]; /* the sample that all slices go through */
    scale scales[2];
} figure;

static double value_at(const tsl_poisson_slices *s, int which, int64_t i)
{
    return s->precision == 4 ? (double)((const float *)s->values[which])[i]
                             : ((const double *)s->values[which])[i];
}

static int64_t index_of(const tsl_poisson_slices *s, const int64_t at[3])
{
    return (at[0] * s->n[1] + at[1]) * s->n[2] + at[2];
}

static double step_of(const tsl_poisson_slices *s, int axis)
{
    return s->lengths[axis] / (double)s->n[axis];
}

static slice slice_of(const figure *f, int normal, int row)
{
    slice s = {.normal = normal, .right = normal == 0 ? 1 : 0, .up = normal == 2 ? 1 : 2};
    const double right = f->of->lengths[s.right];
    const double up = f->of->lengths[s.up];
    const double longest = fmax(right, up);
    s.width = fmax(SIDE * right / longest, 2);
    s.height = fmax(SIDE * up / longest, 2);
    s.x = LEFT + ACROSS * normal + 0.5 * (SIDE - s.width);
    s.y = TOP + DOWN * row + 0.5 * (SIDE - s.height);
    return s;
}

/* ---- what to show --------------------------------------------------------------------------- */

static void choose_sample(figure *f)
{
    const tsl_poisson_slices *s = f->of;
    int64_t largest = 0;
    const int64_t cells = s->n[0] * s->n[1] * s->n[2];
    for (int64_t i = 1; i < cells; i++) {
        if (fabs(value_at(s, 0, i)) > fabs(value_at(s, 0, largest))) {
            largest = i;
        }
    }
    f->through[0] = largest / s->n[2] / s->n[1];
    f->through[1] = largest / s->n[2] % s->n[1];
    f->through[2] = largest % s->n[2];
    for (int axis = 0; axis < 3 && s->count > 0; axis++) {
        double middle = 0;
        for (int64_t i = 0; i < s->count; i++) {
            middle += s->marks[i].at[axis] / (double)s->count;
        }
        const double at = round((middle - s->first[axis]) / step_of(s, axis));
        f->through[axis] = (int64_t)fmin(fmax(at, 0), (double)s->n[axis] - 1);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Choose the scale of colours from the values that the three slices show. */
static tsl_status choose_scale(figure *f, tsl_context *context, int which)
{
    const tsl_poisson_slices *s = f->of;
    const int64_t most = s->n[0] * s->n[1] + s->n[0] * s->n[2] + s->n[1] * s->n[2];
    double *sizes = tsl_allocate((size_t)most * sizeof *sizes);
    if (sizes == NULL) {
        return tsl_fail_memory(context, most * (int64_t)sizeof *sizes, "a figure");
    }
    scale *out = &f->scales[which];
    int64_t count = 0;
    for (int normal = 0; normal < 3; normal++) {
        const slice plane = slice_of(f, normal, 0);
        int64_t at[3] = {f->through[0], f->through[1], f->through[2]};
        for (at[plane.right] = 0; at[plane.right] < s->n[plane.right]; at[plane.right]++) {
            for (at[plane.up] = 0; at[plane.up] < s->n[plane.up]; at[plane.up]++) {
                const double value = value_at(s, which, index_of(s, at));
                sizes[count++] = fabs(value);
                out->low = fmin(out->low, value);
                out->high = fmax(out->high, value);
            }
        }
    }
    qsort(sizes, (size_t)count, sizeof *sizes, compare);
    out->largest = sizes[count - 1];
    out->unit = fmax(sizes[count / 2], 1e-6 * out->largest);
    tsl_release(sizes);
    return TSL_OK;
}

#ifdef TSL_HAVE_CAIRO

#include <cairo.h>
#include <stdio.h>

/* ---- colours -------------------------------------------------------------------------------- */

/* From -1 to 1; values beyond are none. */
static double place_of(const scale *s, double value)
{
    return s->largest > 0 ? asinh(value / s->unit) / asinh(s->largest / s->unit) : 0;
}

/* Red, white and blue of C. Brewer's, dark at both ends. */
static tsl_colour signed_colour(double t)
{
    static const tsl_colour table[9] = {
        {0.404, 0.000, 0.122}, {0.698, 0.094, 0.169}, {0.839, 0.376, 0.302},
        {0.957, 0.647, 0.510}, {0.969, 0.969, 0.969}, {0.573, 0.773, 0.871},
        {0.263, 0.576, 0.765}, {0.129, 0.400, 0.675}, {0.020, 0.188, 0.380}};
    const double at = 4 * (1 + fmin(fmax(t, -1), 1));
    const int i = at < 7 ? (int)at : 7;
    const double w = at - i;
    return (tsl_colour){table[i].red + w * (table[i + 1].red - table[i].red),
                        table[i].green + w * (table[i + 1].green - table[i].green),
                        table[i].blue + w * (table[i + 1].blue - table[i].blue)};
}

static tsl_colour colour_of(const scale *s, double value)
{
    const double t = place_of(s, value);
    return s->low < 0 && s->high > 0 ? signed_colour(t) : tsl_viridis(1 - fabs(t));
}

/* Lines lie between different levels: 0, and powers of ten from the unit up. */
static int level_of(const scale *s, double value)
{
    const double size = fabs(value);
    const double first = ceil(log10(s->unit) - 1e-9);
    const int decades = size >= pow(10, first) ? (int)(floor(log10(size)) - first) + 1 : 0;
    return value < 0 ? -decades - 1 : decades;
}

/* ---- slices --------------------------------------------------------------------------------- */

/* Bilinear in the plane; u and v are samples, and beyond the last ones those stand for it. */
static double interpolate(const figure *f, const slice *s, int which, double u, double v)
{
    const tsl_poisson_slices *of = f->of;
    const double at[2] = {fmin(fmax(u, 0), (double)of->n[s->right] - 1),
                          fmin(fmax(v, 0), (double)of->n[s->up] - 1)};
    double sum = 0;
    for (int corner = 0; corner < 4; corner++) {
        int64_t sample[3] = {f->through[0], f->through[1], f->through[2]};
        double weight = 1;
        for (int i = 0; i < 2; i++) {
            const int axis = i == 0 ? s->right : s->up;
            const int64_t low = (int64_t)at[i];
            const int64_t high = low + 1 < of->n[axis] ? low + 1 : low;
            const bool upper = (corner >> i & 1) != 0;
            sample[axis] = upper ? high : low;
            weight *= upper ? at[i] - (double)low : 1 - (at[i] - (double)low);
        }
        sum += weight * value_at(of, which, index_of(of, sample));
    }
    return sum;
}

static double pixel_value(const figure *f, const slice *s, int which, int x, int y)
{
    const double u = (x + 0.5) / s->width * (double)f->of->n[s->right] - 0.5;
    const double v = (s->height - y - 0.5) / s->height * (double)f->of->n[s->up] - 0.5;
    return interpolate(f, s, which, u, v);
}

static uint32_t pixel(const figure *f, const slice *s, int which, int x, int y)
{
    const scale *of = &f->scales[which];
    const double value = pixel_value(f, s, which, x, y);
    const int level = level_of(of, value);
    const bool on_line = level != level_of(of, pixel_value(f, s, which, x + 1, y)) ||
                         level != level_of(of, pixel_value(f, s, which, x, y + 1));
    const tsl_colour c = colour_of(of, value);
    const double shade = on_line ? 0.6 * 255 : 255;
    return (uint32_t)(shade * c.red) << 16 | (uint32_t)(shade * c.green) << 8 |
           (uint32_t)(shade * c.blue);
}

static void draw_values(cairo_t *cairo, const figure *f, const slice *s, int which)
{
    const int width = (int)ceil(s->width);
    const int height = (int)ceil(s->height);
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    unsigned char *data = cairo_image_surface_get_data(image); /* NULL: painting it fails, too */
    const int stride = cairo_image_surface_get_stride(image);
    for (int y = 0; y < height && data != NULL; y++) {
        uint32_t *row = (uint32_t *)(void *)(data + (ptrdiff_t)y * stride);
        for (int x = 0; x < width; x++) {
            row[x] = pixel(f, s, which, x, y);
        }
    }
    cairo_surface_mark_dirty(image);
    cairo_save(cairo);
    cairo_rectangle(cairo, s->x, s->y, s->width, s->height);
    cairo_clip(cairo);
    cairo_set_source_surface(cairo, image, s->x, s->y);
    cairo_paint(cairo);
    cairo_restore(cairo);
    cairo_surface_destroy(image);
}

/* Axis `axis` from (x, y) on, to the right or up. */
static void draw_axis(cairo_t *cairo, const figure *f, const slice *s, bool up)
{
    const int axis = up ? s->up : s->right;
    const double pixels = up ? s->height : s->width;
    const double length = f->of->lengths[axis];
    const double start = f->of->first[axis] - 0.5 * step_of(f->of, axis);
    const double step = tsl_nice_step(length, (int)fmax(pixels / 32, 1), 0);
    tsl_draw_font(cairo, 11, false, tsl_faint);
    cairo_set_line_width(cairo, 1);
    for (double tick = ceil(start / step) * step; tick <= start + length; tick += step) {
        const double shown = fabs(tick) < 1e-9 * step ? 0 : tick;
        const double at = (tick - start) / length * pixels;
        if (up) {
            tsl_draw_line(cairo, s->x - 4, s->y + s->height - at, s->x, s->y + s->height - at);
            tsl_draw_text(cairo, s->x - 7, s->y + s->height - at + 4, 1, "%g", shown);
        } else {
            tsl_draw_line(cairo, s->x + at, s->y + s->height, s->x + at, s->y + s->height + 4);
            tsl_draw_text(cairo, s->x + at, s->y + s->height + 16, 0.5, "%g", shown);
        }
    }
    tsl_draw_font(cairo, 12, false, tsl_ink);
    if (up) {
        tsl_draw_text(cairo, s->x - 10, s->y - 6, 1, "%c", "xyz"[axis]);
    } else {
        tsl_draw_text(cairo, s->x + s->width + 8, s->y + s->height + 16, 0, "%c", "xyz"[axis]);
    }
}

/* Marks within a step of the slice. */
static void draw_marks(cairo_t *cairo, const figure *f, const slice *s)
{
    const tsl_poisson_slices *of = f->of;
    for (int64_t i = 0; i < of->count; i++) {
        double at[3];
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = (of->marks[i].at[axis] - of->first[axis]) / step_of(of, axis);
        }
        const double u = (at[s->right] + 0.5) / (double)of->n[s->right];
        const double v = (at[s->up] + 0.5) / (double)of->n[s->up];
        if (fabs(at[s->normal] - (double)f->through[s->normal]) > 1 || u < 0 || u > 1 || v < 0 ||
            v > 1) {
            continue;
        }
        const double x = s->x + u * s->width;
        const double y = s->y + (1 - v) * s->height;
        cairo_new_path(cairo);
        cairo_arc(cairo, x, y, 7, 0, 2 * M_PI);
        cairo_set_source_rgba(cairo, 1, 1, 1, 0.85);
        cairo_fill_preserve(cairo);
        tsl_draw_colour(cairo, tsl_ink);
        cairo_set_line_width(cairo, 0.8);
        cairo_stroke(cairo);
        tsl_draw_font(cairo, 9, true, tsl_ink);
        tsl_draw_text(cairo, x, y + 3.2, 0.5, "%s", of->marks[i].name);
    }
}

static void draw_slice(cairo_t *cairo, const figure *f, int normal, int which)
{
    const slice s = slice_of(f, normal, which);
    const double at = f->of->first[normal] + (double)f->through[normal] * step_of(f->of, normal);
    draw_values(cairo, f, &s, which);
    tsl_draw_colour(cairo, tsl_faint);
    cairo_set_line_width(cairo, 1);
    cairo_rectangle(cairo, s.x, s.y, s.width, s.height);
    cairo_stroke(cairo);
    draw_axis(cairo, f, &s, false);
    draw_axis(cairo, f, &s, true);
    draw_marks(cairo, f, &s);
    tsl_draw_font(cairo, 12, false, tsl_ink);
    /* above the name of the axis that goes up where the two would meet */
    tsl_draw_text(cairo, s.x + s.width / 2, s.y - (s.width < 80 ? 20 : 6), 0.5, "%c = %.4g",
                  "xyz"[normal], fabs(at) < 1e-9 * step_of(f->of, normal) ? 0 : at);
}

/* ---- the rest ------------------------------------------------------------------------------- */

/* Where a value is on its bar: 0 at the bottom unless there are values of both signs. */
static double bar_y(const scale *s, double top, double value)
{
    const double low = place_of(s, s->low);
    const double high = place_of(s, s->high);
    const double up =
        s->high > 0 ? (place_of(s, value) - low) / (high - low) : fabs(place_of(s, value));
    return top + SIDE * (1 - up);
}

/* Unless the last one is too near. */
static void draw_tick(cairo_t *cairo, const scale *s, double top, double value, double *last)
{
    const double y = bar_y(s, top, value);
    if (fabs(y - *last) >= 13) {
        cairo_set_line_width(cairo, 1);
        tsl_draw_line(cairo, BAR + BAR_WIDTH, y, BAR + BAR_WIDTH + 4, y);
        tsl_draw_text(cairo, BAR + BAR_WIDTH + 7, y + 4, 0, "%.3g", value);
        *last = y;
    }
}

/* Ticks at 0 and at powers of ten; where there is none, at the end. */
static void draw_ticks(cairo_t *cairo, const scale *s, double top)
{
    double last = -HEIGHT;
    tsl_draw_font(cairo, 11, false, tsl_faint);
    draw_tick(cairo, s, top, 0, &last);
    for (int sign = -1; sign <= 1; sign += 2) {
        const double end = sign < 0 ? -s->low : s->high;
        last = bar_y(s, top, 0);
        const double zero = last;
        for (double power = end > 0 ? pow(10, ceil(log10(s->unit) - 1e-9)) : 1; power <= end;
             power *= 10) {
            draw_tick(cairo, s, top, sign * power, &last);
        }
        if (end > 0 && last == zero) {
            draw_tick(cairo, s, top, sign * end, &last);
        }
    }
}

static void draw_bar(cairo_t *cairo, const figure *f, int which)
{
    const scale *s = &f->scales[which];
    const double top = TOP + DOWN * which;
    const double whole = asinh(s->largest / s->unit);
    const double low = s->high > 0 ? place_of(s, s->low) : 0;
    const double high = s->high > 0 ? place_of(s, s->high) : place_of(s, s->low);
    if (s->largest == 0) {
        return;
    }
    for (int i = 0; i < SIDE; i++) {
        const double up = 1 - (i + 0.5) / SIDE;
        const double value = s->unit * sinh(whole * (low + up * (high - low)));
        tsl_draw_colour(cairo, colour_of(s, value));
        cairo_rectangle(cairo, BAR, top + i, BAR_WIDTH, 1.5);
        cairo_fill(cairo);
    }
    draw_ticks(cairo, s, top);
}

static void draw(cairo_t *cairo, const void *user)
{
    const figure *f = user;
    char name[256];
    tsl_draw_name(name, f->of->name);
    tsl_draw_font(cairo, 17, true, tsl_ink);
    tsl_draw_shorten(cairo, name, WIDTH - 48);
    tsl_draw_text(cairo, 24, 32, 0, "%s", name);
    tsl_draw_font(cairo, 12, false, tsl_faint);
    tsl_draw_text(cairo, 24, 51, 0, "%s", f->of->subtitle);
    for (int which = 0; which < 2; which++) {
        tsl_draw_font(cairo, 13, true, tsl_ink);
        tsl_draw_text(cairo, 24, TOP + DOWN * which - 28, 0, "%s", f->of->labels[which]);
        for (int normal = 0; normal < 3; normal++) {
            draw_slice(cairo, f, normal, which);
        }
        draw_bar(cairo, f, which);
    }
    tsl_draw_font(cairo, 11, false, tsl_faint);
    tsl_draw_text(cairo, 24, HEIGHT - 14, 0,
                  "Slices through one sample. Lines at 0 and at powers of ten; colours are linear "
                  "near 0, logarithmic beyond.");
}

#endif

tsl_status tsl_poisson_figure(tsl_context *context, const char *path,
                              const tsl_poisson_slices *slices)
{
    figure f = {.of = slices};
    choose_sample(&f);
    for (int which = 0; which < 2; which++) {
        const tsl_status status = choose_scale(&f, context, which);
        if (status != TSL_OK) {
            return status;
        }
    }
    return tsl_figure_write(context, path, WIDTH, HEIGHT, TSL_IF_CAIRO(draw), &f);
}
