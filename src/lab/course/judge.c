/* The judge of an exercise: a program of its own, which reads what an answer made and says where it
 * is wrong. It is built once and kept in the user's cache, by a digest of all that it is made of.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file/output.h"
#include "io/file/sha256.h"
#include "io/file/text.h"
#include "lab/course/grade.h"
#include "lab/course/messages.h"
#include "lab/process.h"

static tsl_status cache_folder(char out[PATH_MAX - 128], tsl_context *context)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const char *temporary = getenv("TMPDIR");
    if (cache != NULL && cache[0] == '/') {
        snprintf(out, PATH_MAX - 128, "%s/tesela-lab", cache);
    } else if (home != NULL && home[0] == '/') {
        snprintf(out, PATH_MAX - 128, "%s/.cache/tesela-lab", home);
    } else {
        snprintf(out, PATH_MAX - 128, "%s/tesela-lab-%ld", temporary != NULL ? temporary : "/tmp",
                 (long)getuid());
    }
    return tsl_make_folder(context, out);
}

/* A folder that others may write is no place for a program that decides. */
static bool is_own(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_uid == geteuid() && (about.st_mode & 022) == 0;
}

static tsl_status compile(tsl_lab_verdict *v, tsl_context *context, const tsl_lab_exercise *e,
                          const char *headers, const char *source, const char *program)
{
    char include[PATH_MAX + 8];
    char messages[PATH_MAX];
    char made[PATH_MAX];
    int exit_status;
    snprintf(include, sizeof include, "-I%s", headers);
    snprintf(messages, sizeof messages, "%s/judge.txt", v->folder);
    snprintf(made, sizeof made, "%s/judge", v->folder);
    const char *const arguments[] = {v->build.compiler,
                                     "-std=c++17",
                                     "-O1",
                                     "-w",
                                     "-DLAB_JUDGE",
                                     include,
                                     source,
                                     "-o",
                                     made,
                                     "-lm",
                                     NULL};
    const tsl_lab_process process = {
        .arguments = arguments, .output = messages, .errors = messages, .keep = -1};
    const tsl_status status = tsl_lab_run_process(&exit_status, context, &process);
    if (status != TSL_OK) {
        return status;
    }
    if (exit_status != 0) {
        tsl_text text = {.data = NULL};
        tsl_text_read(&text, context, messages, 1 << 16);
        fprintf(stderr, "%.*s", (int)text.size, text.data != NULL ? text.data : "");
        tsl_text_release(&text);
        return tsl_fail(context, TSL_E_FORMAT, "%s: its judge does not compile", e->path);
    }
    char beside[PATH_MAX]; /* another check may build the same: renaming is whole or not at all */
    snprintf(beside, sizeof beside, "%.4000s.%ld", program, (long)getpid());
    tsl_text binary;
    tsl_status copied = tsl_text_read(&binary, context, made, 1 << 26);
    if (copied == TSL_OK) {
        copied = tsl_lab_write_text(context, beside, binary.data, binary.size);
        tsl_text_release(&binary);
    }
    if (copied == TSL_OK && (chmod(beside, 0700) != 0 || rename(beside, program) != 0)) {
        copied = tsl_fail(context, TSL_E_IO, "%s: %s", program, strerror(errno));
    }
    return copied;
}

