#include "solvers/xc/points.h"

#include <math.h>
#include <string.h>

#include "solvers/xc/xc_third.h"
#include "support/devices.h"

static double log_uniform(const double range[2], uint64_t *seed)
{
    const double part = 0.5 * (test_uniform(seed) + 1);
    return range[0] * pow(range[1] / range[0], part);
}

static const double pi = 3.14159265358979323846;

/* sigma of a closed shell of density n, and tau. */
static double sigma_of(double n, double s)
{
    const double gradient = 2 * cbrt(3 * pi * pi) * s * pow(n, 4.0 / 3);
    return gradient * gradient;
}

static double tau_of(double n, double sigma, double alpha)
{
    return sigma / (8 * n) + alpha * 0.3 * pow(3 * pi * pi, 2.0 / 3) * pow(n, 5.0 / 3);
}

static void make_unpolarised(double *in, int inputs, const points_range *r, uint64_t *seed)
{
    in[0] = log_uniform(r->density, seed);
    if (inputs > 1) {
        in[1] = sigma_of(in[0], log_uniform(r->gradient, seed));
    }
    if (inputs > 2) {
        in[2] = tau_of(in[0], in[1], log_uniform(r->alpha, seed));
    }
}

static void make_polarised(double *in, int inputs, const points_range *r, uint64_t *seed)
{
    const double most[2] = {r->emptiest, 1};
    const double n = log_uniform(r->density, seed);
    const bool even = test_random(seed) % 16 == 0; /* zeta = 0 to the last digit */
    const double lesser = 0.5 * (even ? 1 : log_uniform(most, seed));
    const int minor = test_uniform(seed) > 0;
    double sigma[2];
    in[minor] = n * lesser;
    in[1 - minor] = n * (1 - lesser);
    for (int s = 0; s < 2; s++) {
        sigma[s] = sigma_of(2 * in[s], log_uniform(r->gradient, seed)) / 4;
    }
    if (inputs > 2) {
        in[2] = sigma[0];
        in[3] = test_uniform(seed) * sqrt(sigma[0] * sigma[1]);
        in[4] = sigma[1];
    }
    for (int s = 0; s < 2 && inputs > 5; s++) {
        in[5 + s] = tau_of(2 * in[s], 4 * sigma[s], log_uniform(r->alpha, seed)) / 2;
    }
}

/* An orbital of Slater's, not normalised: r^shell or one of x, y, z, times exp(-decay r) around an
 * atom. */
typedef struct orbital {
    int atom, shell, axis; /* axis: -1 of an s orbital */
    double weight, decay;
} orbital;

static const double atoms[3][3] = {{0, 0, 0}, {1.43, 1.11, 0}, {-1.43, 1.11, 0}}; /* bohr */

/* The first is missing once where two spins are asked for. */
static const orbital orbitals[] = {
    {0, 0, 2, 1.9, 2.23}, {0, 0, -1, 11.7, 7.66}, {0, 1, -1, 2.4, 2.25}, {0, 0, 0, 1.9, 2.23},
    {0, 0, 1, 1.9, 2.23}, {1, 0, -1, 0.4, 1.24},  {2, 0, -1, 0.4, 1.24}};

/* An orbital and its gradient. */
static void evaluate_orbital(double value[4], const orbital *o, const double at[3])
{
    double from[3], r = 0;
    for (int k = 0; k < 3; k++) {
        from[k] = at[k] - atoms[o->atom][k];
        r += from[k] * from[k];
    }
    r = sqrt(r);
    const double radial = o->weight * exp(-o->decay * r);
    const double front = o->axis >= 0 ? from[o->axis] : o->shell == 1 ? r : 1;
    value[0] = front * radial;
    for (int k = 0; k < 3; k++) {
        const double slope = o->axis >= 0 ? k == o->axis : o->shell == 1 ? from[k] / r : 0;
        value[1 + k] = (slope - front * o->decay * from[k] / r) * radial;
    }
}

