/* Rates of a card: measured by a program that nvcc builds, or read from a file of an earlier
 * measurement. */
#include <stdio.h>
#include <string.h>

#include "io/file/output.h"
#include "io/file/text.h"
#include "lab/process.h"
#include "lab/rates/rates.h"

enum { NVCC_SECONDS = 300, RUN_SECONDS = 120 };

const char *const tsl_lab_rate_names[TSL_LAB_RATES] = {
    "copy",     "read",      "triad",          "single",           "double",
    "to_card",  "from_card", "to_card_pinned", "from_card_pinned", "launch",
    "resident", "start",     "latency"};

/* ---- files of rates ------------------------------------------------------------------------- */

static int find_rate(const char *name)
{
    for (int i = 0; i < TSL_LAB_RATES; i++) {
        if (strcmp(name, tsl_lab_rate_names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

tsl_status tsl_lab_read_lines(tsl_context *context, const char *path, tsl_lab_take_line *take,
                              void *user)
{
    tsl_text text = {.data = NULL};
    tsl_lines lines;
    const char *line;
    size_t length;
    tsl_status status;
    TSL_TRY(tsl_text_read(&text, context, path, 1 << 16));
    lines = tsl_lines_of(text.data, text.size);
    while (tsl_lines_next(&lines, &line, &length)) {
        char copy[192];
        char name[32] = "";
        char rest[128] = "";
        tsl_trim(&line, &length);
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        if (copy[0] != '\0' && copy[0] != '#') {
            sscanf(copy, "%31s %127[^\n]", name, rest);
            TSL_TRY(take(user, context, (int)lines.number, name, rest));
        }
    }
done:
    tsl_text_release(&text);
    return status;
}

typedef struct rates_file {
    tsl_lab_rates *rates;
    const char *path;
} rates_file;

static tsl_status take_rate(void *user, tsl_context *context, int number, const char *name,
                            const char *rest)
{
    const rates_file *file = user;
    double value;
    int end = 0;
    if (strcmp(name, "card") == 0 && rest[0] != '\0') {
        snprintf(file->rates->card, sizeof file->rates->card, "%s", rest);
        return TSL_OK;
    }
    const int at = find_rate(name);
    if (at < 0 || sscanf(rest, "%lf%n", &value, &end) < 1 || rest[end] != '\0' || !(value > 0) ||
        value > 1e30) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:%d: a line is a rate's name and a number above 0, as `copy 4.1e12`: "
                        "tesela lab bench writes such a file",
                        file->path, number);
    }
    file->rates->value[at] = value;
    return TSL_OK;
}

tsl_status tsl_lab_rates_read(tsl_lab_rates *out, tsl_context *context, const char *path)
{
    rates_file file = {.rates = out, .path = path};
    *out = (tsl_lab_rates){.card = ""};
    tsl_status status = tsl_lab_read_lines(context, path, take_rate, &file);
    for (int i = 0; i < TSL_LAB_RATES && status == TSL_OK; i++) {
        if (out->value[i] == 0) {
            status = tsl_fail(context, TSL_E_FORMAT,
                              "%s: the rate `%s` is missing: tesela lab bench -o writes all", path,
                              tsl_lab_rate_names[i]);
        }
    }
    return status;
}

tsl_status tsl_lab_rates_write(const tsl_lab_rates *rates, tsl_context *context, const char *path)
{
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    FILE *stream = tsl_output_stream(output);
    fprintf(stream,
            "# Rates of a card: bytes or operations a second; launch, start and latency in\n"
            "# seconds; resident in threads.\n"
            "# tesela lab bench --device cuda:N -o FILE\n");
    fprintf(stream, "card %s\n", rates->card);
    for (int i = 0; i < TSL_LAB_RATES; i++) {
        fprintf(stream, "%s %.4e\n", tsl_lab_rate_names[i], rates->value[i]);
    }
    return tsl_output_commit(output);
}

/* ---- the measurement ------------------------------------------------------------------------ */

void tsl_lab_card_architecture(char *out, size_t bytes, const tsl_lab_card *card)
{
    const size_t major = strcspn(card->capability, ".");
    snprintf(out, bytes, "-arch=sm_%.*s%s", (int)major, card->capability,
             card->capability + major + (card->capability[major] == '.'));
}

static tsl_status write_program(tsl_context *context, const char *path)
{
    char headers[PATH_MAX];
    tsl_output *output;
    tsl_status status;
    TSL_TRY(tsl_lab_find_headers(headers, context));
    TSL_TRY(tsl_output_open(&output, context, path));
    fprintf(tsl_output_stream(output),
            "#include \"%s/lab_rates.h\"\n"
            "int main(int count, char **arguments)\n{\n"
            "    return lab_rates::print_rates(count > 1 ? atoi(arguments[1]) : 0);\n}\n",
            headers);
    status = tsl_output_commit(output);
done:
    return status;
}

/* What a program said last, for a message. */
static void last_line(char *out, size_t bytes, tsl_context *context, const char *path)
{
    tsl_text text = {.data = NULL};
    const char *line;
    size_t length;
    snprintf(out, bytes, "it says nothing");
    if (tsl_text_read(&text, context, path, 1 << 20) == TSL_OK) {
        tsl_lines lines = tsl_lines_of(text.data, text.size);
        while (tsl_lines_next(&lines, &line, &length)) {
            snprintf(out, bytes, "%.*s", (int)length, line);
        }
    }
    tsl_text_release(&text);
}

/* Run one of the two programs, which must end with 0. */
static tsl_status run(tsl_context *context, const tsl_lab_card *card, const char *what,
                      const char *const *arguments, const char *output, int seconds)
{
    int exit_status;
    char said[256];
    const tsl_lab_process process = {
        .arguments = arguments, .output = output, .errors = output, .keep = -1, .cpu = seconds};
    const tsl_status status = tsl_lab_run_process(&exit_status, context, &process);
    if (status == TSL_OK && exit_status != 0) {
        last_line(said, sizeof said, context, output);
        return tsl_fail(context, TSL_E_UNSUPPORTED, "--device cuda:%d: %s ends with status %d: %s",
                        card->number, what, exit_status, said);
    }
    return status;
}

tsl_status tsl_lab_rates_measure(tsl_lab_rates *out, tsl_context *context, const tsl_lab_card *card,
                                 const char *folder)
{
    char source[PATH_MAX];
    char program[PATH_MAX];
    char messages[PATH_MAX];
    char rates[PATH_MAX];
    char architecture[32];
    char number[16];
    const char *const compiler[] = {card->nvcc, "-w",    "-std=c++17", "-O2", architecture,
                                    "-o",       program, source,       NULL};
    const char *const measurement[] = {program, number, NULL};
    tsl_status status;
    snprintf(source, sizeof source, "%s/rates.cu", folder);
    snprintf(program, sizeof program, "%s/rates", folder);
    snprintf(messages, sizeof messages, "%s/rates-nvcc.txt", folder);
    snprintf(rates, sizeof rates, "%s/rates.txt", folder);
    snprintf(number, sizeof number, "%d", card->number);
    tsl_lab_card_architecture(architecture, sizeof architecture, card);
    TSL_TRY(write_program(context, source));
    TSL_TRY(run(context, card, "nvcc", compiler, messages, NVCC_SECONDS));
    TSL_TRY(run(context, card, "the measurement", measurement, rates, RUN_SECONDS));
    TSL_TRY(tsl_lab_rates_read(out, context, rates));
done:
    return status;
}
