/* Inputs and outputs by name; memory for them; and points to measure and check with. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/xc/command.h"
#include "core/context.h"
#include "device/device.h"

#define COLUMN(name, a, b, order, family)                                                          \
    {                                                                                              \
#name, {a, b }, order, family, offsetof(tsl_xc_arrays, name)                               \
    }
const xc_column xc_columns[] = {
    COLUMN(rho, 1, 2, -1, TSL_XC_LDA),          COLUMN(sigma, 1, 3, -1, TSL_XC_GGA),
    COLUMN(tau, 1, 2, -1, TSL_XC_MGGA),         COLUMN(exc, 1, 1, 0, TSL_XC_LDA),
    COLUMN(vrho, 1, 2, 1, TSL_XC_LDA),          COLUMN(vsigma, 1, 3, 1, TSL_XC_GGA),
    COLUMN(vtau, 1, 2, 1, TSL_XC_MGGA),         COLUMN(v2rho2, 1, 3, 2, TSL_XC_LDA),
    COLUMN(v2rhosigma, 1, 6, 2, TSL_XC_GGA),    COLUMN(v2rhotau, 1, 4, 2, TSL_XC_MGGA),
    COLUMN(v2sigma2, 1, 6, 2, TSL_XC_GGA),      COLUMN(v2sigmatau, 1, 6, 2, TSL_XC_MGGA),
    COLUMN(v2tau2, 1, 3, 2, TSL_XC_MGGA),       COLUMN(v3rho3, 1, 4, 3, TSL_XC_LDA),
    COLUMN(v3rho2sigma, 1, 9, 3, TSL_XC_GGA),   COLUMN(v3rho2tau, 1, 6, 3, TSL_XC_MGGA),
    COLUMN(v3rhosigma2, 1, 12, 3, TSL_XC_GGA),  COLUMN(v3rhosigmatau, 1, 12, 3, TSL_XC_MGGA),
    COLUMN(v3rhotau2, 1, 6, 3, TSL_XC_MGGA),    COLUMN(v3sigma3, 1, 10, 3, TSL_XC_GGA),
    COLUMN(v3sigma2tau, 1, 12, 3, TSL_XC_MGGA), COLUMN(v3sigmatau2, 1, 9, 3, TSL_XC_MGGA),
    COLUMN(v3tau3, 1, 4, 3, TSL_XC_MGGA),
};
const int xc_column_count = sizeof xc_columns / sizeof *xc_columns;

bool xc_is_wanted(const xc_column *column, tsl_xc_family family, int order)
{
    return column->family <= family &&
           (order < 0 ? column->order < 0 : column->order >= 0 && column->order <= order);
}

int xc_width(tsl_xc_family family, int polarised, int order, bool inputs)
{
    int width = 0;
    for (int i = 0; i < xc_column_count; i++) {
        if (xc_is_wanted(&xc_columns[i], family, inputs ? -1 : order)) {
            width += xc_columns[i].components[polarised];
        }
    }
    return width;
}

/* A variable of a derivative: its kind, and what its components are called. */
typedef struct variable {
    const char *name;
    int components;
    const char *spins[3];
} variable;

static const variable variables[] = {
    {"rho", 2, {"a", "b", ""}}, {"sigma", 3, {"aa", "ab", "bb"}}, {"tau", 2, {"a", "b", ""}}};

/* The variables that a column's name says, "v3rho2sigma": rho, rho, sigma. Returns their number. */
static int read_variables(const variable *out[3], const char *name)
{
    int count = 0;
    name += name[0] == 'v' && name[1] >= '2' && name[1] <= '9' ? 2 : name[0] == 'v';
    while (*name != '\0') {
        const variable *v = variables;
        while (v < variables + 3 && strncmp(name, v->name, strlen(v->name)) != 0) {
            v++;
        }
        if (v == variables + 3) {
            return 0; /* exc */
        }
        name += strlen(v->name);
        const int times = *name >= '2' && *name <= '3' ? *name++ - '0' : 1;
        for (int t = 0; t < times && count < 3; t++) {
            out[count++] = v;
        }
    }
    return count;
}

/* The components of the `skip`-th derivative by `count` variables, those of one kind never
 * descending. */
static void find_components(int at[3], const variable *const of[3], int count, int skip)
{
    memset(at, 0, 3 * sizeof *at);
    while (skip-- > 0) {
        int last = count - 1;
        while (last > 0 && at[last] == of[last]->components - 1) {
            last--;
        }
        at[last]++;
        for (int k = last + 1; k < count; k++) {
            at[k] = of[k] == of[k - 1] ? at[k - 1] : 0;
        }
    }
}

void xc_component_name(char *text, size_t bytes, const xc_column *column, int polarised,
                       int component)
{
    const variable *of[3] = {NULL, NULL, NULL};
    const int count = polarised ? read_variables(of, column->name) : 0;
    int at[3];
    int used = snprintf(text, bytes, "%s%s", column->name, count > 0 ? "_" : "");
    find_components(at, of, count, count > 0 ? component : 0);
    for (int k = 0; k < count && used >= 0 && (size_t)used < bytes; k++) {
        const bool joined = k == 0 || (of[k] == of[k - 1] && of[k]->components == 2);
        used += snprintf(text + used, bytes - (size_t)used, "%s%s", joined ? "" : "_",
                         of[k]->spins[at[k]]);
    }
}

