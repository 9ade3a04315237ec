/* `tesela contacts`: the contacts of two molecules. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/shared/cli.h"
#include "solvers/contacts/contacts.h"
#include "tesela/contacts.h"

typedef struct contacts_options {
    cli_common common;
    const char *path[2];
    double cutoff;
} contacts_options;

typedef struct contacts_work {
    const contacts_options *options;
    int64_t pairs;
} contacts_work;

static const cli_option rows[] = {
    {"cutoff", .value = "ANGSTROM", .kind = CLI_REAL, CLI_FIELD(contacts_options, cutoff),
     .range = {0, TSL_CONTACTS_LONGEST, .above = true}, .echo = CLI_TOLD,
     .help = "atoms nearer than this touch"},
    {0},
};

static error_t set_argument(void *parsed, const char *text)
{
    contacts_options *options = parsed;
    if (options->path[1] != NULL) {
        cli_error("'%s' is one argument too many: give two molecules", text);
        return EINVAL;
    }
    options->path[options->path[0] != NULL] = text;
    return 0;
}

static bool check(void *parsed)
{
    const contacts_options *options = parsed;
    if (options->path[1] == NULL) {
        cli_error("give two molecules (see tesela contacts --help)");
    }
    return options->path[1] != NULL;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(contacts_options *)options = (contacts_options){.cutoff = 8};
}

static void write_body(tsl_json *json, const void *data)
{
    const contacts_work *work = data;
    tsl_json_open_object(json, "parameters");
    cli_echo_options(json, &cli_contacts, work->options);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "pairs", work->pairs);
    tsl_json_close_object(json);
}

static tsl_status run(tsl_context *context, contacts_work *work)
{
    const contacts_options *options = work->options;
    const tsl_molecule_options reading = TSL_MOLECULE_OPTIONS_INIT;
    const double begun = tsl_seconds();
    tsl_molecule *a = NULL;
    tsl_molecule *b = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_molecule_read(&a, context, options->path[0], &reading));
    TSL_TRY(tsl_molecule_read(&b, context, options->path[1], &reading));
    TSL_TRY(tsl_contacts_count(&work->pairs, context, a, b, options->cutoff));
    printf("%" PRId64 "\n", work->pairs);
    if (options->common.json != NULL) {
        const cli_report report = {.command = "contacts",
                                   .device = tsl_context_device(context),
                                   .verified = -1,
                                   .total = tsl_seconds() - begun};
        TSL_TRY(cli_report_write(context, options->common.json, &report, write_body, work));
    }
done:
    tsl_molecule_destroy(b);
    tsl_molecule_destroy(a);
    return status;
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    contacts_options options;
    contacts_work work = {.options = &options};
    int exit_status = CLI_USAGE;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    tsl_context *context = NULL;
    tsl_status status = cli_open_context(&context, &options.common);
    if (status != TSL_OK) {
        return cli_exit_status(NULL, status, false);
    }
    status = run(context, &work);
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(context));
    }
    exit_status = cli_exit_status(context, status, false);
    tsl_context_destroy(context);
    return exit_status;
}

const cli_command cli_contacts = {.run = run_command,
                                  .doc = "Count the contacts of two molecules.",
                                  .arguments = "MOLECULE MOLECULE",
                                  .rows = rows,
                                  .size = sizeof(contacts_options),
                                  .init = init,
                                  .check = check,
                                  .argument = set_argument,
                                  .places = CLI_ONE_DEVICE};
