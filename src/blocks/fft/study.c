#include "blocks/fft/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double level_tolerance = 0.1; /* of times on a plateau, and of "as fast as the best" */
static const double least_fall = 0.1;      /* slope of log(time) that counts as falling */
static const double least_break = 0.2;     /* of slopes at a knee */
static const double least_gain = 0.5;      /* share of the squares that the break may leave */
enum { PLATEAU_ROWS = 3, PLACES = 128 };

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* ---- curves ------------------------------------------------------------------------------- */

static double time_of(const tsl_fft_measurement *row)
{
    return row->seconds / (double)row->data;
}

/* The first row of the plateau; 0: there is none. */
static int find_plateau(const tsl_fft_measurement *rows, int count)
{
    double last[PLATEAU_ROWS];
    if (count <= PLATEAU_ROWS) {
        return 0;
    }
    for (int i = 0; i < PLATEAU_ROWS; i++) {
        last[i] = time_of(&rows[count - 1 - i]);
    }
    qsort(last, PLATEAU_ROWS, sizeof *last, ascending);
    const double level = last[PLATEAU_ROWS / 2];
    int first = count;
    while (first > 0 && fabs(time_of(&rows[first - 1]) / level - 1) <= level_tolerance) {
        first--;
    }
    return count - first >= PLATEAU_ROWS ? first : 0;
}

/* y = c0 + c1 x + c2 max(0, x - at), by least squares. */
typedef struct hinge {
    double at;
    double c[3];
    double squares; /* sum of the residuals' */
} hinge;

/* Solve the normal equations of `terms` unknowns by elimination; false if they are singular. */
static bool solve(double a[3][4], int terms, double c[3])
{
    for (int i = 0; i < terms; i++) {
        int pivot = i;
        for (int j = i + 1; j < terms; j++) {
            pivot = fabs(a[j][i]) > fabs(a[pivot][i]) ? j : pivot;
        }
        for (int k = 0; k < 4; k++) {
            const double swapped = a[i][k];
            a[i][k] = a[pivot][k];
            a[pivot][k] = swapped;
        }
        if (fabs(a[i][i]) < 1e-9) {
            return false;
        }
        for (int j = 0; j < terms; j++) {
            const double factor = j == i ? 0 : a[j][i] / a[i][i];
            for (int k = 0; k < 4; k++) {
                a[j][k] -= factor * a[i][k];
            }
        }
    }
    for (int i = 0; i < terms; i++) {
        c[i] = a[i][3] / a[i][i];
    }
    return true;
}

/* Fit a hinge at `at`, or with two terms a straight line. */
static bool fit_hinge(hinge *out, const double *x, const double *y, int count, double at, int terms)
{
    double a[3][4] = {{0}};
    *out = (hinge){.at = at};
    for (int i = 0; i < count; i++) {
        const double term[3] = {1, x[i], fmax(0, x[i] - at)};
        for (int j = 0; j < terms; j++) {
            for (int k = 0; k < terms; k++) {
                a[j][k] += term[j] * term[k];
            }
            a[j][3] += term[j] * y[i];
        }
    }
    if (!solve(a, terms, out->c)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const double fitted = out->c[0] + out->c[1] * x[i] + out->c[2] * fmax(0, x[i] - at);
        out->squares += (y[i] - fitted) * (y[i] - fitted);
    }
    return true;
}

/* The data at the break of the two lines through `count` rows; 0: there is none. */
static double find_break(const tsl_fft_measurement *rows, int count)
{
    enum { STEPS = 200 };
    double x[PLACES], y[PLACES];
    hinge line, best = {.squares = INFINITY};
    if (count < 4) {
        return 0;
    }
    for (int i = 0; i < count; i++) {
        x[i] = log((double)rows[i].data / (double)rows[0].data);
        y[i] = log(time_of(&rows[i]) / time_of(&rows[0]));
    }
    if (!fit_hinge(&line, x, y, count, 0, 2)) {
        return 0;
    }
    for (int i = 0; i <= STEPS; i++) {
        hinge candidate;
        const double at = x[1] + (x[count - 2] - x[1]) * i / STEPS;
        if (fit_hinge(&candidate, x, y, count, at, 3) && candidate.squares < best.squares) {
            best = candidate;
        }
    }
    const bool is_knee = best.squares <= least_gain * line.squares && best.c[1] < -least_fall &&
                         best.c[2] > least_break;
    return is_knee ? (double)rows[0].data * exp(best.at) : 0;
}

void tsl_fft_fit_curve(tsl_fft_curve *out, const tsl_fft_measurement *rows, int count)
{
    *out = (tsl_fft_curve){0};
    count = count < PLACES ? count : PLACES;
    for (int i = 1; i < count; i++) {
        out->best = time_of(&rows[i]) < time_of(&rows[out->best]) ? i : out->best;
    }
    int enough = 0;
    while (time_of(&rows[enough]) > (1 + level_tolerance) * time_of(&rows[out->best])) {
        enough++;
    }
    out->enough = rows[enough].data;
    const int plateau = find_plateau(rows, count);
    if (plateau > 0) {
        out->plateau = rows[plateau].data;
        out->before_plateau = rows[plateau - 1].data;
    }
    out->knee = find_break(rows, plateau > 0 ? plateau + 1 : count);
    if (out->knee == 0 && plateau > 0 &&
        time_of(&rows[0]) > (1 + level_tolerance) * time_of(&rows[plateau])) {
        out->knee = (double)out->plateau;
    }
}

