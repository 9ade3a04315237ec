/* xc_libxc [--points N] [--repeats N] [--level 0|1|2] [--json FILE]: functionals on one core beside
 * Libxc in the same process, energies with first and second derivatives; nanoseconds a point, the
 * best of the repeats. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xc.h>

#include "core/core.h"
#include "io/report/json.h"
#include "solvers/xc/xc.h"
#include "solvers/xc/xc_cpu.h"

enum { CASES = 12, MOST_PARTS = 4 };

/* A functional, and what Libxc sums for it; "": no more. */
static const char *const cases[CASES][1 + MOST_PARTS] = {
    {"lda_x", "lda_x", "", "", ""},
    {"svwn", "lda_x", "lda_c_vwn", "", ""},
    {"lda_c_pw", "lda_c_pw", "", "", ""},
    {"gga_x_pbe", "gga_x_pbe", "", "", ""},
    {"pbe", "gga_x_pbe", "gga_c_pbe", "", ""},
    {"blyp", "gga_x_b88", "gga_c_lyp", "", ""},
    {"b3lyp", "lda_x", "gga_x_b88", "lda_c_vwn_rpa", "gga_c_lyp"},
    {"mgga_x_tpss", "mgga_x_tpss", "", "", ""},
    {"tpss", "mgga_x_tpss", "mgga_c_tpss", "", ""},
    {"mgga_x_scan", "mgga_x_scan", "", "", ""},
    {"scan", "mgga_x_scan", "mgga_c_scan", "", ""},
    {"r2scan", "mgga_x_r2scan", "mgga_c_r2scan", "", ""},
};

typedef struct options {
    int points, repeats;
    const char *json;
} options;

/* Arrays of one size, component after component or point after point. */
typedef struct arrays {
    double *in[4];   /* rho, sigma, lapl, tau */
    double *out[15]; /* in the order of Libxc's calls */
} arrays;

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* A density like a molecule's: from 1e-5 to 10, s from 0.1 to 3, alpha about 1; half of it each
 * spin, nearly. */
static void fill(arrays *a, int points, int polarised)
{
    uint64_t state = 5;
    for (int i = 0; i < points; i++) {
        const double n = pow(10, -5 + 6 * next_uniform(&state));
        const double s = pow(10, -1 + 1.5 * next_uniform(&state));
        const double g = 2 * cbrt(3 * M_PI * M_PI) * s * pow(n, 4.0 / 3);
        const double tau = g * g / (8 * n) + 2 * next_uniform(&state) * 2.871234 * pow(n, 5.0 / 3);
        const double share[2] = {0.55, 0.45};
        for (int c = 0; c < 1 + polarised; c++) {
            a->in[0][i * (1 + polarised) + c] = polarised ? share[c] * n : n;
            a->in[2][i * (1 + polarised) + c] = 0;
            a->in[3][i * (1 + polarised) + c] = polarised ? share[c] * tau : tau;
        }
        for (int c = 0; c < (polarised ? 3 : 1); c++) {
            const double weight = c == 0 ? 0.3025 : c == 1 ? 0.2475 : 0.2025;
            a->in[1][i * (polarised ? 3 : 1) + c] = polarised ? weight * g * g : g * g;
        }
    }
}

static void call_libxc(const xc_func_type *f, int points, const arrays *a, int order)
{
    double *o[15];
    for (int k = 0; k < 15; k++) {
        const bool first = k >= 1 && k <= 4;
        o[k] = k == 0 || (first && order > 0) || (k > 4 && order > 1) ? a->out[k] : NULL;
    }
    const size_t n = (size_t)points;
    if (f->info->family == XC_FAMILY_LDA) {
        xc_lda(f, n, a->in[0], o[0], o[1], o[5], NULL, NULL);
    } else if (f->info->family == XC_FAMILY_GGA) {
        xc_gga(f, n, a->in[0], a->in[1], o[0], o[1], o[2], o[5], o[6], o[9], NULL, NULL, NULL, NULL,
               NULL, NULL, NULL, NULL, NULL);
    } else if (order > 1) {
        xc_mgga_exc_vxc_fxc(f, n, a->in[0], a->in[1], a->in[2], a->in[3], o[0], o[1], o[2], o[3],
                            o[4], o[5], o[6], o[7], o[8], o[9], o[10], o[11], o[12], o[13], o[14]);
    } else if (order > 0) {
        xc_mgga_exc_vxc(f, n, a->in[0], a->in[1], a->in[2], a->in[3], o[0], o[1], o[2], o[3], o[4]);
    } else {
        xc_mgga_exc(f, n, a->in[0], a->in[1], a->in[2], a->in[3], o[0]);
    }
}

static double time_libxc(const char *const parts[], const arrays *a, const options *o,
                         int polarised, int order)
{
    double sum = 0;
    for (int p = 0; p < MOST_PARTS && parts[p][0] != '\0'; p++) {
        xc_func_type f;
        double best = 1e9;
        if (xc_func_init(&f, xc_functional_get_number(parts[p]), 1 + polarised) != 0) {
            return NAN;
        }
        for (int r = 0; r < o->repeats; r++) {
            const double begun = tsl_seconds();
            call_libxc(&f, o->points, a, order);
            best = fmin(best, tsl_seconds() - begun);
        }
        xc_func_end(&f);
        sum += best;
    }
    return 1e9 * sum / o->points;
}

