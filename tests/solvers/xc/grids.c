#include "solvers/xc/grids.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "support/devices.h"

static const points_range range = {{1e-6, 10}, {1e-2, 3}, 1e-3, {1e-2, 10}};

/* Where component c of point i is in the array of a row. */
static int64_t place_of(const grid *g, const tsl_xc_row *row, int c, int64_t i)
{
    const int components = row->components[g->kind.polarised];
    return g->kind.layout == TSL_XC_BY_POINT ? i * components + c : c * g->points + i;
}

/* Is this an input of the grid's functional? */
static bool needs(const grid *g, const tsl_xc_row *row)
{
    static const tsl_xc_family least[TSL_XC_VARIABLES] = {[TSL_XC_OF_RHO] = TSL_XC_LDA,
                                                          [TSL_XC_OF_SIGMA] = TSL_XC_GGA,
                                                          [TSL_XC_OF_TAU] = TSL_XC_MGGA};
    return row->order < 0 && row->first != TSL_XC_OF_LAPL && g->kind.family >= least[row->first];
}

static void set_address(tsl_xc_arrays *arrays, const tsl_xc_row *row, double *address)
{
    memcpy((char *)arrays + row->offset, &address, sizeof address);
}

static void set_float_address(tsl_xc_arrays *arrays, const tsl_xc_row *row, const float *address)
{
    const float **const of[TSL_XC_VARIABLES] = {&arrays->rho_float, &arrays->sigma_float,
                                                &arrays->lapl_float, &arrays->tau_float};
    *of[row->first] = address;
}

/* Write inputs, which come a point a row, array after array in the grid's layout, rounded to float:
 * as floats, and as doubles of the same values. */
static void place_inputs(const grid *g, const double *rows, double *doubles, float *floats)
{
    const int inputs = tsl_xc_inputs(g->kind.family, g->kind.polarised);
    int64_t begin = 0;
    for (int r = 0, column = 0; r < TSL_XC_ROWS; r++) {
        const tsl_xc_row *row = &tsl_xc_rows[r];
        if (!needs(g, row)) {
            continue;
        }
        const int components = row->components[g->kind.polarised];
        for (int c = 0; c < components; c++, column++) {
            for (int64_t i = 0; i < g->points; i++) {
                const float value = (float)rows[i * inputs + column];
                floats[begin + place_of(g, row, c, i)] = value;
                doubles[begin + place_of(g, row, c, i)] = value;
            }
        }
        begin += components * g->points;
    }
}

/* Zero, the smallest floats, subnormal and normal, and the largest number that an input may be; or
 * numbers that no density is. */
static void put_edges(double *rows, int inputs, int64_t points, bool is_odd)
{
    static const double usual[] = {0, FLT_TRUE_MIN, FLT_MIN, 1e5};
    static const double odd[] = {NAN, -1, INFINITY, -INFINITY};
    const double *edges = is_odd ? odd : usual;
    for (int64_t i = 0; i < 4 && i < points; i++) {
        for (int k = 0; k < inputs; k++) {
            rows[i * inputs + k] = edges[i];
        }
    }
}

static void make_inputs(grid *g)
{
    const int inputs = tsl_xc_inputs(g->kind.family, g->kind.polarised);
    const int64_t count = g->points * inputs;
    double *rows = tsl_allocate(sizeof *rows * (size_t)(count + 1));
    double *doubles = tsl_allocate(sizeof *doubles * (size_t)(count + 1));
    float *floats = tsl_allocate(sizeof *floats * (size_t)(count + 1));
    uint64_t seed = 11;
    assert_true(rows != NULL && doubles != NULL && floats != NULL);
    points_make(rows, g->points, g->kind.family, g->kind.polarised, &range, 3);
    put_edges(rows, inputs, g->points, g->kind.is_odd);
    place_inputs(g, rows, doubles, floats);
    for (int64_t i = 0; i < g->points; i++) {
        g->density[i] = (float)rows[i * inputs];
        g->density[i] += g->kind.polarised ? (float)rows[i * inputs + 1] : 0;
        g->weight[i] = test_uniform(&seed);
    }
    g->input = g->kind.is_float ? test_upload(g->context, floats, 4 * count)
                                : test_upload(g->context, doubles, 8 * count);
    tsl_release(rows);
    tsl_release(doubles);
    tsl_release(floats);
}

