/* What counts of runs come to, limits of exercises, and predictions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/text.h"
#include "lab/course/grade.h"
#include "lab/course/messages.h"
#include "tesela/occupancy.h"

enum { GLOBAL_SPACE, SHARED_SPACE, CONSTANT_SPACE, ANY_SPACE };

/* ---- metrics --------------------------------------------------------------------------------- */

static int64_t excess_of(const tsl_lab_count *c)
{
    return c->sectors - c->least_sectors;
}
static int64_t read_of(const tsl_lab_count *c)
{
    return (c->kind & (TSL_LAB_WRITE | TSL_LAB_ATOMIC)) == 0 ? c->sectors : 0;
}
static int64_t written_of(const tsl_lab_count *c)
{
    return (c->kind & TSL_LAB_WRITE) != 0 && (c->kind & TSL_LAB_ATOMIC) == 0 ? c->sectors : 0;
}
static int64_t atomic_of(const tsl_lab_count *c)
{
    return (c->kind & TSL_LAB_ATOMIC) != 0 ? c->sectors : 0;
}
static int64_t conflicts_of(const tsl_lab_count *c)
{
    return c->conflicts;
}
static int64_t wavefronts_of(const tsl_lab_count *c)
{
    return c->wavefronts;
}
static int64_t requests_of(const tsl_lab_count *c)
{
    return c->requests;
}
static int64_t lanes_of(const tsl_lab_count *c)
{
    return c->lanes;
}
static int64_t atomic_lanes_of(const tsl_lab_count *c)
{
    return (c->kind & TSL_LAB_ATOMIC) != 0 ? c->lanes : 0;
}
static int64_t transactions_of(const tsl_lab_count *c)
{
    return c->transactions;
}
static int64_t uncoalesced_of(const tsl_lab_count *c)
{
    return c->uncoalesced;
}

/* Sums over lines of one kind of memory. */
static const struct {
    const char *name;
    int64_t (*of)(const tsl_lab_count *c);
    int space;
    enum tsl_lab_said said;
} sums[] = {
    {"conflicts", conflicts_of, SHARED_SPACE, TSL_LAB_SAY_METRIC_conflicts},
    {"excess", excess_of, GLOBAL_SPACE, TSL_LAB_SAY_METRIC_excess},
    {"read", read_of, GLOBAL_SPACE, TSL_LAB_SAY_METRIC_read},
    {"written", written_of, GLOBAL_SPACE, TSL_LAB_SAY_METRIC_written},
    {"atomic", atomic_of, GLOBAL_SPACE, TSL_LAB_SAY_METRIC_atomic},
    {"atomic_lanes", atomic_lanes_of, GLOBAL_SPACE, TSL_LAB_SAY_METRIC_atomic_lanes},
    {"wavefronts", wavefronts_of, SHARED_SPACE, TSL_LAB_SAY_METRIC_wavefronts},
    {"requests", requests_of, GLOBAL_SPACE, TSL_LAB_SAY_METRIC_requests},
    {"shared_requests", requests_of, SHARED_SPACE, TSL_LAB_SAY_METRIC_shared_requests},
    {"constant_requests", requests_of, CONSTANT_SPACE, TSL_LAB_SAY_METRIC_constant_requests},
    {"active", lanes_of, GLOBAL_SPACE, TSL_LAB_SAY_METRIC_warps},
    {"transactions", transactions_of, GLOBAL_SPACE, TSL_LAB_SAY_METRIC_transactions},
    {"uncoalesced", uncoalesced_of, GLOBAL_SPACE, TSL_LAB_SAY_METRIC_uncoalesced},
};
enum { SUMS = sizeof sums / sizeof *sums };

/* Does the launch count: of that kernel, and the `launch`-th of them, from 1 (0: all)? */
static bool is_asked(const tsl_lab_session *s, int64_t index, const char *kernel, int launch)
{
    int number = 0;
    if (index < 0 || index >= s->launch_count) {
        return false;
    }
    for (int64_t i = 0; i <= index; i++) {
        const char *name = s->launches[i].kernel;
        const size_t length = kernel != NULL ? strlen(kernel) : 0;
        const bool same = kernel == NULL || (strncmp(name, kernel, length) == 0 &&
                                             (name[length] == '\0' || name[length] == '<'));
        number += same;
        if (i == index) {
            return same && (launch == 0 || number == launch);
        }
    }
    return false;
}

static int64_t launches_of(const tsl_lab_session *s, const char *kernel, bool blocks)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < s->launch_count; i++) {
        const tsl_lab_launched *l = &s->launches[i];
        if (is_asked(s, i, kernel, 0)) {
            sum += blocks ? (int64_t)l->grid[0] * l->grid[1] * l->grid[2] : 1;
        }
    }
    return sum;
}

