/* `tesela xc eval`: a functional at points of a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/xc/command.h"
#include "core/context.h"
#include "device/device.h"
#include "io/grid/npy.h"
#include "solvers/xc/libxc.h"
#include "solvers/xc/plan.h"

typedef struct evaluation {
    const xc_options *options;
    tsl_context *context;
    tsl_xc_sum sum;
    tsl_xc_plan *plan; /* NULL: all terms are Libxc's */
    tsl_libxc *libxc;  /* NULL: all terms are here */
    tsl_xc_description about;
    int64_t points;
    int64_t raised;   /* points with a NaN, or with a negative number where none may be */
    int64_t infinite; /* points with a value that is not finite */
    double begun, setup, compute;
} evaluation;

/* Of a row with two spins: rho 2, sigma 3, lapl 2, tau 2. Of a closed shell: one each. */
enum { COLUMNS = 9, CLOSED_COLUMNS = 4 };

/* List the columns of a row that the functional takes; those of all variables have their places,
 * taken or not. Returns how many a row has to have. Of a row of `width` columns `missing` gets the
 * name of the first that is taken and not there, or is empty. */
static int list_columns(int columns[COLUMNS], char missing[40], const evaluation *e, int64_t width)
{
    const int spin = e->options->spin;
    int column = 0, taken = 0;
    missing[0] = '\0';
    for (int r = 0; r < TSL_XC_ROWS; r++) {
        const tsl_xc_row *row = &tsl_xc_rows[r];
        for (int k = 0; k < row->components[spin] && row->order < 0; k++, column++) {
            if (!tsl_xc_depends(e->about.family, row)) {
                continue;
            }
            if (column >= width && missing[0] == '\0') {
                xc_component_name(missing, 40, row, spin, k);
            }
            columns[taken++] = column;
        }
    }
    return columns[taken - 1] + 1;
}

/* Check the header: [points][columns] of float64 in this machine's byte order. */
static tsl_status check_header(const evaluation *e, const tsl_npy *h)
{
    const char *path = e->options->input;
    const char *const spins = e->options->spin ? " with --spin" : "";
    int columns[COLUMNS];
    char missing[40];
    const int64_t width = h->axes == 2 ? h->shape[1] : 1;
    const int needed = list_columns(columns, missing, e, width);
    if (!tsl_npy_has_numbers(h) || strchr(h->type, 'c') != NULL) {
        return tsl_fail(e->context, TSL_E_ARG, "%s: has elements '%s': save float64", path,
                        h->type);
    }
    if (h->axes != 2 && !(h->axes == 1 && needed == 1)) {
        return tsl_fail(e->context, TSL_E_ARG,
                        "%s: has %d ax%cs: %s%s needs rows of at least %d numbers (see tesela xc "
                        "eval --help)",
                        path, h->axes, h->axes == 1 ? 'i' : 'e', e->options->functional, spins,
                        needed);
    }
    const int most = e->options->spin ? COLUMNS : CLOSED_COLUMNS;
    if (width > most) {
        return tsl_fail(e->context, TSL_E_ARG,
                        "%s: has rows of %lld numbers: rows%s have at most %d: leave the others "
                        "out%s",
                        path, (long long)width, e->options->spin ? spins : " of a closed shell",
                        most, e->options->spin ? "" : ", or give --spin for points of two spins");
    }
    if (missing[0] != '\0') {
        return tsl_fail(e->context, TSL_E_ARG,
                        "%s: has rows of %lld number%s, without %s: %s%s needs rows of at least %d "
                        "numbers (see tesela xc eval --help)",
                        path, (long long)width, width == 1 ? "" : "s", missing,
                        e->options->functional, spins, needed);
    }
    if (h->count == 0) {
        return tsl_fail(e->context, TSL_E_ARG, "%s: has no points", path);
    }
    return TSL_OK;
}

/* Read the file's numbers. */
static tsl_status read_file(void **data, tsl_npy *h, const evaluation *e)
{
    tsl_input *input = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_input_open(&input, e->context, e->options->input));
    TSL_TRY(tsl_npy_open(h, input));
    TSL_TRY(check_header(e, h));
    TSL_TRY(tsl_npy_load(data, input, h));
done:
    tsl_input_close(input);
    return status;
}

/* May a column's numbers be negative? Those of sigma_ab and lapl. */
static bool is_signed(int column, bool spin)
{
    return spin ? column == 3 || column == 5 || column == 6 : column == 2;
}

