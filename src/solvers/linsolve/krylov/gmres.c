/* Restarted GMRES, preconditioned from the right, so that its residual is that of the system. The
 * basis is made orthogonal by classical Gram-Schmidt, twice. */
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "solvers/linsolve/linsolve.h"

static const double doubtful = 1e-8; /* pivot, of the largest */

enum { MOST_IDLE = 10 /* cycles that gain less than 0.1 %, from where it would take thousands */ };

/* The least-squares problem of one cycle, as it is turned into a triangle. */
typedef struct triangle {
    int restart;
    double *h;                   /* [restart][restart + 1]: column j */
    double *cosine;              /* [restart] */
    double *sine;                /* [restart] */
    double *g;                   /* [restart + 1]: right-hand side; then the solution */
    double *again;               /* [restart + 1]: what the second orthogonalisation finds */
    tsl_expression *expressions; /* [restart + 2] */
} triangle;

int64_t tsl_gmres_bytes(int restart)
{
    const int64_t m = restart;
    return (m * (m + 1) + 4 * m + 2) * (int64_t)sizeof(double) +
           (m + 2) * (int64_t)sizeof(tsl_expression);
}

static triangle triangle_in(const tsl_run *run)
{
    const int m = run->plan->options.restart;
    triangle t = {.restart = m, .expressions = run->plan->method_memory};
    t.h = (double *)(t.expressions + m + 2);
    t.cosine = t.h + (int64_t)m * (m + 1);
    t.sine = t.cosine + m;
    t.g = t.sine + m;
    t.again = t.g + m + 1;
    return t;
}

static double *basis(const tsl_run *run, int j)
{
    return tsl_run_vector(run, TSL_GMRES_VECTORS + j);
}

/* First the `before` expressions in t->expressions, then h[i] = v_i.w for i < vectors. */
static tsl_status project(tsl_run *run, const triangle *t, int before, const double *w, int vectors,
                          double *h)
{
    tsl_status status = before > 0 ? tsl_run_part(run, t->expressions, before, vectors, 0) : TSL_OK;
    for (int from = 0; status == TSL_OK && from < vectors; from += TSL_MOST_DOTS) {
        tsl_expression dots[TSL_MOST_DOTS];
        int n = 0;
        for (; n < TSL_MOST_DOTS && from + n < vectors; n++) {
            dots[n] = tsl_dot(basis(run, from + n), w);
        }
        status = tsl_run_part(run, dots, n, vectors, from);
    }
    return status == TSL_OK ? tsl_run_add_up(run, vectors, h) : status;
}

/* t->expressions become w -= sum of h[i] v_i. */
static void subtract(tsl_run *run, const triangle *t, double *w, int count, const double *h)
{
    for (int i = 0; i < count; i++) {
        t->expressions[i] = tsl_combine(w, 1, w, -h[i], basis(run, i));
    }
}

/* w = A M v_j made orthogonal to v_0 … v_j: column j, and v_(j + 1) unless w vanishes. */
static tsl_status extend(tsl_run *run, const triangle *t, int j)
{
    double *const z = tsl_run_preconditioned(run, basis(run, j), tsl_run_vector(run, 1));
    double *const w = tsl_run_vector(run, 2);
    double *const h = t->h + (int64_t)j * (t->restart + 1);
    const int count = j + 1;
    tsl_status status = tsl_run_precondition(run, z, basis(run, j), 0);
    t->expressions[0] = tsl_run_product(run, w, z);
    status = status == TSL_OK ? project(run, t, 1, w, count, h) : status;
    if (status == TSL_OK) {
        subtract(run, t, w, count, h);
        status = project(run, t, count, w, count, t->again);
    }
    double square = 0;
    if (status == TSL_OK) {
        subtract(run, t, w, count, t->again);
        t->expressions[count] = tsl_dot(w, w);
        status = tsl_run_expressions(run, t->expressions, count + 1, &square);
    }
    for (int i = 0; i < count; i++) {
        h[i] += t->again[i];
    }
    h[count] = sqrt(square);
    if (status == TSL_OK && h[count] > 0) {
        const tsl_expression normalise = tsl_combine(basis(run, count), 1 / h[count], w, 0, NULL);
        status = tsl_run_expressions(run, &normalise, 1, NULL);
    }
    return status;
}

