/* Programs that the lab starts: compilers, addr2line, the learner's. */
#ifndef TSL_LAB_PROCESS_H
#define TSL_LAB_PROCESS_H

#include <limits.h>
#include <sys/types.h>

#include "core/core.h"

/* Search PATH for a program that can be run. */
bool tsl_lab_find_program(char path[PATH_MAX], const char *name);

/* A program's path and arguments while they are put together. */
enum { TSL_LAB_MOST_ARGUMENTS = 384 };
typedef struct tsl_lab_command {
    const char *arguments[TSL_LAB_MOST_ARGUMENTS]; /* ended by NULL; the caller's */
    int count;
} tsl_lab_command;

/* Append an argument. The callers' own limits keep the sum below TSL_LAB_MOST_ARGUMENTS. */
void tsl_lab_command_add(tsl_lab_command *command, const char *argument);
/* Append a list that NULL ends; `arguments` may be NULL. */
void tsl_lab_command_add_all(tsl_lab_command *command, const char *const *arguments);

typedef struct tsl_lab_process {
    const char *const *arguments; /* the first is the path; ended by NULL */
    const char *const *settings;  /* NAME=value to be set, ended by NULL; or NULL */
    const char *input;            /* files; NULL: nothing to read, output stays as it is */
    const char *output;
    const char *errors;
    int keep;     /* descriptor that the program shall have; -1: none */
    int keep_too; /* another; 0: none */
    bool own_group;
    int64_t data; /* bytes of memory it may take; 0: no limit */
    int64_t file; /* bytes that a file it writes may grow to; 0: no limit */
    int cpu;      /* seconds of a core that it, and each that it starts, may take; 0: no limit */
} tsl_lab_process;

/* Start it; *pid is to be waited for. TSL_E_IO if it cannot be started. */
tsl_status tsl_lab_start_process(pid_t *pid, tsl_context *context, const tsl_lab_process *process);
/* Start it and wait; *status is its exit status, 128 + signal if one ended it. */
tsl_status tsl_lab_run_process(int *status, tsl_context *context, const tsl_lab_process *process);
/* Wait for what was started; returns its exit status as above. */
int tsl_lab_wait_process(pid_t pid);
/* Exit status from what waitpid() gives. */
int tsl_lab_exit_status(int wait_status);

#endif
