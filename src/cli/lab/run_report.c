/* The tables and the JSON report of `tesela lab run`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lab/run_command.h"

static const char *const space_names[] = {"global", "shared", "constant"};

static const char *kind_name(unsigned kind)
{
    return (kind & TSL_LAB_ATOMIC) != 0 ? "atomic" : (kind & TSL_LAB_WRITE) != 0 ? "write" : "read";
}

/* The user's file as it was named; other files by the last part of their path. */
static const char *short_name(const lab_run_work *work, const char *file)
{
    char own[PATH_MAX];
    if (file == NULL) {
        return work->options->file;
    }
    if (realpath(work->options->file, own) != NULL && strcmp(own, file) == 0) {
        return work->options->file;
    }
    const char *slash = strrchr(file, '/');
    return slash != NULL ? slash + 1 : file;
}

/* ---- tables --------------------------------------------------------------------------------- */

static void print_count(FILE *stream, const tsl_lab_count *c, bool old)
{
    fprintf(stream, "  %5d  %-8s %-6s %5u %10lld %5.1f", c->line, space_names[c->space],
            kind_name(c->kind), c->size, (long long)c->requests,
            (double)c->lanes / (double)c->requests);
    if (c->space == 0) {
        fprintf(stream, " %11lld %11lld", (long long)c->sectors, (long long)c->least_sectors);
    } else {
        fprintf(stream, " %11s %11s", "", "");
    }
    if (c->space == 1) {
        fprintf(stream, " %11lld %11lld", (long long)c->wavefronts, (long long)c->conflicts);
    } else if (old) {
        fprintf(stream, " %11s %11s", "", "");
    }
    if (old && c->space == 0) {
        fprintf(stream, " %12lld %11lld", (long long)c->transactions, (long long)c->uncoalesced);
    }
    fprintf(stream, "\n");
}

static void print_launch(FILE *stream, const lab_run_work *work, int64_t index)
{
    const tsl_lab_session *s = &work->session;
    const tsl_lab_launched *l = &s->launches[index];
    const bool old = work->options->capability[0] == '1' && work->options->capability[1] == '.';
    fprintf(stream, "%s<<<(%u,%u,%u), (%u,%u,%u)", l->kernel, l->grid[0], l->grid[1], l->grid[2],
            l->block[0], l->block[1], l->block[2]);
    fprintf(stream, l->shared > 0 ? ", %lld>>>\n" : ">>>\n", (long long)l->shared);
    fprintf(stream,
            "   line  memory   access bytes   requests lanes     sectors       least  "
            "wavefronts   conflicts%s\n",
            old ? " transactions uncoalesced" : "");
    const char *file = NULL;
    for (int64_t i = 0; i < s->count_count; i++) {
        const tsl_lab_count *c = &s->counts[i];
        if (c->launch != index) {
            continue;
        }
        const char *name = short_name(work, c->file);
        if (strcmp(name, work->options->file) != 0 && (file == NULL || strcmp(file, name) != 0)) {
            fprintf(stream, "  %s:\n", name);
        }
        file = name;
        print_count(stream, c, old);
    }
}

static void print_passes(FILE *stream, const lab_run_work *work, unsigned passes)
{
    const lab_run_options *o = work->options;
    const char *link = "";
    fputs("  [", stream);
    const int counts = !o->checks_only;
    for (int i = 0; i < work->session.runs; i++) {
        if ((passes >> i & 1) != 0) {
            const bool lockstep = counts && i == 0;
            fprintf(stream, "%s%s", link,
                    lockstep ? "lockstep" : tsl_lab_order_names[o->orders[i - counts]]);
            link = ", ";
        }
    }
    fputs("]\n", stream);
}

static void print_report(FILE *stream, const lab_run_work *work, const tsl_lab_report *r)
{
    if (r->line > 0) {
        fprintf(stream, "%s:%d: ", short_name(work, r->file), r->line);
    } else {
        fprintf(stream, "%s: ", work->options->file);
    }
    fprintf(stream, "%s: %s", r->kind, r->text);
    if (r->other_line > 0) {
        fprintf(stream, " (at line %d)", r->other_line);
    }
    print_passes(stream, work, r->passes);
}

