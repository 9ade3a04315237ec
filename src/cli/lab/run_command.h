/* What the files of `tesela lab run` share. */
#ifndef TSL_CLI_LAB_RUN_COMMAND_H
#define TSL_CLI_LAB_RUN_COMMAND_H

#include "cli/lab/lab.h"
#include "lab/card.h"
#include "lab/session.h"

enum { LAB_RUN_MOST_SHOWN = 20 /* launches that are shown */ };

typedef struct lab_run_options {
    cli_common common;
    const char *file;
    const char *arguments[64]; /* arguments of the program, ended by NULL */
    int argument_count;
    const char *folder;               /* the last of --include */
    const char *define;               /* the last of --define */
    const char *compiler_options[65]; /* --include and --define with their values, ended by NULL */
    int compiler_option_count;
    char capability[16]; /* compute capability to simulate; with --device cuda:N the card's */
    int card;            /* number of the card; -1: none */
    int orders[TSL_LAB_ORDERS];
    int order_count;
    int seed;
    bool counts_only;
    bool checks_only;
    const char *compiler;
    int seconds;
    int64_t memory;
    bool unguarded;
    bool keep;
} lab_run_options;

typedef struct lab_run_work {
    lab_run_options *options;
    tsl_context *context;
    tsl_lab_build build;
    tsl_lab_session session;
    tsl_lab_card card;
    char output[PATH_MAX]; /* where the program's first run printed to, if a card runs it too */
    double begun;
} lab_run_work;

/* run.c */
int lab_run_command(const cli_command *self, int argc, char **argv);

/* run_report.c */
void lab_run_print(FILE *stream, const lab_run_work *work);
tsl_status lab_run_write_report(const lab_run_work *work, const char *path);

/* run_card.c: with --device cuda:N only. */
tsl_status lab_run_card_find(lab_run_work *work, bool (*stop)(void));
tsl_status lab_run_card_run(lab_run_work *work, const tsl_lab_session_options *session);
void lab_run_card_print(FILE *stream, const lab_run_work *work);
void lab_run_card_write(tsl_json *json, const lab_run_work *work);
/* Did the program exit on the card as in its first simulated run, and print the same lines? Also
 * true without a card. */
bool lab_run_card_agrees(const lab_run_work *work);

#endif
