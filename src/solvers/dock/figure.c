#include "io/report/figure.h"
#include "core/config.h"
#include "io/report/drawing.h"
#include "io/report/figure.h"
#include "solvers/dock/pose_files.h"

/* All lengths in pixels. */
enum {
    WIDTH = 1000,
    HEIGHT = 460,
    FEWEST_BINS = 12, /* of the histogram */
    BINS = 48,        /* at most */
    SLICES = 40       /* of the receptor along z, drawn from the farthest to the nearest */
};

/* What is drawn. */
typedef struct figure {
    cairo_t *cairo;
    const tsl_pose_list *list;
    const tsl_molecule *receptor;
    const double (*centres)[3];
    int64_t shown;           /* poses with a dot */
    int32_t lowest, highest; /* of their scores */
} figure;

#ifdef TSL_HAVE_CAIRO

#include <cairo.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct box {
    double x, y, width, height;
} box;

static const box histogram_box = {72, 96, 380, 296};
static const box view_box = {520, 84, 380, 344};
static const box bar_box = {930, 110, 14, 268};

/* From the light end to the dark one, so that on white paper the best poses stand out. */
static tsl_colour score_colour(const figure *f, double score)
{
    const double range = (double)f->highest - (double)f->lowest;
    return tsl_viridis(range > 0 ? ((double)f->highest - score) / range : 0);
}

/* ---- left: the histogram ------------------------------------------------------------------ */

typedef struct histogram {
    double first; /* lowest score of the first bin */
    double step;  /* scores in a bin */
    int bins;
    int64_t counts[BINS + 1];
    int64_t most;
    bool logarithmic;
} histogram;

static histogram count_scores(const tsl_pose_list *list)
{
    histogram h = {.step = 1};
    if (list->count == 0) {
        return h;
    }
    double low = list->poses[0].score;
    double high = low;
    for (int64_t i = 1; i < list->count; i++) {
        low = fmin(low, list->poses[i].score);
        high = fmax(high, list->poses[i].score);
    }
    h.step = tsl_nice_step(high - low + 1, BINS - 1, 1);
    h.first = floor(low / h.step) * h.step;
    h.bins = (int)((high - h.first) / h.step) + 1;
    while (h.bins < FEWEST_BINS) { /* a few scores make bars, not walls */
        h.first -= h.bins % 2 == 1 ? h.step : 0;
        h.bins++;
    }
    for (int64_t i = 0; i < list->count; i++) {
        int64_t *bin = &h.counts[(int)((list->poses[i].score - h.first) / h.step)];
        h.most = ++*bin > h.most ? *bin : h.most;
    }
    /* The best poses are few: beside bins of hundreds they only show on a logarithmic scale. */
    h.logarithmic = h.most >= 30;
    return h;
}

/* Height of a count above the axis. */
static double count_height(const histogram *h, double count)
{
    const double top = 1.06 * histogram_box.height;
    if (!h->logarithmic) {
        return count / (double)(h->most > 0 ? h->most : 1) * histogram_box.height;
    }
    const double base = log10(0.6);
    return fmax(log10(count) - base, 0) / (log10((double)h->most) - base) * top / 1.06;
}

static void draw_count_axis(cairo_t *cairo, const histogram *h)
{
    const box b = histogram_box;
    const double step =
        h->logarithmic ? 0 : tsl_nice_step((double)(h->most > 0 ? h->most : 1), 5, 1);
    double count = h->logarithmic ? 1 : 0;
    tsl_draw_font(cairo, 11, false, tsl_faint);
    while (count <= (double)h->most) {
        const double y = b.y + b.height - count_height(h, count);
        cairo_set_source_rgb(cairo, 0.9, 0.91, 0.92);
        cairo_set_line_width(cairo, 1);
        tsl_draw_line(cairo, b.x, y, b.x + b.width, y);
        tsl_draw_colour(cairo, tsl_faint);
        tsl_draw_text(cairo, b.x - 8, y + 4, 1, "%.0f", count);
        count = h->logarithmic ? count * 10 : count + step;
    }
    cairo_save(cairo);
    cairo_translate(cairo, 24, b.y + b.height / 2);
    cairo_rotate(cairo, -M_PI / 2);
    tsl_draw_font(cairo, 12, false, tsl_ink);
    tsl_draw_text(cairo, 0, 0, 0.5, "%s", h->logarithmic ? "poses (logarithmic)" : "poses");
    cairo_restore(cairo);
}

