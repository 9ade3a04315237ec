/* `tesela lab watch`: grade what is saved. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <termios.h>
#include <unistd.h>

#include "cli/lab/course_command.h"

/* Editors write a file in several steps, or put a new one in its place. Changes within this time
 * are one save. */
enum { SETTLE_MILLISECONDS = 60 };

typedef struct watcher {
    course_work *work;
    int notifier;
    bool keys; /* standard input is a terminal */
    struct termios before;
    bool stop;
} watcher;

static void begin_keys(watcher *w)
{
    w->keys = isatty(0) == 1 && tcgetattr(0, &w->before) == 0;
    if (w->keys) {
        struct termios plain = w->before;
        plain.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        tcsetattr(0, TCSANOW, &plain);
    }
}

static void end_keys(const watcher *w)
{
    if (w->keys) {
        tcsetattr(0, TCSANOW, &w->before);
    }
}

/* The last of the exercises whose files the events name; -1: none. */
static int read_events(const watcher *w)
{
    _Alignas(struct inotify_event) char buffer[4096];
    int found = -1;
    const ssize_t bytes = read(w->notifier, buffer, sizeof buffer);
    for (ssize_t at = 0; at < bytes;) {
        const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
        const int exercise =
            event->len > 0 ? tsl_lab_course_find(&w->work->course, event->name) : -1;
        found = exercise >= 0 ? exercise : found;
        at += (ssize_t)(sizeof *event + event->len);
    }
    return found;
}

static tsl_status check(watcher *w, int at)
{
    char path[PATH_MAX];
    bool passed;
    course_work *work = w->work;
    const tsl_lab_exercise *e = &work->course.exercises[at];
    tsl_lab_answer_path(path, &work->state, e);
    if (access(path, R_OK) != 0) { /* an editor is between two steps */
        return TSL_OK;
    }
    if (work->state.current != at) {
        work->state.current = at;
        const tsl_status saved = course_save(work);
        if (saved != TSL_OK) {
            return saved;
        }
    }
    printf("\n");
    const tsl_status status = course_check_answer(work, at, path, &passed);
    const int next = tsl_lab_state_next(&work->state, &work->course, at + 1);
    if (status == TSL_OK && passed && next >= 0) {
        const tsl_lab_exercise *n = &work->course.exercises[next];
        printf("\n");
        printf(course_say(work, w->keys ? TSL_LAB_SAY_NEXT_KEY : TSL_LAB_SAY_NEXT), n->id,
               n->words[work->language].title);
        printf("\n");
    } else if (status == TSL_OK && passed) {
        printf("\n%s\n", course_say(work, TSL_LAB_SAY_ALL_DONE));
    }
    fflush(stdout);
    return status;
}

static tsl_status press(watcher *w, char key)
{
    course_work *work = w->work;
    const int at = course_chosen(work);
    const tsl_lab_exercise *e = &work->course.exercises[at];
    tsl_status status = TSL_OK;
    printf("\n");
    if (key == 'q') {
        w->stop = true;
    } else if (key == 'l') {
        course_print_list(work);
    } else if (key == 'h') {
        const int most = e->words[work->language].hint_count;
        work->state.hints[at] += work->state.hints[at] < most;
        course_print_hints(work, at);
        status = course_save(work);
    } else if (key == 's') {
        if (work->state.passed[at] ||
            work->state.hints[at] >= e->words[work->language].hint_count) {
            status = course_print_solution(work, at);
        } else {
            printf(course_say(work, TSL_LAB_SAY_SOLUTION_LATER), e->id);
            printf("\n");
        }
    } else if (key == 'n') {
        const int next = tsl_lab_state_next(&work->state, &work->course, at + 1);
        if (next >= 0) {
            work->state.current = next;
            status = course_save(work);
            course_print_exercise(work, next);
        } else {
            printf("%s\n", course_say(work, TSL_LAB_SAY_ALL_DONE));
        }
    }
    fflush(stdout);
    return status;
}

static tsl_status watch(watcher *w)
{
    tsl_status status = TSL_OK;
    int changed = -1;
    while (status == TSL_OK && !w->stop) {
        struct pollfd files[2] = {{.fd = w->notifier, .events = POLLIN},
                                  {.fd = 0, .events = w->keys ? POLLIN : 0}};
        const int ready = poll(files, w->keys ? 2 : 1, changed >= 0 ? SETTLE_MILLISECONDS : 500);
        if (cli_signal() != 0 || (ready < 0 && errno != EINTR)) {
            break;
        }
        char key;
        if (ready > 0 && (files[0].revents & POLLIN) != 0) {
            const int at = read_events(w);
            changed = at >= 0 ? at : changed;
        } else if (ready > 0 && w->keys && (files[1].revents & (POLLIN | POLLHUP)) != 0) {
            if (read(0, &key, 1) == 1) {
                status = press(w, key);
            } else {
                w->stop = true;
            }
        } else if (ready == 0 && changed >= 0) {
            status = check(w, changed);
            changed = -1;
        }
    }
    return status;
}

int lab_watch_command(const cli_command *self, int argc, char **argv)
{
    course_work work;
    int exit_status;
    if (!course_open(&work, self, argc, argv, true, &exit_status)) {
        return exit_status;
    }
    int at = course_chosen(&work);
    if (at >= 0 && work.options.name_count == 0 && work.state.passed[at]) {
        const int next = tsl_lab_state_next(&work.state, &work.course, at + 1);
        at = next >= 0 ? next : at;
    }
    watcher w = {.work = &work, .notifier = inotify_init1(IN_CLOEXEC)};
    if (at < 0) {
        return course_close(&work, TSL_OK, CLI_USAGE);
    }
    tsl_status status = TSL_OK;
    if (w.notifier < 0 ||
        inotify_add_watch(w.notifier, work.state.folder, IN_CLOSE_WRITE | IN_MOVED_TO) < 0) {
        status = tsl_fail(work.context, TSL_E_IO, "%s: cannot be watched: %s", work.state.folder,
                          strerror(errno));
    }
    work.options.name_count = 0; /* from here on the state says which exercise is the current one */
    work.state.current = at;
    if (status == TSL_OK) {
        status = course_save(&work);
    }
    if (status == TSL_OK) {
        course_print_exercise(&work, at);
        printf("\n");
        printf(course_say(&work, TSL_LAB_SAY_WATCHES), work.state.folder);
        printf("\n");
        fflush(stdout);
        cli_defer_signals(true);
        begin_keys(&w);
        status = watch(&w);
        end_keys(&w);
    }
    if (w.notifier >= 0) {
        close(w.notifier);
    }
    return course_close(&work, status, CLI_DONE);
}
