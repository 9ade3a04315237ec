#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/clones.h"
#include "device/device.h"
#include "solvers/scf/scf.h"

/* Fitting coefficients are sums over blocks of rows that don't depend on the number of threads. */
enum { BLOCKS = 128, LANES = 8 };

enum { KEPT = 100 /* a pair of shells is left out below so many times `screen` */ };

/* ---- the metric ----------------------------------------------------------------------------- */

/* metric := its inverse on the space where it is above 1e-7 of the largest eigenvalue. */
static tsl_status invert(tsl_scf_coulomb *c, tsl_context *context, double *metric)
{
    const int64_t n = c->auxiliary;
    double *values = tsl_allocate(sizeof(double) * (size_t)(n + n * n));
    if (values == NULL) {
        return tsl_fail_memory(context, 8 * n * n, "the metric of the fit");
    }
    double *scaled = values + n;
    tsl_status status = context->ops->dense->eigen(context, n, metric, values);
    int64_t left_out = 0;
    for (int64_t i = 0; i < n && status == TSL_OK; i++) {
        const bool keep = values[i] > 1e-7 * values[n - 1];
        left_out += !keep;
        for (int64_t j = 0; j < n; j++) {
            scaled[i * n + j] = keep ? metric[i * n + j] / values[i] : 0;
        }
    }
    if (status == TSL_OK) {
        status = tsl_scf_multiply(context, c->metric, metric, true, scaled, false, n, n, n);
        tsl_message(
            context, TSL_MESSAGE_NOTE,
            "auxiliary functions are nearly dependent: %lld of %lld combinations are left out",
            (long long)left_out, (long long)n);
    }
    c->inverse = true;
    tsl_release(values);
    return status;
}

/* The metric's factor, by a device; *positive as of tsl_dense_ops.cholesky(). */
static tsl_status factorise(tsl_scf_coulomb *c, tsl_context *device, bool *positive)
{
    const int64_t n = c->auxiliary, bytes = 8 * n * n;
    void *memory = NULL;
    tsl_status status = TSL_OK;
    if (n == 0 || device->ops->coulomb_step == NULL) {
        return device->ops->dense->cholesky(device, n, c->metric, positive);
    }
    TSL_TRY(tsl_device_allocate_passing(&memory, device, bytes, "the metric of the fit"));
    TSL_TRY(device->ops->upload(device, memory, c->metric, bytes));
    TSL_TRY(device->ops->dense->cholesky(device, n, memory, positive));
    TSL_TRY(device->ops->download(device, c->metric, memory, bytes));
done:
    tsl_device_release(device, memory);
    return status;
}

static tsl_status make_metric(tsl_scf_coulomb *c, tsl_context *context, tsl_context *device,
                              const tsl_scf_basis *auxiliary)
{
    const int64_t n = c->auxiliary;
    bool positive = false;
    double *copy = tsl_allocate(sizeof(double) * (size_t)(n * n));
    c->metric = tsl_allocate(sizeof(double) * (size_t)(n * n));
    tsl_status status = TSL_OK;
    if (copy == NULL || c->metric == NULL) {
        status = tsl_fail_memory(context, 16 * n * n, "the metric of the fit");
        goto done;
    }
    TSL_TRY(tsl_scf_coulomb2(c->metric, context, c->tables, auxiliary, c->partners, 0));
    memcpy(copy, c->metric, sizeof(double) * (size_t)(n * n));
    TSL_TRY(factorise(c, device, &positive));
    for (int64_t i = 0; i < n && positive; i++) { /* what the functions before leave of each */
        const double left = c->metric[i * n + i] * c->metric[i * n + i];
        positive = left > 1e-12 * copy[i * n + i];
    }
    if (!positive) {
        TSL_TRY(invert(c, context, copy));
    }
done:
    tsl_release(copy);
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Bound of a pair of shells: exponents' least decay and the sizes of their contractions. */
static double bound_of(const tsl_scf_basis *b, int i, int j)
{
    const tsl_scf_shell *s = &b->shell[i], *t = &b->shell[j];
    double square = 0, bound = 0;
    for (int k = 0; k < 3; k++) {
        square += (s->center[k] - t->center[k]) * (s->center[k] - t->center[k]);
    }
    for (int k = 0; k < s->primitives; k++) {
        for (int l = 0; l < t->primitives; l++) {
            const double a = b->exponent[s->first + k], c = b->exponent[t->first + l];
            const double p = a + c, reach = sqrt(square) + 1 / sqrt(p);
            bound += fabs(b->coefficient[s->first + k] * b->coefficient[t->first + l]) *
                     exp(-a * c / p * square) * pow(M_PI / p, 1.5) * pow(reach, s->l + t->l);
        }
    }
    return bound;
}

static tsl_status list_rows(tsl_scf_coulomb *c, tsl_context *context)
{
    const tsl_scf_basis *b = c->basis;
    c->row = tsl_allocate(sizeof *c->row * ((size_t)b->shells * (size_t)(b->shells + 1) / 2 + 1));
    if (c->row == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *c->row * b->shells * b->shells / 2,
                               "pairs of shells");
    }
    for (int i = 0; i < b->shells; i++) {
        for (int j = 0; j <= i; j++) {
            if (bound_of(b, i, j) >= KEPT * c->screen) {
                c->row[c->rows++] = (tsl_scf_row){i, j, c->products};
                c->products += (int64_t)b->shell[i].functions * b->shell[j].functions;
            }
        }
    }
    c->row[c->rows].first = c->products;
    return TSL_OK;
}

