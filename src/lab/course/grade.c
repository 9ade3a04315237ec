/* Builds an answer with what calls it, runs it and collects what is wrong with it. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "io/file/text.h"
#include "lab/course/grade.h"
#include "lab/course/messages.h"

enum { MOST_BYTES = 1 << 20 };

void tsl_lab_verdict_add(tsl_lab_verdict *verdict, const char *reason, int line, const char *format,
                         ...)
{
    va_list arguments;
    if (verdict->finding_count == TSL_LAB_MOST_FINDINGS) {
        return;
    }
    tsl_lab_finding *f = &verdict->findings[verdict->finding_count++];
    snprintf(f->reason, sizeof f->reason, "%s", reason);
    f->line = line;
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
}

bool tsl_lab_verdict_has(const tsl_lab_verdict *verdict, const char *reason)
{
    for (int i = 0; i < verdict->finding_count; i++) {
        if (strcmp(verdict->findings[i].reason, reason) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Blank out comments and literals, keeping lines. */
static void blank_comments(char *text)
{
    char inside = 0; /* '/' to the line's end, '*' to the comment's, or the quote */
    for (char *c = text; *c != '\0'; c++) {
        const char next = c[1];
        if (inside == 0 && c[0] == '/' && (next == '/' || next == '*')) {
            inside = next;
            c[0] = c[1] = ' ';
        } else if (inside == '/' && *c == '\n') {
            inside = 0;
        } else if (inside == '*' && c[0] == '*' && next == '/') {
            inside = 0;
            c[0] = c[1] = ' ';
        } else if (inside == 0 && (*c == '"' || *c == '\'')) {
            inside = *c;
        } else if ((inside == '"' || inside == '\'') && *c == '\\' && next != '\0') {
            c[0] = c[1] = ' ';
        } else if (inside == *c && inside != 0) {
            inside = 0;
        } else if (inside != 0 && *c != '\n') {
            *c = ' ';
        }
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The line where a word stands, from 1; 0: nowhere. */
static int find_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    const bool whole = is_word(word[0]);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        const bool begins = !whole || at == text || !is_word(at[-1]);
        if (begins && (!whole || !is_word(at[length]))) {
            int line = 1;
            for (const char *c = text; c < at; c++) {
                line += *c == '\n';
            }
            return line;
        }
    }
    return 0;
}

/* Call `each` with every word of a list that blanks part. */
static const char *next_word(const char *list, char word[64])
{
    list += strspn(list, " ");
    const size_t length = strcspn(list, " ");
    snprintf(word, 64, "%.*s", (int)length, list);
    return length > 0 ? list + length : NULL;
}

static void forbid(tsl_lab_verdict *v, const char *text, const char *at, const char *what,
                   int language)
{
    int line = 1;
    for (const char *c = text; c < at; c++) {
        line += *c == '\n';
    }
    tsl_lab_verdict_add(v, "forbidden", line, tsl_lab_message(TSL_LAB_SAY_HAS, language), what);
}

/* Is this a line's end that a backslash joins to the next line? Compilers let blanks stand between
 * the two. Returns what follows, after all line ends that are joined there, or NULL. */
static const char *joined(const char *at)
{
    const char *next = NULL;
    while (*at == '\\') {
        at += 1 + strspn(at + 1, " \t\r\f\v");
        if (*at != '\n') {
            break;
        }
        next = ++at;
    }
    return next;
}

/* A directive from behind its '#' to the line's end, with lines that are joined as one, and without
 * blanks. Returns false if it does not fit. */
static bool read_directive(char *out, size_t bytes, const char *at)
{
    size_t n = 0;
    while (*at != '\0' && *at != '\n' && n + 1 < bytes) {
        const char *next = joined(at);
        if (next != NULL) {
            at = next;
            continue;
        }
        if (!isspace((unsigned char)*at)) {
            out[n++] = *at;
        }
        at++;
    }
    out[n] = '\0';
    return *at == '\0' || *at == '\n';
}

/* Does a directive bring in a file that is not one of the system's headers? Their names neither
 * begin with a slash nor lead out of their folders. One that is not `whole` might. */
