/* Summary and report of `tesela poisson`. */
#include <math.h>
#include <stdio.h>

#include "cli/poisson/command.h"
#include "comm/comm.h"
#include "core/context.h"

int poisson_verified(const poisson_work *work)
{
    int verified = work->cases > 0 ? 1 : -1;
    for (int i = 0; i < work->cases; i++) {
        if (!(work->of_case[i].value <= work->of_case[i].bound)) {
            verified = 0;
        }
    }
    return verified;
}

static double cells_of(const poisson_work *work)
{
    const int64_t *n = work->poisson.n;
    return (double)n[0] * (double)n[1] * (double)n[2];
}

/* Print "1 O of charge 6, 2 H of charge 1": each kind in the order of its first atom. */
static void print_nuclei(FILE *stream, const poisson_work *work)
{
    const tsl_cube_atom *atom = work->field.cube.atom;
    const tsl_point_charge *charge = work->points.charge;
    fprintf(stream, "nuclei      ");
    for (int64_t i = 0, kinds = 0; i < work->points.count; i++) {
        int64_t before = 0, count = 0;
        for (int64_t j = 0; j < work->points.count; j++) {
            const bool alike =
                atom[j].number == atom[i].number && charge[j].charge == charge[i].charge;
            before += alike && j < i;
            count += alike;
        }
        if (before == 0) {
            fprintf(stream, "%s%lld %s of charge %.6g", kinds++ > 0 ? ", " : "", (long long)count,
                    tsl_element_symbol(atom[i].number), charge[i].charge);
        }
    }
    fprintf(stream, "\n");
}

static void print_ranks(FILE *stream, const tsl_poisson_summary *s, int size)
{
    if (size == 1) {
        return;
    }
    const int used = s->ranks[0] * s->ranks[1];
    fprintf(stream, "ranks       %d x %d", s->ranks[0], s->ranks[1]);
    if (used < size) {
        fprintf(stream, " of %d, without the others", size);
    }
    if (used > 1) {
        fprintf(stream, ", exchanges in %d segment%s%s%s", s->segments, s->segments == 1 ? "" : "s",
                s->overlap ? ", overlapped" : "",
                s->path == TSL_POISSON_STAGED      ? ", by way of the host"
                : s->path == TSL_POISSON_DATATYPES ? ", by derived datatypes"
                                                   : "");
    }
    fprintf(stream, "\n");
}

/* Write " -0.123 hartree"; nothing where the energy is beyond any double. */
static const char *energy_text(char text[48], double energy, const char *unit)
{
    snprintf(text, 48, isfinite(energy) ? "%.15g%s" : "beyond any number", energy, unit);
    return text;
}

static void print_file(FILE *stream, const poisson_work *work)
{
    char energy[48];
    const char *unit = work->field.format == POISSON_CUBE ? " hartree" : "";
    const double nuclei = poisson_nuclei_charge(work);
    fprintf(stream, "source      %s",
            work->electrons ? "electrons: minus the numbers read" : "as read");
    if (work->scale != 1) {
        fprintf(stream, ", times %.8g", work->scale);
    }
    fprintf(stream, "\n");
    if (work->poisson.equation == TSL_POISSON_PLAIN) {
        fprintf(stream, "integral    %.10g\n", work->charge);
        fprintf(stream, "energy      %s\n", energy_text(energy, work->energy, ""));
    } else {
        if (work->points.count > 0) {
            print_nuclei(stream, work);
            fprintf(stream, "charge      %.10g, nuclei %.10g: %.6g\n", work->charge, nuclei,
                    work->charge + nuclei);
            fprintf(stream, "energy      source %.12g, with nuclei %.12g, nuclei %.12g\n",
                    work->energy, work->energy_mixed, work->energy_nuclei);
        } else {
            fprintf(stream, "charge      %.10g\n", work->charge);
        }
        fprintf(stream, "%s %s\n", work->points.count > 0 ? "  in all   " : "energy     ",
                energy_text(energy, work->energy + work->energy_mixed + work->energy_nuclei, unit));
    }
    print_ranks(stream, &work->summary, work->context->comm->size);
    fprintf(stream, "plan        %.3f s, solve %.3f s\n", work->setup, work->compute);
    if (work->options->figure != NULL) {
        fprintf(stream, "figure      %s\n", work->options->figure);
    }
    if (work->options->output != NULL) {
        fprintf(stream, "written     %s: %s\n", work->options->output,
                poisson_quantity_names[work->options->quantity]);
    }
}

