/* `tesela xc list`. */
#include <stdio.h>

#include "cli/xc/command.h"
#include "core/context.h"
#include "solvers/xc/xc.h"

static const char *const families[] = {"LDA", "GGA", "meta-GGA"};

/* A functional's description, without a device. */
typedef struct entry {
    const char *name;
    int number, parts;
    tsl_xc_family family;
    double exact, beta, omega;
} entry;

static entry entry_of(int index)
{
    entry out = {0};
    tsl_xc_sum sum;
    tsl_context none = {0};
    out.name = tsl_xc_name(index, &out.number);
    if (out.name != NULL && tsl_xc_parse(&sum, &none, out.name) == TSL_OK) {
        out.parts = sum.count;
        out.exact = sum.alpha;
        out.beta = sum.beta;
        out.omega = sum.omega;
        for (int t = 0; t < sum.count; t++) {
            const tsl_xc_family f = tsl_xc_units[sum.term[t].set->unit]->family;
            out.family = f > out.family ? f : out.family;
        }
    }
    return out;
}

static void print_table(FILE *stream)
{
    fprintf(stream, "%-24s %6s  %-8s %5s  %s\n", "functional", "number", "family", "parts",
            "exact exchange");
    entry e;
    for (int i = 0; (e = entry_of(i)).name != NULL; i++) {
        char number[16] = "-";
        if (e.number > 0) {
            snprintf(number, sizeof number, "%d", e.number);
        }
        fprintf(stream, "%-24s %6s  %-8s %5d", e.name, number, families[e.family], e.parts);
        if (e.omega != 0) {
            fprintf(stream, "  %g, and %g of erf(%g r)/r", e.exact, e.beta, e.omega);
        } else if (e.exact != 0) {
            fprintf(stream, "  %g", e.exact);
        }
        fputc('\n', stream);
    }
}

static void write_body(tsl_json *json, const void *work)
{
    (void)work;
    tsl_json_open_object(json, "parameters");
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_open_array(json, "functionals");
    entry e;
    for (int i = 0; (e = entry_of(i)).name != NULL; i++) {
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "name", e.name);
        tsl_json_known_integer(json, "number", e.number, e.number > 0);
        tsl_json_string(json, "family", families[e.family]);
        tsl_json_integer(json, "parts", e.parts);
        tsl_json_number(json, "exact_exchange", e.exact);
        tsl_json_number(json, "cam_beta", e.beta);
        tsl_json_number(json, "cam_omega", e.omega);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

int xc_list(const xc_options *options)
{
    if (!cli_is_quiet()) {
        print_table(cli_summary_stream(&options->common));
    }
    if (options->common.json == NULL) {
        return CLI_DONE;
    }
    tsl_context none = {0};
    const cli_report report = {.command = "xc list", .verified = -1};
    const tsl_status status =
        cli_report_write(&none, options->common.json, &report, write_body, NULL);
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(&none));
    }
    return cli_exit_status(NULL, status, false);
}
