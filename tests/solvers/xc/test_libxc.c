/* Against Libxc 5.2.3, where it is installed: values at ordinary points, what is made of points at
 * the edges, names and numbers. */
/* ctest: cost 60, full with sanitizers */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/xc/libxc.h"
#include "solvers/xc/points.h"
#include "support/devices.h"

#ifdef TSL_HAVE_LIBXC

#include <xc.h>

enum { FEW = 10000, MANY = 100000 };

/* By order, relative to max(|value|, scale), for s <= 3. */
static const double bounds[TSL_XC_ORDERS] = {1e-12, 1e-10, 1e-8};

static const points_range ordinary = {{1e-6, 1e3}, {1e-3, 3}, 1e-4, {1e-2, 10}};
static const points_range thin = {{1e-9, 1e-6}, {1e-3, 3}, 1e-2, {1e-2, 10}};
static const points_range steep = {{1e-6, 1e2}, {3, 100}, 1e-2, {1e-2, 100}};

/* Where Libxc is off by more, and binary128 takes our side (test_oracle.c): what the bound is then.
 */
typedef struct exception {
    const char *set;
    const points_range *range; /* NULL: everywhere */
    double bound[TSL_XC_ORDERS];
    const char *reason;
} exception;

static const exception exceptions[] = {
    {"lda_c_", &thin, {1e-11, 1e-10, 1e-8}, "log(1 + x) of small x"},
    {"gga_c_", &thin, {1e-11, 1e-10, 1e-8}, "log(1 + x) of small x"},
    {"gga_xc_", &thin, {1e-11, 1e-10, 1e-8}, "log(1 + x) of small x"},
    {"hyb_gga_xc_", &thin, {1e-11, 1e-10, 1e-8}, "log(1 + x) of small x"},
    {"mgga_", &thin, {1e-10, 1e-10, 1e-8}, "log(1 + x) of small x"},
    {"mgga_", &steep, {1e-12, 1e-7, 1e-5}, "tau - tau_W, which is rounded once here"},
    {"mgga_c_tpss", NULL, {1e-10, 1e-10, 1e-8}, "40 digits by mpmath take our side"},
    {"mgga_c_revtpss", NULL, {1e-10, 1e-10, 1e-8}, "40 digits by mpmath take our side"},
    {"gga_x_wpbeh", NULL, {1e-11, 1e-8, 1e-5}, "its recurrence cancels: omega / k_F is large"},
    {"gga_x_wpbeh", &thin, {1e-8, 1e-6, 1e-3}, "its recurrence cancels: omega / k_F is large"},
};

/* What is compared with Libxc's: its correlation of 1991 lacks a term, which is a parameter here.
 */
static const char *text_of(const char *name)
{
    return strcmp(name, "gga_c_pw91") == 0 ? "gga_c_pw91(cubic=0)"
           : strcmp(name, "pw91") == 0     ? "gga_x_pw91 + gga_c_pw91(cubic=0)"
                                           : name;
}

/* Give Libxc's functional the values of parameters that are not a set's own. */
static void set_values(xc_func_type *f, const tsl_xc_resolved *term)
{
    for (int i = 0; i < term->set->parameters; i++) {
        if (term->values[i] != term->set->values[i] && strcmp(term->set->names[i], "omega") == 0) {
            xc_func_set_ext_params_name(f, "_omega", term->values[i]);
        }
    }
}