static void draw_score_axis(cairo_t *cairo, const histogram *h, double scale)
{
    const box b = histogram_box;
    const double range = h->bins * h->step;
    const double step = tsl_nice_step(range, 8, 1);
    tsl_draw_colour(cairo, tsl_faint);
    cairo_set_line_width(cairo, 1);
    tsl_draw_line(cairo, b.x, b.y + b.height, b.x + b.width, b.y + b.height);
    tsl_draw_font(cairo, 11, false, tsl_faint);
    for (double tick = ceil(h->first / step) * step; tick < h->first + range; tick += step) {
        const double x = b.x + (tick - h->first + 0.5) * scale;
        tsl_draw_line(cairo, x, b.y + b.height, x, b.y + b.height + 4);
        tsl_draw_text(cairo, x, b.y + b.height + 18, 0.5, "%.0f", tick);
    }
    tsl_draw_font(cairo, 12, false, tsl_ink);
    tsl_draw_text(cairo, b.x + b.width / 2, b.y + b.height + 42, 0.5,
                  h->step > 1 ? "score (%.0f in a bar)" : "score", h->step);
}

static void draw_histogram(const figure *f)
{
    const box b = histogram_box;
    cairo_t *cairo = f->cairo;
    const histogram h = count_scores(f->list);
    tsl_draw_font(cairo, 13, true, tsl_ink);
    tsl_draw_text(cairo, 24, b.y - 18, 0, "Scores (%" PRId64 " pose%s)", f->list->count,
                  f->list->count == 1 ? "" : "s");
    if (h.bins == 0) {
        tsl_draw_font(cairo, 12, false, tsl_faint);
        tsl_draw_text(cairo, b.x + b.width / 2, b.y + b.height / 2, 0.5, "no pose qualified");
        return;
    }
    const double scale = b.width / (h.bins * h.step);
    draw_count_axis(cairo, &h);
    for (int i = 0; i < h.bins; i++) {
        const double middle = h.first + (i + 0.5) * h.step - 0.5;
        const double height = h.counts[i] > 0 ? count_height(&h, (double)h.counts[i]) : 0;
        const double width = h.step * scale;
        const double gap = fmin(1, width / 5);
        if (middle + h.step / 2 <= f->lowest) { /* not in the picture on the right */
            cairo_set_source_rgb(cairo, 0.78, 0.79, 0.81);
        } else {
            tsl_draw_colour(cairo, score_colour(f, middle));
        }
        cairo_rectangle(cairo, b.x + i * width + gap / 2, b.y + b.height - height, width - gap,
                        height);
        cairo_fill(cairo);
    }
    draw_score_axis(cairo, &h, scale);
}

/* ---- right: the view along z -------------------------------------------------------------- */

/* From angstrom to the picture: x to the right, y up, z towards the viewer. */
typedef struct view {
    double scale; /* pixels in an angstrom */
    double x, y;  /* angstrom, at the middle of the picture */
    double near, far;
} view;

static double view_x(const view *v, const double p[3])
{
    return view_box.x + view_box.width / 2 + (p[0] - v->x) * v->scale;
}

static double view_y(const view *v, const double p[3])
{
    return view_box.y + view_box.height / 2 - (p[1] - v->y) * v->scale;
}

/* 0 at the farthest, 1 at the nearest. */
static double depth(const view *v, double z)
{
    return v->near > v->far ? fmin(fmax((z - v->far) / (v->near - v->far), 0), 1) : 1;
}

static void extend(double low[3], double high[3], const double p[3])
{
    for (int i = 0; i < 3; i++) {
        low[i] = fmin(low[i], p[i]);
        high[i] = fmax(high[i], p[i]);
    }
}

static view fit_view(const figure *f)
{
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < f->receptor->count; i++) {
        extend(low, high, f->receptor->positions + 3 * i);
    }
    view v = {.near = high[2], .far = low[2]};
    for (int64_t i = 0; i < f->shown; i++) {
        extend(low, high, f->centres[i]);
    }
    const double margin = 4; /* angstrom: an atom's radius, and air */
    v.scale = fmin(view_box.width / (high[0] - low[0] + margin),
                   view_box.height / (high[1] - low[1] + margin));
    v.x = (low[0] + high[0]) / 2;
    v.y = (low[1] + high[1]) / 2;
    return v;
}