static int64_t most_products(const tsl_scf_coulomb *c)
{
    int64_t most = 1;
    for (int64_t r = 0; r < c->rows; r++) {
        const int64_t n = c->row[r + 1].first - c->row[r].first;
        most = n > most ? n : most;
    }
    return most;
}

static tsl_status create_threads(tsl_scf_coulomb *c, tsl_context *context)
{
    const size_t numbers = (size_t)(most_products(c) * c->auxiliary);
    c->threads = context->threads;
    c->work = tsl_allocate_zeroed((size_t)c->threads, sizeof *c->work);
    c->scratch = tsl_allocate_zeroed((size_t)c->threads, sizeof *c->scratch);
    if (c->work == NULL || c->scratch == NULL) {
        return tsl_fail_memory(context, 16 * c->threads, "threads' work");
    }
    for (int t = 0; t < c->threads; t++) {
        const tsl_status status =
            tsl_scf_coulomb3_work_create(&c->work[t], context, c->basis, c->partners);
        c->scratch[t] = status == TSL_OK ? tsl_allocate(sizeof(double) * (numbers + 1)) : NULL;
        if (c->scratch[t] == NULL) {
            return status != TSL_OK
                       ? status
                       : tsl_fail_memory(context, (int64_t)(8 * numbers), "Coulomb integrals");
        }
    }
    return TSL_OK;
}

/* Integrals of row r into `out`. */
static void fill_row(const tsl_scf_coulomb *c, int64_t r, double *out, int thread)
{
    const tsl_scf_row *row = &c->row[r];
    if (!tsl_scf_coulomb3(out, &c->work[thread], c->tables, c->basis, row->i, row->j, c->partners,
                          c->screen, 0)) {
        memset(out, 0, sizeof *out * (size_t)((row[1].first - row->first) * c->auxiliary));
    }
}

static tsl_status store_rows(tsl_scf_coulomb *c, tsl_context *context, int64_t memory)
{
    while (c->kept < c->rows && c->row[c->kept + 1].first * c->auxiliary * 8 <= memory) {
        c->kept++;
    }
    const int64_t numbers = c->row[c->kept].first * c->auxiliary;
    c->stored = tsl_allocate(sizeof(double) * (size_t)(numbers + 1));
    if (c->stored == NULL) {
        return tsl_fail_memory(context, 8 * numbers, "Coulomb integrals: give a bound on memory");
    }
#pragma omp parallel for num_threads(c->threads) schedule(dynamic)
    for (int64_t r = 0; r < c->kept; r++) {
        fill_row(c, r, c->stored + c->row[r].first * c->auxiliary, omp_get_thread_num());
    }
    return TSL_OK;
}

void tsl_scf_coulomb_foresee(tsl_scf_coulomb_need *out, const tsl_context *context,
                             const tsl_scf_basis *basis, const tsl_scf_basis *auxiliary,
                             double screen)
{
    *out = (tsl_scf_coulomb_need){.made = 0};
    if (auxiliary == NULL) {
        out->made = out->fixed = tsl_scf_coulomb4_bytes(context, basis);
        return;
    }
    const int64_t n = auxiliary->functions, shells = basis->shells;
    const int64_t metric = 8 * n * n;
    int64_t products = 0, most = 1;
    for (int i = 0; i < shells; i++) {
        for (int j = 0; j <= i; j++) {
            const int64_t block = (int64_t)basis->shell[i].functions * basis->shell[j].functions;
            products += bound_of(basis, i, j) >= KEPT * screen ? block : 0;
            most = block > most ? block : most;
        }
    }
    const int64_t thread = 8 * (most * n + 1) + tsl_scf_coulomb_work_bytes(basis, basis, n);
    const int64_t lists = (int64_t)sizeof(tsl_scf_row) * (shells * (shells + 1) / 2 + 1) +
                          tsl_scf_partners_bytes(auxiliary);
    out->integrals = 8 * products * n;
    out->fixed = metric + lists + context->threads * thread + 8 * (BLOCKS + 2) * n;
    /* a copy and, where there is no Cholesky factor, eigenvectors with their work */
    out->made = 6 * metric + tsl_scf_partners_bytes(auxiliary) +
                context->threads * tsl_scf_coulomb_work_bytes(auxiliary, NULL, n);
}