/* Libxc's outputs of one functional, a point a row, added to `out`. */
static void add_libxc(double *out, const tsl_xc_resolved *term, const double *in, int64_t count,
                      tsl_xc_family family, int polarised, int order)
{
    const double coefficient = term->coefficient;
    const int inputs = tsl_xc_inputs(family, polarised);
    const int outputs = tsl_xc_outputs(inputs, order);
    xc_func_type f;
    assert_int_equal(xc_func_init(&f, term->set->number, polarised ? 2 : 1), 0);
    set_values(&f, term);
    const int of = f.info->family == XC_FAMILY_HYB_GGA    ? XC_FAMILY_GGA
                   : f.info->family == XC_FAMILY_HYB_MGGA ? XC_FAMILY_MGGA
                                                          : f.info->family;
    for (int64_t i = 0; i < count; i++) {
        const double *x = in + i * inputs;
        const double lapl[2] = {0, 0};
        double zk = 0;
        double rho[2] = {0}, sigma[3] = {0}, vlapl[2] = {0}, tau[2] = {0};
        double r2[3] = {0}, rs[6] = {0}, rl[4] = {0}, rt[4] = {0}, s2[6] = {0}, sl[6] = {0};
        double st[6] = {0}, l2[3] = {0}, lt[4] = {0}, t2[3] = {0};
        const double *y = x + (polarised ? 2 : 1);
        const double *t = x + (polarised ? 5 : 2);
        if (of == XC_FAMILY_LDA) {
            xc_lda_exc_vxc_fxc(&f, 1, x, &zk, rho, r2);
        } else if (of == XC_FAMILY_GGA) {
            xc_gga_exc_vxc_fxc(&f, 1, x, y, &zk, rho, sigma, r2, rs, s2);
        } else {
            xc_mgga_exc_vxc_fxc(&f, 1, x, y, lapl, t, &zk, rho, sigma, vlapl, tau, r2, rs, rl, rt,
                                s2, sl, st, l2, lt, t2);
        }
        const struct {
            const double *from;
            int width[2], order;
            tsl_xc_family family;
        } all[] = {{&zk, {1, 1}, 0, TSL_XC_LDA},   {rho, {1, 2}, 1, TSL_XC_LDA},
                   {sigma, {1, 3}, 1, TSL_XC_GGA}, {tau, {1, 2}, 1, TSL_XC_MGGA},
                   {r2, {1, 3}, 2, TSL_XC_LDA},    {rs, {1, 6}, 2, TSL_XC_GGA},
                   {rt, {1, 4}, 2, TSL_XC_MGGA},   {s2, {1, 6}, 2, TSL_XC_GGA},
                   {st, {1, 6}, 2, TSL_XC_MGGA},   {t2, {1, 3}, 2, TSL_XC_MGGA}};
        double *to = out + i * outputs;
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            if (all[k].order <= order && all[k].family <= family) {
                for (int c = 0; c < all[k].width[polarised]; c++) {
                    *to++ += coefficient * all[k].from[c];
                }
            }
        }
    }
    xc_func_end(&f);
}

typedef struct compared {
    const char *name;
    const points_range *range;
    int polarised;
    int64_t count;
    double bound[TSL_XC_ORDERS];
    double worst[TSL_XC_ORDERS];
} compared;

static void compare_rows(compared *c, const double *got, const double *wanted, const double *in,
                         tsl_xc_family family)
{
    const int inputs = tsl_xc_inputs(family, c->polarised);
    const int outputs = tsl_xc_outputs(inputs, 2);
    double scale[TSL_XC_OUTPUTS];
    for (int64_t i = 0; i < c->count; i++) {
        const double *x = in + i * inputs;
        points_scales(scale, x, family, c->polarised, 2);
        for (int k = 0; k < outputs; k++) {
            const int order = k == 0 ? 0 : k <= inputs ? 1 : 2;
            const double a = got[i * outputs + k];
            const double b = wanted[i * outputs + k];
            const double error = fabs(a - b) / fmax(fabs(b), scale[k]);
            c->worst[order] = error <= c->worst[order] ? c->worst[order] : error;
            if (!(error <= c->bound[order])) {
                fail_msg("%s, spin %d: output %d is %.17g, of Libxc %.17g, %.2e apart, at %.17g "
                         "%.17g %.17g %.17g %.17g %.17g %.17g",
                         c->name, c->polarised, k, a, b, error, x[0], inputs > 1 ? x[1] : 0,
                         inputs > 2 ? x[2] : 0, inputs > 3 ? x[3] : 0, inputs > 4 ? x[4] : 0,
                         inputs > 5 ? x[5] : 0, inputs > 6 ? x[6] : 0);
            }
        }
    }
}

