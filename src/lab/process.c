/* Programs that the lab starts. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdio.h>

#include "lab/process.h"

bool tsl_lab_find_program(char path[PATH_MAX], const char *name)
{
    const char *at = getenv("PATH");
    struct stat about;
    if (strchr(name, '/') != NULL) {
        snprintf(path, PATH_MAX, "%s", name);
        return access(path, X_OK) == 0;
    }
    while (at != NULL && *at != '\0') {
        const size_t length = strcspn(at, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, name);
        if (length > 0 && access(path, X_OK) == 0 && stat(path, &about) == 0 &&
            S_ISREG(about.st_mode)) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

void tsl_lab_command_add(tsl_lab_command *command, const char *argument)
{
    if (command->count < TSL_LAB_MOST_ARGUMENTS - 1) {
        command->arguments[command->count++] = argument;
    }
}

void tsl_lab_command_add_all(tsl_lab_command *command, const char *const *arguments)
{
    for (int i = 0; arguments != NULL && arguments[i] != NULL; i++) {
        tsl_lab_command_add(command, arguments[i]);
    }
}

/* In the child: give a standard stream another file. */
static bool redirect(int stream, const char *path, int flags)
{
    if (path == NULL) {
        return true;
    }
    const int file = open(path, flags, 0600);
    const bool done = file >= 0 && dup2(file, stream) == stream;
    if (file > 2) {
        close(file);
    }
    return done;
}

/* In the child: 0 is no limit. */
static void limit(__rlimit_resource_t what, int64_t most)
{
    const struct rlimit both = {(rlim_t)most, (rlim_t)most};
    if (most > 0) {
        setrlimit(what, &both);
    }
}

/* In the child, which has but this thread: become the program, or exit with 127. */
static void become(const tsl_lab_process *p, char *const *arguments)
{
    const int writes = O_WRONLY | O_CREAT | O_TRUNC;
    for (int i = 0; p->settings != NULL && p->settings[i] != NULL; i++) {
        char name[64];
        const size_t length = strcspn(p->settings[i], "=");
        snprintf(name, sizeof name, "%.*s", (int)length, p->settings[i]);
        setenv(name, p->settings[i] + length + 1, 1);
    }
    if (p->own_group) {
        setpgid(0, 0);
    }
    if (p->keep >= 0) {
        fcntl(p->keep, F_SETFD, 0);
    }
    if (p->keep_too > 0) {
        fcntl(p->keep_too, F_SETFD, 0);
    }
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    limit(RLIMIT_DATA, p->data);
    limit(RLIMIT_FSIZE, p->file);
    limit(RLIMIT_CPU, p->cpu);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const bool streams = redirect(0, p->input != NULL ? p->input : "/dev/null", O_RDONLY) &&
                         redirect(1, p->output, writes) && redirect(2, p->errors, writes);
    if (streams) {
        execv(arguments[0], arguments);
    }
    _exit(127);
}

tsl_status tsl_lab_start_process(pid_t *pid, tsl_context *context, const tsl_lab_process *process)
{
    size_t count = 0;
    while (process->arguments[count] != NULL) {
        count++;
    }
    char **arguments = tsl_allocate_zeroed(count + 1, sizeof *arguments);
    bool copied = arguments != NULL;
    for (size_t i = 0; i < count && copied; i++) {
        arguments[i] = tsl_duplicate_string(process->arguments[i]);
        copied = arguments[i] != NULL;
    }
    tsl_status status = copied ? TSL_OK : tsl_fail_memory(context, 1024, "a program's arguments");
    if (status == TSL_OK) {
        *pid = fork();
        if (*pid == 0) {
            become(process, arguments);
        } else if (*pid < 0) {
            status = tsl_fail(context, TSL_E_IO, "cannot start %s: %s", process->arguments[0],
                              strerror(errno));
        }
    }
    for (size_t i = 0; i < count && arguments != NULL; i++) {
        tsl_release(arguments[i]);
    }
    tsl_release(arguments);
    return status;
}

int tsl_lab_exit_status(int wait_status)
{
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

int tsl_lab_wait_process(pid_t pid)
{
    int wait_status = 0;
    while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
    }
    return tsl_lab_exit_status(wait_status);
}

tsl_status tsl_lab_run_process(int *status, tsl_context *context, const tsl_lab_process *process)
{
    pid_t pid;
    const tsl_status started = tsl_lab_start_process(&pid, context, process);
    if (started == TSL_OK) {
        *status = tsl_lab_wait_process(pid);
    }
    return started;
}