/* Make inputs, each component's points together, of the file's rows. */
static tsl_status load(evaluation *e, double **in)
{
    tsl_npy h;
    void *data = NULL;
    tsl_status status = read_file(&data, &h, e);
    if (status != TSL_OK) {
        return status;
    }
    const int width = tsl_xc_inputs(e->about.family, e->options->spin);
    const int64_t row = h.axes == 2 ? h.shape[1] : 1;
    int columns[COLUMNS];
    char missing[40];
    list_columns(columns, missing, e, row);
    e->points = h.shape[0];
    *in = tsl_allocate(sizeof **in * (size_t)(e->points * width));
    if (*in == NULL) {
        status = tsl_fail_memory(e->context, 8 * e->points * width, "the points");
    }
    for (int64_t i = 0; i < e->points && status == TSL_OK; i++) {
        bool odd = false;
        for (int k = 0; k < width; k++) {
            double imaginary;
            const int64_t place =
                h.fortran_order ? columns[k] * e->points + i : i * row + columns[k];
            const double value = tsl_npy_number(&h, data, place, &imaginary);
            odd = odd || !(value >= (is_signed(columns[k], e->options->spin) ? -INFINITY : 0));
            (*in)[k * e->points + i] = value;
        }
        e->raised += odd;
    }
    tsl_release(data);
    return status;
}

/* Write the values to the file, a row for each point, and count points with values that are not
 * finite. */
static tsl_status store(evaluation *e, const double *values, int outputs)
{
    double *rows = tsl_allocate(sizeof *rows * (size_t)(e->points * outputs));
    if (rows == NULL) {
        return tsl_fail_memory(e->context, 8 * e->points * outputs, "the values");
    }
    for (int64_t i = 0; i < e->points; i++) {
        bool finite = true;
        for (int k = 0; k < outputs; k++) {
            rows[i * outputs + k] = values[k * e->points + i];
            finite = finite && isfinite(rows[i * outputs + k]);
        }
        e->infinite += !finite;
    }
    tsl_npy header = {.type = "<f8", .item = 8, .axes = 2, .shape = {e->points, outputs}};
    header.count = e->points * outputs;
    const tsl_status status = tsl_npy_write(e->context, e->options->output, &header, rows);
    tsl_release(rows);
    return status;
}

/* Evaluate the terms that are here on the context's device. */
static tsl_status evaluate_here(double *values, evaluation *e, const double *in)
{
    xc_memory memory = {.points = 0};
    double begun;
    tsl_status status = TSL_OK;
    TSL_TRY(xc_memory_create(&memory, e->context, e->points, e->about.family, e->options->spin,
                             e->options->order));
    TSL_TRY(e->context->ops->upload(e->context, memory.data, in, 8 * e->points * memory.inputs));
    TSL_TRY(tsl_context_synchronize(e->context));
    begun = tsl_seconds();
    TSL_TRY(tsl_xc_evaluate(e->plan, e->points, &memory.arrays));
    TSL_TRY(tsl_context_synchronize(e->context));
    e->compute = tsl_seconds() - begun;
    TSL_TRY(e->context->ops->download(e->context, values, memory.data + e->points * memory.inputs,
                                      8 * e->points * memory.outputs));
done:
    xc_memory_destroy(&memory);
    return status;
}

static tsl_status evaluate(evaluation *e, const double *in)
{
    const int outputs =
        tsl_xc_outputs(tsl_xc_inputs(e->about.family, e->options->spin), e->options->order);
    tsl_status status = TSL_OK;
    double *values = tsl_allocate_zeroed((size_t)(e->points * outputs), sizeof *values);
    if (values == NULL) {
        return tsl_fail_memory(e->context, 8 * e->points * outputs, "the values");
    }
    e->setup = tsl_seconds() - e->begun;
    if (e->plan != NULL) {
        TSL_TRY(evaluate_here(values, e, in));
    }
    if (e->libxc != NULL) {
        const double begun = tsl_seconds();
        tsl_libxc_add(values, e->libxc, in, e->points, e->about.family);
        tsl_profile_add(
            e->context, "functional by Libxc", begun,
            8 * e->points * (tsl_xc_inputs(e->about.family, e->options->spin) + outputs), 0);
        e->compute += tsl_seconds() - begun;
    }
    TSL_TRY(store(e, values, outputs));
done:
    tsl_release(values);
    return status;
}

/* ---- what is told --------------------------------------------------------------------------- */

static void write_columns(tsl_json *json, const evaluation *e)
{
    tsl_json_open_array(json, "columns");
    for (int i = 0; i < TSL_XC_ROWS; i++) {
        const tsl_xc_row *row = &tsl_xc_rows[i];
        const bool is_there = row->order >= 0 && row->order <= e->options->order &&
                              tsl_xc_depends(e->about.family, row);
        for (int k = 0; k < row->components[e->options->spin] && is_there; k++) {
            char name[40];
            xc_component_name(name, sizeof name, row, e->options->spin, k);
            tsl_json_string(json, NULL, name);
        }
    }
    tsl_json_close_array(json);
}

