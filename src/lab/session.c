/* Runs of a learner's program. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/process.h"
#include "lab/session.h"

enum {
    SETTINGS = 11,
    HOST_GIB = 4 /* of the program itself, its threads' stacks too */
};

const char *const tsl_lab_order_names[TSL_LAB_ORDERS + 1] = {"forward", "reversed", "strided",
                                                             "random", NULL};

/* A run of the program that goes on, or has ended. */
typedef struct pass {
    double begun;
    int number; /* 0 lockstep, then the orders from 1 */
    int order;
    pid_t pid; /* 0: not running */
    bool checks;
    bool told;   /* to end, for its time is over */
    int outputs; /* 0: none */
    char results[PATH_MAX];
} pass;

tsl_status tsl_lab_open_outputs(int *out, tsl_context *context, const char *folder)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/outputs.bin", folder);
    const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || unlink(name) != 0) {
        return tsl_fail(context, TSL_E_IO, "%s: %s", name, strerror(errno));
    }
    *out = file;
    return TSL_OK;
}

static tsl_status start(pass *p, tsl_context *context, const tsl_lab_build *build,
                        const tsl_lab_session_options *o)
{
    char text[SETTINGS][64];
    const char *settings[SETTINGS + 1];
    const char *arguments[64] = {build->program};
    int n = 0;
    snprintf(p->results, sizeof p->results, "%s/results%d.txt", build->folder, p->number);
    const int results = open(p->results, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC | O_CLOEXEC, 0600);
    if (results < 0) {
        return tsl_fail(context, TSL_E_IO, "%s: %s", p->results, strerror(errno));
    }
    snprintf(text[n++], sizeof *text, "TESELA_LAB_REPORT=%d", results);
    snprintf(text[n++], sizeof *text, "TESELA_LAB_CHECKS=%d", p->checks);
    snprintf(text[n++], sizeof *text, "TESELA_LAB_ORDER=%d", p->order);
    snprintf(text[n++], sizeof *text, "TESELA_LAB_SEED=%d", o->seed);
    snprintf(text[n++], sizeof *text, "TESELA_LAB_WORKERS=%d", o->processes);
    snprintf(text[n++], sizeof *text, "TESELA_LAB_DEVICE=%.16s", o->capability);
    snprintf(text[n++], sizeof *text, "TESELA_LAB_MEMORY=%lld", (long long)o->memory);
    snprintf(text[n++], sizeof *text, "TESELA_LAB_IDLE=%d", o->idle);
    if (!o->unguarded) {
        snprintf(text[n++], sizeof *text, "TESELA_LAB_GUARD=1");
    }
    if (o->outputs) {
        const tsl_status opened = tsl_lab_open_outputs(&p->outputs, context, build->folder);
        if (opened != TSL_OK) {
            close(results);
            return opened;
        }
        snprintf(text[n++], sizeof *text, "TESELA_LAB_OUTPUTS=%d", p->outputs);
    }
    for (int i = 0; i < n; i++) {
        settings[i] = text[i];
    }
    settings[n] = NULL;
    for (int i = 0; o->arguments != NULL && o->arguments[i] != NULL && i < 62; i++) {
        arguments[i + 1] = o->arguments[i];
    }
    const bool silent = p->number > 0 || o->idle;
    const tsl_lab_process process = {
        .arguments = arguments,
        .settings = settings,
        .output = silent ? "/dev/null" : o->output,
        .errors = silent ? "/dev/null" : NULL,
        .keep = results,
        .keep_too = p->outputs,
        .own_group = true,
        .data = (int64_t)HOST_GIB << 30,
    };
    p->begun = tsl_seconds();
    const tsl_status status = tsl_lab_start_process(&p->pid, context, &process);
    close(results);
    return status;
}

static void end_group(const pass *p)
{
    kill(-p->pid, SIGKILL); /* whatever it has started */
}

static void append_line(const char *path, const char *line)
{
    FILE *file = fopen(path, "a");
    if (file != NULL) {
        fputs(line, file);
        fclose(file);
    }
}