/* A spin's density, its gradient, and tau: sums over its orbitals, from the first on. */
static void add_orbitals(double *n, double gradient[3], double *tau, size_t first,
                         const double at[3])
{
    *n = *tau = gradient[0] = gradient[1] = gradient[2] = 0;
    for (size_t i = first; i < sizeof orbitals / sizeof *orbitals; i++) {
        double value[4];
        evaluate_orbital(value, &orbitals[i], at);
        *n += value[0] * value[0];
        for (int k = 0; k < 3; k++) {
            gradient[k] += 2 * value[0] * value[1 + k];
            *tau += 0.5 * value[1 + k] * value[1 + k];
        }
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Near an atom, at a distance that is log-uniform. */
static void place_near_atom(double at[3], uint64_t *seed)
{
    const double distances[2] = {1e-3, 10};
    const double *const atom = atoms[test_random(seed) % 3];
    double direction[3] = {test_uniform(seed), test_uniform(seed), test_uniform(seed)};
    const double step = log_uniform(distances, seed) / sqrt(dot(direction, direction));
    for (int k = 0; k < 3; k++) {
        at[k] = atom[k] + step * direction[k];
    }
}

static void make_molecular(double *in, int inputs, int polarised, uint64_t *seed)
{
    double n[2], gradient[2][3], tau[2], s = INFINITY;
    while (!(s <= 3)) {
        double at[3];
        place_near_atom(at, seed);
        s = 0;
        for (int spin = 0; spin < 2; spin++) {
            add_orbitals(&n[spin], gradient[spin], &tau[spin], polarised ? (size_t)spin : 0, at);
            const double sigma = 4 * dot(gradient[spin], gradient[spin]);
            s = fmax(s, sqrt(sigma / sigma_of(2 * n[spin], 1)));
        }
        s = n[0] + n[1] < 1e-6 ? INFINITY : s;
    }
    const double closed[] = {n[0] + n[1], 4 * dot(gradient[0], gradient[0]), tau[0] + tau[1]};
    const double open[] = {n[0],
                           n[1],
                           dot(gradient[0], gradient[0]),
                           dot(gradient[0], gradient[1]),
                           dot(gradient[1], gradient[1]),
                           tau[0],
                           tau[1]};
    memcpy(in, polarised ? open : closed, (size_t)inputs * sizeof *in);
}

void points_make(double *in, int64_t count, tsl_xc_family family, int polarised,
                 const points_range *range, uint64_t seed)
{
    const int inputs = tsl_xc_inputs(family, polarised);
    for (int64_t i = 0; i < count; i++) {
        if (range == NULL) {
            make_molecular(in + i * inputs, inputs, polarised, &seed);
        } else {
            (polarised ? make_polarised : make_unpolarised)(in + i * inputs, inputs, range, &seed);
        }
    }
}

/* The first input and the number of inputs that are rho, sigma and tau, of a closed shell and
 * polarised. */
static const int kinds[2][3][2] = {{{0, 1}, {1, 1}, {2, 1}}, {{0, 2}, {2, 3}, {5, 2}}};

/* The inputs that second derivatives are by, in Libxc's order; returns their number. */
static int list_pairs(int (*pairs)[2], tsl_xc_family family, int polarised)
{
    int count = 0;
    for (int k = 0; k <= (int)family; k++) {
        for (int l = k; l <= (int)family; l++) {
            const int *const a = kinds[polarised][k];
            const int *const b = kinds[polarised][l];
            for (int i = 0; i < a[1]; i++) {
                for (int j = k == l ? i : 0; j < b[1]; j++, count++) {
                    pairs[count][0] = a[0] + i;
                    pairs[count][1] = b[0] + j;
                }
            }
        }
    }
    return count;
}

/* The scale of third derivatives, which stand behind those of lower orders. */
static void scale_triples(double *scale, const double *in, int inputs, const int (*pairs)[2],
                          double energy)
{
    tsl_xc_triple triples[TSL_XC_TRIPLES];
    const int count = tsl_xc_list_triples(triples, inputs);
    for (int t = 0; t < count; t++) {
        const int *const pair = pairs[triples[t].pair];
        scale[t] = energy / fabs(in[pair[0]] * in[pair[1]] * in[triples[t].input]);
    }
}

void points_scales(double *scale, const double *in, tsl_xc_family family, int polarised, int order)
{
    const int inputs = tsl_xc_inputs(family, polarised);
    const double n = polarised ? in[0] + in[1] : in[0];
    int pairs[TSL_XC_SECOND][2];
    scale[0] = 0.75 * cbrt(3 * n / pi);
    for (int i = 0; i < inputs && order > 0; i++) {
        scale[1 + i] = n * scale[0] / fabs(in[i]);
    }
    const int count = list_pairs(pairs, family, polarised);
    for (int k = 0; k < count && order > 1; k++) {
        scale[1 + inputs + k] = n * scale[0] / fabs(in[pairs[k][0]] * in[pairs[k][1]]);
    }
    if (order > 2) {
        scale_triples(scale + 1 + inputs + count, in, inputs, (const int(*)[2])pairs, n * scale[0]);
    }
}

/* The arrays of a call in the unit's order of outputs, as offsets of tsl_xc_arrays, with
 * components. */
typedef struct array {
    size_t offset;
    int components[2], order;
    tsl_xc_family family; /* at least */
} array;

#define ARRAY(name, a, b, order, family)                                                           \
    {                                                                                              \
        offsetof(tsl_xc_arrays, name), {a, b}, order, family                                       \
    }
static const array arrays[] = {
    ARRAY(exc, 1, 1, 0, TSL_XC_LDA),
    ARRAY(vrho, 1, 2, 1, TSL_XC_LDA),
    ARRAY(vsigma, 1, 3, 1, TSL_XC_GGA),
    ARRAY(vtau, 1, 2, 1, TSL_XC_MGGA),
    ARRAY(v2rho2, 1, 3, 2, TSL_XC_LDA),
    ARRAY(v2rhosigma, 1, 6, 2, TSL_XC_GGA),
    ARRAY(v2rhotau, 1, 4, 2, TSL_XC_MGGA),
    ARRAY(v2sigma2, 1, 6, 2, TSL_XC_GGA),
    ARRAY(v2sigmatau, 1, 6, 2, TSL_XC_MGGA),
    ARRAY(v2tau2, 1, 3, 2, TSL_XC_MGGA),
    ARRAY(v3rho3, 1, 4, 3, TSL_XC_LDA),
    ARRAY(v3rho2sigma, 1, 9, 3, TSL_XC_GGA),
    ARRAY(v3rho2tau, 1, 6, 3, TSL_XC_MGGA),
    ARRAY(v3rhosigma2, 1, 12, 3, TSL_XC_GGA),
    ARRAY(v3rhosigmatau, 1, 12, 3, TSL_XC_MGGA),
    ARRAY(v3rhotau2, 1, 6, 3, TSL_XC_MGGA),
    ARRAY(v3sigma3, 1, 10, 3, TSL_XC_GGA),
    ARRAY(v3sigma2tau, 1, 12, 3, TSL_XC_MGGA),
    ARRAY(v3sigmatau2, 1, 9, 3, TSL_XC_MGGA),
    ARRAY(v3tau3, 1, 4, 3, TSL_XC_MGGA),
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

/* Gather or scatter components [first, first + width) of rows. */
static void gather(double *to, const double *rows, int row, int first, int width, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        memcpy(to + i * width, rows + i * row + first, sizeof *to * (size_t)width);
    }
}

static void scatter(double *rows, const double *from, int row, int first, int width, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        memcpy(rows + i * row + first, from + i * width, sizeof *from * (size_t)width);
    }
}

tsl_status points_evaluate(double *out, tsl_xc_plan *plan, tsl_context *context, const double *in,
                           int64_t count, tsl_xc_family family, int polarised, int order)
{
    const int inputs = tsl_xc_inputs(family, polarised);
    const int outputs = tsl_xc_outputs(inputs, order);
    double *const host = tsl_allocate(sizeof *host * (size_t)(count * (inputs + outputs)));
    double *at = host;
    tsl_xc_arrays call = TSL_XC_ARRAYS_INIT;
    assert_non_null(host);
    for (int k = 0; k <= (int)family; k++) {
        const int *const kind = kinds[polarised][k];
        gather(at, in, inputs, kind[0], kind[1], count);
        at += count * kind[1];
    }
    double *const device = test_upload(context, host, 8 * count * (inputs + outputs));
    call.rho = device;
    call.sigma = family > TSL_XC_LDA ? device + count * kinds[polarised][1][0] : NULL;
    call.tau = family > TSL_XC_GGA ? device + count * kinds[polarised][2][0] : NULL;
    double *place = device + count * inputs;
    for (int k = 0; k < ARRAYS; k++) {
        if (arrays[k].order <= order && arrays[k].family <= family) {
            memcpy((char *)&call + arrays[k].offset, &place, sizeof place);
            place += count * arrays[k].components[polarised];
        }
    }
    const tsl_status status = tsl_xc_evaluate(plan, count, &call);
    if (status == TSL_OK) {
        test_download(context, host, device, 8 * count * (inputs + outputs));
        at = host + count * inputs;
        int first = 0;
        for (int k = 0; k < ARRAYS; k++) {
            if (arrays[k].order <= order && arrays[k].family <= family) {
                const int width = arrays[k].components[polarised];
                scatter(out, at, outputs, first, width, count);
                at += count * width;
                first += width;
            }
        }
    }
    test_release(context, device);
    tsl_release(host);
    return status;
}