tsl_status tsl_scf_coulomb_create_partners(tsl_scf_coulomb *out, tsl_context *context,
                                           const tsl_scf_basis *auxiliary)
{
    out->auxiliary = auxiliary->functions;
    return tsl_scf_partners_create(&out->partners, context, auxiliary);
}

tsl_status tsl_scf_coulomb_create_metric(tsl_scf_coulomb *out, tsl_context *context,
                                         tsl_context *device, const tsl_scf_tables *tables,
                                         const tsl_scf_basis *auxiliary)
{
    out->tables = tables;
    return make_metric(out, context, device, auxiliary);
}

tsl_status tsl_scf_coulomb_create(tsl_scf_coulomb *out, tsl_context *context,
                                  const tsl_scf_tables *tables, const tsl_scf_basis *basis,
                                  const tsl_scf_basis *auxiliary, double screen, int64_t memory)
{
    tsl_status status = TSL_OK;
    const int64_t pairs = (int64_t)basis->functions * (basis->functions + 1) / 2;
    memset(out, 0, sizeof *out);
    out->tables = tables;
    out->basis = basis;
    out->screen = screen;
    if (auxiliary == NULL) {
        out->four = tsl_allocate(sizeof(double) * (size_t)(pairs * pairs));
        return out->four == NULL
                   ? tsl_fail_memory(context, 8 * pairs * pairs, "integrals of four functions")
                   : tsl_scf_coulomb4(out->four, context, tables, basis, screen);
    }
    out->auxiliary = auxiliary->functions;
    TSL_TRY(tsl_scf_partners_create(&out->partners, context, auxiliary));
    TSL_TRY(make_metric(out, context, context, auxiliary));
    TSL_TRY(list_rows(out, context));
    TSL_TRY(create_threads(out, context));
    TSL_TRY(store_rows(out, context, memory));
done:
    return status;
}

void tsl_scf_coulomb_release(tsl_scf_coulomb *c)
{
    for (int t = 0; t < c->threads; t++) {
        if (c->work != NULL) {
            tsl_scf_coulomb3_work_release(&c->work[t]);
        }
        tsl_release(c->scratch != NULL ? c->scratch[t] : NULL);
    }
    tsl_release(c->work);
    tsl_release(c->scratch);
    tsl_scf_partners_destroy(c->partners);
    tsl_release(c->four);
    tsl_release(c->metric);
    tsl_release(c->row);
    tsl_release(c->stored);
    memset(c, 0, sizeof *c);
}

/* ---- a density's matrix --------------------------------------------------------------------- */

TSL_CLONES
static void add_scaled(double *restrict to, const double *restrict from, double factor, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] += factor * from[i];
    }
}

TSL_CLONES
static double product(const double *restrict a, const double *restrict b, int64_t n)
{
    double lane[LANES] = {0}, sum = 0;
    const int64_t whole = n / LANES * LANES;
    for (int64_t i = 0; i < whole; i += LANES) {
        for (int w = 0; w < LANES; w++) {
            lane[w] += a[i + w] * b[i + w];
        }
    }
    for (int64_t i = whole; i < n; i++) {
        lane[i - whole] += a[i] * b[i];
    }
    for (int w = 0; w < LANES; w++) {
        sum += lane[w];
    }
    return sum;
}

/* What is done with a row's integrals [products][auxiliary]. */
typedef void use_row(const tsl_scf_coulomb *c, int64_t r, const double *integrals, void *arguments,
                     int block);

typedef struct pass {
    const double *density; /* to be fitted */
    double *sums;          /* [BLOCKS][auxiliary] */
    const double *fit;     /* [auxiliary] */
    double *j;
} pass;