/* Take what has ended, end what has taken too long. True if it has ended. */
static bool poll_pass(pass *p, const tsl_lab_session_options *o, int *exit_status)
{
    int status;
    if (waitpid(p->pid, &status, WNOHANG) == p->pid) {
        end_group(p);
        *exit_status = tsl_lab_exit_status(status);
        if (p->told) {
            append_line(p->results, "late\n");
        } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
            append_line(p->results, "refused what reaches out of it\n");
        } else if (WIFSIGNALED(status)) {
            char line[64];
            snprintf(line, sizeof line, "killed %d\n", WTERMSIG(status));
            append_line(p->results, line);
        }
        p->pid = 0;
        return true;
    }
    const double running = tsl_seconds() - p->begun;
    if (running > o->seconds && !p->told) {
        kill(-p->pid, SIGTERM); /* it says where it is, and ends */
        p->told = true;
    } else if (running > o->seconds + 1) {
        end_group(p);
    }
    return false;
}

static void wait_a_little(void)
{
    const struct timespec little = {0, 2000000};
    nanosleep(&little, NULL);
}

/* Run passes, at most `most` at a time. */
static tsl_status run_passes(tsl_lab_session *s, tsl_context *context, const tsl_lab_build *build,
                             const tsl_lab_session_options *o, pass *passes, int count, int most)
{
    tsl_status status = TSL_OK;
    int begun = 0;
    int ended = 0;
    while (ended < count && status == TSL_OK) {
        while (begun < count && begun - ended < most && status == TSL_OK) {
            status = start(&passes[begun++], context, build, o);
        }
        if (o->stop != NULL && o->stop()) {
            status = tsl_fail(context, TSL_E_CANCELLED, "stopped");
        }
        for (int i = 0; i < begun; i++) {
            pass *p = &passes[i];
            if (p->pid != 0 && poll_pass(p, o, &s->exit_status[p->number])) {
                ended++;
                s->seconds[p->number] = tsl_seconds() - p->begun;
                s->runs++;
                s->check_runs += p->checks;
            }
        }
        wait_a_little();
    }
    for (int i = 0; i < begun; i++) {
        if (passes[i].pid > 0) { /* stopped in the middle */
            end_group(&passes[i]);
            waitpid(passes[i].pid, NULL, 0);
        }
    }
    return status;
}

tsl_status tsl_lab_session_run(tsl_lab_session *out, tsl_context *context,
                               const tsl_lab_build *build, const tsl_lab_session_options *options)
{
    pass passes[1 + TSL_LAB_ORDERS] = {{.number = 0}};
    int count = 0;
    *out = (tsl_lab_session){.runs = 0};
    passes[count].checks = false;
    count += options->counts;
    for (int i = 0; i < options->order_count; i++) {
        passes[count] = (pass){.number = count, .checks = true, .order = options->orders[i]};
        count++;
    }
    /* the first alone: its output is seen, and it shares its blocks among all processes */
    tsl_status status = run_passes(out, context, build, options, passes, 1, 1);
    if (options->give_up && passes[0].told) {
        count = 1;
    }
    if (status == TSL_OK && count > 1) {
        status =
            run_passes(out, context, build, options, passes + 1, count - 1, options->processes);
    }
    for (int i = 0; i <= TSL_LAB_ORDERS; i++) {
        out->outputs[i] = passes[i].outputs;
    }
    for (int i = 0; i < count && status == TSL_OK; i++) {
        status = tsl_lab_read_results(out, context, passes[i].results, i, i == 0);
    }
    if (status == TSL_OK) {
        status = tsl_lab_find_places(out, context, build);
    }
    return status;
}

void tsl_lab_session_release(tsl_lab_session *session)
{
    for (int64_t i = 0; i < session->launch_count; i++) {
        tsl_release(session->launches[i].kernel);
    }
    for (int64_t i = 0; i < session->report_count; i++) {
        tsl_release(session->reports[i].text);
    }
    for (int64_t i = 0; i < session->place_count; i++) {
        tsl_release(session->places[i].file);
    }
    for (int i = 0; i <= TSL_LAB_ORDERS; i++) {
        if (session->outputs[i] > 0) {
            close(session->outputs[i]);
        }
    }
    tsl_release(session->launches);
    tsl_release(session->counts);
    tsl_release(session->reports);
    tsl_release(session->places);
    *session = (tsl_lab_session){.runs = 0};
}