static bool brings_file(const char *directive, bool whole)
{
    static const char *const words[] = {"include_next", "include", "import", "embed"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(directive, words[i], length) == 0) {
            const char *name = directive + length;
            return name[0] != '<' || name[1] == '/' || strstr(name, "..") != NULL || i > 1 ||
                   !whole;
        }
    }
    return false;
}

/* What would hide words from the one who looks for them: words made of pieces, files beside, and
 * pragmas in literals. */
static void check_preprocessing(tsl_lab_verdict *v, const char *text, int language)
{
    static const char *const pasting[] = {"##", "%:", "_Pragma"};
    char directive[512];
    for (size_t i = 0; i < sizeof pasting / sizeof *pasting; i++) {
        const char *at = strstr(text, pasting[i]);
        if (at != NULL) {
            forbid(v, text, at, pasting[i], language);
        }
    }
    for (const char *at = strchr(text, '\\'); at != NULL; at = strchr(at + 1, '\\')) {
        const char *next = joined(at);
        if (next != NULL && at > text && is_word(at[-1]) && is_word(*next)) {
            forbid(v, text, at, "\\", language);
        }
    }
    for (const char *at = strchr(text, '#'); at != NULL; at = strchr(at + 1, '#')) {
        const bool whole = read_directive(directive, sizeof directive, at + 1);
        if (brings_file(directive, whole)) {
            forbid(v, text, at, "#include \"...\"", language);
        }
    }
}

static void check_words(tsl_lab_verdict *v, const tsl_lab_exercise *e, const char *text,
                        int language)
{
    char word[64];
    for (const char *at = next_word(e->required, word); at != NULL; at = next_word(at, word)) {
        if (find_word(text, word) == 0) {
            tsl_lab_verdict_add(v, "required", 0, tsl_lab_message(TSL_LAB_SAY_LACKS, language),
                                word);
        }
    }
    for (const char *at = next_word(e->forbidden, word); at != NULL; at = next_word(at, word)) {
        const int line = find_word(text, word);
        if (line > 0) {
            tsl_lab_verdict_add(v, "forbidden", line, tsl_lab_message(TSL_LAB_SAY_HAS, language),
                                word);
        }
    }
}

/* ---- predictions ----------------------------------------------------------------------------- */

static size_t digits(const char *at)
{
    return strspn(at, "0123456789");
}

/* Do one to three digits come first, as in "65,536", and not a 0, as in "0.125"? */
static bool is_grouped(const char *given)
{
    return given[0] != '0' && digits(given) >= 1 && digits(given) <= 3;
}

/* A number as people write it, with a point for a comma, and without the blank of "65 536" and a
 * sign of percent behind; `grouped`: without the comma or point of "65,536" either. Returns its
 * length. */
static size_t plain_number(char *out, size_t bytes, const char *given, bool grouped)
{
    size_t length = 0;
    for (const char *at = given; *at != '\0' && length + 1 < bytes; at++) {
        const bool between = *at == ' ' || (grouped && (*at == ',' || *at == '.'));
        if (!(between && length > 0 && strchr("0123456789", out[length - 1]) != NULL &&
              digits(at + 1) == 3)) {
            out[length++] = (char)(*at == ',' ? '.' : *at);
        }
    }
    while (length > 0 && (out[length - 1] == '%' || out[length - 1] == ' ')) {
        length--;
    }
    out[length] = '\0';
    return length;
}

static bool is_number(const char *given, const char *right, bool grouped)
{
    double a;
    double b;
    char plain[64];
    const size_t length = plain_number(plain, sizeof plain, given, grouped);
    if (!tsl_parse_decimal(plain, length, &a) || !tsl_parse_decimal(right, strlen(right), &b)) {
        return false;
    }
    /* whole numbers are exact, quotients within half a percent */
    const double bound = strchr(right, '.') != NULL ? 0.005 * fabs(b) : 0;
    return a >= b - bound && a <= b + bound;
}

bool tsl_lab_same_value(const char *given, const char *right)
{
    return is_number(given, right, false) ||
           (strchr(right, '.') == NULL && is_grouped(given) && is_number(given, right, true)) ||
           strcasecmp(given, right) == 0;
}