static void compare(compared *c, tsl_context *context)
{
    tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    tsl_xc_description about = {.size = sizeof about};
    tsl_xc_plan *plan;
    tsl_xc_sum sum;
    options.polarised = c->polarised;
    options.order = 2;
    options.layout = TSL_XC_BY_POINT;
    assert_int_equal(tsl_xc_plan_create(&plan, context, c->name, &options), TSL_OK);
    assert_int_equal(tsl_xc_plan_describe(plan, &about), TSL_OK);
    assert_int_equal(tsl_xc_parse(&sum, context, c->name), TSL_OK);
    const int inputs = tsl_xc_inputs(about.family, c->polarised);
    const int outputs = tsl_xc_outputs(inputs, 2);
    double *in = tsl_allocate(sizeof *in * (size_t)(c->count * inputs));
    double *got = tsl_allocate(sizeof *got * (size_t)(c->count * outputs));
    double *wanted = tsl_allocate_zeroed((size_t)(c->count * outputs), sizeof *wanted);
    points_make(in, c->count, about.family, c->polarised, c->range, 5);
    assert_int_equal(
        points_evaluate(got, plan, context, in, c->count, about.family, c->polarised, 2), TSL_OK);
    for (int t = 0; t < sum.count; t++) {
        add_libxc(wanted, &sum.term[t], in, c->count, about.family, c->polarised, 2);
    }
    compare_rows(c, got, wanted, in, about.family);
    tsl_release(in);
    tsl_release(got);
    tsl_release(wanted);
    tsl_xc_plan_destroy(plan);
}

/* Raise the bound where a part of the functional has an exception. */
static void except(compared *c, tsl_context *context)
{
    tsl_xc_sum sum;
    assert_int_equal(tsl_xc_parse(&sum, context, c->name), TSL_OK);
    for (int t = 0; t < sum.count; t++) {
        for (size_t e = 0; e < sizeof exceptions / sizeof *exceptions; e++) {
            const exception *x = &exceptions[e];
            const bool is_named = strncmp(sum.term[t].set->name, x->set, strlen(x->set)) == 0;
            const bool is_here = x->range == NULL || x->range == c->range;
            for (int o = 0; o < TSL_XC_ORDERS && is_named && is_here; o++) {
                c->bound[o] = fmax(c->bound[o], x->bound[o]);
            }
        }
    }
}

static void compare_all(const points_range *range)
{
    double worst[TSL_XC_ORDERS] = {0};
    tsl_context *context = test_context("cpu", 2);
    const char *name;
    for (int i = 0; (name = tsl_xc_name(i, NULL)) != NULL; i++) {
        for (int polarised = 0; polarised < 2; polarised++) {
            compared c = {.name = text_of(name), .range = range, .polarised = polarised};
            c.count = test_is_full() ? MANY : FEW;
            memcpy(c.bound, bounds, sizeof bounds);
            except(&c, context);
            compare(&c, context);
            for (int o = 0; o < TSL_XC_ORDERS; o++) {
                worst[o] = fmax(worst[o], c.worst[o]);
            }
        }
    }
    print_message("differences up to %.1e, %.1e, %.1e by order\n", worst[0], worst[1], worst[2]);
    tsl_context_destroy(context);
}

static void ordinary_points_agree(void **state)
{
    (void)state;
    compare_all(&ordinary);
}

static double pick(const double *from, size_t count, uint64_t *seed)
{
    return from[test_random(seed) % count] * (1.5 + test_uniform(seed));
}

/* A point at the edge: densities around the thresholds and none at all, gradients from none to s =
 * 5, sigma_ab beyond its clip. Where that clip makes the whole gradient zero, or s is large,
 * Libxc's sums have no digits left to compare. */
