/* The begin and end of the course's commands, and what they print. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/lab/course_command.h"

const char *course_say(const course_work *work, enum tsl_lab_said what)
{
    return tsl_lab_message(what, work->language);
}

/* The language that the environment asks for. */
static int language_of_environment(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') {
            return strncmp(value, "es", 2) == 0 ? TSL_LAB_SPANISH : TSL_LAB_ENGLISH;
        }
    }
    return TSL_LAB_ENGLISH;
}

static tsl_status open_answers(course_work *work)
{
    char folder[PATH_MAX];
    const char *named = getenv("TESELA_LAB_DIR");
    const char *home = getenv("HOME");
    int made = 0;
    if (work->options.folder != NULL) {
        snprintf(folder, sizeof folder, "%s", work->options.folder);
    } else if (named != NULL && named[0] != '\0') {
        snprintf(folder, sizeof folder, "%s", named);
    } else if (home != NULL && home[0] != '\0') {
        snprintf(folder, sizeof folder, "%s/tesela-lab", home);
    } else {
        return tsl_fail(work->context, TSL_E_ARG, "HOME is not set: name a folder with --dir");
    }
    tsl_lab_state *s = &work->state;
    tsl_status status = tsl_lab_state_read(s, work->context, &work->course, folder);
    if (status != TSL_OK) {
        return status;
    }
    const bool chosen = work->options.language >= 0;
    work->language = chosen             ? work->options.language
                     : s->language >= 0 ? s->language
                                        : language_of_environment();
    const bool changed = chosen && s->language != work->options.language;
    s->language = chosen ? work->options.language : s->language;
    status = tsl_lab_set_up(&made, work->context, s, &work->course, work->language);
    if (status == TSL_OK && made > 0) {
        cli_note(course_say(work, TSL_LAB_SAY_MADE), s->folder, made);
    }
    return status == TSL_OK && (changed || made > 0) ? course_save(work) : status;
}

bool course_open(course_work *work, const cli_command *self, int argc, char **argv, bool answers,
                 int *exit_status)
{
    *work = (course_work){.context = NULL};
    if (!cli_parse_options(self, &work->options, argc, argv, exit_status)) {
        return false;
    }
    const cli_common common = {.device = "cpu", .threads = 1};
    if (cli_open_context(&work->context, &common) != TSL_OK) {
        *exit_status = CLI_DEVICE;
        return false;
    }
    work->begun = tsl_seconds();
    work->language =
        work->options.language >= 0 ? work->options.language : language_of_environment();
    tsl_status status = tsl_lab_course_read(&work->course, work->context, work->options.course);
    if (status == TSL_OK && answers) {
        status = open_answers(work);
    }
    if (status != TSL_OK) {
        *exit_status = course_close(work, status, CLI_DONE);
    }
    return status == TSL_OK;
}

int course_close(course_work *work, tsl_status status, int exit_status)
{
    if (status != TSL_OK) {
        exit_status = cli_exit_status(work->context, status, false);
        if (status != TSL_E_CANCELLED) {
            cli_error("%s", tsl_last_error(work->context));
        }
    }
    tsl_lab_course_release(&work->course);
    tsl_context_destroy(work->context);
    cli_defer_signals(false);
    cli_heed_signal();
    return exit_status;
}

tsl_status course_save(course_work *work)
{
    return tsl_lab_state_write(&work->state, work->context, &work->course);
}

int course_chosen(const course_work *work)
{
    if (work->options.name_count == 0) {
        const int next = work->state.current >= 0
                             ? work->state.current
                             : tsl_lab_state_next(&work->state, &work->course, 0);
        return next >= 0 ? next : 0;
    }
    const int at = tsl_lab_course_find(&work->course, work->options.names[0]);
    if (at < 0) {
        cli_error("%s: there is no such exercise: tesela lab list shows all",
                  work->options.names[0]);
    }
    return at;
}

static bool is_stopped(void)
{
    return cli_signal() != 0;
}