/* The discs of one slice as a single path of points with round ends: small files. */
static void draw_slice(const figure *f, const view *v, int slice, double radius)
{
    for (int64_t i = 0; i < f->receptor->count; i++) {
        const double *p = f->receptor->positions + 3 * i;
        const int own = (int)(depth(v, p[2]) * SLICES);
        if ((own < SLICES ? own : SLICES - 1) == slice) {
            cairo_move_to(f->cairo, view_x(v, p), view_y(v, p));
            cairo_line_to(f->cairo, view_x(v, p), view_y(v, p));
        }
    }
    cairo_set_line_width(f->cairo, 2 * radius);
    cairo_stroke(f->cairo);
}

static void draw_receptor(const figure *f, const view *v)
{
    const double radius = 1.7 * v->scale;
    cairo_set_line_cap(f->cairo, CAIRO_LINE_CAP_ROUND);
    for (int slice = 0; slice < SLICES; slice++) {
        const double grey = 0.96 - 0.26 * slice / (SLICES - 1);
        cairo_set_source_rgb(f->cairo, grey - 0.09, grey - 0.085, grey - 0.075);
        draw_slice(f, v, slice, radius + 0.6);
        cairo_set_source_rgb(f->cairo, grey, grey + 0.005, grey + 0.012);
        draw_slice(f, v, slice, radius);
    }
    cairo_set_line_cap(f->cairo, CAIRO_LINE_CAP_BUTT);
}

typedef struct dot {
    double z;
    int64_t pose;
} dot;

static int compare_dots(const void *a, const void *b)
{
    const dot *p = a;
    const dot *q = b;
    if (p->z != q->z) {
        return p->z < q->z ? -1 : 1;
    }
    return p->pose < q->pose ? 1 : -1; /* of dots at one depth the better pose is drawn later */
}

static void draw_dots(const figure *f, const view *v)
{
    dot dots[TSL_FIGURE_POSES];
    double low = INFINITY;
    double high = -INFINITY;
    for (int64_t i = 0; i < f->shown; i++) {
        dots[i] = (dot){f->centres[i][2], i};
        low = fmin(low, dots[i].z);
        high = fmax(high, dots[i].z);
    }
    const view reach = {.near = high, .far = low};
    qsort(dots, (size_t)f->shown, sizeof *dots, compare_dots);
    for (int64_t i = 0; i < f->shown; i++) {
        const double *p = f->centres[dots[i].pose];
        cairo_arc(f->cairo, view_x(v, p), view_y(v, p), 2.6 + 1.6 * depth(&reach, p[2]), 0,
                  2 * M_PI);
        tsl_draw_colour(f->cairo, score_colour(f, f->list->poses[dots[i].pose].score));
        cairo_fill_preserve(f->cairo);
        cairo_set_source_rgba(f->cairo, 0.1, 0.1, 0.12, 0.75);
        cairo_set_line_width(f->cairo, 0.6);
        cairo_stroke(f->cairo);
    }
}

static void draw_scale_bar(cairo_t *cairo, const view *v)
{
    /* The largest round number of angstrom that takes at most a third of the picture. */
    const double third = view_box.width / v->scale / 3;
    double length = 1;
    while (tsl_nice_step(length * 1.5, 1, 1) <= third) {
        length = tsl_nice_step(length * 1.5, 1, 1);
    }
    const double x = view_box.x;
    const double y = view_box.y + view_box.height + 2;
    tsl_draw_colour(cairo, tsl_ink);
    cairo_set_line_width(cairo, 2);
    tsl_draw_line(cairo, x, y, x + length * v->scale, y);
    tsl_draw_font(cairo, 11, false, tsl_ink);
    tsl_draw_text(cairo, x + length * v->scale + 8, y + 4, 0, "%g \xc3\x85", length);
}

static void draw_colour_bar(const figure *f)
{
    const box b = bar_box;
    cairo_t *cairo = f->cairo;
    const double range = (double)f->highest - (double)f->lowest;
    const int steps = 67;
    for (int i = 0; i < steps; i++) {
        tsl_draw_colour(cairo, score_colour(f, f->highest - range * i / (steps - 1)));
        cairo_rectangle(cairo, b.x, b.y + b.height * i / steps, b.width, b.height / steps + 0.5);
        cairo_fill(cairo);
    }
    tsl_draw_font(cairo, 12, false, tsl_ink);
    tsl_draw_text(cairo, b.x + b.width / 2, b.y - 10, 0.5, "score");
    tsl_draw_font(cairo, 11, false, tsl_faint);
    const double step = tsl_nice_step(range, 6, 1);
    for (double tick = ceil(f->lowest / step) * step; tick <= f->highest; tick += step) {
        const double y = b.y + b.height * (range > 0 ? (f->highest - tick) / range : 0.5);
        cairo_set_line_width(cairo, 1);
        tsl_draw_line(cairo, b.x + b.width, y, b.x + b.width + 4, y);
        tsl_draw_text(cairo, b.x + b.width + 8, y + 4, 0, "%.0f", tick);
    }
}