/* The number of lanes that take part in a line's requests on average, rounded down: the least over
 * lines. */
static int64_t least_lanes(const tsl_lab_session *s, const char *kernel, int launch, int *worst)
{
    int64_t least = 32;
    for (int64_t i = 0; i < s->count_count; i++) {
        const tsl_lab_count *c = &s->counts[i];
        const int64_t lanes = c->requests > 0 ? c->lanes / c->requests : 32;
        if (lanes < least && is_asked(s, c->launch, kernel, launch)) {
            least = lanes;
            *worst = c->line;
        }
    }
    return least;
}

int64_t tsl_lab_metric(const tsl_lab_session *session, const char *metric, const char *kernel,
                       int launch, int *worst)
{
    *worst = 0;
    if (strcmp(metric, "launches") == 0 || strcmp(metric, "blocks") == 0) {
        return launches_of(session, kernel, metric[0] == 'b');
    }
    if (strcmp(metric, "lanes") == 0) {
        return least_lanes(session, kernel, launch, worst);
    }
    for (int k = 0; k < SUMS; k++) {
        if (strcmp(metric, sums[k].name) == 0) {
            int64_t sum = 0;
            int64_t most = 0;
            for (int64_t i = 0; i < session->count_count; i++) {
                const tsl_lab_count *c = &session->counts[i];
                if (c->space != sums[k].space || !is_asked(session, c->launch, kernel, launch)) {
                    continue;
                }
                const int64_t value = sums[k].of(c);
                sum += value;
                if (value > most) {
                    most = value;
                    *worst = c->line;
                }
            }
            return sum;
        }
    }
    return -1;
}

