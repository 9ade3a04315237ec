/* What `tesela npb ep` prints. */
#include <stdio.h>

#include "cli/npb/command.h"

static tsl_status run(npb_result *result, npb_outcome *outcome, tsl_context *context,
                      char size_class)
{
    tsl_npb_ep *ep = &result->ep;
    const tsl_status status = tsl_npb_ep_run(ep, context, size_class);
    if (status == TSL_OK) {
        *outcome = (npb_outcome){.size = (double)(INT64_C(1) << (ep->log2_pairs + 1)),
                                 .seconds = ep->seconds,
                                 .mops = ep->mops,
                                 .operation = "Random numbers generated",
                                 .verified = ep->verified != 0};
    }
    return status;
}

static void print(FILE *stream, const npb_result *result)
{
    const tsl_npb_ep *ep = &result->ep;
    fprintf(stream, "\n N = 2^%d\n No. Gaussian pairs = %lld\n", ep->log2_pairs,
            (long long)ep->gaussians);
    fprintf(stream, " Sums          = %24.16e %24.16e\n", ep->sx, ep->sy);
    fprintf(stream, " Absolute sums = %24.16e %24.16e\n Counts:\n", ep->sx_abs, ep->sy_abs);
    for (int l = 0; l < TSL_NPB_EP_ANNULI; l++) {
        fprintf(stream, " %3d %16lld\n", l, (long long)ep->counts[l]);
    }
    if (ep->error_signed >= 0) {
        fprintf(stream, " Largest error against NPB 3.3 (sums)                  %.1e\n",
                ep->error_signed);
    }
    fprintf(stream, " Largest error against NPB 3.4 (absolute sums, pairs)  %.1e\n",
            ep->error_absolute);
}

static void write_case(tsl_json *json, const char *name, double error)
{
    cli_report_case(json, name, error, 1e-8, error <= 1e-8);
}

static void write_results(tsl_json *json, const npb_result *result)
{
    const tsl_npb_ep *ep = &result->ep;
    tsl_json_number(json, "sx", ep->sx);
    tsl_json_number(json, "sy", ep->sy);
    tsl_json_number(json, "sx_abs", ep->sx_abs);
    tsl_json_number(json, "sy_abs", ep->sy_abs);
    tsl_json_integer(json, "gaussians", ep->gaussians);
    tsl_json_open_array(json, "counts");
    for (int l = 0; l < TSL_NPB_EP_ANNULI; l++) {
        tsl_json_integer(json, NULL, ep->counts[l]);
    }
    tsl_json_close_array(json);
    tsl_json_open_array(json, "cases");
    if (ep->error_signed >= 0) {
        write_case(json, "npb_3.3", ep->error_signed);
    }
    write_case(json, "npb_3.4", ep->error_absolute);
    tsl_json_close_array(json);
}

const char npb_ep_doc[] =
    "The NAS Parallel Benchmark EP: pairs of Gaussian deviates from a linear congruential "
    "generator, summed and counted. Sums and counts are the same bits on every device; they "
    "are verified against NPB 3.3's signed sums and NPB 3.4's absolute sums and pairs."
    "\v"
    "Examples:\n"
    "  tesela npb ep --class A\n"
    "  tesela npb ep --class D --device cuda:0 --json ep.json";

const npb_benchmark npb_ep = {.name = "EP",
                              .command = "npb ep",
                              .classes = "SWABCDEF",
                              .run = run,
                              .print = print,
                              .write = write_results};
