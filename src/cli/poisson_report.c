/* What `tesela poisson` prints and reports. */
#include <math.h>
#include <stdio.h>

#include "cli/poisson_command.h"

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

/* In the customary count: two complex transforms of all cells. */
static double flops_of(const poisson_work *work)
{
    const double cells = cells_of(work);
    return 2 * 5 * cells * log2(cells);
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
        fprintf(stream, "solve       %.4f ms (fastest %.4f ms), %.1f GFLOP/s\n", 1e3 * work->median,
                1e3 * work->fastest, 1e-9 * flops_of(work) / work->median);
        fprintf(stream, "plan        %.3f s\n", work->setup);
        fprintf(stream, "transforms  %lld x %lld x %lld\n", (long long)s->transform[0],
                (long long)s->transform[1], (long long)s->transform[2]);
        fprintf(stream, "memory      %s beside source and potential, %.2f fields\n",
                tsl_format_bytes(held, s->bytes),
                (double)s->bytes / (cells_of(work) * work->poisson.precision));
        break;
    case POISSON_FILE:
        fprintf(stream, "source      %s\n",
                work->electrons ? "electrons: minus the numbers read" : "as read");
        fprintf(stream, "energy      %.15g\n", work->energy);
        fprintf(stream, "plan        %.3f s, solve %.3f s\n", work->setup, work->compute);
        fprintf(stream, "written     %s\n", work->options->output);
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

static void write_parameters(tsl_json *json, const poisson_work *work)
{
    const tsl_poisson_options *o = &work->poisson;
    tsl_json_open_object(json, "parameters");
    tsl_json_integer(json, "threads", tsl_context_threads(work->context));
    if (work->options->task != POISSON_VERIFY) {
        tsl_json_string(json, "input",
                        work->options->task == POISSON_FILE ? work->options->input : NULL);
        tsl_json_string(json, "output", work->options->output);
        write_triple(json, "n", o->n);
        tsl_json_open_array(json, "lengths");
        for (int i = 0; i < 3; i++) {
            tsl_json_number(json, NULL, o->lengths[i]);
        }
        tsl_json_close_array(json);
        tsl_json_open_array(json, "boundary");
        for (int i = 0; i < 3; i++) {
            tsl_json_string(json, NULL, o->boundary[i] == TSL_BOUNDARY_FREE ? "free" : "periodic");
        }
        tsl_json_close_array(json);
        tsl_json_string(json, "equation", poisson_equation_names[o->equation]);
        tsl_json_string(json, "sign", work->electrons ? "electrons" : "charge");
        tsl_json_string(json, "symbol", poisson_symbol_names[o->symbol]);
        tsl_json_string(json, "kernel", poisson_kernel_names[o->kernel]);
        tsl_json_number(json, "screening", o->screening);
        tsl_json_bool(json, "background", o->background != 0);
        tsl_json_string(json, "precision", o->precision == 4 ? "single" : "double");
    }
    tsl_json_close_object(json);
}

static void write_results(tsl_json *json, const poisson_work *work)
{
    const tsl_poisson_summary *s = &work->summary;
    tsl_json_open_object(json, "results");
    if (work->options->task == POISSON_VERIFY) {
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
    }
    if (work->options->task == POISSON_FILE) {
        tsl_json_number(json, "energy", work->energy);
    }
    if (work->options->task == POISSON_BENCH) {
        tsl_json_number(json, "seconds_median", work->median);
        tsl_json_number(json, "seconds_fastest", work->fastest);
        tsl_json_number(json, "gflops", 1e-9 * flops_of(work) / work->median);
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
    };
    const cli_report report = {.command = names[work->options->task],
                               .device = tsl_context_device(work->context),
                               .verified = poisson_verified(work),
                               .total = tsl_seconds() - work->begun,
                               .setup = work->setup,
                               .compute = work->compute};
    return cli_report_write(work->context, path, &report, write_body, work);
}
