/* Text and JSON of `tesela lab occupancy`. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "cli/lab/occupancy_command.h"

bool occupancy_binds(const tsl_occupancy_result *result, int limit)
{
    return limit < TSL_OCCUPANCY_RESOURCES ? result->allowed[limit] == result->blocks
                                           : (result->refused >> limit & 1) != 0;
}

/* ---- text: the result --------------------------------------------------------------------- */

/* A count with its unit: "1 block", "6 blocks". */
static const char *counted(char text[48], int64_t count, const char *unit)
{
    snprintf(text, 48, "%" PRId64 " %s%s", count, unit, count == 1 ? "" : "s");
    return text;
}

static void print_outcome(FILE *stream, const tsl_multiprocessor *m, const tsl_occupancy_result *r)
{
    char blocks[48];
    fprintf(stream, "%s, %d of %d warps, occupancy %.1f %%\n", counted(blocks, r->blocks, "block"),
            r->warps, m->warps, 100 * r->occupancy);
}

/* Registers of a block as a launch counts them, with its warps rounded up to a multiple. */
static int64_t counted_registers(const occupancy_work *work)
{
    const int64_t given = work->result.block_registers;
    const int64_t w = work->result.block_warps;
    const int64_t unit = work->multiprocessor.launch_warps;
    return work->multiprocessor.partitions == 0 ? given
                                                : given / w * ((w + unit - 1) / unit * unit);
}

/* Print what a kernel asks for of a limit of a block or thread, and the most there is. */
static void print_refusal(FILE *stream, const occupancy_work *work, int limit)
{
    const tsl_multiprocessor *m = &work->multiprocessor;
    const tsl_occupancy_kernel *k = &work->options->use;
    const int64_t reserved =
        m->major == 1 ? 0 : m->reserved_shared; /* in addition to what is asked for */
    const struct {
        int64_t asked, most;
        const char *unit;
    } numbers[] = {
        {k->threads, m->block_threads, ""},
        {k->registers, m->thread_registers, ""},
        {counted_registers(work), m->block_registers, ""},
        {k->static_shared, m->block_shared, "bytes of "},
        {work->result.block_shared, m->block_shared_opt_in + reserved, "bytes of "},
    };
    const int i = limit - TSL_OCCUPANCY_RESOURCES;
    fprintf(stream, "Cannot be launched: %" PRId64 " %s%s; at most %" PRId64 "%s\n",
            numbers[i].asked, numbers[i].unit, tsl_occupancy_limit_name((tsl_occupancy_limit)limit),
            numbers[i].most,
            limit == TSL_LIMIT_STATIC_SHARED && m->block_shared_opt_in > m->block_shared
                ? ", more as dynamic shared memory"
                : "");
}

/* Print a row; "-" where there is no such limit. */
static void print_row(FILE *stream, const tsl_occupancy_result *r, int limit, int64_t of_block,
                      int64_t of_multiprocessor)
{
    char block[24] = "-", all[24] = "-", allowed[24] = "any";
    if (of_block >= 0) {
        snprintf(block, sizeof block, "%" PRId64, of_block);
    }
    if (of_multiprocessor > 0) {
        snprintf(all, sizeof all, "%" PRId64, of_multiprocessor);
    }
    if (r->allowed[limit] < INT_MAX) {
        snprintf(allowed, sizeof allowed, "%d", r->allowed[limit]);
    }
    fprintf(stream, "  %-22s %12s %16s %8s%s\n",
            limit == TSL_LIMIT_SHARED ? "shared memory, bytes"
                                      : tsl_occupancy_limit_name((tsl_occupancy_limit)limit),
            block, all, allowed, occupancy_binds(r, limit) ? "  binds" : "");
}

static void print_limits(FILE *stream, const occupancy_work *work)
{
    const tsl_multiprocessor *m = &work->multiprocessor;
    const tsl_occupancy_result *r = &work->result;
    fprintf(stream, "\n  %-22s %12s %16s %8s\n", "", "a block", "multiprocessor", "blocks");
    print_row(stream, r, TSL_LIMIT_WARPS, r->block_warps, m->warps);
    print_row(stream, r, TSL_LIMIT_REGISTERS, r->block_registers, m->registers);
    print_row(stream, r, TSL_LIMIT_SHARED, r->block_shared, r->shared);
    print_row(stream, r, TSL_LIMIT_BARRIERS, work->options->use.barriers, m->barriers);
    print_row(stream, r, TSL_LIMIT_BLOCKS, 1, m->blocks);
}

