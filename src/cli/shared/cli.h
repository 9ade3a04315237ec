/* Shared by all commands: options, messages, exit status, reports. */
#ifndef TSL_CLI_H
#define TSL_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/shared/option.h"
#include "core/core.h"
#include "core/profile.h"
#include "io/report/json.h"

/* Exit status of every command; 128 + signal after an interrupt. */
enum {
    CLI_DONE = 0,
    CLI_CHECK_FAILED = 1, /* done, but a verification failed, or a pair of a list */
    CLI_USAGE = 2,        /* usage or input */
    CLI_DEVICE = 3,       /* device, communication, memory exhausted */
    CLI_INTERNAL = 4
};

/* Declares the commands: cli_dock is `tesela dock`. */
#define CLI_COMMAND(name, summary) extern const cli_command cli_##name;
#include "cli/commands.def"
#undef CLI_COMMAND

/* Threads that wait spin for microseconds, not milliseconds, unless OMP_WAIT_POLICY or
 * GOMP_SPINCOUNT is in the environment. libgomp reads that when it is loaded, so the program begins
 * anew, once, as the same process with the same arguments; where it can't, it goes on as it is. To
 * be called before anything else. (spin.c) */
void cli_spin_briefly(int argc, char **argv);

/* ---- options (option.h, numbers.c, arguments.c, paths.c) ---------------------------------- */

/* Options of every command that computes. */
typedef struct cli_common {
    const char *device; /* resource string */
    const char *json;   /* where the report goes; NULL: nowhere; "-" is standard output */
    const char *csv;    /* where the table goes, of a command that has one; NULL: nowhere; "-" is
                           standard output */
    int threads;        /* 0: all */
    bool profile;
    bool quiet;
    char command[65]; /* digest of the command line, all arguments in their order but for
                         cli_list_rank_options() */
    const struct cli_command *of;
    uint64_t given; /* bits of the rows whose options were on the command line: cli_given() */
} cli_common;

/* List the options that each rank of a launch may set for itself, as words of a sentence. (parse.c)
 */
void cli_list_rank_options(char *text, size_t bytes, const cli_common *common);

/* Finds the place of `word` among `names`, a list ended by NULL. False if it is not among them. */
bool cli_find(const char *word, const char *const names[], int *out);

/* Parses a whole string as a number. False if anything is left over, out of range or not finite. */
bool cli_parse_integer(const char *text, int *out);
bool cli_parse_real(const char *text, double *out);
/* Parses bytes: "512M", "4G", "4GiB", "1000000". Units are powers of 1024. */
bool cli_parse_bytes(const char *text, int64_t *out);

/* Checks that each option is one of the parser's, and has a value where it needs one. If not,
 * prints one line, with the nearest name as a hint, and returns false (arguments.c). */
bool cli_check_arguments(const struct argp *argp, int argc, char **argv);
/* The one of `names`, ended by NULL, that is nearest in spelling; NULL if none is near. */
const char *cli_nearest(const char *word, const char *const names[]);

/* Can a file be made at `path`, or a folder if `folder`, where one may be already? Nothing is
 * written to find out. If not, prints one line and returns false. */
bool cli_can_write(const char *option, const char *path, bool folder);
/* Can the table of --csv be written? NULL is fine, and so is "-" unless --json has it too. */
bool cli_can_write_csv(const cli_common *common);
/* Do two names stand for one regular file, also by links, or for one file that is still to be
 * made? */
bool cli_same_file(const char *path, const char *other);

/* ---- messages (messages.c) ---------------------------------------------------------------- */

/* "tesela: error: …", "tesela: warning: …" and "tesela: note: …" on standard error, always one
 * line. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints only errors from here on. */
void cli_be_quiet(void);
/* Keeps this thread from printing anything from here on, since another rank speaks for it; false
 * ends that. */
void cli_be_silent(bool silent);
/* The first error that this thread did not print because of cli_be_silent(); "": none. */
const char *cli_unsaid_error(void);
/* Does cli_be_quiet() or cli_be_silent() apply to this thread? */
bool cli_is_quiet(void);

/* Opens the context that the options ask for, and keeps stages for --profile. Errors are
 * printed. */
tsl_status cli_open_context(tsl_context **out, const cli_common *common);
/* Opens a context as a rank of `comm`. The error's line is in tsl_last_error(NULL). */
tsl_status cli_open_rank(tsl_context **out, const char *device, int threads, tsl_comm *comm);