static void make_edge(double *x, int inputs, int polarised, uint64_t *seed)
{
    static const double sizes[] = {0, 1e-30, 3e-15, 1e-13, 1e-11, 1e-8, 1e-3, 1, 1e3};
    static const double gradients[] = {0, 1e-8, 0.1, 1, 5};
    static const double crosses[] = {-0.2, 0, 0.5, 1e5};
    const int spins = polarised ? 2 : 1;
    for (int s = 0; s < spins; s++) {
        x[s] = pick(sizes, sizeof sizes / sizeof *sizes, seed);
        if (inputs > spins) {
            const double g = pick(gradients, 5, seed) * 7.8 * pow(x[s], 4.0 / 3);
            x[polarised ? 2 + 2 * s : 1] = g * g;
        }
        if (inputs > 2 * spins + 1 || inputs == 3) {
            x[polarised ? 5 + s : 2] = pick(gradients, 5, seed) * 4.6 * pow(x[s], 5.0 / 3);
        }
    }
    if (polarised && inputs > 2) {
        x[3] = pick(crosses, 4, seed) * fmin(x[2], x[4]);
    }
}

/* Is a point at the clip of sigma by tau, where the minimum in TPSS's correlation has two slopes?
 */
static bool is_clipped(const double *x, int inputs, int polarised)
{
    bool clipped = false;
    for (int s = 0; s <= polarised && inputs > (polarised ? 5 : 2); s++) {
        clipped = clipped || x[polarised ? 2 + 2 * s : 1] > 7.9 * x[s] * x[polarised ? 5 + s : 2];
    }
    return clipped;
}

/* Is tau less than that of one orbital of the whole density, once sigma is clipped by spin? No
 * density is like that, and rSCAN is published for others alone. */
static bool is_below_one_orbital(const double *x, int inputs)
{
    if (inputs <= 5) {
        return false;
    }
    const double a = fmin(x[2], 8 * x[0] * x[5]);
    const double b = fmin(x[4], 8 * x[1] * x[6]);
    const double cross = fmax(-(a + b) / 2, fmin(x[3], (a + b) / 2));
    return a + 2 * cross + b > 8 * (x[0] + x[1]) * (x[5] + x[6]);
}

/* Is a point left out of the comparison at the edges? Without one spin's tau Libxc turns part of
 * M06's off, of no density. At the clip 1 - tau_W / tau is rounding alone. */
static bool is_left_out(const char *name, const double *x, int inputs, int polarised)
{
    const bool is_m06 = strstr(name, "m06") != NULL || strstr(name, "bc95") != NULL;
    const double tau = inputs < 3 ? 1 : x[inputs - 1];
    const double other = polarised && inputs > 5 ? x[inputs - 2] : 1;
    return (is_m06 && fmin(tau, other) == 0) ||
           ((strstr(name, "tpss") != NULL || is_m06) && is_clipped(x, inputs, polarised)) ||
           (strstr(name, "rscan") != NULL && is_below_one_orbital(x, inputs));
}