/* Turn column j into one of a triangle; g[j + 1] becomes the residual. */
static void rotate(const triangle *t, int j)
{
    double *h = t->h + (int64_t)j * (t->restart + 1);
    for (int i = 0; i < j; i++) {
        const double upper = t->cosine[i] * h[i] + t->sine[i] * h[i + 1];
        h[i + 1] = t->cosine[i] * h[i + 1] - t->sine[i] * h[i];
        h[i] = upper;
    }
    const double length = hypot(h[j], h[j + 1]);
    t->cosine[j] = length > 0 ? h[j] / length : 1;
    t->sine[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    t->g[j + 1] = -t->sine[j] * t->g[j];
    t->g[j] *= t->cosine[j];
}

/* Are pivots so far apart that what the triangle says of the residual may be nothing but rounding?
 */
static bool is_doubtful(const triangle *t, int count)
{
    double least = t->h[0];
    double most = t->h[0];
    for (int i = 1; i < count; i++) {
        const double pivot = t->h[(int64_t)i * (t->restart + 1) + i];
        least = pivot < least ? pivot : least;
        most = pivot > most ? pivot : most;
    }
    return least <= doubtful * most;
}

/* Does x + z leave less than x does? If not, as where b is not in a singular matrix's range and x
 * would only grow, the run is stopped. */
static tsl_status check_correction(tsl_run *run, const double *z, bool *helps)
{
    double *const w = tsl_run_vector(run, z == tsl_run_vector(run, 1) ? 2 : 1);
    const tsl_expression expressions[] = {tsl_run_product(run, w, z),
                                          tsl_combine(w, 1, run->r, -1, w), tsl_dot(w, w),
                                          tsl_dot(run->r, run->r)};
    double squares[2] = {0};
    const tsl_status status = tsl_run_expressions(run, expressions, 4, squares);
    *helps = squares[0] <= squares[1];
    if (status == TSL_OK && !*helps) {
        run->norm = sqrt(squares[1]);
        if (run->stop != TSL_LINSOLVE_CANCELLED) {
            run->stop = isfinite(squares[0]) ? TSL_LINSOLVE_STAGNATED : TSL_LINSOLVE_NOT_FINITE;
        }
    }
    return status;
}

/* Add M V y to x, where y solves the triangle of `count` columns. */
static tsl_status correct(tsl_run *run, const triangle *t, int count)
{
    double *const sum = tsl_run_vector(run, 2);
    double *const z = tsl_run_preconditioned(run, sum, tsl_run_vector(run, 1));
    for (int i = count - 1; i >= 0; i--) {
        for (int j = i + 1; j < count; j++) {
            t->g[i] -= t->h[(int64_t)j * (t->restart + 1) + i] * t->g[j];
        }
        t->g[i] /= t->h[(int64_t)i * (t->restart + 1) + i];
        t->expressions[i] = tsl_combine(sum, t->g[i], basis(run, i), 1, sum);
    }
    t->expressions[0].b = 0; /* the first has nothing to add to */
    tsl_status status = tsl_run_expressions(run, t->expressions, count, NULL);
    if (status == TSL_OK) {
        status = tsl_run_precondition(run, z, sum, 0);
    }
    bool helps = true;
    if (status == TSL_OK && is_doubtful(t, count)) {
        status = check_correction(run, z, &helps);
    }
    const tsl_expression add = tsl_combine(run->x, 1, run->x, 1, z);
    return status == TSL_OK && helps ? tsl_run_expressions(run, &add, 1, NULL) : status;
}

/* One cycle from run->r of the norm run->norm. Sets *ended where there is no next one. */
static tsl_status cycle(tsl_run *run, const triangle *t, bool *ended)
{
    const tsl_expression first = tsl_combine(basis(run, 0), 1 / run->norm, run->r, 0, NULL);
    tsl_status status = tsl_run_expressions(run, &first, 1, NULL);
    t->g[0] = run->norm;
    int count = 0;
    while (status == TSL_OK && count < t->restart && !*ended) {
        status = extend(run, t, count);
        if (status != TSL_OK) {
            return status;
        }
        rotate(t, count);
        const double pivot = t->h[(int64_t)count * (t->restart + 1) + count];
        if (!(pivot > 1e-14 * fabs(t->h[0]))) { /* A M v_j lies among the vectors before */
            tsl_run_stop_at(run, pivot);
            *ended = true;
            break;
        }
        count++;
        *ended = !tsl_run_goes_on(run, t->g[count] * t->g[count]);
    }
    if (status == TSL_OK && count > 0 && run->stop != TSL_LINSOLVE_NOT_FINITE) {
        status = correct(run, t, count);
    }
    *ended = *ended || run->stop == TSL_LINSOLVE_STAGNATED;
    return status;
}

tsl_status tsl_run_gmres(tsl_run *run)
{
    const triangle t = triangle_in(run);
    bool ended = false;
    int idle = 0; /* cycles in a row that gained next to nothing */
    tsl_status status = TSL_OK;
    while (status == TSL_OK && !ended) {
        const double before = run->norm;
        status = cycle(run, &t, &ended);
        if (status == TSL_OK && !ended) {
            status = tsl_run_residual(run);
            ended = run->norm <= run->target;
            status = status == TSL_OK && !ended ? tsl_run_keep(run) : status;
            idle = run->norm > 0.999 * before ? idle + 1 : 0;
            if (!ended && idle == MOST_IDLE) {
                run->stop = TSL_LINSOLVE_STAGNATED;
                ended = true;
            }
        }
    }
    return status;
}