void poisson_print(FILE *stream, const poisson_work *work)
{
    char held[16];
    const tsl_poisson_summary *s = &work->summary;
    switch (work->options->task) {
    case POISSON_VERIFY:
        fprintf(stream, "%-44s %10s %8s\n", "case", "value", "bound");
        for (int i = 0; i < work->cases; i++) {
            const poisson_case *c = &work->of_case[i];
            fprintf(stream, "%-44s %10.2e %8.0e  %s\n", c->name, c->value, c->bound,
                    c->value <= c->bound ? "ok" : "FAILED");
        }
        break;
    case POISSON_BENCH:
        fprintf(stream,
                "solve       %.4f ms (fastest %.4f ms), %.1f GFLOP/s, %.1f GB/s of source and "
                "potential\n",
                1e3 * work->timing.median, 1e3 * work->timing.fastest,
                1e-9 * poisson_flops(work->poisson.n) / work->timing.median,
                1e-9 * poisson_traffic(work->poisson.n, work->poisson.precision) /
                    work->timing.median);
        fprintf(stream, "plan        %.3f s\n", work->setup);
        fprintf(stream, "transforms  %lld x %lld x %lld\n", (long long)s->transform[0],
                (long long)s->transform[1], (long long)s->transform[2]);
        print_ranks(stream, s, work->context->comm->size);
        fprintf(stream, "memory      %s beside source and potential, %.2f fields\n",
                tsl_format_bytes(held, s->bytes),
                (double)s->bytes / (cells_of(work) * work->poisson.precision));
        poisson_stages_print(stream, work);
        break;
    case POISSON_STUDY:
        poisson_study_print(stream, work);
        break;
    case POISSON_FILE:
        print_file(stream, work);
        break;
    }
}

static void write_triple(tsl_json *json, const char *name, const int64_t values[3])
{
    tsl_json_open_array(json, name);
    for (int i = 0; i < 3; i++) {
        tsl_json_integer(json, NULL, values[i]);
    }
    tsl_json_close_array(json);
}

static void write_numbers(tsl_json *json, const char *name, const double values[3])
{
    tsl_json_open_array(json, name);
    for (int i = 0; i < 3; i++) {
        tsl_json_number(json, NULL, values[i]);
    }
    tsl_json_close_array(json);
}

/* Write "H=1,O=6", as --valence has it; null without that option. */
static void write_valence(tsl_json *json, const poisson_options *options)
{
    char text[TSL_ELEMENTS * 32] = "";
    int used = 0;
    for (int32_t element = 1; element <= TSL_ELEMENTS; element++) {
        if (options->valence[element] > 0) {
            used +=
                snprintf(text + used, sizeof text - (size_t)used, "%s%s=%.17g", used > 0 ? "," : "",
                         tsl_element_symbol(element), options->valence[element]);
        }
    }
    tsl_json_string(json, "valence", used > 0 ? text : NULL);
}

/* Write the parameters of a file, which a benchmark has not. */
static void write_file_parameters(tsl_json *json, const poisson_work *work)
{
    const poisson_options *options = work->options;
    tsl_json_string(json, "input", options->input);
    tsl_json_string(json, "dataset", work->field.has_datasets ? work->field.dataset : NULL);
    tsl_json_string(json, "output", options->output);
    tsl_json_string(json, "quantity", poisson_quantity_names[options->quantity]);
    tsl_json_string(json, "sign", work->electrons ? "electrons" : "charge");
    write_valence(json, options);
}

static void write_parameters(tsl_json *json, const poisson_work *work)
{
    const tsl_poisson_options *o = &work->poisson;
    tsl_json_open_object(json, "parameters");
    char plan[POISSON_PLAN_TEXT];
    const tsl_poisson_options *asked = &work->options->poisson;
    poisson_options settled = *work->options;
    settled.poisson = *o;
    settled.poisson.memory = asked->memory;
    tsl_json_integer(json, "threads", tsl_context_threads(work->context));
    cli_echo_options(json, &cli_poisson, &settled);
    tsl_json_string(json, "plan", poisson_plan_text(plan, asked));
    if (work->options->task == POISSON_FILE) {
        write_file_parameters(json, work);
    }
    if (work->options->task == POISSON_VERIFY && o->n[0] == 0) {
        tsl_json_string(json, "n", NULL);
    } else {
        write_triple(json, "n", o->n);
    }
    if (work->options->task != POISSON_VERIFY) {
        write_numbers(json, "lengths", o->lengths);
        tsl_json_open_array(json, "boundary");
        for (int i = 0; i < 3; i++) {
            tsl_json_string(json, NULL, poisson_boundary_names[o->boundary[i]]);
        }
        tsl_json_close_array(json);
        tsl_json_bool(json, "background", asked->background != 0);
    }
    if (work->options->task == POISSON_STUDY) {
        tsl_json_string(json, "study", work->options->study);
    }
    tsl_json_close_object(json);
}

