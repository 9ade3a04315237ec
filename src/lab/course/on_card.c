/* Grades on a card what has passed without one. */
#include <stdio.h>
#include <string.h>

#include "lab/course/grade.h"
#include "lab/course/messages.h"
#include "lab/process.h"
#include "lab/rates/rates.h"

/* Seconds of a core. A host that waits for its card is busy: what hangs there ends, too. */
enum { NVCC_SECONDS = 300, RUN_SECONDS = 120 };
/* How much the card's own rate may change while an answer is timed. */
#define STEADY 0.05

static tsl_status write_program(const tsl_lab_verdict *v, tsl_context *context,
                                const tsl_lab_exercise *e)
{
    char headers[PATH_MAX];
    char path[PATH_MAX];
    tsl_lab_buffer text = {.data = NULL};
    tsl_status status;
    TSL_TRY(tsl_lab_find_headers(headers, context));
    snprintf(path, sizeof path, "%s/card.cu", v->folder);
    tsl_lab_buffer_print(
        &text,
        "#include \"%s/lab_card.h\"\n#include \"answer.cu\"\nnamespace lab\n{\n%s\n}\n"
        "int main(int count, char **arguments)\n{\n"
        "    return lab_card::run_on_card(count, arguments, lab::act);\n}\n",
        headers, e->act);
    status = text.failed ? tsl_fail_memory(context, (int64_t)text.length, "a program")
                         : tsl_lab_write_text(context, path, text.data, text.length);
done:
    tsl_lab_buffer_release(&text);
    return status;
}

static tsl_status build(tsl_lab_verdict *v, tsl_context *context, const tsl_lab_grade_options *o,
                        const char *program, bool *built)
{
    char architecture[32];
    char source[PATH_MAX];
    char messages[PATH_MAX];
    int exit_status;
    tsl_lab_card_architecture(architecture, sizeof architecture, o->card);
    snprintf(source, sizeof source, "%s/card.cu", v->folder);
    snprintf(messages, sizeof messages, "%s/nvcc.txt", v->folder);
    const char *const arguments[] = {o->card->nvcc,
                                     "-w",
                                     "-std=c++17",
                                     "-O2",
                                     architecture,
                                     "-Xlinker",
                                     "--wrap=cudaLaunchKernel",
                                     "-Xlinker",
                                     "--wrap=__cudaLaunchKernel",
                                     "-Xlinker",
                                     "--wrap=cudaMalloc",
                                     "-Xlinker",
                                     "--wrap=cudaFree",
                                     "-Xlinker",
                                     "--wrap=cudaMemGetInfo",
                                     "-o",
                                     program,
                                     source,
                                     NULL};
    const tsl_lab_process process = {.arguments = arguments,
                                     .output = messages,
                                     .errors = messages,
                                     .keep = -1,
                                     .cpu = NVCC_SECONDS};
    const tsl_status status = tsl_lab_run_process(&exit_status, context, &process);
    *built = status == TSL_OK && exit_status == 0;
    if (status == TSL_OK && exit_status != 0) {
        snprintf(v->messages, sizeof v->messages, "%s", messages);
        tsl_lab_verdict_add(v, "compile", 0, "%s",
                            tsl_lab_message(TSL_LAB_SAY_CARD_COMPILES_NOT, o->language));
    }
    return status;
}

static tsl_status run(int *exit_status, tsl_context *context, const tsl_lab_grade_options *o,
                      const char *const *arguments, int outputs, const char *times)
{
    char settings[3][PATH_MAX + 32];
    const char *const list[] = {settings[0], settings[1], settings[2], NULL};
    snprintf(settings[0], sizeof *settings, "TESELA_LAB_CARD=%d", o->card->number);
    snprintf(settings[1], sizeof *settings, "TESELA_LAB_OUTPUTS=%d", outputs);
    snprintf(settings[2], sizeof *settings, "TESELA_LAB_SPEED=%s", times);
    const tsl_lab_process process = {.arguments = arguments,
                                     .settings = list,
                                     .output = "/dev/null", /* seen in the first simulated run */
                                     .keep = outputs,
                                     .cpu = RUN_SECONDS};
    return tsl_lab_run_process(exit_status, context, &process);
}

/* ---- speed ---------------------------------------------------------------------------------- */

static void sort(double *values, int count)
{
    for (int i = 1; i < count; i++) {
        const double value = values[i];
        int k = i;
        for (; k > 0 && values[k - 1] > value; k--) {
            values[k] = values[k - 1];
        }
        values[k] = value;
    }
}

typedef struct measured {
    double rates[2];
    double seconds[TSL_LAB_TIMED_RUNS];
    int rate_count;
    int count;
} measured;