static enum tsl_lab_said said_of(const char *metric)
{
    for (int k = 0; k < SUMS; k++) {
        if (strcmp(metric, sums[k].name) == 0) {
            return sums[k].said;
        }
    }
    return strcmp(metric, "lanes") == 0    ? TSL_LAB_SAY_METRIC_lanes
           : strcmp(metric, "blocks") == 0 ? TSL_LAB_SAY_METRIC_blocks
                                           : TSL_LAB_SAY_METRIC_launches;
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* "METRIC [KERNEL] <= NUMBER", "METRIC [KERNEL] >= NUMBER". */
tsl_status tsl_lab_check_limits(tsl_lab_verdict *verdict, tsl_context *context,
                                const tsl_lab_exercise *e, int language)
{
    for (int i = 0; i < e->limit_count; i++) {
        char metric[32];
        char kernel[64] = "";
        char sign[4];
        char reason[48];
        long long bound;
        int worst;
        const bool named =
            sscanf(e->limits[i], "%31s %63[^<> ] %3[<>=] %lld", metric, kernel, sign, &bound) == 4;
        const bool plain =
            !named && sscanf(e->limits[i], "%31s %3[<>=] %lld", metric, sign, &bound) == 3;
        const int64_t value =
            tsl_lab_metric(&verdict->session, metric, named ? kernel : NULL, 0, &worst);
        if ((!named && !plain) || value < 0 ||
            (strcmp(sign, "<=") != 0 && strcmp(sign, ">=") != 0)) {
            return tsl_fail(context, TSL_E_FORMAT,
                            "%s: limit: %s: give METRIC [KERNEL] <= NUMBER, or >=", e->path,
                            e->limits[i]);
        }
        if (sign[0] == '<' ? value > bound : value < bound) {
            snprintf(reason, sizeof reason, "limit %.32s", metric);
            tsl_lab_verdict_add(verdict, reason, sign[0] == '<' ? worst : 0,
                                tsl_lab_message(TSL_LAB_SAY_LIMIT, language),
                                tsl_lab_message(said_of(metric), language), (long long)value,
                                sign[0] == '<' ? "≤" : "≥", bound);
        }
    }
    return TSL_OK;
}

/* ---- predictions ----------------------------------------------------------------------------- */

static long long field_of(const char *text, const char *name, long long fallback)
{
    char key[32];
    snprintf(key, sizeof key, " %s=", name);
    const char *at = strstr(text, key);
    return at != NULL ? strtoll(at + strlen(key), NULL, 10) : fallback;
}

/* "occupancy WHAT cc=9.0 threads=256 registers=40 shared=8192" */
static bool occupancy_answer(char *out, size_t bytes, const char *source)
{
    char what[32];
    int major;
    int minor;
    const char *cc = strstr(source, " cc=");
    if (sscanf(source, "occupancy %31s", what) != 1 || cc == NULL ||
        sscanf(cc, " cc=%d.%d", &major, &minor) != 2) {
        return false;
    }
    const tsl_multiprocessor *m = tsl_multiprocessor_find(major, minor);
    tsl_occupancy_kernel kernel = TSL_OCCUPANCY_KERNEL_INIT;
    tsl_occupancy_result result = {.blocks = 0};
    kernel.threads = (int)field_of(source, "threads", 0);
    kernel.registers = (int)field_of(source, "registers", 0);
    kernel.static_shared = field_of(source, "shared", 0);
    kernel.arguments = field_of(source, "arguments", 0);
    if (m == NULL || tsl_occupancy(&result, m, &kernel) != TSL_OK) {
        return false;
    }
    const int warps = result.blocks * ((kernel.threads + 31) / 32);
    if (strcmp(what, "blocks") == 0) {
        snprintf(out, bytes, "%d", result.blocks);
    } else if (strcmp(what, "warps") == 0) {
        snprintf(out, bytes, "%d", warps);
    } else if (strcmp(what, "percent") == 0) {
        snprintf(out, bytes, "%.6g", 100.0 * warps / m->warps);
    } else {
        return false;
    }
    return true;
}

/* A count: "METRIC KERNEL [LAUNCH]"; or what the program prints: "printed NAME". */
static bool program_answer(char *out, size_t bytes, const tsl_lab_session *s, const char *printed,
                           const char *source)
{
    char metric[32];
    char kernel[64];
    int launch = 0;
    int worst;
    if (sscanf(source, "printed %63s", kernel) == 1) {
        return printed != NULL && tsl_lab_prediction(out, bytes, printed, kernel);
    }
    if (sscanf(source, "%31s %63s %d", metric, kernel, &launch) < 2) {
        return false;
    }
    const int64_t value = tsl_lab_metric(s, metric, kernel, launch, &worst);
    snprintf(out, bytes, "%" PRId64, value);
    return value >= 0;
}

static tsl_status run_program(tsl_lab_verdict *v, tsl_context *context, const tsl_lab_exercise *e,
                              const tsl_lab_grade_options *o, char **printed)
{
    char path[PATH_MAX];
    char said[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    const tsl_lab_build_options build = {.compiler = o->compiler};
    const tsl_lab_session_options session = {.capability = e->device,
                                             .seed = 1,
                                             .counts = true,
                                             .processes = 1,
                                             .seconds = o->seconds,
                                             .memory = (int64_t)1 << 30,
                                             .output = said,
                                             .stop = o->stop};
    tsl_status status;
    if (tsl_lab_make_temporary(v->folder, context, temporary) != TSL_OK) {
        return TSL_E_IO;
    }
    snprintf(path, sizeof path, "%s/program.cu", v->folder);
    snprintf(said, sizeof said, "%s/printed.txt", v->folder);
    TSL_TRY(tsl_lab_write_text(context, path, e->program, strlen(e->program)));
    TSL_TRY(tsl_lab_build_program(&v->build, context, path, &build));
    TSL_TRY(tsl_lab_session_run(&v->session, context, &v->build, &session));
    TSL_TRY(tsl_text_read_string(printed, context, said, 1 << 20));
done:
    return status;
}

tsl_status tsl_lab_check_predictions(tsl_lab_verdict *verdict, tsl_context *context,
                                     const tsl_lab_exercise *e,
                                     const tsl_lab_grade_options *options)
{
    char *printed = NULL;
    tsl_status status =
        e->program != NULL ? run_program(verdict, context, e, options, &printed) : TSL_OK;
    for (int i = 0; i < e->answer_count && status == TSL_OK; i++) {
        char name[48];
        char right[64];
        char told[64] = "";
        char reason[64];
        int at = 0;
        if (sscanf(e->answers[i], "%47s = %n", name, &at) != 1 || at == 0) {
            status = tsl_fail(context, TSL_E_FORMAT, "%s: answer: %s: give NAME = SOURCE", e->path,
                              e->answers[i]);
            break;
        }
        const char *source = e->answers[i] + at;
        const bool known =
            strncmp(source, "occupancy ", 10) == 0
                ? occupancy_answer(right, sizeof right, source)
                : program_answer(right, sizeof right, &verdict->session, printed, source);
        if (!known) {
            status = tsl_fail(context, TSL_E_FORMAT, "%s: answer: %s: nothing gives that", e->path,
                              source);
        } else if (!tsl_lab_prediction(told, sizeof told, e->solution, name) ||
                   !tsl_lab_same_value(told, right)) {
            snprintf(reason, sizeof reason, "answer %s", name);
            tsl_lab_verdict_add(verdict, reason, 0, "%s: the solution has %s, its source gives %s",
                                name, told, right);
        }
    }
    tsl_release(printed);
    return status;
}
