/* Points made ready for distances, on the host. */
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "solvers/pairs/pairs.h"

/* Coordinate e of [count][dimensions]. */
static double coordinate(const tsl_points *points, int64_t e)
{
    return points->precision == 4 ? (double)((const float *)points->values)[e]
                                  : ((const double *)points->values)[e];
}

tsl_status tsl_pairs_fail_coordinate(tsl_context *context, const char *set, int64_t e, int d,
                                     int precision, double x)
{
    const char *const remedy = !isfinite(x) ? "leave such points out"
                               : precision == 8
                                   ? "squares of that overflow: scale the points"
                                   : "squares of that overflow: scale the points, or give them in "
                                     "double precision";
    return tsl_fail(context, TSL_E_ARG, "%s: row %lld, column %lld is %g: %s", set,
                    (long long)(e / d + 1), (long long)(e % d + 1), x, remedy);
}

tsl_status tsl_pairs_check_points(tsl_context *context, const tsl_points *points, const char *set)
{
    const int d = points->dimensions;
    /* the sum of d squares of twice that is a float, or a double */
    const double bound = points->precision == 4 ? fmin(1e18, 9e18 / sqrt(d)) : 1e150;
    for (int64_t e = 0; e < points->count * d; e++) {
        const double x = coordinate(points, e);
        if (!(fabs(x) <= bound)) {
            return tsl_pairs_fail_coordinate(context, set, e, d, points->precision, x);
        }
    }
    return TSL_OK;
}

tsl_status tsl_pairs_check_size(tsl_context *context, size_t size, size_t expected,
                                const char *init)
{
    return size == expected ? TSL_OK
                            : tsl_fail(context, TSL_E_ARG,
                                       "options of %zu bytes, not %zu: initialise them with %s",
                                       size, expected, init);
}

/* ---- moments -------------------------------------------------------------------------------- */

static int64_t count_both(const tsl_points *a, const tsl_points *b)
{
    return a->count + (b != NULL ? b->count : 0);
}

/* Add up what `add` makes of each point. */
void tsl_pairs_mean(double *mean, const tsl_points *a, const tsl_points *b)
{
    const tsl_points *const sets[2] = {a, b};
    const int d = a->dimensions;
    memset(mean, 0, (size_t)d * sizeof *mean);
    for (int s = 0; s < 2 && sets[s] != NULL; s++) {
        for (int64_t e = 0; e < sets[s]->count * d; e++) {
            mean[e % d] += coordinate(sets[s], e);
        }
    }
    for (int k = 0; k < d; k++) {
        mean[k] /= (double)count_both(a, b);
    }
}

tsl_status tsl_pairs_variances(double *out, tsl_context *context, const tsl_points *a,
                               const tsl_points *b)
{
    const tsl_points *const sets[2] = {a, b};
    const int d = a->dimensions;
    const int64_t count = count_both(a, b);
    double *mean = tsl_allocate((size_t)d * sizeof *mean);
    if (mean == NULL) {
        return tsl_fail_memory(context, d * 8, "means of coordinates");
    }
    tsl_pairs_mean(mean, a, b);
    memset(out, 0, (size_t)d * sizeof *out);
    for (int s = 0; s < 2 && sets[s] != NULL; s++) {
        for (int64_t e = 0; e < sets[s]->count * d; e++) {
            const double from = coordinate(sets[s], e) - mean[e % d];
            out[e % d] += from * from;
        }
    }
    tsl_release(mean);
    for (int k = 0; k < d; k++) {
        out[k] /= (double)(count - 1);
        if (!(out[k] > 0)) {
            return tsl_fail(context, TSL_E_ARG,
                            "seuclidean: column %d has no variance among %lld points: leave it "
                            "out, or give the variances",
                            k + 1, (long long)count);
        }
    }
    return TSL_OK;
}

/* Invert a matrix [d][d] in place by Gauss and Jordan with the largest pivot of each column;
 * `inverse` starts as the unit matrix. False: it is singular to working precision. */
static bool invert(double *inverse, double *matrix, int d)
{
    double largest = 0;
    for (int64_t e = 0; e < (int64_t)d * d; e++) {
        largest = fmax(largest, fabs(matrix[e]));
        inverse[e] = e / d == e % d;
    }
    for (int k = 0; k < d; k++) {
        int pivot = k;
        for (int r = k + 1; r < d; r++) {
            pivot = fabs(matrix[r * d + k]) > fabs(matrix[pivot * d + k]) ? r : pivot;
        }
        if (!(fabs(matrix[pivot * d + k]) > largest * d * 2.3e-16)) {
            return false;
        }
        for (int c = 0; c < d; c++) {
            const double m = matrix[pivot * d + c], n = inverse[pivot * d + c];
            matrix[pivot * d + c] = matrix[k * d + c];
            inverse[pivot * d + c] = inverse[k * d + c];
            matrix[k * d + c] = m;
            inverse[k * d + c] = n;
        }
        const double by = 1 / matrix[k * d + k];
        for (int c = 0; c < d; c++) {
            matrix[k * d + c] *= by;
            inverse[k * d + c] *= by;
        }
        for (int r = 0; r < d; r++) {
            const double times = r == k ? 0 : matrix[r * d + k];
            for (int c = 0; c < d && times != 0; c++) {
                matrix[r * d + c] -= times * matrix[k * d + c];
                inverse[r * d + c] -= times * inverse[k * d + c];
            }
        }
    }
    return true;
}