void lab_run_print(FILE *stream, const lab_run_work *work)
{
    const tsl_lab_session *s = &work->session;
    const bool counts = !work->options->checks_only;
    for (int64_t i = 0; i < s->launch_count && counts; i++) {
        if (i == LAB_RUN_MOST_SHOWN) {
            fprintf(stream, "and %lld launches more: --json has them all\n",
                    (long long)(s->launch_count - i));
            break;
        }
        print_launch(stream, work, i);
    }
    for (int64_t i = 0; i < s->report_count; i++) {
        print_report(stream, work, &s->reports[i]);
    }
    fprintf(stream, "%s: %lld launch%s, %lld report%s", work->options->file,
            (long long)s->launch_count, s->launch_count == 1 ? "" : "es",
            (long long)s->report_count, s->report_count == 1 ? "" : "s");
    if (s->check_runs > 0) {
        fprintf(stream, ", checked in %d order%s of threads", s->check_runs,
                s->check_runs == 1 ? "" : "s");
    }
    const char *slash = strrchr(work->build.compiler, '/');
    fprintf(stream, "; built by %s%s in %.1f s\n", slash != NULL ? slash + 1 : work->build.compiler,
            work->build.diagnosed ? "" : ", not diagnosed: clang is not found",
            work->build.seconds);
    if (work->options->card >= 0) {
        lab_run_card_print(stream, work);
    }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void write_parameters(tsl_json *json, const lab_run_options *o)
{
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "file", o->file);
    tsl_json_string(json, "capability", o->capability);
    tsl_json_open_array(json, "orders");
    for (int i = 0; i < o->order_count && !o->counts_only; i++) {
        tsl_json_string(json, NULL, tsl_lab_order_names[o->orders[i]]);
    }
    tsl_json_close_array(json);
    tsl_json_integer(json, "seed", o->seed);
    tsl_json_integer(json, "processes", o->common.threads);
    tsl_json_integer(json, "memory", o->memory);
    tsl_json_integer(json, "time", o->seconds);
    tsl_json_close_object(json);
}

static void write_line(tsl_json *json, const tsl_lab_count *c, bool old)
{
    const bool global = c->space == 0;
    const bool shared = c->space == 1;
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "file", c->file);
    tsl_json_integer(json, "line", c->line);
    tsl_json_string(json, "memory", space_names[c->space]);
    tsl_json_string(json, "access", kind_name(c->kind));
    tsl_json_integer(json, "bytes", c->size);
    tsl_json_integer(json, "requests", c->requests);
    tsl_json_integer(json, "lanes", c->lanes);
    tsl_json_known_integer(json, "sectors", c->sectors, global);
    tsl_json_known_integer(json, "least_sectors", c->least_sectors, global);
    tsl_json_known_integer(json, "wavefronts", c->wavefronts, shared);
    tsl_json_known_integer(json, "bank_conflicts", c->conflicts, shared);
    tsl_json_known_integer(json, "transactions", c->transactions, global && old);
    tsl_json_known_integer(json, "uncoalesced_half_warps", c->uncoalesced, global && old);
    tsl_json_close_object(json);
}

static void write_triple(tsl_json *json, const char *name, const unsigned v[3])
{
    tsl_json_open_array(json, name);
    for (int i = 0; i < 3; i++) {
        tsl_json_integer(json, NULL, v[i]);
    }
    tsl_json_close_array(json);
}