/* ---- text: what gains a block ------------------------------------------------------------- */

/* Print a change, such as "32 registers a thread in place of 40". Returns what links it to the
 * next. */
static const char *print_change(FILE *stream, const char *link, int64_t now, int64_t before,
                                const char *what)
{
    if (now == before) {
        return link;
    }
    fprintf(stream, "%s%" PRId64 " %s in place of %" PRId64, link, now, what, before);
    return " and ";
}

/* Print why only another number of threads would gain a block. */
static void print_obstacle(FILE *stream, const occupancy_work *work)
{
    const tsl_multiprocessor *m = &work->multiprocessor;
    const tsl_occupancy_result *r = &work->result;
    char blocks[48];
    if (occupancy_binds(r, TSL_LIMIT_BLOCK_THREADS)) {
        fprintf(stream, "blocks of %d threads are too large.\n", work->options->use.threads);
    } else if (r->allowed[TSL_LIMIT_WARPS] == r->blocks) {
        fprintf(stream, "%d warps have room for %s of %d.\n", m->warps,
                counted(blocks, r->blocks, "block"), r->block_warps);
    } else if (r->allowed[TSL_LIMIT_BLOCKS] == r->blocks) {
        fprintf(stream, "%s are all that there can be.\n", counted(blocks, r->blocks, "block"));
    } else {
        fputs("what is reserved of each block's shared memory is too much.\n", stream);
    }
}

static void print_gain(FILE *stream, const occupancy_work *work)
{
    const tsl_multiprocessor *m = &work->multiprocessor;
    const tsl_occupancy_kernel *before = &work->options->use;
    const tsl_occupancy_gain *gain = &work->gain;
    const tsl_occupancy_kernel *now = &gain->kernel;
    fputc('\n', stream);
    if (gain->found) {
        const char *link = "";
        fputs("Nearest change that gains a block: ", stream);
        link = print_change(stream, link, now->registers, before->registers, "registers a thread");
        link = print_change(stream, link, now->static_shared + now->dynamic_shared,
                            before->static_shared + before->dynamic_shared,
                            "bytes of shared memory a block");
        print_change(stream, link, now->barriers, before->barriers, "barriers a block");
        fputs(":\n  ", stream);
        print_outcome(stream, m, &gain->result);
    } else if (work->result.warps == m->warps) {
        fputs("All warps are taken: there is nothing to gain.\n", stream);
    } else {
        fputs("No fewer registers and no less memory gain a block: ", stream);
        print_obstacle(stream, work);
    }
    if (gain->found_threads) {
        fprintf(stream, "Nearest block size that gains warps: %d threads in place of %d:\n  ",
                gain->threads, before->threads);
        print_outcome(stream, m, &gain->threads_result);
    } else if (work->result.warps < m->warps) {
        fputs("No other number of threads gains warps.\n", stream);
    }
}

/* ---- text: each step ---------------------------------------------------------------------- */

static void explain_registers(FILE *stream, const occupancy_work *work)
{
    const tsl_multiprocessor *m = &work->multiprocessor;
    const tsl_occupancy_result *r = &work->result;
    const int registers = work->options->use.registers;
    if (m->partitions == 0) {
        const int w = r->block_warps + r->block_warps % m->launch_warps;
        fprintf(
            stream,
            "  registers      %d warps, counted as %d, of 32 x %d: %d in units of %d; %d / that\n",
            r->block_warps, w, registers, r->block_registers, m->register_unit, m->registers);
        return;
    }
    const int of_warp = r->block_registers / r->block_warps;
    const bool wide = registers < 64 && (m->wide_registers >> registers & 1) != 0;
    fprintf(stream, "  registers      32 x %d a warp: %d in units of %d; ", registers, of_warp,
            m->register_unit * (wide ? 2 : 1));
    if (of_warp > 0) {
        const int warps = m->registers / m->partitions / of_warp;
        fprintf(stream, "%d partitions of %d have room for %d warps each, %d in all; %d / %d\n",
                m->partitions, m->registers / m->partitions, warps, warps * m->partitions,
                warps * m->partitions, r->block_warps);
    } else {
        fputs("none are taken\n", stream);
    }
}

