#include <math.h>
#include <string.h>

#include "solvers/scf/integrals/integrals.h"

enum { SIDE = TSL_SCF_MAX_L + 3, ORDERS = 2 * TSL_SCF_MAX_L + 3 };

/* Expansion coefficients of x^i x^j along one axis. */
typedef double axis_table[SIDE][SIDE][ORDERS];

/* ---- memory --------------------------------------------------------------------------------- */

/* The most that a pair of two shells takes: primitives, numbers of h, Cartesian numbers. */
static void measure(size_t most[3], const tsl_scf_basis *a, const tsl_scf_basis *b)
{
    /* by l, the most primitives of a shell */
    size_t of_a[TSL_SCF_MAX_L + 1] = {0}, of_b[TSL_SCF_MAX_L + 1] = {0};
    for (int s = 0; s < a->shells; s++) {
        const size_t n = (size_t)a->shell[s].primitives;
        of_a[a->shell[s].l] = n > of_a[a->shell[s].l] ? n : of_a[a->shell[s].l];
    }
    for (int s = 0; b != NULL && s < b->shells; s++) {
        const size_t n = (size_t)b->shell[s].primitives;
        of_b[b->shell[s].l] = n > of_b[b->shell[s].l] ? n : of_b[b->shell[s].l];
    }
    if (b == NULL) {
        of_b[0] = 1;
    }
    most[0] = most[1] = most[2] = 1;
    for (int l = 0; l <= TSL_SCF_MAX_L; l++) {
        for (int k = 0; k <= TSL_SCF_MAX_L; k++) {
            const size_t primitives = of_a[l] * of_b[k];
            const size_t cartesian = (size_t)((l + 1) * (l + 2) / 2 * (k + 1) * (k + 2) / 2);
            const size_t h = primitives * (size_t)tsl_hermites(l + k) * cartesian;
            const size_t work = primitives == 0 ? 0 : (size_t)tsl_hermites(l + k) * cartesian;
            most[0] = primitives > most[0] ? primitives : most[0];
            most[1] = h > most[1] ? h : most[1];
            most[2] = work > most[2] ? work : most[2];
        }
    }
}

int64_t tsl_scf_pair_bytes(const tsl_scf_basis *a, const tsl_scf_basis *b)
{
    size_t most[3];
    measure(most, a, b);
    return (int64_t)(sizeof(double) * (4 * most[0] + most[1] + 3 * most[2]));
}

tsl_status tsl_scf_pair_create(tsl_scf_pair *out, tsl_context *context, const tsl_scf_basis *a,
                               const tsl_scf_basis *b)
{
    size_t most[3];
    memset(out, 0, sizeof *out);
    measure(most, a, b);
    const size_t numbers = 4 * most[0] + most[1] + 3 * most[2];
    out->exponent = tsl_allocate(sizeof(double) * numbers);
    if (out->exponent == NULL) {
        return tsl_fail_memory(context, (int64_t)(8 * numbers), "products of basis functions");
    }
    out->center = out->exponent + most[0];
    out->h = out->center + 3 * most[0];
    out->kinetic = out->h + most[1];
    out->work = out->kinetic + most[2];
    return TSL_OK;
}

void tsl_scf_pair_release(tsl_scf_pair *pair)
{
    tsl_release(pair->exponent);
    memset(pair, 0, sizeof *pair);
}

/* ---- one axis ------------------------------------------------------------------------------- */

/* e[i][j][t] for i <= la, j <= lb, t <= i + j; e[0][0][0] = start. */
static void expand_axis(axis_table e, int la, int lb, double p, double pa, double pb, double start)
{
    const double half = 0.5 / p;
    for (int i = 0; i <= la; i++) {
        for (int j = 0; j <= lb; j++) {
            if (i + j == 0) {
                e[0][0][0] = start;
                continue;
            }
            const double *from = j > 0 ? e[i][j - 1] : e[i - 1][j];
            const double shift = j > 0 ? pb : pa;
            const int n = i + j - 1; /* order of `from` */
            for (int t = 0; t <= n + 1; t++) {
                double sum = t <= n ? shift * from[t] : 0;
                sum += t > 0 ? half * from[t - 1] : 0;
                sum += t + 1 <= n ? (t + 1) * from[t + 1] : 0;
                e[i][j][t] = sum;
            }
        }
    }
}

/* ---- from monomials to functions ------------------------------------------------------------ */

/* The exponents of monomial i of degree l. */
static void monomial_of(int e[3], int l, int i)
{
    int s = 0;
    while ((s + 1) * (s + 2) / 2 <= i) {
        s++;
    }
    e[2] = i - s * (s + 1) / 2;
    e[1] = s - e[2];
    e[0] = l - s;
}