/* Point the call at its inputs and, where there is memory for them, outputs; returns how many
 * numbers the outputs have. */
static int64_t set_addresses(grid *g)
{
    int64_t in = 0, out = 0;
    for (int r = 0; r < TSL_XC_ROWS; r++) {
        const tsl_xc_row *row = &tsl_xc_rows[r];
        const int64_t count = row->components[g->kind.polarised] * g->points;
        if (needs(g, row) && g->kind.is_float) {
            set_float_address(&g->arrays, row, (const float *)g->input + in);
        } else if (needs(g, row)) {
            set_address(&g->arrays, row, (double *)g->input + in);
        } else if (row->order >= 0 && row->order <= g->kind.order) {
            set_address(&g->arrays, row, g->output != NULL ? g->output + out : NULL);
            out += count;
        }
        in += needs(g, row) ? count : 0;
    }
    return out;
}

void grid_open(grid *g, tsl_context *context, const grid_kind *kind, int64_t points)
{
    tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    const int64_t groups = tsl_xc_groups(points);
    *g = (grid){.kind = *kind, .context = context, .points = points};
    options.polarised = kind->polarised;
    options.order = kind->order;
    options.layout = kind->layout;
    options.float_input = kind->is_float;
    if (tsl_xc_plan_create(&g->plan, context, kind->functional, &options) != TSL_OK) {
        fail_msg("%s", tsl_last_error(context));
    }
    g->density = tsl_allocate_zeroed((size_t)points + 1, sizeof *g->density);
    g->weight = tsl_allocate_zeroed((size_t)points + 1, sizeof *g->weight);
    assert_true(g->density != NULL && g->weight != NULL);
    make_inputs(g);
    g->arrays = (tsl_xc_arrays)TSL_XC_ARRAYS_INIT;
    g->arrays.pitch = points;
    const int64_t outputs = set_addresses(g);
    g->results = outputs + groups + 1;
    double *nothing = tsl_allocate_zeroed((size_t)g->results, sizeof *nothing);
    assert_non_null(nothing);
    g->output = test_upload(context, nothing, 8 * g->results);
    tsl_release(nothing);
    set_addresses(g);
    g->arrays.weight = test_upload(context, g->weight, 8 * (points > 0 ? points : 1));
    g->arrays.group_energy = g->output + outputs;
    g->arrays.energy = g->output + outputs + groups;
}

void grid_close(grid *g)
{
    tsl_xc_plan_destroy(g->plan);
    test_release(g->context, g->input);
    test_release(g->context, g->output);
    test_release(g->context, (void *)(uintptr_t)g->arrays.weight);
    tsl_release(g->density);
    tsl_release(g->weight);
}

tsl_xc_arrays grid_from(const grid *g, int64_t first)
{
    tsl_xc_arrays a = g->arrays;
    for (int r = 0; r < TSL_XC_ROWS; r++) {
        const tsl_xc_row *row = &tsl_xc_rows[r];
        const int64_t shift = place_of(g, row, 0, first);
        double *address = tsl_xc_address(&a, row);
        const float *floats = tsl_xc_float_address(&a, row);
        set_address(&a, row, address != NULL ? address + shift : NULL);
        if (floats != NULL) {
            set_float_address(&a, row, floats + shift);
        }
    }
    a.weight += first;
    a.first_group = first / TSL_XC_GROUP;
    a.energy = NULL;
    return a;
}

double *grid_read(const grid *g)
{
    double *out = tsl_allocate(sizeof *out * (size_t)g->results);
    assert_non_null(out);
    test_download(g->context, out, g->output, 8 * g->results);
    return out;
}

void grid_clear(const grid *g)
{
    assert_int_equal(g->context->ops->fill(g->context, g->output, 0x7e, 8 * g->results), TSL_OK);
}
