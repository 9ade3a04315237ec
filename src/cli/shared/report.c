/* The JSON envelope that every command writes, and the stage table. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commit.h"
#include "cli/shared/cli.h"
#include "device/device.h"
#include "io/file/output.h"

static void write_head(tsl_json *json, const tsl_context *context, const cli_report *report)
{
    tsl_device_properties device;
    const bool known =
        report->device != NULL && context->ops->properties(context->device, &device) == TSL_OK;
    tsl_json_string(json, "command", report->command);
    tsl_json_string(json, "version", tsl_version());
    tsl_json_string(json, "commit", TSL_COMMIT);
    tsl_json_string(json, "device", report->device);
    tsl_json_string(json, "model", known ? device.model : NULL);
    tsl_json_integer(json, "ranks", report->ranks > 0 ? report->ranks : 1);
    if (report->verified < 0) {
        tsl_json_null(json, "verified");
    } else {
        tsl_json_bool(json, "verified", report->verified != 0);
    }
    tsl_json_open_object(json, "seconds");
    tsl_json_number(json, "total", report->total);
    tsl_json_number(json, "setup", report->setup);
    tsl_json_number(json, "compute", report->compute);
    tsl_json_close_object(json);
}

tsl_profile cli_profile_now(const tsl_context *context)
{
    tsl_profile now = {0};
    const tsl_profile_stage *stages;
    now.count = tsl_profile_stages(context, &stages);
    for (int i = 0; i < now.count; i++) {
        now.stages[i] = stages[i];
    }
    return now;
}

static void write_stage(tsl_json *json, const tsl_profile_stage *stage)
{
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "stage", stage->stage);
    tsl_json_number(json, "seconds", stage->seconds);
    tsl_json_integer(json, "bytes", stage->bytes);
    tsl_json_integer(json, "flops", stage->flops);
    tsl_json_integer(json, "calls", stage->calls);
    tsl_json_close_object(json);
}

/* Write the stages of the context's work since `before`. */
static void write_profile(tsl_json *json, const tsl_context *context, const tsl_profile *before)
{
    const tsl_profile now = cli_profile_now(context);
    tsl_json_open_array(json, "profile");
    for (int i = 0; i < now.count; i++) {
        tsl_profile_stage stage = now.stages[i]; /* stages keep their places */
        if (before != NULL && i < before->count) {
            stage.seconds -= before->stages[i].seconds;
            stage.bytes -= before->stages[i].bytes;
            stage.flops -= before->stages[i].flops;
            stage.calls -= before->stages[i].calls;
        }
        if (stage.calls > 0) {
            write_stage(json, &stage);
        }
    }
    tsl_json_close_array(json);
}

/* Is it the name of standard output? */
static bool is_output(const char *path)
{
    return path != NULL && (strcmp(path, "-") == 0 || tsl_output_descriptor(path) == STDOUT_FILENO);
}

const char *cli_report_file(const char *path)
{
    return is_output(path) ? "/dev/stdout" : path;
}

tsl_status cli_report_write(tsl_context *context, const char *path, const cli_report *report,
                            cli_report_body *body, const void *work)
{
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, context, cli_report_file(path));
    if (status != TSL_OK) {
        return status;
    }
    tsl_json json;
    tsl_json_begin(&json, tsl_output_stream(output));
    tsl_json_open_object(&json, NULL);
    write_head(&json, context, report);
    body(&json, work);
    write_profile(&json, context, report->before);
    tsl_json_close_object(&json);
    tsl_json_end(&json);
    return tsl_output_commit(output);
}

bool cli_can_write_csv(const cli_common *common)
{
    if (is_output(common->csv) && is_output(common->json)) {
        cli_error("--csv %s and --json %s: standard output can be one of them: name a file",
                  common->csv, common->json);
        return false;
    }
    return common->csv == NULL || cli_can_write("--csv", cli_report_file(common->csv), false);
}

bool cli_can_write_report(const char *path)
{
    return path == NULL || cli_can_write("--json", cli_report_file(path), false);
}

void cli_report_case(tsl_json *json, const char *name, double value, double bound, bool ok)
{
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "name", name);
    tsl_json_number(json, "value", value);
    tsl_json_number(json, "bound", bound);
    tsl_json_bool(json, "ok", ok);
    tsl_json_close_object(json);
}

FILE *cli_summary_stream(const cli_common *common)
{
    return is_output(common->json) || is_output(common->csv) ? stderr : stdout;
}

tsl_status cli_csv_write(tsl_context *context, const char *path, cli_csv_rows *rows,
                         const void *work)
{
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, context, cli_report_file(path));
    if (status != TSL_OK) {
        return status;
    }
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    rows(tsl_output_stream(output), work);
    tsl_plain_numbers_leave(numbers);
    return tsl_output_commit(output);
}

/* Write "12.3", or "-" where nothing was counted. */
static const char *format_rate(char text[16], int64_t count, double seconds)
{
    if (count > 0 && seconds > 0) {
        snprintf(text, 16, "%.1f", 1e-9 * (double)count / seconds);
    } else {
        snprintf(text, 16, "-");
    }
    return text;
}

void cli_profile_print(const tsl_context *context)
{
    const tsl_profile now = cli_profile_now(context);
    char bytes[16];
    char flops[16];
    double total = 1e-9;
    for (int i = 0; i < now.count; i++) {
        total += now.stages[i].seconds;
    }
    fprintf(stderr, "%-24s %9s %7s %8s %8s %9s\n", "stage", "seconds", "share", "GB/s", "GFLOP/s",
            "calls");
    for (int i = 0; i < now.count; i++) {
        const tsl_profile_stage *stage = &now.stages[i];
        fprintf(stderr, "%-24s %9.3f %5.1f %% %8s %8s %9lld\n", stage->stage, stage->seconds,
                100 * stage->seconds / total, format_rate(bytes, stage->bytes, stage->seconds),
                format_rate(flops, stage->flops, stage->seconds), (long long)stage->calls);
    }
}

tsl_status cli_conclude(tsl_context *context, const cli_common *common, const cli_report *report,
                        cli_report_body *body, const void *work)
{
    if (common->profile) {
        cli_profile_print(context);
    }
    return common->json != NULL ? cli_report_write(context, common->json, report, body, work)
                                : TSL_OK;
}
