/* What the commands share: options, messages, exit status, reports. */
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

/* The commands: cli_dock is that of `tesela dock`. */
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
    const char *csv;    /* likewise the table of a command that has one */
    int threads;        /* 0: all */
    bool profile;
    bool quiet;
    char command[65]; /* digest of the command and all that follows it, in its order, but for
                         cli_list_rank_options() */
    const struct cli_command *of;
    uint64_t given; /* bits of its rows that were on the command line: see cli_given() */
} cli_common;

/* List the options that each rank of a launch may set for itself, as words of a sentence. (parse.c)
 */
void cli_list_rank_options(char *text, size_t bytes, const cli_common *common);

/* *out: the place of `word` among `names`, ended by NULL; false: it is not among them. */
bool cli_find(const char *word, const char *const names[], int *out);

/* Whole string as a number: false if anything is left over, out of range or not finite. */
bool cli_parse_integer(const char *text, int *out);
bool cli_parse_real(const char *text, double *out);
/* "512M", "4G", "4GiB", "1000000": powers of 1024. */
bool cli_parse_bytes(const char *text, int64_t *out);

/* Is each option one of the parser's, with a value where it needs one? If not, says so in one line,
 * with a hint at the nearest name, and returns false (arguments.c). */
bool cli_check_arguments(const struct argp *argp, int argc, char **argv);
/* The one of `names` (ended by NULL) nearest in spelling; NULL if none is near. */
const char *cli_nearest(const char *word, const char *const names[]);

/* Can a file be made at `path` (a folder there already: if `folder`), as far as one can tell
 * without writing? If not, says why in one line and returns false. */
bool cli_can_write(const char *option, const char *path, bool folder);
/* The same of --csv; NULL and "-" are fine, but for "-" where --json is that too. */
bool cli_can_write_csv(const cli_common *common);
/* Do two names stand for one regular file, by links too, or for one that is still to be made? */
bool cli_same_file(const char *path, const char *other);

/* ---- messages (messages.c) ---------------------------------------------------------------- */

/* "tesela: error: …", "tesela: warning: …" and "tesela: note: …" on standard error, always one
 * line. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From here on only errors are printed. */
void cli_be_quiet(void);
/* From here on nothing at all is printed by this thread, a rank for which another speaks; false
 * ends that. */
void cli_be_silent(bool silent);
/* The first error that this thread has kept back so; "": none. */
const char *cli_unsaid_error(void);
/* Is either of these so? */
bool cli_is_quiet(void);

/* Open the context the options ask for, with stages kept for --profile; errors are printed. */
tsl_status cli_open_context(tsl_context **out, const cli_common *common);
/* Open a context as a rank of `comm`. The reason for a failure is in tsl_last_error(NULL). */
tsl_status cli_open_rank(tsl_context **out, const char *device, int threads, tsl_comm *comm);

/* The exit status that belongs to a status. `bounded`: a bound on memory was given, so that
 * TSL_E_NOMEM may mean that the bound is too small. */
int cli_exit_status(const tsl_context *context, tsl_status status, bool bounded);

/* The end of a command's work on a context, or of the attempt to open one (NULL): print why it
 * failed, if it did. Returns the exit status; `bounded` as above. */
int cli_end(const tsl_context *context, tsl_status status, bool bounded);

/* Flush a stream; why standard output could not be is kept for cli_close_output(). */
void cli_flush(FILE *stream);
/* Flush standard output; a failure to write it is an error like any other. */
int cli_close_output(int exit_status);
/* The same of whoever exits elsewhere, as --help does: for atexit(). */
void cli_check_output(void);

/* ---- progress (progress.c) ---------------------------------------------------------------- */

/* A line that is rewritten in place, if standard error is a terminal: nothing otherwise. */
typedef struct cli_progress {
    const char *unit; /* "rotations" */
    int64_t total;
    int64_t done;
    int64_t done_before; /* by an earlier run: does not count in the rate */
    double begun;
    double shown;
    bool terminal;
} cli_progress;

void cli_progress_begin(cli_progress *progress, const char *unit, int64_t total, int64_t done);
void cli_progress_add(cli_progress *progress, int64_t count);
/* Take the line away. */
void cli_progress_end(cli_progress *progress);
/* Used by the messages, so that they do not run into the line. */
void cli_progress_clear(void);

/* ---- interrupts (interrupt.c) ------------------------------------------------------------- */

/* SIGINT, SIGTERM and SIGHUP end the program at once with 128 + signal, or, while deferred, are
 * only remembered: the first of them; a second one ends the program. Ranks that are threads defer
 * them each for itself. */
void cli_catch_signals(void);
/* Is a signal told that ends the program at once? Not after an error: a launcher sends one to the
 * process that has said why all end. */
void cli_tell_signals(bool tell);
void cli_defer_signals(bool defer);
/* If one came while deferred, end as if it came now. */
void cli_heed_signal(void);
/* The signal that came while deferred; 0: none. */
int cli_signal(void);
/* A signal came to another rank: the same as to this one, unless one came before. */
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
    const tsl_profile *before; /* stages of the context's work before this; NULL: none */
} cli_report;

/* Writes the members "parameters" and "results". */
typedef void cli_report_body(tsl_json *json, const void *work);

/* Write the envelope to `path`, the value of --json or a file: its head, what `body` makes of
 * `work`, and the stages of the context's work. */
tsl_status cli_report_write(tsl_context *context, const char *path, const cli_report *report,
                            cli_report_body *body, const void *work);
/* Writes the lines of a table, the first with the columns' names. */
typedef void cli_csv_rows(FILE *stream, const void *work);

/* Write what `rows` makes of `work` to `path`, the value of --csv, with points in its numbers. */
tsl_status cli_csv_write(tsl_context *context, const char *path, cli_csv_rows *rows,
                         const void *work);
/* The file that a value of --json means: "-" is standard output. */
const char *cli_report_file(const char *path);
/* Can it be written there, as far as one can tell? NULL: there is nothing to write. If not, says
 * why in one line. */
bool cli_can_write_report(const char *path);
/* A member of "cases": something that was verified. */
void cli_report_case(tsl_json *json, const char *name, double value, double bound, bool ok);
/* Where the summary for people goes: standard output, unless the report of --json takes it. */
FILE *cli_summary_stream(const cli_common *common);
/* Copy of the stages so far. */
tsl_profile cli_profile_now(const tsl_context *context);
/* The stage table of --profile, on standard error. */
void cli_profile_print(const tsl_context *context);
/* What --profile and --json ask for: the stage table, and a report as cli_report_write() does. */
tsl_status cli_conclude(tsl_context *context, const cli_common *common, const cli_report *report,
                        cli_report_body *body, const void *work);

#endif
