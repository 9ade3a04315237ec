/* What `tesela npb cg` prints. */
#include <stdio.h>

#include "cli/npb/command.h"

static tsl_status run(npb_result *result, npb_outcome *outcome, tsl_context *context,
                      char size_class)
{
    tsl_npb_cg *cg = &result->cg;
    const tsl_status status = tsl_npb_cg_run(cg, context, size_class);
    if (status == TSL_OK) {
        *outcome = (npb_outcome){.size = (double)cg->rows,
                                 .iterations = cg->iterations,
                                 .seconds = cg->seconds,
                                 .mops = cg->mops,
                                 .operation = "floating point",
                                 .verified = cg->verified != 0};
    }
    return status;
}

static void print(FILE *stream, const npb_result *result)
{
    const tsl_npb_cg *cg = &result->cg;
    fprintf(stream, "\n Rows      = %24lld\n Nonzeros  = %24lld\n", (long long)cg->rows,
            (long long)cg->nonzeros);
    fprintf(stream, " ||r||     = %24.16e\n", cg->rnorm);
    fprintf(stream, " Zeta      = %24.16e\n Its error = %24.1e\n", cg->zeta, cg->error);
    fprintf(stream, " Setup     = %22.3f s\n", cg->setup);
}

static void write_results(tsl_json *json, const npb_result *result)
{
    const tsl_npb_cg *cg = &result->cg;
    tsl_json_integer(json, "rows", cg->rows);
    tsl_json_integer(json, "nonzeros", cg->nonzeros);
    tsl_json_integer(json, "iterations", cg->iterations);
    tsl_json_number(json, "zeta", cg->zeta);
    tsl_json_number(json, "rnorm", cg->rnorm);
    tsl_json_number(json, "setup", cg->setup);
    tsl_json_number(json, "bring", cg->bring);
    tsl_json_open_array(json, "cases");
    cli_report_case(json, "zeta", cg->error, 1e-10, cg->error <= 1e-10);
    cli_report_case(json, "nonzeros", (double)cg->nonzeros, (double)cg->nonzeros_expected,
                    cg->nonzeros == cg->nonzeros_expected);
    tsl_json_close_array(json);
}

const char npb_cg_doc[] =
    "The NAS Parallel Benchmark CG: the smallest eigenvalue of a sparse matrix with random "
    "pattern, by the inverse power method with conjugate gradients. Zeta and the number of "
    "nonzeros are verified."
    "\v"
    "Examples:\n"
    "  tesela npb cg --class A\n"
    "  tesela npb cg --class C --device cuda:0 --profile";

const npb_benchmark npb_cg = {.name = "CG",
                              .command = "npb cg",
                              .classes = "SWABCDE",
                              .run = run,
                              .print = print,
                              .write = write_results};
