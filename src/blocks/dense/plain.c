#include "blocks/dense/plain.h"

#include <math.h>
#include <string.h>

#include "core/clones.h"

enum { ROWS = 4, COLUMNS = 16, DEPTH = 256 };

/* Elements [first, first + count) of a column k0 ... of op(A), row i, packed as [k][ROWS]. */
static void pack_a(double *out, const tsl_product *p, int64_t i0, int64_t rows, int64_t k0,
                   int64_t depth)
{
    for (int64_t k = 0; k < depth; k++) {
        for (int64_t i = 0; i < ROWS; i++) {
            const int64_t row = i0 + i, column = k0 + k;
            out[k * ROWS + i] = i >= rows        ? 0
                                : p->transpose_a ? p->a[column * p->lda + row]
                                                 : p->a[row * p->lda + column];
        }
    }
}

static void pack_b(double *out, const tsl_product *p, int64_t k0, int64_t depth, int64_t j0,
                   int64_t columns)
{
    for (int64_t k = 0; k < depth; k++) {
        for (int64_t j = 0; j < COLUMNS; j++) {
            const int64_t row = k0 + k, column = j0 + j;
            out[k * COLUMNS + j] = j >= columns     ? 0
                                   : p->transpose_b ? p->b[column * p->ldb + row]
                                                    : p->b[row * p->ldb + column];
        }
    }
}

/* sum [ROWS][COLUMNS] of the products of a [depth][ROWS] and b [depth][COLUMNS]. */
TSL_CLONES
static void multiply_tile(double *restrict sum, const double *restrict a, const double *restrict b,
                          int64_t depth)
{
    double s[ROWS][COLUMNS] = {{0}};
    for (int64_t k = 0; k < depth; k++) {
        for (int i = 0; i < ROWS; i++) {
            const double f = a[k * ROWS + i];
            for (int j = 0; j < COLUMNS; j++) {
                s[i][j] += f * b[k * COLUMNS + j];
            }
        }
    }
    memcpy(sum, s, sizeof s);
}

static void scale(const tsl_product *p)
{
    for (int64_t i = 0; i < p->m; i++) {
        for (int64_t j = 0; j < p->n; j++) {
            double *c = &p->c[i * p->ldc + j];
            *c = p->beta == 0 ? 0 : p->beta * *c;
        }
    }
}

void tsl_plain_multiply(const tsl_product *p)
{
    double a[DEPTH * ROWS], b[DEPTH * COLUMNS], sum[ROWS * COLUMNS];
    if (p->beta != 1) {
        scale(p);
    }
    for (int64_t k0 = 0; k0 < p->k; k0 += DEPTH) {
        const int64_t depth = p->k - k0 < DEPTH ? p->k - k0 : DEPTH;
        for (int64_t j0 = 0; j0 < p->n; j0 += COLUMNS) {
            const int64_t columns = p->n - j0 < COLUMNS ? p->n - j0 : COLUMNS;
            pack_b(b, p, k0, depth, j0, columns);
            for (int64_t i0 = 0; i0 < p->m; i0 += ROWS) {
                const int64_t rows = p->m - i0 < ROWS ? p->m - i0 : ROWS;
                pack_a(a, p, i0, rows, k0, depth);
                multiply_tile(sum, a, b, depth);
                for (int64_t i = 0; i < rows; i++) {
                    for (int64_t j = 0; j < columns; j++) {
                        p->c[(i0 + i) * p->ldc + j0 + j] += p->alpha * sum[i * COLUMNS + j];
                    }
                }
            }
        }
    }
}

/* ---- eigenvectors --------------------------------------------------------------------------- */

/* Rotate rows (and, of `a`, columns) p and q, so that a[p][q] becomes 0. */
static void rotate(int64_t n, double *a, double *v, int64_t p, int64_t q)
{
    const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    const double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int64_t k = 0; k < n; k++) {
        const double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for (int64_t k = 0; k < n; k++) {
        const double x = a[p * n + k], y = a[q * n + k], u = v[p * n + k], w = v[q * n + k];
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
        v[p * n + k] = c * u - s * w;
        v[q * n + k] = s * u + c * w;
    }
}

/* Sort the rows of v by the values, ascending. */
static void sort_rows(int64_t n, double *v, double *values)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++) {
            least = values[j] < values[least] ? j : least;
        }
        if (least == i) {
            continue;
        }
        const double value = values[i];
        values[i] = values[least];
        values[least] = value;
        for (int64_t k = 0; k < n; k++) {
            const double x = v[i * n + k];
            v[i * n + k] = v[least * n + k];
            v[least * n + k] = x;
        }
    }
}

bool tsl_plain_eigen(int64_t n, double *a, double *values, double *work)
{
    enum { SWEEPS = 60 };
    double *v = work;
    bool done = false;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            a[i * n + j] = i < j ? a[j * n + i] : a[i * n + j];
            v[i * n + j] = i == j;
        }
    }
    for (int sweep = 0; sweep < SWEEPS && !done; sweep++) {
        done = true;
        for (int64_t p = 0; p < n; p++) {
            for (int64_t q = p + 1; q < n; q++) {
                const double small = 0x1p-54 * (fabs(a[p * n + p]) + fabs(a[q * n + q]));
                if (fabs(a[p * n + q]) > small && fabs(a[p * n + q]) > 1e-290) {
                    rotate(n, a, v, p, q);
                    done = false;
                }
            }
        }
    }
    for (int64_t i = 0; i < n; i++) {
        values[i] = a[i * n + i];
    }
    sort_rows(n, v, values);
    memcpy(a, v, sizeof *a * (size_t)(n * n));
    return done;
}

/* ---- Cholesky ------------------------------------------------------------------------------- */

bool tsl_plain_cholesky(int64_t n, double *a)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int64_t k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i > j) {
                a[i * n + j] = sum / a[j * n + j];
            } else if (sum > 0) {
                a[i * n + i] = sqrt(sum);
            } else {
                return false;
            }
        }
    }
    return true;
}

void tsl_plain_solve(int64_t n, const double *factor, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++) {
            x[i] -= factor[i * n + k] * x[k];
        }
        x[i] /= factor[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] /= factor[i * n + i];
        for (int64_t k = 0; k < i; k++) {
            x[k] -= factor[i * n + k] * x[i];
        }
    }
}
