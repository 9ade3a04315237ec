/* `tesela poisson study`: solves over ranks while one thing is varied, the segments of an exchange
 * or the number of ranks. */
#include <string.h>

#include "cli/poisson/command.h"
#include "comm/comm.h"
#include "core/context.h"

enum {
    MOST_RUNS = 64,
    MOST_SEGMENTS = 64,
    OFF = -1, /* of tsl_poisson_options' overlap */
    ON = 1
};

/* Add a row that is to be measured. */
static void add_run(poisson_work *work, const char *name, const tsl_poisson_options *options)
{
    work->runs[work->run_count++] = (poisson_run){.name = name, .options = *options};
}

/* Set the ranks of a row as they are chosen by default: whole planes where the second axis is
 * periodic, else columns before padding. */
static void set_ranks(tsl_poisson_options *options, int ranks)
{
    const bool planes = options->boundary[1] == TSL_BOUNDARY_PERIODIC;
    options->ranks[0] = planes ? ranks : 1;
    options->ranks[1] = planes ? 1 : ranks;
}

/* ---- segments ----------------------------------------------------------------------------- */

/* Add numbers of segments, each twice the one before, as long as there are pieces for them. */
static tsl_status study_segments(poisson_work *work)
{
    tsl_poisson_options options = work->poisson;
    tsl_status status = TSL_OK;
    int before = 0;
    if (options.ranks[0] == 0) {
        set_ranks(&options, work->context->comm->size); /* with fewer there might be no exchange */
    }
    for (int asked = 1; asked <= MOST_SEGMENTS && status == TSL_OK; asked *= 2) {
        tsl_poisson_summary plan;
        options.segments = asked;
        options.overlap = OFF;
        status = tsl_poisson_predict(&plan, work->context, &options);
        if (status != TSL_OK || plan.segments == before) {
            break;
        }
        before = plan.segments;
        add_run(work, "segments", &options);
        options.overlap = ON;
        if (before > 1) {
            add_run(work, "segments", &options);
        }
    }
    if (status == TSL_OK && work->run_count == 1) {
        cli_note(
            "study segments: a box of %lld x %lld x %lld has pieces for one segment only: take "
            "more cells",
            (long long)options.n[0], (long long)options.n[1], (long long)options.n[2]);
    }
    return status;
}

/* ---- scaling ------------------------------------------------------------------------------ */

/* Multiply the cells of a grid by `ranks`, at the same spacing: each prime factor of `ranks`, the
 * largest first, goes to the axis that is shortest. */
static void grow(tsl_poisson_options *options, int ranks)
{
    for (int factor = ranks; factor > 1; factor--) {
        bool prime = true;
        for (int i = 2; i * i <= factor; i++) {
            prime = prime && factor % i != 0;
        }
        for (; prime && ranks % factor == 0; ranks /= factor) {
            int axis = 0;
            for (int i = 1; i < 3; i++) {
                axis = options->n[i] < options->n[axis] ? i : axis;
            }
            options->n[axis] *= factor;
            options->lengths[axis] *= factor;
        }
    }
}

static void study_ranks(poisson_work *work, const char *name, bool weak)
{
    const int size = work->context->comm->size;
    for (int ranks = 1; ranks <= size;) {
        tsl_poisson_options options = work->poisson;
        set_ranks(&options, ranks);
        if (weak) {
            grow(&options, ranks);
        }
        add_run(work, name, &options);
        ranks = ranks < size && 2 * ranks > size ? size : 2 * ranks;
    }
}

/* ---- both --------------------------------------------------------------------------------- */

/* Measure all rows. That all of them fit is checked first: a refusal later would lose the
 * measurements. */
static tsl_status measure(poisson_work *work)
{
    tsl_status status = TSL_OK;
    for (int i = 0; i < work->run_count && status == TSL_OK; i++) {
        status = poisson_arrays_foresee(work->context, &work->runs[i].options, true, NULL);
    }
    for (int i = 0; i < work->run_count && status == TSL_OK; i++) {
        poisson_run *run = &work->runs[i];
        status = poisson_time_plan(&run->timing, &run->plan, work, &run->options);
    }
    return status;
}

/* Compare each row with the first row of its name. */
static void compare(poisson_work *work, bool strong_by_ranks)
{
    const poisson_run *first = work->runs;
    for (int i = 0; i < work->run_count; i++) {
        poisson_run *run = &work->runs[i];
        first = run->name == first->name ? first : run;
        const int ranks = run->plan.ranks[0] * run->plan.ranks[1];
        const bool same_grid =
            memcmp(run->options.n, first->options.n, sizeof first->options.n) == 0;
        run->relative =
            first->timing.median / run->timing.median / (strong_by_ranks && same_grid ? ranks : 1);
    }
}

tsl_status poisson_study(poisson_work *work)
{
    const bool scaling = work->options->varied == POISSON_SCALING;
    if (work->context->comm->size == 1) {
        return tsl_fail(work->context, TSL_E_ARG,
                        "study %s: one rank exchanges nothing: give several devices, e.g. --device "
                        "cpu,cpu, or start it with mpirun",
                        work->options->study);
    }
    poisson_bench_settle(work);
    work->runs = tsl_allocate(MOST_RUNS * sizeof *work->runs);
    if (work->runs == NULL) {
        return tsl_fail_memory(work->context, MOST_RUNS * (int64_t)sizeof *work->runs, "a study");
    }
    tsl_status status = TSL_OK;
    if (scaling) {
        study_ranks(work, "strong", false);
        study_ranks(work, "weak", true);
    } else {
        status = study_segments(work);
    }
    work->setup = tsl_seconds() - work->begun;
    if (status == TSL_OK) {
        status = measure(work);
    }
    if (status == TSL_OK) {
        compare(work, scaling);
    }
    return status;
}
