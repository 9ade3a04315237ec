/* The same file on a card. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "io/file/output.h"
#include "io/file/text.h"
#include "lab/card.h"
#include "lab/process.h"

enum { NVCC_SECONDS = 300, PROBE_SECONDS = 60 };

const char *const tsl_lab_card_names[TSL_LAB_CARD_COUNTERS] = {
    "global_read_sectors", "global_write_sectors", "shared_wavefronts", "bank_conflicts"};

/* What Nsight Compute calls them; two of one counter are added. */
static const struct {
    int counter;
    const char *metric;
} metrics[] = {{0, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
               {1, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
               {2, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
               {2, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
               {3, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
               {3, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"}};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* ---- programs ------------------------------------------------------------------------------- */

/* nvcc and ncu: in PATH, where CUDA_HOME says, or in the toolkit's usual folder. */
static bool find_tool(char path[PATH_MAX], const char *name)
{
    char elsewhere[PATH_MAX];
    const char *home = getenv("CUDA_HOME");
    snprintf(elsewhere, sizeof elsewhere, "%s/bin/%s", home != NULL ? home : "/usr/local/cuda",
             name);
    return tsl_lab_find_program(path, name) || tsl_lab_find_program(path, elsewhere);
}

/* How a program ended. */
typedef struct outcome {
    int status;       /* its exit status, 128 + signal if one ended it */
    bool late;        /* ended for its time was over */
    bool long_output; /* ended for it printed more than TSL_LAB_CARD_OUTPUT bytes */
} outcome;

/* The setting that leaves a program the card `number` of those that this process may use. */
static void choose_card(char *setting, size_t bytes, int number)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (visible == NULL) {
        snprintf(setting, bytes, "CUDA_VISIBLE_DEVICES=%d", number);
        return;
    }
    for (; number > 0; number--) {
        visible += strcspn(visible, ",");
        visible += *visible == ',';
    }
    snprintf(setting, bytes, "CUDA_VISIBLE_DEVICES=%.*s", (int)strcspn(visible, ","), visible);
}

static bool is_long(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_size > TSL_LAB_CARD_OUTPUT;
}

/* Run a command that sees only this card, for at most `seconds`. `errors`: a file, or NULL. */
static tsl_status run_command(outcome *out, tsl_context *context, const tsl_lab_card *card,
                              const tsl_lab_command *c, const char *output, const char *errors,
                              double seconds)
{
    char visible[160];
    const char *const settings[] = {visible, NULL};
    const struct timespec little = {0, 5000000};
    const double begun = tsl_seconds();
    pid_t pid;
    int waited = 0;
    bool stopped = false;
    choose_card(visible, sizeof visible, card->number);
    const tsl_lab_process process = {.arguments = c->arguments,
                                     .settings = settings,
                                     .output = output,
                                     .errors = errors,
                                     .keep = -1,
                                     .own_group = true};
    *out = (outcome){.status = 0};
    const tsl_status started = tsl_lab_start_process(&pid, context, &process);
    if (started != TSL_OK) {
        return started;
    }
    while (waitpid(pid, &waited, WNOHANG) != pid) {
        stopped = stopped || (card->stop != NULL && card->stop());
        out->late = out->late || tsl_seconds() - begun > seconds;
        out->long_output = out->long_output || is_long(output);
        if (stopped || out->late || out->long_output) {
            kill(-pid, SIGKILL);
        }
        nanosleep(&little, NULL);
    }
    kill(-pid, SIGKILL); /* whatever it has left running */
    out->status = tsl_lab_exit_status(waited);
    return stopped ? tsl_fail(context, TSL_E_CANCELLED, "stopped") : TSL_OK;
}

/* ---- the card ------------------------------------------------------------------------------- */

static const char probe[] = "#include <cstdio>\n"
                            "int main()\n"
                            "{\n"
                            "    cudaDeviceProp p;\n"
                            "    const cudaError_t error = cudaGetDeviceProperties(&p, 0);\n"
                            "    if (error != cudaSuccess) {\n"
                            "        printf(\"%s\\n\", cudaGetErrorString(error));\n"
                            "        return 1;\n"
                            "    }\n"
                            "    printf(\"%d.%d %s\\n\", p.major, p.minor, p.name);\n"
                            "}\n";

static tsl_status write_probe(tsl_context *context, const char *path)
{
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status == TSL_OK) {
        fputs(probe, tsl_output_stream(output));
        return tsl_output_commit(output);
    }
    return status;
}

/* The first line of a file, without its end; empty if there is none. */
static void first_line(char *line, size_t bytes, tsl_context *context, const char *path)
{
    tsl_text text = {.data = NULL};
    const char *begin;
    size_t length;
    line[0] = '\0';
    if (tsl_text_read(&text, context, path, TSL_TEXT_LIMIT) == TSL_OK) {
        tsl_lines lines = tsl_lines_of(text.data, text.size);
        if (tsl_lines_next(&lines, &begin, &length)) {
            snprintf(line, bytes, "%.*s", (int)length, begin);
        }
    }
    tsl_text_release(&text);
}

tsl_status tsl_lab_card_find(tsl_lab_card *out, tsl_context *context, const tsl_lab_build *build,
                             int number, bool (*stop)(void), const char *remedy)
{
    char source[PATH_MAX];
    char program[PATH_MAX];
    char said[PATH_MAX];
    char line[192];
    const char *failure = "nvcc cannot build a program";
    outcome end;
    tsl_status status = TSL_OK;
    *out = (tsl_lab_card){.number = number, .stop = stop};
    if (!find_tool(out->nvcc, "nvcc")) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "--device cuda:%d: nvcc is not found: install CUDA's toolkit, or %s",
                        number, remedy);
    }
    snprintf(source, sizeof source, "%s/probe.cu", build->folder);
    snprintf(program, sizeof program, "%s/probe", build->folder);
    snprintf(said, sizeof said, "%s/probe.txt", build->folder);
    const tsl_lab_command compiler = {.arguments = {out->nvcc, "-w", "-o", program, source},
                                      .count = 5};
    const tsl_lab_command run = {.arguments = {program}, .count = 1};
    TSL_TRY(write_probe(context, source));
    TSL_TRY(run_command(&end, context, out, &compiler, said, said, NVCC_SECONDS));
    if (end.status == 0) {
        failure = "a program there does not tell the card's name";
        TSL_TRY(run_command(&end, context, out, &run, said, said, PROBE_SECONDS));
    }
    first_line(line, sizeof line, context, said);
    if (end.status != 0 || sscanf(line, "%15s %127[^\n]", out->capability, out->name) != 2) {
        status = tsl_fail(context, TSL_E_UNSUPPORTED, "--device cuda:%d: %s: %s", number,
                          line[0] != '\0' && !end.late ? line : failure, remedy);
    }
done:
    return status;
}

/* ---- output --------------------------------------------------------------------------------- */

/* The beginning of a line to be shown. */
static void show(char *out, size_t bytes, bool there, const char *line, size_t length)
{
    snprintf(out, bytes, "%.*s", there ? (int)length : 9, there ? line : "(no line)");
}

/* Find the first line in which two outputs differ. */
static void compare(tsl_lab_card *card, const tsl_text *simulated, const tsl_text *real)
{
    tsl_lines left = tsl_lines_of(simulated->data, simulated->size);
    tsl_lines right = tsl_lines_of(real->data, real->size);
    const char *a, *b;
    size_t length_a, length_b;
    bool in_left, in_right, same;
    int64_t number = 0;
    do {
        in_left = tsl_lines_next(&left, &a, &length_a);
        in_right = tsl_lines_next(&right, &b, &length_b);
        same = in_left == in_right &&
               (!in_left || (length_a == length_b && memcmp(a, b, length_a) == 0));
        number++;
    } while (same && in_left);
    if (!same) {
        card->different_line = number;
        show(card->simulated, sizeof card->simulated, in_left, a, length_a);
        show(card->real, sizeof card->real, in_right, b, length_b);
    }
}

static tsl_status compare_files(tsl_lab_card *card, tsl_context *context, const char *simulated,
                                const char *real)
{
    tsl_text a = {.data = NULL};
    tsl_text b = {.data = NULL};
    tsl_status status;
    TSL_TRY(tsl_text_read(&a, context, simulated, TSL_TEXT_LIMIT));
    TSL_TRY(tsl_text_read(&b, context, real, TSL_TEXT_LIMIT));
    compare(card, &a, &b);
done:
    tsl_text_release(&a);
    tsl_text_release(&b);
    return status;
}

/* ---- counters ------------------------------------------------------------------------------- */

/* Part of a line. */
typedef struct span {
    const char *text;
    size_t length;
} span;

/* The next of a line's comma-separated values, which are what is left of `rest`; false when there
 * is none. A value in quotes may have commas, and quotes that are doubled; it comes without the
 * quotes around it. */
static bool next_value(span *rest, span *value)
{
    const char *at = rest->text;
    const char *const end = at != NULL ? at + rest->length : NULL;
    bool quoted = false;
    if (at == NULL) {
        return false;
    }
    while (at < end && (quoted || *at != ',')) {
        quoted = quoted != (*at == '"');
        at++;
    }
    *value = (span){rest->text, (size_t)(at - rest->text)};
    if (value->length > 1 && value->text[0] == '"' && at[-1] == '"') {
        *value = (span){value->text + 1, value->length - 2};
    }
    *rest = at < end ? (span){at + 1, (size_t)(end - at) - 1} : (span){NULL, 0};
    return true;
}

static bool is_value(span value, const char *text)
{
    return value.length == strlen(text) && memcmp(value.text, text, value.length) == 0;
}

/* "1,015,808" as a number; -1 if it is none. */
static int64_t number_of(span value)
{
    char digits[64];
    char *end;
    size_t n = 0;
    for (size_t i = 0; i < value.length && n + 1 < sizeof digits; i++) {
        if (value.text[i] != ',') {
            digits[n++] = value.text[i];
        }
    }
    digits[n] = '\0';
    const double number = strtod(digits, &end);
    return n > 0 && *end == '\0' && number >= 0 ? (int64_t)(number + 0.5) : -1;
}

/* Columns of the header: where a metric stands, and the kernel's name; -1: nowhere. */
typedef struct columns {
    int kernel;
    int metric[METRICS];
} columns;

static columns read_header(span line)
{
    columns c = {.kernel = -1};
    span value;
    for (int m = 0; m < METRICS; m++) {
        c.metric[m] = -1;
    }
    for (int i = 0; next_value(&line, &value); i++) {
        c.kernel = is_value(value, "Kernel Name") ? i : c.kernel;
        for (int m = 0; m < METRICS; m++) {
            c.metric[m] = is_value(value, metrics[m].metric) ? i : c.metric[m];
        }
    }
    return c;
}

/* Room for one more launch, which begins with nothing counted; NULL without memory. */
static tsl_lab_card_launch *add_launch(tsl_lab_card *card)
{
    if (card->launch_count == card->launch_room) {
        const int64_t room = 2 * card->launch_room + 16;
        tsl_lab_card_launch *more = tsl_reallocate(
            card->launches, (size_t)card->launch_room * sizeof *more, (size_t)room * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        card->launches = more;
        card->launch_room = room;
    }
    card->launches[card->launch_count] = (tsl_lab_card_launch){.kernel = ""};
    return &card->launches[card->launch_count++];
}

static tsl_status read_launch(tsl_lab_card *card, tsl_context *context, const columns *c, span line)
{
    int64_t number[METRICS];
    span value;
    tsl_lab_card_launch *const l = add_launch(card);
    if (l == NULL) {
        return tsl_fail_memory(context, card->launch_count * (int64_t)sizeof *l, "launches");
    }
    for (int m = 0; m < METRICS; m++) {
        number[m] = -1;
    }
    for (int i = 0; next_value(&line, &value); i++) {
        if (i == c->kernel) {
            snprintf(l->kernel, sizeof l->kernel, "%.*s", (int)value.length, value.text);
        }
        for (int m = 0; m < METRICS; m++) {
            number[m] = i == c->metric[m] ? number_of(value) : number[m];
        }
    }
    for (int m = 0; m < METRICS; m++) {
        if (number[m] < 0 && card->why[0] == '\0') {
            snprintf(card->why, sizeof card->why, "Nsight Compute has no number of %s for %s",
                     metrics[m].metric, l->kernel);
        }
        l->counter[metrics[m].counter] += number[m] > 0 ? number[m] : 0;
    }
    return TSL_OK;
}

/* A table of Nsight Compute, among lines that begin with "==": names of hundreds of columns, their
 * units, then a row a launch. */
static tsl_status read_counters(tsl_lab_card *card, tsl_context *context, const char *path)
{
    static const char failure[] = "==ERROR== ";
    tsl_text text = {.data = NULL};
    columns c = {.kernel = -1};
    tsl_lines lines;
    span line;
    int rows = 0;
    tsl_status status;
    TSL_TRY(tsl_text_read(&text, context, path, TSL_TEXT_LIMIT));
    lines = tsl_lines_of(text.data, text.size);
    while (tsl_lines_next(&lines, &line.text, &line.length)) {
        const bool failed = line.length >= sizeof failure - 1 &&
                            memcmp(line.text, failure, sizeof failure - 1) == 0;
        if (failed && card->why[0] == '\0') {
            snprintf(card->why, sizeof card->why, "%.*s", (int)(line.length - sizeof failure + 1),
                     line.text + sizeof failure - 1);
        }
        if (line.length == 0 || line.text[0] != '"') {
            continue; /* what the tool says of itself */
        }
        if (c.kernel < 0) {
            c = read_header(line);
        } else if (rows++ > 0) { /* the first row has units */
            TSL_TRY(read_launch(card, context, &c, line));
        }
    }
done:
    tsl_text_release(&text);
    card->counted = card->launch_count > 0 && card->why[0] == '\0';
    return status;
}

static tsl_status count(tsl_lab_card *card, tsl_context *context, const tsl_lab_build *build,
                        const char *program, const tsl_lab_session_options *options)
{
    char ncu[PATH_MAX];
    char log[PATH_MAX];
    char names[METRICS * 72] = "";
    outcome end;
    tsl_lab_command c = {.count = 0};
    if (!options->counts || card->late || card->long_output) {
        snprintf(card->why, sizeof card->why, "%s",
                 options->counts ? "the program did not end by itself"
                                 : "--checks leaves them out");
        return TSL_OK;
    }
    if (!find_tool(ncu, "ncu")) {
        snprintf(card->why, sizeof card->why, "Nsight Compute (ncu) is not found");
        return TSL_OK;
    }
    snprintf(log, sizeof log, "%s/ncu.csv", build->folder);
    for (int m = 0; m < METRICS; m++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", m > 0 ? "," : "",
                 metrics[m].metric);
    }
    const char *const fixed[] = {ncu,          "--csv",     "--page",
                                 "raw",        "--metrics", names,
                                 "--log-file", log,         "--target-processes",
                                 "all",        program,     NULL};
    tsl_lab_command_add_all(&c, fixed);
    tsl_lab_command_add_all(&c, options->arguments);
    /* each launch is done several times over under the tool */
    const tsl_status ran =
        run_command(&end, context, card, &c, "/dev/null", "/dev/null", 20 * options->seconds);
    if (ran == TSL_OK && end.late) {
        snprintf(card->why, sizeof card->why, "Nsight Compute took too long");
        return TSL_OK;
    }
    const tsl_status read = ran == TSL_OK ? read_counters(card, context, log) : ran;
    if (!card->counted && card->why[0] == '\0') {
        snprintf(card->why, sizeof card->why, "Nsight Compute told of no launch");
    }
    return read == TSL_E_IO ? TSL_OK : read; /* it wrote no file: said above */
}

/* ---- all of it ------------------------------------------------------------------------------ */

static tsl_status build_for_card(const tsl_lab_card *card, tsl_context *context,
                                 const tsl_lab_build *build, const char *program)
{
    char messages[PATH_MAX];
    char architecture[32];
    outcome end;
    tsl_lab_command c = {.count = 0};
    const size_t major = strcspn(card->capability, ".");
    snprintf(messages, sizeof messages, "%s/messages.txt", build->folder);
    snprintf(architecture, sizeof architecture, "-arch=sm_%.*s%s", (int)major, card->capability,
             card->capability + major + (card->capability[major] == '.'));
    const char *const fixed[] = {card->nvcc,   "-w", "-std=c++17", "-lineinfo",
                                 architecture, "-o", program,      NULL};
    tsl_lab_command_add_all(&c, fixed);
    tsl_lab_command_add_all(&c, build->options);
    tsl_lab_command_add(&c, build->file);
    const tsl_status ran = run_command(&end, context, card, &c, messages, messages, NVCC_SECONDS);
    if (ran == TSL_OK && end.late) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: nvcc was ended: it may take %d seconds",
                        build->file, NVCC_SECONDS);
    }
    return ran == TSL_OK && end.status != 0
               ? tsl_fail(context, TSL_E_FORMAT, "%s: nvcc refuses it: see its lines above",
                          build->file)
               : ran;
}

tsl_status tsl_lab_card_run(tsl_lab_card *card, tsl_context *context, const tsl_lab_build *build,
                            const tsl_lab_session_options *options, const char *simulated)
{
    char program[PATH_MAX];
    char output[PATH_MAX];
    tsl_lab_command c = {.count = 0};
    snprintf(program, sizeof program, "%s/card", build->folder);
    snprintf(output, sizeof output, "%s/card.txt", build->folder);
    outcome end;
    double begun;
    tsl_status status;
    TSL_TRY(build_for_card(card, context, build, program));
    tsl_lab_command_add(&c, program);
    tsl_lab_command_add_all(&c, options->arguments);
    begun = tsl_seconds();
    TSL_TRY(run_command(&end, context, card, &c, output, NULL, options->seconds));
    card->seconds = tsl_seconds() - begun;
    card->exit_status = end.status;
    card->late = end.late;
    card->long_output = end.long_output;
    TSL_TRY(compare_files(card, context, simulated, output));
    TSL_TRY(count(card, context, build, program, options));
done:
    return status;
}

void tsl_lab_card_release(tsl_lab_card *card)
{
    tsl_release(card->launches);
    *card = (tsl_lab_card){.number = 0};
}