tsl_status tsl_pairs_inverse_covariance(double *out, tsl_context *context, const tsl_points *a,
                                        const tsl_points *b)
{
    const tsl_points *const sets[2] = {a, b};
    const int d = a->dimensions;
    const int64_t count = count_both(a, b);
    tsl_status status = TSL_OK;
    double *mean = tsl_allocate((size_t)d * sizeof *mean);
    double *from = tsl_allocate((size_t)d * sizeof *from);
    double *covariance = tsl_allocate_zeroed((size_t)d * (size_t)d, sizeof *covariance);
    if (mean == NULL || from == NULL || covariance == NULL) {
        status = tsl_fail_memory(context, (int64_t)d * d * 8, "a covariance");
        goto done;
    }
    tsl_pairs_mean(mean, a, b);
    for (int s = 0; s < 2 && sets[s] != NULL; s++) {
        for (int64_t i = 0; i < sets[s]->count; i++) {
            for (int k = 0; k < d; k++) {
                from[k] = coordinate(sets[s], i * d + k) - mean[k];
            }
            for (int64_t e = 0; e < (int64_t)d * d; e++) {
                covariance[e] += from[e / d] * from[e % d] / (double)(count - 1);
            }
        }
    }
    if (count <= d || !invert(out, covariance, d)) {
        status = tsl_fail(context, TSL_E_ARG,
                          "mahalanobis: the covariance of %lld points in %d dimensions cannot be "
                          "inverted: give more points than dimensions, no column made of others",
                          (long long)count, d);
    }
done:
    tsl_release(mean);
    tsl_release(from);
    tsl_release(covariance);
    return status;
}

/* ---- copies --------------------------------------------------------------------------------- */

void tsl_pairs_copy_rows(void *out, const tsl_points *points, bool unit, bool centred)
{
    const int d = points->dimensions;
    if (!unit) {
        memcpy(out, points->values, (size_t)(points->count * d * points->precision));
        return;
    }
    for (int64_t i = 0; i < points->count; i++) {
        double mean = 0;
        double square = 0;
        for (int k = 0; k < d && centred; k++) {
            mean += coordinate(points, i * d + k) / d;
        }
        for (int k = 0; k < d; k++) {
            const double x = coordinate(points, i * d + k) - mean;
            square += x * x;
        }
        for (int k = 0; k < d; k++) {
            const double x = (coordinate(points, i * d + k) - mean) / sqrt(square);
            if (points->precision == 4) {
                ((float *)out)[i * d + k] = (float)x;
            } else {
                ((double *)out)[i * d + k] = x;
            }
        }
    }
}

int64_t tsl_pairs_block_bytes(int64_t count, int dimensions, int precision)
{
    const int block = tsl_point_block(precision);
    return (count + block - 1) / block * TSL_POINT_BYTES * dimensions;
}

void tsl_pairs_copy_blocks(void *out, const void *rows, int64_t count, int dimensions,
                           int precision)
{
    const int block = tsl_point_block(precision);
    memset(out, 0, (size_t)tsl_pairs_block_bytes(count, dimensions, precision));
    for (int64_t i = 0; i < count; i++) {
        for (int k = 0; k < dimensions; k++) {
            const int64_t to = (i / block * dimensions + k) * block + i % block;
            const int64_t from = i * dimensions + k;
            memcpy((char *)out + to * precision, (const char *)rows + from * precision,
                   (size_t)precision);
        }
    }
}

/* ---- points less their mean ----------------------------------------------------------------- */

void tsl_pairs_copy_centred(void *blocks, void *norms, const tsl_points *points, const double *mean)
{
    const int d = points->dimensions;
    const int each = tsl_point_block(points->precision);
    const int64_t bytes = tsl_pairs_block_bytes(points->count, d, points->precision);
    memset(blocks, 0, (size_t)bytes);
    memset(norms, 0, (size_t)(bytes / d));
    for (int64_t i = 0; i < points->count; i++) {
        double sum = 0;
        for (int c = 0; c < d; c++) {
            const int64_t at = (i / each * d + c) * each + i % each;
            double x = coordinate(points, i * d + c) - mean[c];
            if (points->precision == 4) {
                ((float *)blocks)[at] = (float)x;
                x = (double)(float)x;
            } else {
                ((double *)blocks)[at] = x;
            }
            sum += x * x;
        }
        if (points->precision == 4) {
            ((float *)norms)[i] = (float)sum;
        } else {
            ((double *)norms)[i] = sum;
        }
    }
}