static void grade_predictions(tsl_lab_verdict *v, const tsl_lab_exercise *e, const char *text,
                              int language)
{
    for (const char *line = e->solution; *line != '\0';) {
        const char *end = strchr(line, '\n');
        end = end != NULL ? end : line + strlen(line);
        const char *equals = memchr(line, '=', (size_t)(end - line));
        if (equals != NULL && *line != '#') {
            char name[48];
            char right[64];
            char given[64];
            char reason[64];
            const char *last = equals;
            while (last > line && last[-1] == ' ') {
                last--;
            }
            snprintf(name, sizeof name, "%.*s", (int)(last - line), line);
            snprintf(reason, sizeof reason, "answer %s", name);
            tsl_lab_prediction(right, sizeof right, e->solution, name);
            if (!tsl_lab_prediction(given, sizeof given, text, name) || strcmp(given, "?") == 0 ||
                given[0] == '\0') {
                tsl_lab_verdict_add(v, reason, 0,
                                    tsl_lab_message(TSL_LAB_SAY_NO_PREDICTION, language), name);
            } else if (!tsl_lab_same_value(given, right)) {
                tsl_lab_verdict_add(v, reason, 0, tsl_lab_message(TSL_LAB_SAY_PREDICTION, language),
                                    name, given);
            }
        }
        line = *end == '\n' ? end + 1 : end;
    }
}

/* ---- programs -------------------------------------------------------------------------------- */

static tsl_status write_program(tsl_lab_verdict *v, tsl_context *context, const tsl_lab_exercise *e)
{
    char link[PATH_MAX];
    char path[PATH_MAX];
    tsl_lab_buffer text = {.data = NULL};
    snprintf(link, sizeof link, "%s/answer.cu", v->folder);
    snprintf(path, sizeof path, "%s/check.cu", v->folder);
    if (symlink(v->file, link) != 0) {
        return tsl_fail(context, TSL_E_IO, "%s: %s", link, strerror(errno));
    }
    tsl_lab_buffer_print(
        &text,
        "#include \"lab_check.h\"\n#include \"answer.cu\"\nnamespace lab\n{\n%s\n}\n"
        "int main(int count, char **arguments)\n{\n"
        "    return lab::run_cases(count, arguments, lab::act);\n}\n",
        e->act);
    const tsl_status status = text.failed
                                  ? tsl_fail_memory(context, MOST_BYTES, "a program")
                                  : tsl_lab_write_text(context, path, text.data, text.length);
    tsl_lab_buffer_release(&text);
    return status;
}

static bool is_launched(const tsl_lab_session *s, const char *kernel)
{
    const size_t length = strlen(kernel);
    for (int64_t i = 0; i < s->launch_count; i++) {
        const char *name = s->launches[i].kernel;
        if (strncmp(name, kernel, length) == 0 && !is_word(name[length])) {
            return true;
        }
    }
    return false;
}

static void add_reports(tsl_lab_verdict *v, int language)
{
    const tsl_lab_session *s = &v->session;
    for (int64_t i = 0; i < s->report_count; i++) {
        const tsl_lab_report *r = &s->reports[i];
        const bool own = r->file != NULL && strcmp(r->file, v->file) == 0;
        const char *meaning = tsl_lab_report_meaning(r->kind, language);
        char other[80] = "";
        if (r->other_line > 0 && r->other_line != r->line) {
            snprintf(other, sizeof other, tsl_lab_message(TSL_LAB_SAY_OTHER_LINE, language),
                     r->other_line);
        }
        char detail[320];
        bool has_detail = tsl_lab_detail(detail, sizeof detail, r->text, language);
        if (meaning == NULL && !has_detail) {
            snprintf(detail, sizeof detail, "%s", r->text);
            has_detail = true;
        }
        if (meaning != NULL && strcmp(meaning, detail) == 0) { /* nothing is said twice */
            has_detail = false;
            detail[0] = '\0';
        }
        tsl_lab_verdict_add(v, r->kind, own ? r->line : 0, "%s%s%s%s",
                            meaning != NULL ? meaning : "", other,
                            has_detail && meaning != NULL ? ": " : "", detail);
    }
}