tsl_status xc_memory_create(xc_memory *out, tsl_context *context, int64_t points,
                            tsl_xc_family family, int polarised, int order)
{
    void *data = NULL;
    memset(out, 0, sizeof *out);
    out->inputs = xc_width(family, polarised, 0, true);
    out->outputs = xc_width(family, polarised, order, false);
    const int64_t bytes = 8 * points * (out->inputs + out->outputs);
    const tsl_device_need need = {.what = "the points and values need",
                                  .remedy = "take fewer points, or a lower order",
                                  .device = bytes,
                                  .host = 0};
    tsl_status status = tsl_device_foresee(context, &need);
    if (status == TSL_OK) {
        status = tsl_device_allocate(&data, context, bytes, "points and values");
    }
    if (status != TSL_OK) {
        return status;
    }
    out->context = context;
    out->data = data;
    out->points = points;
    const tsl_xc_arrays empty = TSL_XC_ARRAYS_INIT;
    out->arrays = empty;
    double *at = data;
    for (int i = 0; i < xc_column_count; i++) {
        const xc_column *c = &xc_columns[i];
        if (xc_is_wanted(c, family, c->order < 0 ? -1 : order)) {
            memcpy((char *)&out->arrays + c->offset, &at, sizeof at);
            at += points * c->components[polarised];
        }
    }
    return TSL_OK;
}

void xc_memory_destroy(xc_memory *memory)
{
    if (memory->context != NULL) {
        tsl_device_release(memory->context, memory->data);
    }
}

/* ---- a made-up molecule of water ------------------------------------------------------------ */

/* An atom's shell: electrons, exponent (1/bohr), which atom. */
typedef struct shell {
    int atom;
    double electrons, exponent;
} shell;

static const double atoms[3][3] = {{0, 0, 0}, {1.43, 1.1, 0}, {-1.43, 1.1, 0}}; /* bohr */
static const shell shells[] = {{0, 2, 7.66}, {0, 6, 2.25}, {1, 1, 1.2}, {2, 1, 1.2}};

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* n, sigma and tau of the closed shell at a position. */
static void density_at(double out[3], const double position[3])
{
    double gradient[3] = {0, 0, 0};
    double n = 0;
    for (size_t s = 0; s < sizeof shells / sizeof *shells; s++) {
        const shell *at = &shells[s];
        double square = 1e-24;
        for (int a = 0; a < 3; a++) {
            const double d = position[a] - atoms[at->atom][a];
            square += d * d;
        }
        const double r = sqrt(square);
        const double value =
            at->electrons * pow(at->exponent, 3) / M_PI * exp(-2 * at->exponent * r);
        n += value;
        for (int a = 0; a < 3; a++) {
            gradient[a] -= 2 * at->exponent * value * (position[a] - atoms[at->atom][a]) / r;
        }
    }
    out[0] = n;
    out[1] = gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2];
    out[2] = out[1] / (8 * n) + 0.6 * 2.871234 * pow(n, 5.0 / 3);
}

static void place_point(double position[3], uint64_t *state)
{
    const int atom = (int)(3 * next_uniform(state)) % 3;
    const double u = next_uniform(state);
    double r = (atom == 0 ? 0.7 : 0.9) * pow(u / (1 - u + 1e-3), 1.6) + 1e-3;
    r = r > 9 ? 9 * next_uniform(state) + 0.5 : r;
    const double z = 2 * next_uniform(state) - 1;
    const double angle = 2 * M_PI * next_uniform(state);
    const double across = sqrt(1 - z * z);
    const double direction[3] = {across * cos(angle), across * sin(angle), z};
    for (int a = 0; a < 3; a++) {
        position[a] = atoms[atom][a] + r * direction[a];
    }
}

void xc_make_points(double *in, int64_t points, tsl_xc_family family, int polarised)
{
    static const double share[2] = {0.6, 0.4}; /* of the electrons, spin up and down */
    uint64_t state = 1;
    for (int64_t i = 0; i < points; i++) {
        double position[3];
        double closed[3];
        place_point(position, &state);
        density_at(closed, position);
        if (!polarised) {
            for (int k = 0; k <= (int)family; k++) {
                in[k * points + i] = closed[k];
            }
            continue;
        }
        for (int s = 0; s < 2; s++) {
            in[s * points + i] = share[s] * closed[0];
            if (family > TSL_XC_LDA) {
                in[(2 + 2 * s) * points + i] = share[s] * share[s] * closed[1];
            }
            if (family > TSL_XC_GGA) {
                in[(5 + s) * points + i] = share[s] * closed[1] / (8 * closed[0]) +
                                           0.6 * 4.557799 * pow(share[s] * closed[0], 5.0 / 3);
            }
        }
        if (family > TSL_XC_LDA) {
            in[3 * points + i] = share[0] * share[1] * closed[1];
        }
    }
}
