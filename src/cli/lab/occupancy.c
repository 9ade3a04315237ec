/* `tesela lab occupancy`. */
#include <inttypes.h>
#include <string.h>

#include "cli/lab/occupancy_command.h"
#include "core/context.h"
#include "device/device.h"
#include "lab/occupancy.h"

/* ---- the limits that a card tells --------------------------------------------------------- */

/* A limit that is in the table of capabilities, and that a card tells too. */
typedef struct known_limit {
    const char *what;
    int64_t table, card;
} known_limit;

static void note_differences(const occupancy_work *work, const tsl_device_limits *card)
{
    const tsl_multiprocessor *m = &work->multiprocessor;
    const known_limit limits[] = {
        {"threads of a multiprocessor", (int64_t)m->warps * TSL_WARP, card->threads},
        {"blocks of a multiprocessor", m->blocks, card->blocks},
        {"registers of a multiprocessor", m->registers, card->registers},
        {"bytes of shared memory of a multiprocessor", m->shared, card->shared},
        {"threads of a block", m->block_threads, card->block_threads},
        {"registers of a block", m->block_registers, card->block_registers},
        {"bytes of shared memory of a block", m->block_shared, card->block_shared},
        {"reserved bytes of shared memory of a block", m->reserved_shared,
         card->block_shared_reserved}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (limits[i].table != limits[i].card) {
            cli_warning("%s: %" PRId64 " %s, where the table of %d.%d has %" PRId64
                        ": the card's is taken",
                        work->options->common.device, limits[i].card, limits[i].what, m->major,
                        m->minor, limits[i].table);
        }
    }
}

/* Take the row of the card's capability, with the card's own limits in place of the table's. */
static tsl_status take_card(occupancy_work *work)
{
    tsl_device_properties card;
    tsl_context *context = work->context;
    const tsl_status status = context->ops->properties(context->device, &card);
    if (status != TSL_OK) {
        return tsl_fail(context, status, "%s: cannot read its properties",
                        work->options->common.device);
    }
    if (card.capability[0] == 0) {
        return tsl_fail(context, TSL_E_ARG,
                        "--device %s: has no compute capability: name a card, cuda:0, or give --cc",
                        work->options->common.device);
    }
    const tsl_multiprocessor *row = tsl_multiprocessor_find(card.capability[0], card.capability[1]);
    if (row == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s: compute capability %d.%d is not in the table, which ends with %d.%d",
                        work->options->common.device, card.capability[0], card.capability[1],
                        tsl_multiprocessor_at(tsl_multiprocessor_count() - 1)->major,
                        tsl_multiprocessor_at(tsl_multiprocessor_count() - 1)->minor);
    }
    tsl_multiprocessor *m = &work->multiprocessor;
    *m = *row;
    note_differences(work, &card.limits);
    m->warps = card.limits.threads / TSL_WARP;
    m->blocks = card.limits.blocks;
    m->registers = card.limits.registers;
    m->shared = card.limits.shared;
    m->block_threads = card.limits.block_threads;
    m->block_registers = card.limits.block_registers;
    m->block_shared = card.limits.block_shared;
    m->block_shared_opt_in = card.shared;
    m->reserved_shared = (int)card.limits.block_shared_reserved;
    return TSL_OK;
}

/* ---- what the compiler tells -------------------------------------------------------------- */

static tsl_status compile(occupancy_work *work)
{
    occupancy_options *options = work->options;
    const char *colon = strchr(options->kernel, ':');
    char *file = tsl_duplicate_string(options->kernel);
    if (file == NULL) {
        return tsl_fail_memory(work->context, (int64_t)strlen(options->kernel), "a name");
    }
    file[colon - options->kernel] = '\0';
    cli_defer_signals(true); /* the compiler's file must be removed first */
    const tsl_status status = tsl_ptxas_measure(
        &work->compiled, work->context, file, colon + 1, work->multiprocessor.major,
        work->multiprocessor.minor, options->compiler_arguments);
    cli_defer_signals(false);
    cli_heed_signal();
    tsl_release(file);
    if (status == TSL_OK) {
        options->use.registers = work->compiled.registers;
        options->use.static_shared = work->compiled.static_shared;
        if (work->compiled.barriers >= 0) {
            options->use.barriers = work->compiled.barriers;
        } else {
            cli_note("%s: this compiler does not tell of barriers: 1 is taken", options->kernel);
        }
        if (work->compiled.system_shared > work->multiprocessor.reserved_shared) {
            options->use.arguments =
                work->compiled.system_shared - work->multiprocessor.reserved_shared;
        }
    }
    return status;
}