static void explain(FILE *stream, const occupancy_work *work)
{
    const tsl_multiprocessor *m = &work->multiprocessor;
    const tsl_occupancy_kernel *k = &work->options->use;
    const tsl_occupancy_result *r = &work->result;
    fprintf(stream, "\nStep by step, quotients rounded down:\n");
    fprintf(stream, "  warps          %d threads are %d warps; %d / %d\n", k->threads,
            r->block_warps, m->warps, r->block_warps);
    explain_registers(stream, work);
    fprintf(stream, "  shared memory  %" PRId64 " static + %" PRId64 " dynamic", k->static_shared,
            k->dynamic_shared);
    if (m->major == 1) {
        fprintf(stream, " + %" PRId64 " of arguments", k->arguments);
    }
    fprintf(stream, " + %d reserved: %" PRId64 " in units of %d; ", m->reserved_shared,
            r->block_shared, m->shared_unit);
    if (r->block_shared > 0) {
        fprintf(stream, "%" PRId64 " / %" PRId64 "\n", r->shared, r->block_shared);
    } else {
        fputs("none is taken\n", stream);
    }
    if (m->barriers > 0 && k->barriers > 0) {
        fprintf(stream, "  barriers       %d / %d\n", m->barriers, k->barriers);
    }
    fprintf(stream, "  blocks         %d at most\n", m->blocks);
    fprintf(stream, "Limits of %d.%d: %s.\n", m->major, m->minor, m->sources);
}

/* ---- text: all ---------------------------------------------------------------------------- */

static void print_all(FILE *stream, const occupancy_work *work)
{
    fprintf(stream, "%-6s %8s %8s %11s  %s\n", "cc", "blocks", "warps", "occupancy", "limit");
    for (int i = 0; i < tsl_multiprocessor_count(); i++) {
        const tsl_multiprocessor *m = tsl_multiprocessor_at(i);
        tsl_occupancy_result r;
        char name[16];
        if (tsl_occupancy(&r, m, &work->options->use) != TSL_OK) {
            continue; /* options have narrower ranges */
        }
        snprintf(name, sizeof name, "%d.%d", m->major, m->minor);
        fprintf(stream, "%-6s %8d %8d %9.1f %%  %s%s\n", name, r.blocks, r.warps, 100 * r.occupancy,
                r.blocks == 0 ? "cannot be launched: " : "", tsl_occupancy_limit_name(r.limit));
    }
}

static void print_compiled(FILE *stream, const occupancy_work *work)
{
    const tsl_ptxas_use *use = &work->compiled;
    char registers[48], bytes[48], barriers[48];
    if (work->options->kernel == NULL) {
        return;
    }
    fprintf(stream, "%s: %s a thread, %s of static shared memory, %s\n", work->options->kernel,
            counted(registers, use->registers, "register"),
            counted(bytes, use->static_shared, "byte"),
            counted(barriers, work->options->use.barriers, "barrier"));
    if (use->spilled > 0) {
        fprintf(stream, "  for want of registers a thread spills %s\n",
                counted(bytes, use->spilled, "byte"));
    }
}

void occupancy_print(FILE *stream, const occupancy_work *work)
{
    const tsl_multiprocessor *m = &work->multiprocessor;
    if (work->chosen) {
        print_compiled(stream, work);
        fprintf(stream, "Compute capability %d.%d: ", m->major, m->minor);
        print_outcome(stream, m, &work->result);
        for (int i = TSL_OCCUPANCY_RESOURCES; i < TSL_OCCUPANCY_LIMITS; i++) {
            if (occupancy_binds(&work->result, i)) {
                print_refusal(stream, work, i);
            }
        }
        if (work->result.needs_opt_in && work->result.refused == 0) {
            fprintf(
                stream,
                "Needs cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, "
                "%" PRId64 ")\n",
                work->options->use.dynamic_shared);
        }
        print_limits(stream, work);
        print_gain(stream, work);
        if (work->options->explain) {
            explain(stream, work);
        }
    }
    if (work->options->all) {
        fputs(work->chosen ? "\n" : "", stream);
        print_all(stream, work);
    }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void write_parameters(tsl_json *json, const occupancy_work *work)
{
    const occupancy_options *options = work->options;
    const tsl_occupancy_kernel *use = &options->use;
    char capability[16];
    snprintf(capability, sizeof capability, "%d.%d", work->multiprocessor.major,
             work->multiprocessor.minor);
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "capability", work->chosen ? capability : NULL);
    tsl_json_string(json, "kernel", options->kernel);
    tsl_json_integer(json, "threads", use->threads);
    tsl_json_integer(json, "registers", use->registers);
    tsl_json_integer(json, "static_shared", use->static_shared);
    tsl_json_integer(json, "dynamic_shared", use->dynamic_shared);
    tsl_json_integer(json, "arguments", use->arguments);
    tsl_json_integer(json, "barriers", use->barriers);
    tsl_json_known_integer(json, "carveout", use->carveout, use->carveout != TSL_CARVEOUT_DEFAULT);
    tsl_json_string(json, "curves", options->curves);
    tsl_json_close_object(json);
}