/* The exit status for a status. `bounded`: memory was bounded by an option, so that TSL_E_NOMEM may
 * mean that the bound is too small. */
int cli_exit_status(const tsl_context *context, tsl_status status, bool bounded);

/* Ends a command's work on a context; NULL where it could not be opened. Prints the error, if there
 * was one. Returns the exit status; `bounded` is as in cli_exit_status(). */
int cli_end(const tsl_context *context, tsl_status status, bool bounded);

/* Flushes a stream. An error of standard output is kept for cli_close_output(). */
void cli_flush(FILE *stream);
/* Flushes standard output. A failure to write it is an error of the command. */
int cli_close_output(int exit_status);
/* Checks standard output in a process that does not end by cli_close_output(), as after --help: a
 * function for atexit(). */
void cli_check_output(void);

/* ---- progress (progress.c) ---------------------------------------------------------------- */

/* A line that is rewritten in place if standard error is a terminal; otherwise nothing is
 * printed. */
typedef struct cli_progress {
    const char *unit; /* "rotations" */
    int64_t total;
    int64_t done;
    int64_t done_before; /* by an earlier run, which the rate does not count */
    double begun;
    double shown;
    bool terminal;
} cli_progress;

void cli_progress_begin(cli_progress *progress, const char *unit, int64_t total, int64_t done);
void cli_progress_add(cli_progress *progress, int64_t count);
/* Removes the line. */
void cli_progress_end(cli_progress *progress);
/* Removes the line before a message is printed. */
void cli_progress_clear(void);

/* ---- interrupts (interrupt.c) ------------------------------------------------------------- */

/* SIGINT, SIGTERM and SIGHUP end the program at once with 128 + signal. While they are deferred the
 * first one is only remembered, and a second one ends the program. Ranks that are threads each
 * defer signals for themselves. */
void cli_catch_signals(void);
/* Sets whether a signal that ends the program is told. After an error it is not: a launcher sends
 * one to the process that has said why all end. */
void cli_tell_signals(bool tell);
void cli_defer_signals(bool defer);
/* If a signal came while signals were deferred, ends the program as if it came now. */
void cli_heed_signal(void);
/* The signal that came while signals were deferred; 0: none. */
int cli_signal(void);
/* Notes a signal that came to another rank, unless one came to this rank before. */
void cli_take_signal(int number);

/* ---- reports (report.c) ------------------------------------------------------------------- */

/* The head of the JSON envelope: docs/json.md. */
typedef struct cli_report {
    const char *command;
    const char *device; /* NULL: null */
    int ranks;          /* 0 means 1 */
    int verified;       /* 1, 0, or -1 for null */
    double total;       /* seconds */
    double setup;
    double compute;
    const tsl_profile *before; /* stages of work on the context before the report's; NULL: none */
} cli_report;

/* A function that writes the members "parameters" and "results". */
typedef void cli_report_body(tsl_json *json, const void *work);

/* Writes a report to `path`, the value of --json or a file: the head, what `body` writes of `work`,
 * and the stages of the context's work. */
tsl_status cli_report_write(tsl_context *context, const char *path, const cli_report *report,
                            cli_report_body *body, const void *work);
/* A function that writes the lines of a table, the first with the columns' names. */
typedef void cli_csv_rows(FILE *stream, const void *work);

/* Writes what `rows` makes of `work` to `path`, the value of --csv. Numbers have a decimal
 * point. */
tsl_status cli_csv_write(tsl_context *context, const char *path, cli_csv_rows *rows,
                         const void *work);
/* The file that a value of --json means; "-" is standard output. */
const char *cli_report_file(const char *path);
/* Can a report be written to `path`? NULL is fine, since nothing is written. If not, prints one
 * line and returns false. */
bool cli_can_write_report(const char *path);
/* Writes a member of "cases": a value that was verified. */
void cli_report_case(tsl_json *json, const char *name, double value, double bound, bool ok);
/* The stream for the summary: standard output, unless the report of --json goes there. */
FILE *cli_summary_stream(const cli_common *common);
/* A copy of the stages so far. */
tsl_profile cli_profile_now(const tsl_context *context);
/* Prints the stage table of --profile on standard error. */
void cli_profile_print(const tsl_context *context);
/* Does what --profile and --json ask for: prints the stage table, and writes a report as
 * cli_report_write() does. */
tsl_status cli_conclude(tsl_context *context, const cli_common *common, const cli_report *report,
                        cli_report_body *body, const void *work);

#endif