/* "rate BYTES" before and after, and between them "time SECONDS" of each run. */
static tsl_status take_measured(void *user, tsl_context *context, int number, const char *name,
                                const char *rest)
{
    measured *m = user;
    double value;
    (void)context, (void)number;
    if (sscanf(rest, "%lf", &value) == 1) {
        if (strcmp(name, "rate") == 0 && m->rate_count < 2) {
            m->rates[m->rate_count++] = value;
        } else if (strcmp(name, "time") == 0 && m->count < TSL_LAB_TIMED_RUNS) {
            m->seconds[m->count++] = value;
        }
    }
    return TSL_OK;
}

static tsl_status read_speed(tsl_lab_speed *out, tsl_context *context, const tsl_lab_exercise *e,
                             const char *path)
{
    measured m = {.rate_count = 0};
    const double *rates = m.rates, *seconds = m.seconds;
    tsl_status status;
    TSL_TRY(tsl_lab_read_lines(context, path, take_measured, &m));
    sort(m.seconds, m.count);
    if (m.rate_count == 2 && m.count == TSL_LAB_TIMED_RUNS && rates[0] > 0 && rates[1] > 0 &&
        seconds[0] > 0) {
        long axis[3] = {1, 1, 1};
        sscanf(e->speed.size, "%ldx%ldx%ld", &axis[0], &axis[1], &axis[2]);
        const double bytes =
            (double)e->speed.bytes * (double)axis[0] * (double)axis[1] * (double)axis[2];
        const double rate = (rates[0] + rates[1]) / 2;
        *out = (tsl_lab_speed){.told = true,
                               .steady = rates[1] < (1 + STEADY) * rates[0] &&
                                         rates[0] < (1 + STEADY) * rates[1],
                               .against = e->speed.against,
                               .rate = rate,
                               .share = bytes / seconds[m.count / 2] / rate,
                               .least = bytes / seconds[m.count - 1] / rate,
                               .most = bytes / seconds[0] / rate};
    }
done:
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Arguments of the program, and sizes for the judge: those that are timed are judged like others.
 */
typedef struct cases {
    const char *arguments[TSL_LAB_MOST_SIZES + TSL_LAB_TIMED_RUNS + 6];
    const char *sizes[TSL_LAB_MOST_SIZES + TSL_LAB_TIMED_RUNS + 2];
    char seed[16];
    char against[16];
} cases;

static void list_cases(cases *c, const char *program, const tsl_lab_exercise *e, unsigned seed,
                       const char *const *sizes)
{
    int count = 0;
    int size_count = 0;
    snprintf(c->seed, sizeof c->seed, "%u", seed);
    snprintf(c->against, sizeof c->against, "+%s",
             e->speed.size != NULL ? e->speed.against : "none");
    c->arguments[count++] = program;
    c->arguments[count++] = c->seed;
    for (; sizes[size_count] != NULL; size_count++) {
        c->arguments[count++] = c->sizes[size_count] = sizes[size_count];
    }
    if (e->speed.size != NULL) {
        c->arguments[count++] = c->against;
        for (int i = 0; i < TSL_LAB_TIMED_RUNS; i++) {
            c->arguments[count++] = c->sizes[size_count++] = e->speed.size;
        }
    }
    c->arguments[count] = c->sizes[size_count] = NULL;
}

tsl_status tsl_lab_grade_on_card(tsl_lab_verdict *verdict, tsl_context *context,
                                 const tsl_lab_exercise *e, const tsl_lab_grade_options *options,
                                 const char *const *sizes)
{
    char program[PATH_MAX];
    char times[PATH_MAX];
    cases c;
    int exit_status = 0;
    bool built = false;
    tsl_lab_session session = {.runs = 1};
    tsl_status status;
    snprintf(program, sizeof program, "%s/card", verdict->folder);
    snprintf(times, sizeof times, "%s/times.txt", verdict->folder);
    list_cases(&c, program, e, options->seed, sizes);
    verdict->on_card = true;
    TSL_TRY(write_program(verdict, context, e));
    TSL_TRY(build(verdict, context, options, program, &built));
    if (!built) {
        goto done;
    }
    TSL_TRY(tsl_lab_open_outputs(&session.outputs[0], context, verdict->folder));
    TSL_TRY(run(&exit_status, context, options, c.arguments, session.outputs[0], times));
    TSL_TRY(tsl_lab_judge(verdict, context, e, options, &session, c.sizes));
    if (exit_status != 0 && verdict->finding_count == 0) {
        tsl_lab_verdict_add(verdict, "ended", 0,
                            tsl_lab_message(TSL_LAB_SAY_CARD_EXIT_STATUS, options->language),
                            exit_status);
    }
    if (e->speed.size != NULL && verdict->finding_count == 0) {
        TSL_TRY(read_speed(&verdict->speed, context, e, times));
    }
done:
    tsl_lab_session_release(&session);
    return status;
}