/* Write the members that every outcome has. */
static void write_outcome(tsl_json *json, const tsl_occupancy_result *r, bool known)
{
    tsl_json_known_integer(json, "blocks", r->blocks, known);
    tsl_json_known_integer(json, "warps", r->warps, known);
    tsl_json_known_number(json, "occupancy", r->occupancy, known);
}

static void write_limits(tsl_json *json, const tsl_occupancy_result *r, bool known)
{
    tsl_json_open_array(json, "limits");
    for (int i = 0; i < TSL_OCCUPANCY_RESOURCES && known; i++) {
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "name", tsl_occupancy_limit_name((tsl_occupancy_limit)i));
        tsl_json_known_integer(json, "blocks", r->allowed[i], r->allowed[i] < INT_MAX);
        tsl_json_bool(json, "binds", occupancy_binds(r, i));
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_open_array(json, "refused");
    for (int i = TSL_OCCUPANCY_RESOURCES; i < TSL_OCCUPANCY_LIMITS && known; i++) {
        if (occupancy_binds(r, i)) {
            tsl_json_string(json, NULL, tsl_occupancy_limit_name((tsl_occupancy_limit)i));
        }
    }
    tsl_json_close_array(json);
}

static void write_gain(tsl_json *json, const tsl_occupancy_gain *gain)
{
    if (gain->found) {
        tsl_json_open_object(json, "gain");
        tsl_json_integer(json, "registers", gain->kernel.registers);
        tsl_json_integer(json, "static_shared", gain->kernel.static_shared);
        tsl_json_integer(json, "dynamic_shared", gain->kernel.dynamic_shared);
        tsl_json_integer(json, "barriers", gain->kernel.barriers);
        write_outcome(json, &gain->result, true);
        tsl_json_close_object(json);
    } else {
        tsl_json_null(json, "gain");
    }
    if (gain->found_threads) {
        tsl_json_open_object(json, "gain_by_threads");
        tsl_json_integer(json, "threads", gain->threads);
        write_outcome(json, &gain->threads_result, true);
        tsl_json_close_object(json);
    } else {
        tsl_json_null(json, "gain_by_threads");
    }
}

static void write_all(tsl_json *json, const occupancy_work *work)
{
    tsl_json_open_array(json, "capabilities");
    for (int i = 0; i < tsl_multiprocessor_count() && work->options->all; i++) {
        const tsl_multiprocessor *m = tsl_multiprocessor_at(i);
        tsl_occupancy_result r;
        char name[16];
        if (tsl_occupancy(&r, m, &work->options->use) != TSL_OK) {
            continue; /* options have narrower ranges */
        }
        snprintf(name, sizeof name, "%d.%d", m->major, m->minor);
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "capability", name);
        write_outcome(json, &r, true);
        tsl_json_string(json, "limit", tsl_occupancy_limit_name(r.limit));
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_body(tsl_json *json, const void *what)
{
    const occupancy_work *work = what;
    const tsl_occupancy_result *r = &work->result;
    write_parameters(json, work);
    tsl_json_open_object(json, "results");
    write_outcome(json, r, work->chosen);
    tsl_json_string(json, "limit", work->chosen ? tsl_occupancy_limit_name(r->limit) : NULL);
    write_limits(json, r, work->chosen);
    tsl_json_known_integer(json, "block_registers", r->block_registers, work->chosen);
    tsl_json_known_integer(json, "block_shared", r->block_shared, work->chosen);
    tsl_json_known_integer(json, "carveout_bytes", r->shared, work->chosen);
    tsl_json_bool(json, "needs_opt_in", r->needs_opt_in != 0);
    tsl_json_integer(json, "spilled", work->compiled.spilled);
    write_gain(json, &work->gain);
    write_all(json, work);
    tsl_json_close_object(json);
}

tsl_status occupancy_write_report(const occupancy_work *work)
{
    const double total = tsl_seconds() - work->begun;
    const cli_report report = {.command = "lab occupancy",
                               .device = work->options->common.device,
                               .verified = -1,
                               .total = total,
                               .setup = total - work->compute,
                               .compute = work->compute};
    return cli_report_write(work->context, work->options->common.json, &report, write_body, work);
}