void course_grade_options(tsl_lab_grade_options *out, const course_work *work)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *out = (tsl_lab_grade_options){
        .language = work->language,
        .compiler = work->options.compiler,
        .processes = work->options.common.threads > 0 ? work->options.common.threads
                                                      : (int)(cores > 4 ? 4 : cores),
        .seed = work->options.seed > 0 ? (unsigned)work->options.seed
                                       : (unsigned)(time(NULL) ^ ((long)getpid() << 12)) % 1000000,
        .seconds = 6,
        .card = work->card.nvcc[0] != '\0' ? &work->card : NULL,
        .stop = is_stopped};
}

/* ---- printing -------------------------------------------------------------------------------- */

void course_print_text(FILE *stream, const char *text)
{
    const bool terminal = isatty(fileno(stream)) == 1;
    size_t length;
    bool code = false;
    bool bold = false;
    text += strspn(text, "\n");
    length = strlen(text);
    while (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        const bool fence = strncmp(text + i, "```", 3) == 0;
        if (fence) {
            i += strcspn(text + i, "\n");
        } else if (text[i] == '`' && terminal) {
            code = !code;
            fputs(code ? "\033[1m" : "\033[0m", stream);
        } else if (strncmp(text + i, "**", 2) == 0) {
            bold = !bold;
            fputs(terminal ? (bold ? "\033[1m" : "\033[0m") : "", stream);
            i++;
        } else {
            fputc(text[i], stream);
        }
    }
    fputc('\n', stream);
}

void course_print_list(const course_work *work)
{
    int module = -1;
    for (int i = 0; i < work->course.count; i++) {
        const tsl_lab_exercise *e = &work->course.exercises[i];
        if (e->module != module) {
            const tsl_lab_module *m = tsl_lab_course_module(&work->course, e->module);
            module = e->module;
            printf("%s%d. %s\n", i > 0 ? "\n" : "", module, m->words[work->language].title);
        }
        printf("  %s %c %-5s %s\n", work->state.passed[i] ? "✔" : "·",
               i == work->state.current ? '>' : ' ', e->id, e->words[work->language].title);
    }
    printf("\n");
    printf(course_say(work, TSL_LAB_SAY_DONE_OF),
           tsl_lab_state_passed(&work->state, &work->course, -1), work->course.count);
    printf("\n");
}

void course_print_hints(const course_work *work, int at)
{
    const tsl_lab_words *w = &work->course.exercises[at].words[work->language];
    for (int i = 0; i < work->state.hints[at] && i < w->hint_count; i++) {
        printf(course_say(work, TSL_LAB_SAY_HINT), i + 1, w->hint_count);
        course_print_text(stdout, w->hints[i]);
    }
}

void course_print_exercise(const course_work *work, int at)
{
    char path[PATH_MAX];
    const tsl_lab_exercise *e = &work->course.exercises[at];
    const tsl_lab_words *w = &e->words[work->language];
    tsl_lab_answer_path(path, &work->state, e);
    if (at == 0 || work->course.exercises[at - 1].module != e->module) {
        const tsl_lab_module *m = tsl_lab_course_module(&work->course, e->module);
        printf(course_say(work, TSL_LAB_SAY_MODULE), m->number, m->words[work->language].title);
        printf("\n\n");
        course_print_text(stdout, m->words[work->language].task);
        printf("\n");
    }
    printf("%s %s\n\n", e->id, w->title);
    course_print_text(stdout, w->task);
    printf("\n");
    course_print_hints(work, at);
    printf(course_say(work, TSL_LAB_SAY_FILE_IS), path, e->id);
    printf("\n");
    if (work->state.passed[at]) {
        printf("\n✔ ");
        course_print_text(stdout, w->after);
    }
}

tsl_status course_print_solution(const course_work *work, int at)
{
    tsl_lab_buffer text;
    const tsl_lab_exercise *e = &work->course.exercises[at];
    const tsl_status status = tsl_lab_solution(&text, work->context, e);
    if (status == TSL_OK) {
        printf("%s\n", text.data);
        course_print_text(stdout, e->words[work->language].after);
    }
    tsl_lab_buffer_release(&text);
    return status;
}
