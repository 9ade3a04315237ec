/* Names of inputs and outputs, memory for them, and points for measurements and checks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/xc/command.h"
#include "core/context.h"
#include "device/device.h"
#include "solvers/xc/plan.h"

/* A variable of a derivative, and the names of its components. */
typedef struct variable {
    int components;
    const char *spins[3];
} variable;

static const variable variables[TSL_XC_VARIABLES] = {[TSL_XC_OF_RHO] = {2, {"a", "b", ""}},
                                                     [TSL_XC_OF_SIGMA] = {3, {"aa", "ab", "bb"}},
                                                     [TSL_XC_OF_LAPL] = {2, {"a", "b", ""}},
                                                     [TSL_XC_OF_TAU] = {2, {"a", "b", ""}}};

/* Find the components of the derivative number `skip` by `count` variables; components of one kind
 * never descend. */
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

void xc_component_name(char *text, size_t bytes, const tsl_xc_row *row, int polarised,
                       int component)
{
    const variable *const of[3] = {&variables[row->first], &variables[row->second],
                                   &variables[row->third]};
    const int count = !polarised ? 0 : row->order < 0 ? 1 : row->order;
    int at[3];
    int used = snprintf(text, bytes, "%s%s", row->name, count > 0 ? "_" : "");
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
    out->inputs = tsl_xc_inputs(family, polarised);
    out->outputs = tsl_xc_outputs(out->inputs, order);
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
    for (int i = 0; i < TSL_XC_ROWS; i++) {
        const tsl_xc_row *row = &tsl_xc_rows[i];
        if (row->order <= order && tsl_xc_depends(family, row)) {
            memcpy((char *)&out->arrays + row->offset, &at, sizeof at);
            at += points * row->components[polarised];
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

/* A shell of an atom: electrons, exponent (1/bohr), and the atom. */
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
    static const double share[2] = {0.6, 0.4}; /* shares of spin up and down in the electrons */
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

/* At most a million points are made, and then repeated. */
tsl_status xc_memory_fill(const xc_memory *memory, tsl_xc_family family, int polarised)
{
    enum { MADE = 1000000 };
    tsl_context *context = memory->context;
    const int64_t made = memory->points < MADE ? memory->points : MADE;
    double *in = tsl_allocate(sizeof *in * (size_t)(made * memory->inputs));
    if (in == NULL) {
        return tsl_fail_memory(context, 8 * made * memory->inputs, "the points");
    }
    xc_make_points(in, made, family, polarised);
    tsl_status status = TSL_OK;
    for (int k = 0; k < memory->inputs; k++) {
        for (int64_t first = 0; first < memory->points && status == TSL_OK; first += made) {
            const int64_t left = memory->points - first;
            status = context->ops->upload(context, memory->data + k * memory->points + first,
                                          in + k * made, 8 * (left < made ? left : made));
        }
    }
    tsl_release(in);
    return status;
}