static void draw_view(const figure *f)
{
    const view v = fit_view(f);
    tsl_draw_font(f->cairo, 13, true, tsl_ink);
    if (f->shown > 0) {
        tsl_draw_text(f->cairo, view_box.x, histogram_box.y - 18, 0,
                      "Ligand centres seen along z (best %" PRId64 ")", f->shown);
    } else {
        tsl_draw_text(f->cairo, view_box.x, histogram_box.y - 18, 0, "Receptor, seen along z");
    }
    draw_receptor(f, &v);
    draw_dots(f, &v);
    draw_scale_bar(f->cairo, &v);
    if (f->shown > 0) {
        draw_colour_bar(f);
    }
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void draw_title(const figure *f)
{
    const tsl_pose_list_head *head = &f->list->head;
    char receptor[256];
    char ligand[256];
    char rotations[256];
    tsl_draw_name(receptor, head->receptor);
    tsl_draw_name(ligand, head->ligand);
    tsl_draw_name(rotations, head->rotations_from);
    tsl_draw_font(f->cairo, 17, true, tsl_ink);
    tsl_draw_shorten(f->cairo, receptor, 460);
    tsl_draw_shorten(f->cairo, ligand, 430);
    tsl_draw_text(f->cairo, 24, 32, 0, "%s + %s", receptor, ligand);
    tsl_draw_font(f->cairo, 12, false, tsl_faint);
    if (head->angle_step > 0) {
        snprintf(rotations, sizeof rotations, "%d\xc2\xb0 steps", head->angle_step);
    }
    tsl_draw_shorten(f->cairo, rotations, 400);
    tsl_draw_text(f->cairo, 24, 51, 0,
                  "%d\xc2\xb3 cells of %.3f \xc3\x85,  %" PRId64
                  " rotations (%s),  electrostatics %s",
                  head->grid, head->spacing, head->rotations, rotations,
                  head->electrostatics == TSL_ELECTROSTATICS_OFF ? "off" : "on");
}

static void draw(cairo_t *cairo, const void *what)
{
    figure f = *(const figure *)what;
    f.cairo = cairo;
    draw_title(&f);
    draw_histogram(&f);
    draw_view(&f);
}

#endif

tsl_status tsl_dock_figure_draw(tsl_context *context, const char *path, const tsl_pose_list *list,
                                const tsl_molecule *receptor, const double (*centres)[3])
{
    figure f = {.list = list, .receptor = receptor, .centres = centres};
    f.shown = list->count < TSL_FIGURE_POSES ? list->count : TSL_FIGURE_POSES;
    f.lowest = f.shown > 0 ? list->poses[0].score : 0;
    f.highest = f.lowest;
    for (int64_t i = 1; i < f.shown; i++) {
        const int32_t score = list->poses[i].score;
        f.lowest = score < f.lowest ? score : f.lowest;
        f.highest = score > f.highest ? score : f.highest;
    }
    return tsl_figure_write(context, path, WIDTH, HEIGHT, TSL_IF_CAIRO(draw), &f);
}

tsl_status tsl_dock_figure(tsl_context *context, const char *path, const tsl_pose_list *list,
                           const tsl_molecule *receptor, const tsl_molecule *ligand,
                           const tsl_dock_plan *plan)
{
    double centres[TSL_FIGURE_POSES][3];
    double middle[3] = {0, 0, 0};
    for (int64_t i = 0; i < 3 * ligand->count; i++) {
        middle[i % 3] += ligand->positions[i] / (double)ligand->count;
    }
    for (int64_t i = 0; i < list->count && i < TSL_FIGURE_POSES; i++) {
        double motion[3][4];
        tsl_pose_motion(plan, &list->poses[i], motion);
        for (int j = 0; j < 3; j++) {
            centres[i][j] = motion[j][0] * middle[0] + motion[j][1] * middle[1] +
                            motion[j][2] * middle[2] + motion[j][3];
        }
    }
    return tsl_dock_figure_draw(context, path, list, receptor, (const double(*)[3])centres);
}