static tsl_status find_judge(char program[PATH_MAX], tsl_lab_verdict *v, tsl_context *context,
                             const tsl_lab_exercise *e)
{
    char headers[PATH_MAX];
    char folder[PATH_MAX - 128];
    char source[PATH_MAX];
    char check[PATH_MAX + 16];
    char digest[65];
    size_t source_length;
    tsl_sha256 hash;
    tsl_lab_buffer text = {.data = NULL};
    tsl_text header = {.data = NULL};
    tsl_status status;
    TSL_TRY(tsl_lab_find_headers(headers, context));
    snprintf(check, sizeof check, "%s/lab_check.h", headers);
    TSL_TRY(tsl_text_read(&header, context, check, 1 << 20));
    TSL_TRY(cache_folder(folder, context));
    tsl_lab_buffer_print(&text,
                         "#include \"lab_check.h\"\nnamespace lab\n{\n%s\n}\n"
                         "int main(int count, char **arguments)\n{\n"
                         "    return lab::run_cases(count, arguments, lab::judge);\n}\n//%s\n",
                         e->judge, v->build.compiler);
    source_length = text.length;
    tsl_lab_buffer_add(&text, header.data, header.size);
    if (text.failed) {
        status = tsl_fail_memory(context, (int64_t)header.size, "a program");
        goto done;
    }
    tsl_sha256_begin(&hash);
    tsl_sha256_add(&hash, text.data, text.length);
    tsl_sha256_end(&hash, digest);
    snprintf(program, PATH_MAX, "%s/judge-%.24s", folder, digest);
    if (access(program, X_OK) != 0 || !is_own(folder) || !is_own(program)) {
        snprintf(source, sizeof source, "%s/judge.cpp", v->folder);
        TSL_TRY(tsl_lab_write_text(context, source, text.data, source_length));
        TSL_TRY(compile(v, context, e, headers, source, program));
    }
done:
    tsl_text_release(&header);
    tsl_lab_buffer_release(&text);
    return status;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static const char *size_of_case(const char *const *sizes, int number)
{
    for (int i = 0; sizes[i] != NULL; i++) {
        if (i == number) {
            return sizes[i];
        }
    }
    return "?";
}

/* What an output is called: the exercise's word, or of two, "Spanish / English", that of the
 * language. */
static void name_output(char *out, size_t bytes, const tsl_lab_exercise *e, int output,
                        int language)
{
    const char *name = output < e->output_count ? e->outputs[output] : "?";
    const char *slash = strstr(name, " / ");
    if (slash == NULL) {
        snprintf(out, bytes, "%s", name);
    } else if (language == TSL_LAB_ENGLISH) {
        snprintf(out, bytes, "%s", slash + 3);
    } else {
        snprintf(out, bytes, "%.*s", (int)(slash - name), name);
    }
}

/* "values PASS CASE OUTPUT COUNT INDEX GOT WANTED", "missing PASS CASE OUTPUT", "right PASS
 * CASE", at the end "judged". */
static void take_line(tsl_lab_verdict *v, const char *line, const tsl_lab_exercise *e,
                      const char *const *sizes, int language)
{
    int pass;
    int number;
    int output;
    long long count;
    long long index;
    char got[32];
    char wanted[32];
    char order[96] = "";
    char name[128];
    const bool values = sscanf(line, "values %d %d %d %lld %lld %31s %31s", &pass, &number, &output,
                               &count, &index, got, wanted) == 7;
    const bool missing = !values && sscanf(line, "missing %d %d %d", &pass, &number, &output) == 3;
    if ((!values && !missing) || tsl_lab_verdict_has(v, "values")) { /* the first is enough */
        return;
    }
    if (v->on_card) {
        snprintf(order, sizeof order, "%s", tsl_lab_message(TSL_LAB_SAY_ON_CARD, language));
    } else if (pass > 0) {
        snprintf(order, sizeof order, tsl_lab_message(TSL_LAB_SAY_IN_ORDER, language),
                 tsl_lab_order_names[pass - 1]);
    }
    char text[400];
    name_output(name, sizeof name, e, output, language);
    const bool vector = count > 1 || strpbrk(name, " *") == NULL;
    if (values && vector) {
        snprintf(text, sizeof text, tsl_lab_message(TSL_LAB_SAY_WRONG_ELEMENT, language),
                 size_of_case(sizes, number), name, index, got, wanted);
    } else if (values) {
        snprintf(text, sizeof text, tsl_lab_message(TSL_LAB_SAY_WRONG_VALUE, language),
                 size_of_case(sizes, number), name, got, wanted);
    } else {
        snprintf(text, sizeof text, tsl_lab_message(TSL_LAB_SAY_MISSING, language),
                 size_of_case(sizes, number), name);
    }
    tsl_lab_verdict_add(v, "values", 0, "%s%s", text, order);
}

/* Run the judge over what the runs of a session handed over; its lines are *said. */
static tsl_status run_judge(tsl_text *said, tsl_lab_verdict *verdict, tsl_context *context,
                            const tsl_lab_exercise *e, const tsl_lab_grade_options *options,
                            const tsl_lab_session *session, const char *const *sizes)
{
    char program[PATH_MAX];
    char files[1 + TSL_LAB_ORDERS][64];
    char path[PATH_MAX];
    char seed[16];
    const char *arguments[TSL_LAB_MOST_SIZES + TSL_LAB_ORDERS + 8];
    int count = 0;
    int exit_status;
    const tsl_lab_process process = {
        .arguments = arguments, .output = path, .errors = "/dev/null", .keep = -1};
    tsl_status status;
    TSL_TRY(find_judge(program, verdict, context, e));
    snprintf(seed, sizeof seed, "%u", options->seed);
    snprintf(path, sizeof path, "%s/judged.txt", verdict->folder);
    arguments[count++] = program;
    arguments[count++] = seed;
    for (int i = 0; sizes[i] != NULL; i++) {
        arguments[count++] = sizes[i];
    }
    arguments[count++] = "--";
    for (int i = 0; i < session->runs; i++) {
        snprintf(files[i], sizeof files[i], "/proc/%ld/fd/%d", (long)getpid(), session->outputs[i]);
        arguments[count++] = files[i];
    }
    arguments[count] = NULL;
    TSL_TRY(tsl_lab_run_process(&exit_status, context, &process));
    TSL_TRY(tsl_text_read(said, context, path, 1 << 20));
    if (exit_status != 0 || said->size < 7 ||
        memcmp(said->data + said->size - 7, "judged\n", 7) != 0) {
        status = tsl_fail(context, TSL_E_FORMAT, "%s: its judge ended with status %d", e->path,
                          exit_status);
    }
done:
    return status;
}

tsl_status tsl_lab_judge(tsl_lab_verdict *verdict, tsl_context *context, const tsl_lab_exercise *e,
                         const tsl_lab_grade_options *options, const tsl_lab_session *session,
                         const char *const *sizes)
{
    tsl_text text = {.data = NULL};
    const char *line;
    size_t length;
    const tsl_status status = run_judge(&text, verdict, context, e, options, session, sizes);
    if (status == TSL_OK) {
        tsl_lines lines = tsl_lines_of(text.data, text.size);
        while (tsl_lines_next(&lines, &line, &length)) {
            char copy[256];
            snprintf(copy, sizeof copy, "%.*s", (int)length, line);
            take_line(verdict, copy, e, sizes, options->language);
        }
    }
    tsl_text_release(&text);
    return status;
}

tsl_status tsl_lab_judge_idle(const char **right, tsl_lab_verdict *verdict, tsl_context *context,
                              const tsl_lab_exercise *e, const tsl_lab_grade_options *options,
                              const tsl_lab_session *idle, const char *const *sizes)
{
    tsl_text text = {.data = NULL};
    const char *line;
    size_t length;
    int last = -1;
    const tsl_status status = run_judge(&text, verdict, context, e, options, idle, sizes);
    *right = NULL;
    while (sizes[last + 1] != NULL) {
        last++;
    }
    if (status == TSL_OK) {
        tsl_lines lines = tsl_lines_of(text.data, text.size);
        while (tsl_lines_next(&lines, &line, &length)) {
            int number;
            char copy[256];
            snprintf(copy, sizeof copy, "%.*s", (int)length, line);
            if (sscanf(copy, "right 0 %d", &number) == 1 && number == last) {
                *right = sizes[last];
            }
        }
    }
    tsl_text_release(&text);
    return status;
}
