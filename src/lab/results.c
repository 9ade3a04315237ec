/* Reads what the runtime wrote of a run: lines that begin with a word, see src/lab/run/report.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/text.h"
#include "lab/session.h"

/* Make room for one more of an array's elements. */
static bool grow(void **array, int64_t count, int64_t *room, size_t each)
{
    if (count == *room) {
        const int64_t more = *room == 0 ? 64 : 2 * *room;
        void *grown = tsl_reallocate(*array, (size_t)*room * each, (size_t)more * each);
        if (grown == NULL) {
            return false;
        }
        *array = grown;
        *room = more;
    }
    return true;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static bool read_launch(tsl_lab_session *s, const char *line, int pass, bool first)
{
    tsl_lab_launched l = {.kernel = NULL};
    long long index, shared, accesses;
    int at = 0;
    if (sscanf(line, "launch %lld %u %u %u %u %u %u %lld %lld %lf %n", &index, &l.grid[0],
               &l.grid[1], &l.grid[2], &l.block[0], &l.block[1], &l.block[2], &shared, &accesses,
               &l.seconds, &at) < 10) {
        return true;
    }
    s->accesses[pass] += accesses;
    if (!first) {
        return true;
    }
    l.shared = shared;
    l.accesses = accesses;
    l.kernel = tsl_duplicate_string(line + at);
    if (l.kernel == NULL ||
        !grow((void **)&s->launches, s->launch_count, &s->launch_room, sizeof *s->launches)) {
        tsl_release(l.kernel);
        return false;
    }
    s->launches[s->launch_count++] = l;
    return true;
}

static bool read_count(tsl_lab_session *s, const char *line)
{
    tsl_lab_count c = {.file = NULL};
    unsigned long long pc;
    long long v[8];
    if (sscanf(line, "count %d %llx %d %u %u %lld %lld %lld %lld %lld %lld %lld %lld", &c.launch,
               &pc, &c.space, &c.kind, &c.size, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
               &v[7]) != 13) {
        return true;
    }
    c.pc = (uintptr_t)pc;
    c.requests = v[0];
    c.lanes = v[1];
    c.sectors = v[2];
    c.least_sectors = v[3];
    c.wavefronts = v[4];
    c.conflicts = v[5];
    c.transactions = v[6];
    c.uncoalesced = v[7];
    if (!grow((void **)&s->counts, s->count_count, &s->count_room, sizeof *s->counts)) {
        return false;
    }
    s->counts[s->count_count++] = c;
    return true;
}

static bool add_report(tsl_lab_session *s, const tsl_lab_report *report, const char *text)
{
    tsl_lab_report r = *report;
    r.text = tsl_duplicate_string(text);
    if (r.text == NULL ||
        !grow((void **)&s->reports, s->report_count, &s->report_room, sizeof *s->reports)) {
        tsl_release(r.text);
        return false;
    }
    s->reports[s->report_count++] = r;
    return true;
}

static bool read_report(tsl_lab_session *s, const char *line, int pass)
{
    tsl_lab_report r = {.passes = 1u << pass};
    unsigned long long pc, other;
    int at = 0;
    if (sscanf(line, "report %d %15s %llx %llx %n", &r.launch, r.kind, &pc, &other, &at) < 4) {
        return true;
    }
    r.pc = (uintptr_t)pc;
    r.other_pc = (uintptr_t)other;
    return add_report(s, &r, line + at);
}

/* Has a run told where it was when its time was over? */
static bool has_time(const tsl_lab_session *s, int pass)
{
    for (int64_t i = 0; i < s->report_count; i++) {
        if (strcmp(s->reports[i].kind, "time") == 0 && s->reports[i].passes == 1u << pass) {
            return true;
        }
    }
    return false;
}

/* What befell a run as a whole becomes a report without a place. */
static bool read_end(tsl_lab_session *s, const char *line, int pass, bool *ended, bool *died)
{
    static const struct {
        const char *word;
        const char *kind;
        const char *text;
    } ends[] = {{"fatal ", "fatal", "%s"},
                {"refused ", "refused",
                 "the program tries %s: it is kept from that here "
                 "(--unguarded lets it)"},
                {"late", "time", "the program did not end in time: --time gives it more%s"},
                {"killed ", "killed", "the program was ended by signal %s"}};
    tsl_lab_report r = {.passes = 1u << pass, .launch = -1};
    char text[640];
    *ended = *ended || strcmp(line, "ended") == 0;
    *died = *died || strcmp(line, "died") == 0;
    s->unguarded = s->unguarded || strncmp(line, "unguarded ", 10) == 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t length = strlen(ends[i].word);
        const bool known = strcmp(line, "late") == 0 && has_time(s, pass);
        if (strncmp(line, ends[i].word, length) == 0 && !known) {
            *died = true;
            snprintf(r.kind, sizeof r.kind, "%s", ends[i].kind);
            snprintf(text, sizeof text, ends[i].text, line + length);
            return add_report(s, &r, text);
        }
    }
    return true;
}

tsl_status tsl_lab_read_results(tsl_lab_session *session, tsl_context *context, const char *path,
                                int pass, bool first)
{
    tsl_text text = {.data = NULL};
    const char *line;
    size_t length;
    bool ended = false;
    bool died = false;
    tsl_status status = tsl_text_read(&text, context, path, TSL_TEXT_LIMIT);
    if (status != TSL_OK) {
        return status;
    }
    tsl_lines lines = tsl_lines_of(text.data, text.size);
    bool kept = true;
    while (kept && tsl_lines_next(&lines, &line, &length)) {
        char copy[1200];
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        if (strncmp(copy, "launch ", 7) == 0) {
            kept = read_launch(session, copy, pass, first);
        } else if (strncmp(copy, "count ", 6) == 0 && first) {
            kept = read_count(session, copy);
        } else if (strncmp(copy, "report ", 7) == 0) {
            kept = read_report(session, copy, pass);
        } else {
            kept = read_end(session, copy, pass, &ended, &died);
        }
    }
    tsl_text_release(&text);
    if (kept && !ended && !died) {
        const tsl_lab_report r = {.kind = "ended", .passes = 1u << pass, .launch = -1};
        kept = add_report(session, &r, "the program ended itself without returning from main()");
    }
    return kept ? TSL_OK : tsl_fail_memory(context, 1 << 20, "results");
}