/* Sizes as they are run: the last twice, so that an answer kept from before is seen. */
static void list_sizes(const char *sizes[], const tsl_lab_exercise *e)
{
    for (int i = 0; i < e->size_count; i++) {
        sizes[i] = e->sizes[i];
    }
    sizes[e->size_count] = e->sizes[e->size_count - 1];
    sizes[e->size_count + 1] = NULL;
}

/* Options of both kinds of runs: for a verdict, and with kernels that do nothing. */
static tsl_lab_session_options session_options(const char *arguments[TSL_LAB_MOST_SIZES + 4],
                                               char seed[16], const tsl_lab_exercise *e,
                                               const tsl_lab_grade_options *o,
                                               const char *const *sizes)
{
    int count = 0;
    snprintf(seed, 16, "%u", o->seed);
    arguments[count++] = seed;
    for (int i = 0; sizes[i] != NULL; i++) {
        arguments[count++] = sizes[i];
    }
    arguments[count] = NULL;
    return (tsl_lab_session_options){.capability = e->device,
                                     .arguments = arguments,
                                     .seed = 1 + (int)(o->seed % 1000),
                                     .counts = true,
                                     .processes = o->processes,
                                     .seconds = o->seconds,
                                     .memory = (int64_t)1 << 30,
                                     .output = o->output,
                                     .outputs = true,
                                     .give_up = true,
                                     .stop = o->stop};
}

/* Run what would pass once more with kernels that do nothing: then it must not be right, or the
 * host has made the result. */
static tsl_status run_idle(tsl_lab_verdict *v, tsl_context *context, const tsl_lab_exercise *e,
                           const tsl_lab_grade_options *o, const char *const *sizes)
{
    const char *arguments[TSL_LAB_MOST_SIZES + 4];
    const char *right = NULL;
    char seed[16];
    tsl_lab_session_options options = session_options(arguments, seed, e, o, sizes);
    tsl_lab_session idle;
    options.idle = true;
    options.seconds = 1; /* a host may wait for what its kernels make */
    options.output = "/dev/null";
    tsl_status status = tsl_lab_session_run(&idle, context, &v->build, &options);
    if (status == TSL_OK) {
        status = tsl_lab_judge_idle(&right, v, context, e, o, &idle, sizes);
    }
    if (status == TSL_OK && right != NULL) {
        tsl_lab_verdict_add(v, "idle", 0, tsl_lab_message(TSL_LAB_SAY_IDLE, o->language), right);
    }
    tsl_lab_session_release(&idle);
    return status;
}

static tsl_status run_answer(tsl_lab_verdict *v, tsl_context *context, const tsl_lab_exercise *e,
                             const tsl_lab_grade_options *o, const char *const *sizes)
{
    const char *arguments[TSL_LAB_MOST_SIZES + 4];
    char seed[16];
    char word[64];
    tsl_lab_session_options session = session_options(arguments, seed, e, o, sizes);
    for (int i = 0; i < TSL_LAB_ORDERS; i++) {
        session.orders[session.order_count++] = i;
    }
    const tsl_status status = tsl_lab_session_run(&v->session, context, &v->build, &session);
    if (status != TSL_OK) {
        return status;
    }
    add_reports(v, o->language);
    if (v->session.exit_status[0] != 0 && v->session.report_count == 0) {
        tsl_lab_verdict_add(v, "ended", 0, tsl_lab_message(TSL_LAB_SAY_EXIT_STATUS, o->language),
                            v->session.exit_status[0]);
    }
    for (const char *at = next_word(e->kernels, word); at != NULL; at = next_word(at, word)) {
        if (!is_launched(&v->session, word)) {
            tsl_lab_verdict_add(v, "launch", 0,
                                tsl_lab_message(TSL_LAB_SAY_NOT_LAUNCHED, o->language), word);
        }
    }
    return TSL_OK;
}

