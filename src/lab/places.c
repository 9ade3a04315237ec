/* Files and lines of places in the code, by addr2line, in one batch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/text.h"
#include "lab/process.h"
#include "lab/session.h"

/* A read that the compiler has moved may have no line: it gets one of an instruction before it. */
static const unsigned before[] = {1, 9, 17, 25, 33, 49, 65};
enum { ASKED = sizeof before / sizeof *before };

#define TAG "B7tsl_lab" /* in the names of functions of TSL_LAB_MADE */

static int compare_places(const void *a, const void *b)
{
    const tsl_lab_place *x = a;
    const tsl_lab_place *y = b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

/* All places, each once. */
static tsl_status collect(tsl_lab_session *s, tsl_context *context)
{
    const int64_t most = s->count_count + 2 * s->report_count;
    int64_t n = 0;
    s->places = tsl_allocate_zeroed((size_t)most + 1, sizeof *s->places);
    if (s->places == NULL) {
        return tsl_fail_memory(context, most * (int64_t)sizeof *s->places, "places in the code");
    }
    for (int64_t i = 0; i < s->count_count; i++) {
        s->places[n++].pc = s->counts[i].pc;
    }
    for (int64_t i = 0; i < s->report_count; i++) {
        s->places[n++].pc = s->reports[i].pc;
        s->places[n++].pc = s->reports[i].other_pc;
    }
    qsort(s->places, (size_t)n, sizeof *s->places, compare_places);
    for (int64_t i = 0; i < n; i++) {
        if (s->places[i].pc != 0 &&
            (s->place_count == 0 || s->places[s->place_count - 1].pc != s->places[i].pc)) {
            s->places[s->place_count++].pc = s->places[i].pc;
        }
    }
    return TSL_OK;
}

static bool is_of_lab(const char *file)
{
    return strstr(file, "/tesela-lab/") != NULL || strstr(file, "/lab/run/") != NULL ||
           file[0] == '?';
}

/* Of the functions that are inlined at a place the innermost of the learner's files counts, but not
 * the constructors that the rewriter gives structs; what the file includes of the system's comes
 * after those. */
static void read_answers(tsl_lab_session *s, const tsl_text *text, const tsl_lab_build *build)
{
    char made[PATH_MAX]; /* has the learner's line numbers; addr2line may not see its #line */
    snprintf(made, sizeof made, "%s/source.cpp", build->folder);
    tsl_lines lines = tsl_lines_of(text->data, text->size);
    const char *line;
    size_t length;
    int64_t asked = -1;
    int64_t at = -1;
    bool settled = false;
    bool named = false;     /* a function's name, which may have colons, comes before its place */
    bool made_here = false; /* the function of the next line is the rewriter's */
    while (tsl_lines_next(&lines, &line, &length)) {
        char copy[PATH_MAX + 64];
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        if (strncmp(copy, "0x", 2) == 0 && strchr(copy, ':') == NULL) {
            at = ++asked / ASKED;
            settled = at < s->place_count && s->places[at].line != 0;
            named = false;
            continue;
        }
        named = !named;
        if (named) {
            made_here = strstr(copy, TAG) != NULL;
            continue;
        }
        char *colon = strrchr(copy, ':');
        if (colon == NULL || at < 0 || at >= s->place_count || settled || made_here) {
            continue;
        }
        *colon = '\0';
        const bool foreign = is_of_lab(copy) || strncmp(copy, "/usr/", 5) == 0;
        if (foreign && s->places[at].file != NULL) {
            continue;
        }
        if (copy[0] != '?' && !is_of_lab(copy)) {
            tsl_release(s->places[at].file);
            s->places[at].file = tsl_duplicate_string(strcmp(copy, made) == 0 ? build->file : copy);
            s->places[at].line = (int)strtol(colon + 1, NULL, 10);
            settled = !foreign && s->places[at].line != 0;
        }
    }
}

static tsl_status ask(tsl_lab_session *s, tsl_context *context, const tsl_lab_build *build)
{
    char tool[PATH_MAX];
    char questions[PATH_MAX];
    char answers[PATH_MAX];
    int status;
    tsl_text text = {.data = NULL};
    if (s->place_count == 0) {
        return TSL_OK;
    }
    if (!tsl_lab_find_program(tool, "addr2line")) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "addr2line is not found: install binutils, which compilers need too");
    }
    snprintf(questions, sizeof questions, "%s/questions.txt", build->folder);
    snprintf(answers, sizeof answers, "%s/answers.txt", build->folder);
    FILE *file = fopen(questions, "w");
    if (file == NULL) {
        return tsl_fail(context, TSL_E_IO, "%s cannot be written", questions);
    }
    for (int64_t i = 0; i < s->place_count; i++) { /* a call ends before where it returns to */
        for (int k = 0; k < ASKED; k++) {
            fprintf(file, "0x%llx\n", (unsigned long long)s->places[i].pc - before[k]);
        }
    }
    fclose(file);
    const char *const arguments[] = {tool, "-a", "-f", "-i", "-e", build->program, NULL};
    const tsl_lab_process process = {.arguments = arguments,
                                     .input = questions,
                                     .output = answers,
                                     .errors = "/dev/null",
                                     .keep = -1};
    tsl_status ran = tsl_lab_run_process(&status, context, &process);
    if (ran == TSL_OK) {
        ran = tsl_text_read(&text, context, answers, TSL_TEXT_LIMIT);
    }
    if (ran == TSL_OK) {
        read_answers(s, &text, build);
    }
    tsl_text_release(&text);
    return ran;
}