static void write_launches(tsl_json *json, const lab_run_work *work)
{
    const tsl_lab_session *s = &work->session;
    const bool old = strncmp(work->options->capability, "1.", 2) == 0;
    const bool known = !work->options->checks_only;
    int64_t at = 0;
    tsl_json_open_array(json, "launches");
    for (int64_t i = 0; i < s->launch_count; i++) {
        const tsl_lab_launched *l = &s->launches[i];
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "kernel", l->kernel);
        write_triple(json, "grid", l->grid);
        write_triple(json, "block", l->block);
        tsl_json_integer(json, "dynamic_shared", l->shared);
        tsl_json_integer(json, "accesses", l->accesses);
        tsl_json_number(json, "seconds", l->seconds);
        tsl_json_known_integer(json, "global_read_sectors", l->global_read_sectors, known);
        tsl_json_known_integer(json, "global_write_sectors", l->global_write_sectors, known);
        tsl_json_known_integer(json, "global_atomic_sectors", l->global_atomic_sectors, known);
        tsl_json_known_integer(json, "shared_wavefronts", l->shared_wavefronts, known);
        tsl_json_known_integer(json, "bank_conflicts", l->bank_conflicts, known);
        tsl_json_known_integer(json, "transactions", l->transactions, known && old);
        tsl_json_known_integer(json, "uncoalesced_half_warps", l->uncoalesced, known && old);
        tsl_json_open_array(json, "lines");
        while (at < s->count_count && s->counts[at].launch <= i) {
            write_line(json, &s->counts[at++], old);
        }
        tsl_json_close_array(json);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_report(tsl_json *json, const lab_run_work *work, const tsl_lab_report *r)
{
    const lab_run_options *o = work->options;
    const int counts = !o->checks_only;
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "kind", r->kind);
    tsl_json_string(json, "file", r->line > 0 ? r->file : NULL);
    tsl_json_known_integer(json, "line", r->line, r->line > 0);
    tsl_json_string(json, "text", r->text);
    tsl_json_known_integer(json, "other_line", r->other_line, r->other_line > 0);
    tsl_json_open_array(json, "found_in");
    for (int i = 0; i < work->session.runs; i++) {
        if ((r->passes >> i & 1) != 0) {
            tsl_json_string(json, NULL,
                            counts && i == 0 ? "lockstep"
                                             : tsl_lab_order_names[o->orders[i - counts]]);
        }
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static void write_body(tsl_json *json, const void *user)
{
    const lab_run_work *work = user;
    const tsl_lab_session *s = &work->session;
    write_parameters(json, work->options);
    tsl_json_open_object(json, "results");
    tsl_json_string(json, "compiler", work->build.compiler);
    tsl_json_bool(json, "diagnosed", work->build.diagnosed);
    tsl_json_number(json, "build_seconds", work->build.seconds);
    tsl_json_integer(json, "exit_status", s->exit_status[0]);
    write_launches(json, work);
    tsl_json_open_array(json, "reports");
    for (int64_t i = 0; i < s->report_count; i++) {
        write_report(json, work, &s->reports[i]);
    }
    tsl_json_close_array(json);
    tsl_json_open_array(json, "runs");
    for (int i = 0; i < s->runs; i++) {
        tsl_json_open_object(json, NULL);
        tsl_json_string(
            json, "order",
            i == 0 && !work->options->checks_only
                ? "lockstep"
                : tsl_lab_order_names[work->options->orders[i - !work->options->checks_only]]);
        tsl_json_integer(json, "exit_status", s->exit_status[i]);
        tsl_json_number(json, "seconds", s->seconds[i]);
        tsl_json_integer(json, "accesses", s->accesses[i]);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    if (work->options->card >= 0) {
        lab_run_card_write(json, work);
    }
    tsl_json_close_object(json);
}

tsl_status lab_run_write_report(const lab_run_work *work, const char *path)
{
    const cli_report report = {.command = "lab run",
                               .device = NULL,
                               .verified = work->options->counts_only
                                               ? -1
                                               : work->session.report_count == 0 &&
                                                     lab_run_card_agrees(work),
                               .total = tsl_seconds() - work->begun,
                               .setup = work->build.seconds,
                               .compute = tsl_seconds() - work->begun - work->build.seconds};
    return cli_report_write(work->context, path, &report, write_body, work);
}