static void check_edges(tsl_context *context, const char *name, int polarised, int count)
{
    tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    tsl_xc_description about = {.size = sizeof about};
    tsl_xc_plan *plan;
    tsl_xc_sum sum;
    uint64_t seed = 11;
    options.polarised = polarised;
    options.layout = TSL_XC_BY_POINT;
    assert_int_equal(tsl_xc_plan_create(&plan, context, name, &options), TSL_OK);
    assert_int_equal(tsl_xc_plan_describe(plan, &about), TSL_OK);
    assert_int_equal(tsl_xc_parse(&sum, context, name), TSL_OK);
    const int inputs = tsl_xc_inputs(about.family, polarised);
    const int outputs = tsl_xc_outputs(inputs, 1);
    double *in = tsl_allocate(sizeof *in * (size_t)(count * inputs));
    double *got = tsl_allocate(sizeof *got * (size_t)(count * outputs));
    double *wanted = tsl_allocate_zeroed((size_t)(count * outputs), sizeof *wanted);
    for (int i = 0; i < count; i++) {
        make_edge(in + i * inputs, inputs, polarised, &seed);
    }
    assert_int_equal(points_evaluate(got, plan, context, in, count, about.family, polarised, 1),
                     TSL_OK);
    for (int t = 0; t < sum.count; t++) {
        add_libxc(wanted, &sum.term[t], in, count, about.family, polarised, 1);
    }
    for (int i = 0; i < count; i++) {
        double scale[TSL_XC_OUTPUTS];
        double held[TSL_XC_INPUTS];
        for (int k = 0; k < inputs; k++) {
            const int densities = polarised ? 2 : 1;
            held[k] = fmax(fabs(in[i * inputs + k]), k < densities ? 1e-15 : 1e-40);
        }
        if (is_left_out(name, in + i * inputs, inputs, polarised)) {
            continue;
        }
        points_scales(scale, held, about.family, polarised, 1);
        const double total = in[i * inputs] + (polarised ? in[i * inputs + 1] : 0);
        bool masked = true; /* every component gives zeros */
        for (int t = 0; t < sum.count; t++) {
            masked = masked && total < sum.term[t].set->density;
        }
        for (int k = 0; k < outputs; k++) {
            const double a = got[i * outputs + k];
            const double b = wanted[i * outputs + k];
            if (!(fabs(a - b) <= 1e-6 * fmax(fabs(b), scale[k])) || (masked && a != 0)) {
                const double *x = in + i * inputs;
                fail_msg("%s, spin %d: output %d is %.17g, of Libxc %.17g (scale %g), at %g %g %g "
                         "%g %g %g %g",
                         name, polarised, k, a, b, scale[k], x[0], inputs > 1 ? x[1] : 0,
                         inputs > 2 ? x[2] : 0, inputs > 3 ? x[3] : 0, inputs > 4 ? x[4] : 0,
                         inputs > 5 ? x[5] : 0, inputs > 6 ? x[6] : 0);
            }
        }
    }
    tsl_release(in);
    tsl_release(got);
    tsl_release(wanted);
    tsl_xc_plan_destroy(plan);
}

static void points_around_a_molecule_agree(void **state)
{
    (void)state;
    compare_all(NULL);
}

static void thin_points_agree(void **state)
{
    (void)state;
    compare_all(&thin);
}

static void steep_points_agree(void **state)
{
    (void)state;
    compare_all(&steep);
}

/* Floors, masks and clips: sums, since Libxc does each component by itself. First derivatives, to
 * digits that tell one value from another and no more. */
static void edges_agree(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    tsl_context *context = test_context("cpu", 2);
    const char *name;
    for (int i = 0; (name = tsl_xc_name(i, NULL)) != NULL; i++) {
        for (int polarised = 0; polarised < 2; polarised++) {
            check_edges(context, text_of(name), polarised, COUNT);
        }
    }
    tsl_context_destroy(context);
}

static void names_and_numbers_are_libxcs(void **state)
{
    (void)state;
    const char *name;
    int number;
    for (int i = 0; (name = tsl_xc_name(i, &number)) != NULL; i++) {
        const int theirs = xc_functional_get_number(name);
        if (theirs > 0) {
            assert_int_equal(theirs, number);
        } else if (number > 0) {
            char *of_number = xc_functional_get_name(number);
            assert_non_null(of_number);
            free(of_number);
        }
    }
}

/* Thresholds of each formula are Libxc's own. */
static void thresholds_are_libxcs(void **state)
{
    (void)state;
    for (int i = 0; i < tsl_xc_set_count; i++) {
        xc_func_type f;
        assert_int_equal(xc_func_init(&f, tsl_xc_sets[i].number, 1), 0);
        if (f.dens_threshold != tsl_xc_sets[i].density) {
            fail_msg("%s: threshold %g, of Libxc %g", tsl_xc_sets[i].name, tsl_xc_sets[i].density,
                     f.dens_threshold);
        }
        xc_func_end(&f);
    }
}