/* ---- workspace ---------------------------------------------------------------------------- */

void tsl_fft_fit_workspace(tsl_fft_workspace *out, const tsl_fft_measurement *rows, int count)
{
    double data = 0, workspace = 0, square = 0, product = 0;
    *out = (tsl_fft_workspace){0};
    for (int i = 0; i < count; i++) {
        if (rows[i].workspace >= 0) {
            out->rows++;
            data += (double)rows[i].data;
            workspace += (double)rows[i].workspace;
            out->off +=
                fabs((double)rows[i].workspace / (double)rows[i].data - 1) > level_tolerance;
        }
    }
    if (out->rows == 0) {
        return;
    }
    data /= out->rows;
    workspace /= out->rows;
    for (int i = 0; i < count; i++) {
        if (rows[i].workspace >= 0) {
            const double x = (double)rows[i].data - data;
            square += x * x;
            product += x * ((double)rows[i].workspace - workspace);
        }
    }
    out->slope = square > 0 ? product / square : 0;
    out->constant = workspace - out->slope * data;
    for (int i = 0; i < count; i++) {
        if (rows[i].workspace >= 0) {
            const double off =
                (double)rows[i].workspace - out->slope * (double)rows[i].data - out->constant;
            out->residual += off * off / out->rows;
        }
    }
    out->residual = sqrt(out->residual);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static bool is_same_series(const tsl_fft_case *a, const tsl_fft_case *b)
{
    return a->kind == b->kind && a->precision == b->precision && a->dimension == b->dimension &&
           a->n == b->n && a->stride == b->stride;
}

/* Cut the rows into series, and fit each. */
static void make_series(tsl_fft_study *study)
{
    for (int i = 0; i < study->count; i++) {
        tsl_fft_series *last = &study->series[study->series_count - (study->series_count > 0)];
        if (study->series_count > 0 &&
            is_same_series(&study->rows[i].what, &study->rows[last->first].what)) {
            last->count++;
        } else {
            study->series[study->series_count++] = (tsl_fft_series){.first = i, .count = 1};
        }
    }
    for (int i = 0; i < study->series_count; i++) {
        tsl_fft_series *s = &study->series[i];
        tsl_fft_fit_curve(&s->curve, study->rows + s->first, s->count);
        tsl_fft_fit_workspace(&s->workspace, study->rows + s->first, s->count);
        s->knee_holds = s->curve.knee >= TSL_FFT_KNEE / 2.0 && s->curve.knee <= TSL_FFT_KNEE * 2.0;
        s->plateau_holds = s->curve.plateau >= TSL_FFT_PLATEAU_FIRST &&
                           s->curve.before_plateau < TSL_FFT_PLATEAU_LAST;
    }
}

/* `room` has a number for each series. */
static tsl_fft_places places_of(const tsl_fft_study *study, bool knee, double *room)
{
    tsl_fft_places places = {0};
    for (int i = 0; i < study->series_count; i++) {
        const tsl_fft_series *s = &study->series[i];
        const double place = knee ? s->curve.knee : (double)s->curve.plateau;
        places.hold += knee ? s->knee_holds : s->plateau_holds;
        if (place > 0) {
            room[places.found++] = place;
        }
    }
    if (places.found > 0) {
        qsort(room, (size_t)places.found, sizeof *room, ascending);
        places.least = room[0];
        places.median = room[places.found / 2];
        places.most = room[places.found - 1];
    }
    return places;
}

static tsl_fft_detour detour_of(const tsl_fft_measurement *rows, int count)
{
    tsl_fft_detour detour = {0};
    for (int i = 0; i < count; i++) {
        const tsl_fft_measurement *m = &rows[i];
        if (m->transposed > 0) {
            const double best = fmin(m->seconds, m->transposed);
            detour.cases++;
            detour.faster += m->transposed < m->seconds;
            detour.faster_one_way += m->one_way < m->seconds;
            detour.never += log(m->seconds / best);
            detour.always += log(m->transposed / best);
        }
    }
    const int cases = detour.cases > 0 ? detour.cases : 1;
    detour.never = exp(detour.never / cases);
    detour.always = exp(detour.always / cases);
    return detour;
}

tsl_status tsl_fft_study_make(tsl_fft_study *out, tsl_context *context,
                              const tsl_fft_measurement *rows, int count)
{
    *out = (tsl_fft_study){.rows = rows, .count = count};
    out->series = tsl_allocate_zeroed((size_t)count, sizeof *out->series);
    double *room = tsl_allocate_zeroed((size_t)count, sizeof *room);
    if (out->series == NULL || room == NULL) {
        tsl_release(room);
        tsl_fft_study_release(out);
        return tsl_fail_memory(context, count * (int64_t)sizeof *out->series, "the rules' fits");
    }
    make_series(out);
    tsl_fft_fit_workspace(&out->workspace, rows, count);
    out->knee = places_of(out, true, room);
    out->plateau = places_of(out, false, room);
    out->detour = detour_of(rows, count);
    tsl_release(room);
    return TSL_OK;
}

void tsl_fft_study_release(tsl_fft_study *study)
{
    tsl_release(study->series);
    study->series = NULL;
    study->series_count = 0;
}