/* ---- the command -------------------------------------------------------------------------- */

/* A function that says whether an option changes anything on a multiprocessor. */
typedef int option_counts(const tsl_multiprocessor *multiprocessor,
                          const tsl_occupancy_kernel *use);

static int carveout_counts(const tsl_multiprocessor *m, const tsl_occupancy_kernel *use)
{
    return tsl_carveout_counts(m, use->carveout);
}

static int arguments_count(const tsl_multiprocessor *m, const tsl_occupancy_kernel *use)
{
    (void)use;
    return m->major == 1;
}

/* Say on which of the multiprocessors an option that was given changes nothing. */
static void note_idle(const occupancy_work *work, const char *option, option_counts *counts,
                      const char *why)
{
    const tsl_occupancy_kernel *use = &work->options->use;
    char idle[256] = "";
    size_t length = 0;
    for (int i = 0; i < tsl_multiprocessor_count(); i++) {
        const tsl_multiprocessor *m = tsl_multiprocessor_at(i);
        const bool told =
            work->options->all || (work->chosen && m->major == work->multiprocessor.major &&
                                   m->minor == work->multiprocessor.minor);
        if (told && !counts(m, use) && length < sizeof idle) {
            length += (size_t)snprintf(idle + length, sizeof idle - length, "%s%d.%d",
                                       length > 0 ? ", " : "", m->major, m->minor);
        }
    }
    if (length > 0) {
        cli_note("%s changes nothing on compute capability %s: %s", option, idle, why);
    }
}

static void note_idle_options(const occupancy_work *work)
{
    const tsl_occupancy_kernel *use = &work->options->use;
    if (use->carveout != TSL_CARVEOUT_DEFAULT) {
        note_idle(
            work, "--carveout", carveout_counts,
            "2.x and 3.x know 0, 50 and 100 alone, and of 1.x, 5.x and 6.x shared memory is a "
            "memory of its own");
    }
    if (use->arguments > 0) {
        note_idle(work, "--arguments", arguments_count,
                  "since 2.0 they are kept in constant memory");
    }
}

static tsl_status compute(occupancy_work *work)
{
    const occupancy_options *options = work->options;
    tsl_status status = TSL_OK;
    work->chosen = options->row != NULL || options->common.device != NULL;
    if (options->row != NULL) {
        work->multiprocessor = *options->row;
    } else if (options->common.device != NULL) {
        status = take_card(work);
    }
    if (status == TSL_OK && options->kernel != NULL) {
        status = compile(work);
    }
    const double begun = tsl_seconds();
    if (status == TSL_OK) {
        note_idle_options(work);
    }
    if (status == TSL_OK && work->chosen) {
        status = tsl_occupancy(&work->result, &work->multiprocessor, &options->use);
        if (status == TSL_OK) {
            status = tsl_occupancy_find_gain(&work->gain, &work->multiprocessor, &options->use);
        }
        if (status != TSL_OK) {
            tsl_fail(work->context, status, "%s", tsl_last_error(NULL));
        }
    }
    work->compute = tsl_seconds() - begun;
    return status;
}

static tsl_status tell(const occupancy_work *work)
{
    const occupancy_options *options = work->options;
    tsl_status status = TSL_OK;
    if (!cli_is_quiet()) {
        occupancy_print(cli_summary_stream(&options->common), work);
        cli_flush(stdout);
    }
    if (options->curves != NULL) {
        status = tsl_occupancy_figure(work->context, options->curves, &work->multiprocessor,
                                      &options->use);
    }
    if (status == TSL_OK && options->common.json != NULL) {
        status = occupancy_write_report(work);
    }
    return status;
}

int occupancy_command(const cli_command *self, int argc, char **argv)
{
    occupancy_options options;
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    occupancy_work work = {.options = &options, .begun = tsl_seconds()};
    const cli_common common = {.device =
                                   options.common.device != NULL ? options.common.device : "cpu"};
    tsl_status status = cli_open_context(&work.context, &common);
    if (status == TSL_OK) {
        status = compute(&work);
    }
    if (status == TSL_OK) {
        status = tell(&work);
    }
    exit_status = cli_end(work.context, status, false);
    tsl_context_destroy(work.context);
    return exit_status;
}