/* Exact exchange by range. Libxc has it of all electrons and of short range besides. */
static void exact_exchange_is_libxcs(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const char *name;
    int number;
    for (int i = 0; (name = tsl_xc_name(i, &number)) != NULL; i++) {
        tsl_xc_description about = {.size = sizeof about};
        tsl_xc_plan *plan;
        xc_func_type f;
        double omega = 0, alpha = 0, beta = 0, b = 0, c = 0;
        if (number == 0) {
            continue;
        }
        assert_int_equal(tsl_xc_plan_create(&plan, context, name, NULL), TSL_OK);
        assert_int_equal(tsl_xc_plan_describe(plan, &about), TSL_OK);
        tsl_xc_plan_destroy(plan);
        assert_int_equal(xc_func_init(&f, number, 1), 0);
        if (f.info->family == XC_FAMILY_HYB_GGA || f.info->family == XC_FAMILY_HYB_MGGA) {
            xc_hyb_cam_coef(&f, &omega, &alpha, &beta);
        }
        xc_nlc_coef(&f, &b, &c);
        assert_true(fabs(about.cam_alpha - (alpha + beta)) < 1e-14);
        assert_true(fabs(about.cam_beta + beta) < 1e-14);
        assert_true(fabs(about.cam_omega - (beta != 0 ? omega : 0)) < 1e-14);
        assert_true(about.vv10_b == b && about.vv10_c == c);
        xc_func_end(&f);
    }
    tsl_context_destroy(context);
}

/* ---- functionals that are not here ---------------------------------------------------------- */

/* A sum of Libxc's functionals at points of the sum's family against direct calls, bit by bit. */
static void check_foreign(tsl_context *context, const char *text, tsl_xc_family family,
                          int polarised, int order)
{
    enum { COUNT = 501 };
    const int inputs = tsl_xc_inputs(family, polarised);
    const int outputs = tsl_xc_outputs(inputs, order);
    double *rows = tsl_allocate(sizeof *rows * (size_t)(COUNT * inputs));
    double *in = tsl_allocate(sizeof *in * (size_t)(COUNT * inputs));
    double *out = tsl_allocate_zeroed((size_t)(COUNT * outputs), sizeof *out);
    double *wanted = tsl_allocate_zeroed((size_t)(COUNT * outputs), sizeof *wanted);
    tsl_libxc *libxc = NULL;
    tsl_xc_sum sum;
    assert_int_equal(tsl_xc_parse_foreign(&sum, context, text), TSL_OK);
    assert_int_equal(sum.count, 0);
    assert_int_equal(sum.foreign[0].family, family);
    assert_int_equal(tsl_libxc_create(&libxc, context, &sum, polarised, order), TSL_OK);
    assert_string_equal(tsl_libxc_version(libxc), xc_version_string());
    points_make(rows, COUNT, family, polarised, &ordinary, 9);
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < inputs; k++) {
            in[k * COUNT + i] = rows[i * inputs + k];
        }
    }
    tsl_libxc_add(out, libxc, in, COUNT, family);
    for (int t = 0; t < sum.foreigns; t++) {
        const tsl_xc_set set = {.number = sum.foreign[t].number};
        const tsl_xc_resolved term = {.coefficient = sum.foreign[t].coefficient, .set = &set};
        add_libxc(wanted, &term, rows, COUNT, family, polarised, order);
    }
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < outputs; k++) {
            if (out[k * COUNT + i] != wanted[i * outputs + k]) {
                fail_msg("%s, spin %d, order %d: output %d of point %d is %.17g, not %.17g", text,
                         polarised, order, k, i, out[k * COUNT + i], wanted[i * outputs + k]);
            }
        }
    }
    tsl_libxc_destroy(libxc);
    tsl_release(rows);
    tsl_release(in);
    tsl_release(out);
    tsl_release(wanted);
}