/* out [blocks][functions of a][functions of b] := from [blocks][monomials of a][monomials of b]. */
static void transform(double *out, const double *from, int blocks, int la, int lb, bool cartesian,
                      double *work)
{
    double ta[(2 * TSL_SCF_MAX_L + 16) * TSL_SCF_MAX_CARTESIAN], tb[sizeof ta / sizeof *ta];
    const int ca = (la + 1) * (la + 2) / 2, cb = (lb + 1) * (lb + 2) / 2;
    const int fa = tsl_scf_shell_size(la, cartesian), fb = tsl_scf_shell_size(lb, cartesian);
    tsl_scf_polynomials(ta, la, cartesian);
    tsl_scf_polynomials(tb, lb, cartesian);
    for (int row = 0; row < blocks * ca; row++) {
        for (int g = 0; g < fb; g++) {
            double sum = 0;
            for (int c = 0; c < cb; c++) {
                sum += tb[g * cb + c] * from[row * cb + c];
            }
            work[row * fb + g] = sum;
        }
    }
    for (int block = 0; block < blocks; block++) {
        for (int f = 0; f < fa; f++) {
            double *to = out + (block * fa + f) * fb;
            memset(to, 0, sizeof *to * (size_t)fb);
            for (int c = 0; c < ca; c++) {
                const double factor = ta[f * ca + c];
                const double *at = work + (block * ca + c) * fb;
                for (int g = 0; g < fb && factor != 0; g++) {
                    to[g] += factor * at[g];
                }
            }
        }
    }
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* A pair of primitives. */
typedef struct primitives {
    double p, center[3], pa[3], pb[3]; /* P - A, P - B */
    double beta;
    double
        start[3]; /* exp(-alpha beta / p (A - B)^2) of each axis; the coefficients in the first */
} primitives;

/* False: its overlap is below `screen`. */
static bool join(primitives *out, const tsl_scf_basis *a, const tsl_scf_shell *s, int i,
                 const tsl_scf_basis *b, const tsl_scf_shell *t, int j, double screen)
{
    const double alpha = a->exponent[s->first + i];
    const double beta = t != NULL ? b->exponent[t->first + j] : 0;
    const double product =
        a->coefficient[s->first + i] * (t != NULL ? b->coefficient[t->first + j] : 1);
    double far_a = 0, far_b = 0, square = 0;
    out->p = alpha + beta;
    out->beta = beta;
    for (int k = 0; k < 3; k++) {
        const double from = s->center[k], to = t != NULL ? t->center[k] : from;
        const double d = from - to;
        out->center[k] = (alpha * from + beta * to) / out->p;
        out->pa[k] = -beta * d / out->p;
        out->pb[k] = alpha * d / out->p;
        out->start[k] = exp(-alpha * beta / out->p * d * d);
        square += d * d;
        far_a += out->pa[k] * out->pa[k];
        far_b += out->pb[k] * out->pb[k];
    }
    const double width = 1 / sqrt(out->p);
    const double bound = fabs(product) * exp(-alpha * beta / out->p * square) *
                         pow(M_PI / out->p, 1.5) * pow(sqrt(far_a) + width, s->l) *
                         pow(sqrt(far_b) + width, t != NULL ? t->l : 0);
    out->start[0] *= product;
    return bound >= screen;
}

static void expand_axes(axis_table e[3], const primitives *q, int la, int lb)
{
    for (int k = 0; k < 3; k++) {
        expand_axis(e[k], la, lb, q->p, q->pa[k], q->pb[k], q->start[k]);
    }
}

/* h [hermites][monomials of a][monomials of b] of a pair of primitives. */
static void expand_monomials(double *h, axis_table e[3], int la, int lb)
{
    const int ca = (la + 1) * (la + 2) / 2, cb = (lb + 1) * (lb + 2) / 2;
    int index = 0;
    for (int n = 0; n <= la + lb; n++) {
        for (int t = n; t >= 0; t--) {
            for (int u = n - t; u >= 0; u--, index++) {
                const int v = n - t - u;
                for (int i = 0; i < ca; i++) {
                    int x[3], y[3];
                    monomial_of(x, la, i);
                    for (int j = 0; j < cb; j++) {
                        monomial_of(y, lb, j);
                        const bool zero = t > x[0] + y[0] || u > x[1] + y[1] || v > x[2] + y[2];
                        h[(index * ca + i) * cb + j] =
                            zero ? 0
                                 : e[0][x[0]][y[0]][t] * e[1][x[1]][y[1]][u] * e[2][x[2]][y[2]][v];
                    }
                }
            }
        }
    }
}

static void begin(tsl_scf_pair *pair, int la, int lb, bool cartesian_a, bool cartesian_b)
{
    pair->order = la + lb;
    pair->hermites = tsl_hermites(la + lb);
    pair->functions = tsl_scf_shell_size(la, cartesian_a) * tsl_scf_shell_size(lb, cartesian_b);
    pair->primitives = 0;
}

static void add(tsl_scf_pair *pair, const primitives *q, int la, int lb, bool cartesian)
{
    axis_table e[3];
    const int k = pair->primitives++;
    double *monomials = pair->work;
    expand_axes(e, q, la, lb);
    expand_monomials(monomials, e, la, lb);
    pair->exponent[k] = q->p;
    memcpy(pair->center + 3 * k, q->center, sizeof q->center);
    transform(pair->h + (size_t)k * (size_t)(pair->hermites * pair->functions), monomials,
              pair->hermites, la, lb, cartesian,
              pair->work + (size_t)pair->hermites *
                               (size_t)((la + 1) * (la + 2) / 2 * (lb + 1) * (lb + 2) / 2));
}

void tsl_scf_pair_expand(tsl_scf_pair *pair, const tsl_scf_basis *a, int i, const tsl_scf_basis *b,
                         int j, double screen)
{
    const tsl_scf_shell *s = &a->shell[i], *t = &b->shell[j];
    primitives q;
    begin(pair, s->l, t->l, a->cartesian, b->cartesian);
    for (int k = 0; k < s->primitives; k++) {
        for (int l = 0; l < t->primitives; l++) {
            if (join(&q, a, s, k, b, t, l, screen)) {
                add(pair, &q, s->l, t->l, a->cartesian);
            }
        }
    }
}

/* The partner is the constant 1, which a spherical s function would be sqrt(4 pi) times. */
void tsl_scf_pair_single(tsl_scf_pair *pair, const tsl_scf_basis *a, int i)
{
    const tsl_scf_shell *s = &a->shell[i];
    primitives q;
    begin(pair, s->l, 0, a->cartesian, a->cartesian);
    for (int k = 0; k < s->primitives; k++) {
        join(&q, a, s, k, NULL, NULL, 0, 0);
        q.start[0] *= sqrt(4 * M_PI);
        add(pair, &q, s->l, 0, a->cartesian);
    }
}

/* The overlap along an axis of x^i and the second derivative of x^j exp(-beta x^2), over sqrt(pi /
 * p). */
static double second_derivative(axis_table e, int i, int j, double beta)
{
    const double below = j > 1 ? j * (j - 1) * e[i][j - 2][0] : 0;
    return below - 2 * beta * (2 * j + 1) * e[i][j][0] + 4 * beta * beta * e[i][j + 2][0];
}

static void add_kinetic(double *monomials, axis_table e[3], const primitives *q, int la, int lb)
{
    const int ca = (la + 1) * (la + 2) / 2, cb = (lb + 1) * (lb + 2) / 2;
    const double scale = -0.5 * pow(M_PI / q->p, 1.5);
    for (int i = 0; i < ca; i++) {
        int x[3], y[3];
        monomial_of(x, la, i);
        for (int j = 0; j < cb; j++) {
            double s[3], d[3];
            monomial_of(y, lb, j);
            for (int k = 0; k < 3; k++) {
                s[k] = e[k][x[k]][y[k]][0];
                d[k] = second_derivative(e[k], x[k], y[k], q->beta);
            }
            monomials[i * cb + j] +=
                scale * (d[0] * s[1] * s[2] + s[0] * d[1] * s[2] + s[0] * s[1] * d[2]);
        }
    }
}

void tsl_scf_pair_kinetic(tsl_scf_pair *pair, const tsl_scf_basis *a, int i, const tsl_scf_basis *b,
                          int j)
{
    const tsl_scf_shell *s = &a->shell[i], *t = &b->shell[j];
    const size_t monomials = (size_t)((s->l + 1) * (s->l + 2) / 2 * (t->l + 1) * (t->l + 2) / 2);
    axis_table e[3];
    primitives q;
    memset(pair->work, 0, sizeof(double) * monomials);
    for (int k = 0; k < s->primitives; k++) {
        for (int l = 0; l < t->primitives; l++) {
            join(&q, a, s, k, b, t, l, 0);
            expand_axes(e, &q, s->l, t->l + 2);
            add_kinetic(pair->work, e, &q, s->l, t->l);
        }
    }
    transform(pair->kinetic, pair->work, 1, s->l, t->l, a->cartesian, pair->work + monomials);
}