static const tsl_lab_place *find(const tsl_lab_session *s, uintptr_t pc)
{
    const tsl_lab_place key = {.pc = pc};
    return s->place_count == 0 ? NULL
                               : bsearch(&key, s->places, (size_t)s->place_count, sizeof *s->places,
                                         compare_places);
}

/* ---- what is alike -------------------------------------------------------------------------- */

static int compare_counts(const void *a, const void *b)
{
    const tsl_lab_count *x = a;
    const tsl_lab_count *y = b;
    const int files = strcmp(x->file != NULL ? x->file : "", y->file != NULL ? y->file : "");
    const int64_t left[] = {x->launch, files, x->line, x->space, x->kind, x->size};
    const int64_t right[] = {y->launch, 0, y->line, y->space, y->kind, y->size};
    for (int i = 0; i < 6; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

static void join_counts(tsl_lab_session *s)
{
    int64_t n = 0;
    if (s->count_count > 0) {
        qsort(s->counts, (size_t)s->count_count, sizeof *s->counts, compare_counts);
    }
    for (int64_t i = 0; i < s->count_count; i++) {
        const tsl_lab_count *c = &s->counts[i];
        if (n > 0 && compare_counts(&s->counts[n - 1], c) == 0) {
            tsl_lab_count *sum = &s->counts[n - 1];
            sum->requests += c->requests;
            sum->lanes += c->lanes;
            sum->sectors += c->sectors;
            sum->least_sectors += c->least_sectors;
            sum->wavefronts += c->wavefronts;
            sum->conflicts += c->conflicts;
            sum->transactions += c->transactions;
            sum->uncoalesced += c->uncoalesced;
        } else {
            s->counts[n++] = *c;
        }
    }
    s->count_count = n;
}

static void sum_launches(tsl_lab_session *s)
{
    for (int64_t i = 0; i < s->count_count; i++) {
        const tsl_lab_count *c = &s->counts[i];
        if (c->launch < 0 || c->launch >= s->launch_count) {
            continue;
        }
        tsl_lab_launched *l = &s->launches[c->launch];
        const bool atomic = (c->kind & TSL_LAB_ATOMIC) != 0;
        if (c->space == 0) {
            l->global_atomic_sectors += atomic ? c->sectors : 0;
            l->global_read_sectors += !atomic && (c->kind & TSL_LAB_READ) != 0 ? c->sectors : 0;
            l->global_write_sectors += !atomic && (c->kind & TSL_LAB_WRITE) != 0 ? c->sectors : 0;
            l->transactions += c->transactions;
            l->uncoalesced += c->uncoalesced;
        } else if (c->space == 1) {
            l->shared_wavefronts += c->wavefronts;
            l->bank_conflicts += c->conflicts;
        }
    }
}

static bool is_alike(const tsl_lab_report *a, const tsl_lab_report *b)
{
    return strcmp(a->kind, b->kind) == 0 && a->line == b->line &&
           (a->file == b->file ||
            (a->file != NULL && b->file != NULL && strcmp(a->file, b->file) == 0));
}

static int compare_reports(const void *a, const void *b)
{
    const tsl_lab_report *x = a;
    const tsl_lab_report *y = b;
    const int files = strcmp(x->file != NULL ? x->file : "", y->file != NULL ? y->file : "");
    const int lines = (x->line > y->line) - (x->line < y->line);
    return files != 0 ? files : lines != 0 ? lines : strcmp(x->kind, y->kind);
}

/* Of several reports of one kind at one line tell the first, with all orders that found one. */
static void join_reports(tsl_lab_session *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->report_count; i++) {
        int64_t k = 0;
        while (k < n && !is_alike(&s->reports[k], &s->reports[i])) {
            k++;
        }
        if (k < n) {
            s->reports[k].passes |= s->reports[i].passes;
            tsl_release(s->reports[i].text);
        } else {
            s->reports[n++] = s->reports[i];
        }
    }
    s->report_count = n;
    if (n > 0) {
        qsort(s->reports, (size_t)n, sizeof *s->reports, compare_reports);
    }
}

tsl_status tsl_lab_find_places(tsl_lab_session *s, tsl_context *context, const tsl_lab_build *build)
{
    tsl_status status = collect(s, context);
    if (status == TSL_OK) {
        status = ask(s, context, build);
    }
    for (int64_t i = 0; i < s->count_count && status == TSL_OK; i++) {
        const tsl_lab_place *place = find(s, s->counts[i].pc);
        s->counts[i].file = place != NULL ? place->file : NULL;
        s->counts[i].line = place != NULL ? place->line : 0;
    }
    for (int64_t i = 0; i < s->report_count && status == TSL_OK; i++) {
        const tsl_lab_place *place = find(s, s->reports[i].pc);
        const tsl_lab_place *other = find(s, s->reports[i].other_pc);
        s->reports[i].file = place != NULL ? place->file : NULL;
        s->reports[i].line = place != NULL ? place->line : 0;
        s->reports[i].other_file = other != NULL ? other->file : NULL;
        s->reports[i].other_line = other != NULL ? other->line : 0;
    }
    if (status == TSL_OK) {
        join_counts(s);
        sum_launches(s);
        join_reports(s);
    }
    return status;
}