static void add_to_fit(const tsl_scf_coulomb *c, int64_t r, const double *integrals,
                       void *arguments, int block)
{
    const pass *p = arguments;
    const tsl_scf_shell *s = &c->basis->shell[c->row[r].i], *t = &c->basis->shell[c->row[r].j];
    const int64_t n = c->basis->functions;
    double *sum = p->sums + block * c->auxiliary;
    for (int f = 0; f < s->functions; f++) {
        for (int g = 0; g < t->functions; g++) {
            const double d = p->density[(s->function + f) * n + t->function + g];
            add_scaled(sum, integrals + (int64_t)(f * t->functions + g) * c->auxiliary,
                       s == t ? d : 2 * d, c->auxiliary);
        }
    }
}

static void add_to_matrix(const tsl_scf_coulomb *c, int64_t r, const double *integrals,
                          void *arguments, int block)
{
    const pass *p = arguments;
    const tsl_scf_shell *s = &c->basis->shell[c->row[r].i], *t = &c->basis->shell[c->row[r].j];
    const int64_t n = c->basis->functions;
    (void)block;
    for (int f = 0; f < s->functions; f++) {
        for (int g = 0; g < t->functions; g++) {
            const int64_t row = s->function + f, column = t->function + g;
            if (row >= column) {
                p->j[row * n + column] = p->j[column * n + row] =
                    product(integrals + (int64_t)(f * t->functions + g) * c->auxiliary, p->fit,
                            c->auxiliary);
            }
        }
    }
}

/* Go through all rows, block by block. */
static void for_rows(tsl_scf_coulomb *c, use_row *use, void *arguments)
{
#pragma omp parallel for num_threads(c->threads) schedule(dynamic)
    for (int block = 0; block < BLOCKS; block++) {
        const int t = omp_get_thread_num();
        const int64_t end = c->rows * (block + 1) / BLOCKS;
        for (int64_t r = c->rows * block / BLOCKS; r < end; r++) {
            const double *integrals = c->stored + c->row[r].first * c->auxiliary;
            if (r >= c->kept) {
                fill_row(c, r, c->scratch[t], t);
                integrals = c->scratch[t];
            }
            use(c, r, integrals, arguments, block);
        }
    }
}

static tsl_status fit(tsl_scf_coulomb *c, tsl_context *context, double *x, double *projection)
{
    const int64_t n = c->auxiliary;
    memcpy(x, projection, sizeof *x * (size_t)n);
    return c->inverse ? tsl_scf_multiply(context, x, c->metric, false, projection, false, n, 1, n)
                      : context->ops->dense->solve(context, n, c->metric, x);
}

static void apply_four(const tsl_scf_coulomb *c, tsl_context *context, const double *density,
                       double *j)
{
    const int64_t n = c->basis->functions, pairs = n * (n + 1) / 2;
#pragma omp parallel for num_threads(context->threads)
    for (int64_t row = 0; row < n; row++) {
        for (int64_t column = 0; column <= row; column++) {
            const double *integrals = c->four + (row * (row + 1) / 2 + column) * pairs;
            double sum = 0;
            for (int64_t k = 0; k < n; k++) {
                for (int64_t l = 0; l <= k; l++) {
                    sum += (k == l ? 1 : 2) * density[k * n + l] * *integrals++;
                }
            }
            j[row * n + column] = j[column * n + row] = sum;
        }
    }
}

tsl_status tsl_scf_coulomb_apply(tsl_scf_coulomb *c, tsl_context *context, const double *density,
                                 double *j, double *energy)
{
    const int64_t n = c->basis->functions, a = c->auxiliary;
    if (c->four != NULL) {
        apply_four(c, context, density, j);
        *energy = 0.5 * tsl_scf_trace(density, j, n * n);
        return TSL_OK;
    }
    const double begun = tsl_seconds();
    double *sums = tsl_allocate_zeroed((size_t)((BLOCKS + 2) * a + 1), sizeof *sums);
    if (sums == NULL) {
        return tsl_fail_memory(context, 8 * (BLOCKS + 2) * a, "the fit of the density");
    }
    double *x = sums + BLOCKS * a, *projection = x + a;
    pass p = {.density = density, .sums = sums, .fit = x, .j = j};
    for_rows(c, add_to_fit, &p);
    for (int block = 0; block < BLOCKS; block++) {
        add_scaled(projection, sums + block * a, 1, a);
    }
    const tsl_status status = fit(c, context, x, projection);
    if (status == TSL_OK) {
        memset(j, 0, sizeof *j * (size_t)(n * n));
        for_rows(c, add_to_matrix, &p);
        *energy = 0.5 * product(x, projection, a);
    }
    tsl_release(sums);
    tsl_profile_add(context, "coulomb", begun, 16 * c->products * a, 4 * c->products * a);
    return status;
}