static void write_body(tsl_json *json, const void *work)
{
    const evaluation *e = work;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "functional", e->options->functional);
    tsl_json_string(json, "input", e->options->input);
    tsl_json_string(json, "output", e->options->output);
    tsl_json_bool(json, "spin", e->options->spin);
    tsl_json_integer(json, "order", e->options->order);
    tsl_json_bool(json, "allow_libxc", e->options->allow_libxc);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "points", e->points);
    tsl_json_integer(json, "raised", e->raised);
    tsl_json_integer(json, "kernels", e->about.kernels);
    tsl_json_integer(json, "libxc_parts", e->sum.foreigns);
    tsl_json_string(json, "libxc_version", e->libxc != NULL ? tsl_libxc_version(e->libxc) : NULL);
    tsl_json_number(json, "exact_exchange", e->about.exact_exchange);
    tsl_json_number(json, "cam_alpha", e->about.cam_alpha);
    tsl_json_number(json, "cam_beta", e->about.cam_beta);
    tsl_json_number(json, "cam_omega", e->about.cam_omega);
    write_columns(json, e);
    tsl_json_close_object(json);
}

static tsl_status tell(const evaluation *e)
{
    if (e->raised > 0) {
        cli_warning(
            "%s: %lld of %lld points have a NaN, or a negative density, gradient or kinetic "
            "energy: raised to the thresholds or clipped",
            e->options->input, (long long)e->raised, (long long)e->points);
    }
    if (e->infinite > 0) {
        cli_warning("%s: %lld of %lld points have values that are no finite numbers: inputs from 0 "
                    "to 1e5 have finite ones",
                    e->options->output, (long long)e->infinite, (long long)e->points);
    }
    if (e->about.cam_alpha != 0 || e->about.cam_beta != 0) {
        cli_note("%s takes exact exchange too, which is not in these values: %g of 1/r, %g of "
                 "erf(%g r)/r",
                 e->options->functional, e->about.cam_alpha, e->about.cam_beta, e->about.cam_omega);
    }
    if (!cli_is_quiet()) {
        fprintf(cli_summary_stream(&e->options->common), "%s: %lld points in %.3f ms\n",
                e->options->output, (long long)e->points, 1e3 * e->compute);
    }
    const cli_report report = {.command = "xc eval",
                               .device = tsl_context_device(e->context),
                               .verified = -1,
                               .total = tsl_seconds() - e->begun,
                               .setup = e->setup,
                               .compute = e->compute};
    return e->options->common.json == NULL
               ? TSL_OK
               : cli_report_write(e->context, e->options->common.json, &report, write_body, e);
}

/* Make the plan of the terms that are here, and Libxc's functionals for the others. */
static tsl_status choose(evaluation *e)
{
    const xc_options *o = e->options;
    const tsl_xc_sum *sum = &e->sum;
    tsl_status status = TSL_OK;
    TSL_TRY(
        (o->allow_libxc ? tsl_xc_parse_foreign : tsl_xc_parse)(&e->sum, e->context, o->functional));
    if (sum->count > 0) {
        TSL_TRY(tsl_xc_plan_create_sum(&e->plan, e->context, sum, &o->plan));
        TSL_TRY(tsl_xc_plan_describe(e->plan, &e->about));
    }
    e->about.exact_exchange = sum->exact_exchange;
    e->about.cam_alpha = sum->alpha;
    e->about.cam_beta = sum->beta;
    e->about.cam_omega = sum->omega;
    for (int i = 0; i < sum->foreigns; i++) {
        if (sum->foreign[i].family > e->about.family) {
            e->about.family = sum->foreign[i].family;
        }
    }
    if (sum->foreigns > 0) {
        TSL_TRY(tsl_libxc_create(&e->libxc, e->context, sum, o->spin, o->order));
        cli_note("%s: %d of %d parts by Libxc %s, on the CPU", o->functional, sum->foreigns,
                 sum->foreigns + sum->count, tsl_libxc_version(e->libxc));
    }
done:
    return status;
}

int xc_eval(const xc_options *options, tsl_context *context)
{
    evaluation e = {.options = options, .context = context, .begun = tsl_seconds()};
    double *in = NULL;
    e.about.size = sizeof e.about;
    tsl_status status = TSL_OK;
    TSL_TRY(choose(&e));
    TSL_TRY(load(&e, &in));
    TSL_TRY(evaluate(&e, in));
    TSL_TRY(tell(&e));
done:
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(context));
    }
    tsl_release(in);
    tsl_libxc_destroy(e.libxc);
    tsl_xc_plan_destroy(e.plan);
    return cli_exit_status(context, status, false);
}