static void functionals_that_are_not_here_are_libxcs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tsl_xc_family family;
    } rows[] = {{"lda_xc_teter93", TSL_XC_LDA},
                {"XC_GGA_X_MPW91", TSL_XC_GGA},
                {"hyb_gga_xc_cam_pbeh", TSL_XC_GGA},
                {"540", TSL_XC_MGGA}, /* mgga_x_tm */
                {"0.3*mgga_x_tm - 2*gga_x_mpw91 + lda_xc_teter93", TSL_XC_MGGA}};
    tsl_context *context = test_context("cpu", 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int polarised = 0; polarised < 2; polarised++) {
            for (int order = 0; order < 3; order++) {
                check_foreign(context, rows[i].text, rows[i].family, polarised, order);
            }
        }
    }
    tsl_context_destroy(context);
}

/* What is left to the caller: of a hybrid with range separation, and VV10. */
static void remainders_of_foreign_functionals_are_told(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    tsl_xc_sum sum;
    double omega, alpha, beta, b, c;
    xc_func_type f;
    assert_int_equal(tsl_xc_parse_foreign(&sum, context, "0.5*hyb_gga_xc_cam_pbeh + 0.1*hf"),
                     TSL_OK);
    assert_int_equal(xc_func_init(&f, sum.foreign[0].number, 1), 0);
    xc_hyb_cam_coef(&f, &omega, &alpha, &beta);
    xc_func_end(&f);
    assert_true(beta != 0 && omega == sum.omega);
    assert_true(fabs(sum.alpha - (0.5 * (alpha + beta) + 0.1)) < 1e-15);
    assert_true(fabs(sum.beta + 0.5 * beta) < 1e-15);
    assert_int_equal(tsl_xc_parse_foreign(&sum, context, "gga_xc_vv10"), TSL_OK);
    assert_int_equal(xc_func_init(&f, sum.foreign[0].number, 1), 0);
    xc_nlc_coef(&f, &b, &c);
    xc_func_end(&f);
    assert_true(b > 0 && sum.vv10_b == b && sum.vv10_c == c);
    tsl_context_destroy(context);
}

static void foreign_functionals_that_cannot_be_had_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
        tsl_status status;
    } rows[] = {{"gga_x_nonesuch", "nor in Libxc", TSL_E_ARG},
                {"99999", "nor in Libxc", TSL_E_ARG},
                {"gga_x_lb", "no energy", TSL_E_UNSUPPORTED},
                {"hyb_gga_xc_camy_blyp", "Yukawa", TSL_E_UNSUPPORTED},
                {"gga_x_mpw91(bt=1)", "no parameters", TSL_E_ARG},
                {"0.5*gga_xc_vv10", "VV10", TSL_E_ARG}};
    tsl_context *context = test_context("cpu", 1);
    tsl_libxc *libxc = NULL;
    tsl_xc_sum sum;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(tsl_xc_parse_foreign(&sum, context, rows[i].text), rows[i].status);
        assert_non_null(strstr(tsl_last_error(context), rows[i].word));
    }
    assert_int_equal(tsl_xc_parse(&sum, context, "gga_x_mpw91"), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "--allow-libxc"));
    assert_int_equal(tsl_xc_parse_foreign(&sum, context, "gga_x_mpw91"), TSL_OK);
    assert_int_equal(tsl_libxc_create(&libxc, context, &sum, 0, 3), TSL_E_UNSUPPORTED);
    assert_non_null(strstr(tsl_last_error(context), "up to order 2"));
    assert_null(libxc);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functionals_that_are_not_here_are_libxcs),
        cmocka_unit_test(remainders_of_foreign_functionals_are_told),
        cmocka_unit_test(foreign_functionals_that_cannot_be_had_are_refused),
        cmocka_unit_test(exact_exchange_is_libxcs),
        cmocka_unit_test(ordinary_points_agree),
        cmocka_unit_test(thin_points_agree),
        cmocka_unit_test(points_around_a_molecule_agree),
        cmocka_unit_test(steep_points_agree),
        cmocka_unit_test(edges_agree),
        cmocka_unit_test(names_and_numbers_are_libxcs),
        cmocka_unit_test(thresholds_are_libxcs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
#include "solvers/xc/without_libxc.inc"
#endif