static tsl_status grade_program(tsl_lab_verdict *v, tsl_context *context, const tsl_lab_exercise *e,
                                const tsl_lab_grade_options *o)
{
    char path[PATH_MAX];
    const char *sizes[TSL_LAB_MOST_SIZES + 2];
    const tsl_lab_build_options build = {.compiler = o->compiler};
    snprintf(path, sizeof path, "%s/check.cu", v->folder);
    tsl_status status = write_program(v, context, e);
    if (status != TSL_OK) {
        return status;
    }
    status = tsl_lab_build_program(&v->build, context, path, &build);
    if (status == TSL_E_FORMAT || (status == TSL_E_UNSUPPORTED && v->build.folder[0] != '\0')) {
        const bool compiled = status == TSL_E_FORMAT;
        if (compiled) {
            snprintf(v->messages, sizeof v->messages, "%s/messages.txt", v->build.folder);
        }
        tsl_lab_verdict_add(
            v, "compile", 0,
            tsl_lab_message(compiled ? TSL_LAB_SAY_COMPILES_NOT : TSL_LAB_SAY_REFUSED, o->language),
            tsl_last_error(context));
        return TSL_OK;
    }
    if (status != TSL_OK) {
        return status;
    }
    list_sizes(sizes, e);
    status = run_answer(v, context, e, o, sizes);
    if (status == TSL_OK) {
        status = tsl_lab_judge(v, context, e, o, &v->session, sizes);
    }
    if (status == TSL_OK && v->finding_count == 0) { /* counts of what is wrong mean little */
        status = tsl_lab_check_limits(v, context, e, o->language);
    }
    if (status == TSL_OK && v->finding_count == 0 && e->kernels[0] != '\0') {
        status = run_idle(v, context, e, o, sizes);
    }
    if (status == TSL_OK && v->finding_count == 0 && o->card != NULL) {
        status = tsl_lab_grade_on_card(v, context, e, o, sizes);
    }
    return status;
}

tsl_status tsl_lab_make_temporary(char folder[PATH_MAX - 64], tsl_context *context,
                                  const char *temporary)
{
    snprintf(folder, PATH_MAX - 64, "%s/tesela-lab-XXXXXX",
             temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    if (mkdtemp(folder) == NULL) {
        const tsl_status status =
            tsl_fail(context, TSL_E_IO, "%s: %s: set TMPDIR to a folder that can be written to",
                     folder, strerror(errno));
        folder[0] = '\0';
        return status;
    }
    return TSL_OK;
}

tsl_status tsl_lab_grade(tsl_lab_verdict *out, tsl_context *context, const tsl_lab_exercise *e,
                         const char *path, const tsl_lab_grade_options *options)
{
    const double begun = tsl_seconds();
    char *text = NULL;
    *out = (tsl_lab_verdict){.passed = false};
    if (realpath(path, out->file) == NULL) {
        return tsl_fail(context, TSL_E_IO, "%s: %s", path, strerror(errno));
    }
    tsl_status status = tsl_text_read_string(&text, context, path, MOST_BYTES);
    if (status == TSL_OK && e->kind == TSL_LAB_TO_PREDICT) {
        grade_predictions(out, e, text, options->language);
    } else if (status == TSL_OK) {
        status = tsl_lab_make_temporary(out->folder, context, getenv("TMPDIR"));
        if (status == TSL_OK) {
            blank_comments(text);
            check_preprocessing(out, text, options->language);
            if (out->finding_count == 0) {
                check_words(out, e, text, options->language);
                status = grade_program(out, context, e, options);
            }
        }
    }
    tsl_release(text);
    out->passed = status == TSL_OK && out->finding_count == 0;
    out->seconds = tsl_seconds() - begun;
    return status;
}

void tsl_lab_verdict_release(tsl_lab_verdict *verdict)
{
    DIR *folder = verdict->folder[0] != '\0' ? opendir(verdict->folder) : NULL;
    tsl_lab_session_release(&verdict->session);
    tsl_lab_build_release(&verdict->build, false);
    if (folder != NULL) {
        for (struct dirent *f = readdir(folder); f != NULL; f = readdir(folder)) {
            char path[PATH_MAX + 256];
            snprintf(path, sizeof path, "%s/%s", verdict->folder, f->d_name);
            if (f->d_name[0] != '.') {
                unlink(path);
            }
        }
        closedir(folder);
        rmdir(verdict->folder);
    }
    verdict->folder[0] = '\0';
}