static void write_file_results(tsl_json *json, const poisson_work *work)
{
    tsl_json_number(json, "scale", work->scale);
    tsl_json_open_object(json, "charge");
    tsl_json_number(json, "source", work->charge);
    tsl_json_number(json, "nuclei", poisson_nuclei_charge(work));
    tsl_json_close_object(json);
    tsl_json_number(json, "energy", work->energy + work->energy_mixed + work->energy_nuclei);
    tsl_json_open_object(json, "energies");
    tsl_json_number(json, "source", work->energy);
    tsl_json_number(json, "source_nuclei", work->energy_mixed);
    tsl_json_number(json, "nuclei", work->energy_nuclei);
    tsl_json_close_object(json);
    tsl_json_open_array(json, "nuclei");
    for (int64_t i = 0; i < work->points.count; i++) {
        const tsl_cube_atom *atom = &work->field.cube.atom[i];
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "element", tsl_element_symbol(atom->number));
        tsl_json_number(json, "charge", work->points.charge[i].charge);
        write_numbers(json, "at", atom->at);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_results(tsl_json *json, const poisson_work *work)
{
    const tsl_poisson_summary *s = &work->summary;
    tsl_json_open_object(json, "results");
    if (work->options->task == POISSON_STUDY) {
        poisson_study_write_runs(json, work);
    } else if (work->options->task == POISSON_VERIFY) {
        tsl_json_open_array(json, "cases");
        for (int i = 0; i < work->cases; i++) {
            const poisson_case *c = &work->of_case[i];
            cli_report_case(json, c->name, c->value, c->bound, c->value <= c->bound);
        }
        tsl_json_close_array(json);
    } else {
        write_triple(json, "transform", s->transform);
        write_triple(json, "padded", s->padded);
        tsl_json_number(json, "radius", s->radius);
        tsl_json_integer(json, "bytes", s->bytes);
        tsl_json_integer(json, "planning_bytes", s->planning_bytes);
        tsl_json_open_array(json, "ranks");
        tsl_json_integer(json, NULL, s->ranks[0]);
        tsl_json_integer(json, NULL, s->ranks[1]);
        tsl_json_close_array(json);
        tsl_json_integer(json, "segments", s->segments);
        tsl_json_bool(json, "overlap", s->overlap != 0);
        tsl_json_bool(json, "lines", s->lines != 0);
        tsl_json_bool(json, "strided", s->strided != 0);
        tsl_json_string(json, "exchange", poisson_path_names[s->path]);
    }
    if (work->options->task == POISSON_FILE) {
        write_file_results(json, work);
    }
    if (work->options->task == POISSON_BENCH) {
        const double seconds = work->timing.median;
        tsl_json_number(json, "seconds_median", seconds);
        tsl_json_number(json, "seconds_fastest", work->timing.fastest);
        tsl_json_number(json, "seconds_mean", work->timing.mean);
        tsl_json_number(json, "seconds_deviation", work->timing.deviation);
        tsl_json_number(json, "gflops", 1e-9 * poisson_flops(work->poisson.n) / seconds);
        tsl_json_number(json, "gb_per_second",
                        1e-9 * poisson_traffic(work->poisson.n, work->poisson.precision) / seconds);
        poisson_stages_write(json, work);
    }
    tsl_json_close_object(json);
}

static void write_body(tsl_json *json, const void *work)
{
    write_parameters(json, work);
    write_results(json, work);
}

tsl_status poisson_write_report(const poisson_work *work, const char *path)
{
    static const char *const names[] = {
        [POISSON_FILE] = "poisson",
        [POISSON_VERIFY] = "poisson verify",
        [POISSON_BENCH] = "poisson bench",
        [POISSON_STUDY] = "poisson study",
    };
    const cli_report report = {.command = names[work->options->task],
                               .device = work->devices,
                               .ranks = work->context->comm->size,
                               .verified = poisson_verified(work),
                               .total = tsl_seconds() - work->begun,
                               .setup = work->setup,
                               .compute = work->compute};
    return cli_report_write(work->context, path, &report, write_body, work);
}