static double time_own(tsl_context *context, const char *name, const arrays *a, const options *o,
                       int polarised, int order)
{
    tsl_xc_options plan_options = TSL_XC_OPTIONS_INIT;
    tsl_xc_arrays call = TSL_XC_ARRAYS_INIT;
    tsl_xc_plan *plan;
    double best = 1e9;
    plan_options.polarised = polarised;
    plan_options.order = order;
    if (tsl_xc_plan_create(&plan, context, name, &plan_options) != TSL_OK) {
        fprintf(stderr, "xc_libxc: %s\n", tsl_last_error(context));
        exit(3);
    }
    call.rho = a->in[0];
    call.sigma = a->in[1];
    call.tau = a->in[3];
    call.exc = a->out[0];
    if (order > 0) {
        call.vrho = a->out[1];
        call.vsigma = a->out[2];
        call.vtau = a->out[4];
    }
    if (order > 1) {
        call.v2rho2 = a->out[5];
        call.v2rhosigma = a->out[6];
        call.v2rhotau = a->out[8];
        call.v2sigma2 = a->out[9];
        call.v2sigmatau = a->out[11];
        call.v2tau2 = a->out[14];
    }
    tsl_xc_description about = {.size = sizeof about};
    tsl_xc_plan_describe(plan, &about);
    if (about.family < TSL_XC_GGA) {
        call.vsigma = call.v2rhosigma = call.v2sigma2 = NULL;
    }
    if (about.family < TSL_XC_MGGA) {
        call.vtau = call.v2rhotau = call.v2sigmatau = call.v2tau2 = NULL;
    }
    for (int r = 0; r < o->repeats; r++) {
        const double begun = tsl_seconds();
        tsl_xc_evaluate(plan, o->points, &call);
        best = fmin(best, tsl_seconds() - begun);
    }
    tsl_xc_plan_destroy(plan);
    return 1e9 * best / o->points;
}

static void measure(tsl_context *context, const options *o, tsl_json *json)
{
    static const char *const spins[] = {"closed shell", "two spins"};
    arrays a;
    for (int k = 0; k < 4; k++) {
        a.in[k] = tsl_allocate_zeroed((size_t)o->points * 3, sizeof(double));
    }
    for (int k = 0; k < 15; k++) {
        a.out[k] = tsl_allocate_zeroed((size_t)o->points * 6, sizeof(double));
    }
    printf("%-14s %-13s %5s %10s %10s %7s\n", "functional", "spins", "order", "tesela", "Libxc",
           "ratio");
    for (int polarised = 0; polarised < 2; polarised++) {
        fill(&a, o->points, polarised);
        for (int c = 0; c < CASES; c++) {
            for (int order = 1; order < 3; order++) {
                const double theirs = time_libxc(cases[c] + 1, &a, o, polarised, order);
                const double own = time_own(context, cases[c][0], &a, o, polarised, order);
                printf("%-14s %-13s %5d %10.2f %10.2f %7.1f\n", cases[c][0], spins[polarised],
                       order, own, theirs, theirs / own);
                fflush(stdout);
                if (json != NULL) {
                    tsl_json_open_object(json, NULL);
                    tsl_json_string(json, "functional", cases[c][0]);
                    tsl_json_bool(json, "spin", polarised);
                    tsl_json_integer(json, "order", order);
                    tsl_json_number(json, "tesela_ns", own);
                    tsl_json_number(json, "libxc_ns", theirs);
                    tsl_json_close_object(json);
                }
            }
        }
    }
    for (int k = 0; k < 4; k++) {
        tsl_release(a.in[k]);
    }
    for (int k = 0; k < 15; k++) {
        tsl_release(a.out[k]);
    }
}

int main(int argc, char **argv)
{
    options o = {.points = 9600, .repeats = 15};
    static const char *const levels[] = {"baseline", "x86-64-v3", "x86-64-v4"};
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || strncmp(argv[i], "--", 2) != 0) {
            fprintf(stderr,
                    "usage: xc_libxc [--points N] [--repeats N] [--level 0|1|2] [--json FILE]\n");
            return 2;
        }
        if (strcmp(argv[i], "--points") == 0) {
            o.points = atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "--repeats") == 0) {
            o.repeats = atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "--level") == 0) {
            tsl_test_xc_level((tsl_xc_level)atoi(argv[i + 1]));
        } else if (strcmp(argv[i], "--json") == 0) {
            o.json = argv[i + 1];
        }
    }
    tsl_context_options context_options = TSL_CONTEXT_OPTIONS_INIT;
    tsl_context *context = NULL;
    context_options.device = "cpu";
    context_options.threads = 1;
    if (tsl_context_create(&context, &context_options) != TSL_OK) {
        fprintf(stderr, "xc_libxc: %s\n", tsl_last_error(NULL));
        return 3;
    }
    printf("Libxc %s, %s, ns a point of %d\n", xc_version_string(), levels[tsl_xc_level_now()],
           o.points);
    FILE *file = o.json != NULL ? fopen(o.json, "w") : NULL;
    tsl_json json;
    if (file != NULL) {
        tsl_json_begin(&json, file);
        tsl_json_open_object(&json, NULL);
        tsl_json_string(&json, "libxc", xc_version_string());
        tsl_json_string(&json, "instructions", levels[tsl_xc_level_now()]);
        tsl_json_integer(&json, "points", o.points);
        tsl_json_open_array(&json, "measurements");
    }
    measure(context, &o, file != NULL ? &json : NULL);
    if (file != NULL) {
        tsl_json_close_array(&json);
        tsl_json_close_object(&json);
        tsl_json_end(&json);
        fclose(file);
    }
    tsl_context_destroy(context);
    return 0;
}
