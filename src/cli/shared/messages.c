/* Messages on standard error, and the exit status. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/shared/cli.h"

static bool quiet;
static _Thread_local bool silent;
static _Thread_local char unsaid[1024]; /* the first error of a silent thread */
static char last_note[1024];

static void print_line(const char *kind, const char *format, va_list arguments)
{
    char line[1024];
    if (silent) {
        return;
    }
    vsnprintf(line, sizeof line, format, arguments);
    for (char *c = line; *c != '\0'; c++) { /* a file's name may hold control characters */
        if ((unsigned char)*c < ' ' || *c == 127) {
            *c = '?';
        }
    }
    cli_progress_clear();
    fprintf(stderr, "tesela: %s%s\n", kind, line);
}

void cli_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (silent && unsaid[0] == '\0') {
        vsnprintf(unsaid, sizeof unsaid, format, arguments);
    } else if (!silent) {
        print_line("error: ", format, arguments);
        cli_tell_signals(false);
    }
    va_end(arguments);
}

const char *cli_unsaid_error(void)
{
    return unsaid;
}

void cli_warning(const char *format, ...)
{
    if (!quiet) {
        va_list arguments;
        va_start(arguments, format);
        print_line("warning: ", format, arguments);
        va_end(arguments);
    }
}

void cli_note(const char *format, ...)
{
    if (!quiet) {
        va_list arguments;
        va_start(arguments, format);
        print_line("", format, arguments);
        va_end(arguments);
    }
}

void cli_be_quiet(void)
{
    quiet = true;
}

void cli_be_silent(bool be_silent)
{
    silent = be_silent;
}

bool cli_is_quiet(void)
{
    return quiet || silent;
}

static void on_message(void *user, tsl_message_kind kind, const char *line)
{
    (void)user;
    if (kind == TSL_MESSAGE_WARNING) {
        cli_warning("%s", line);
    } else if (strcmp(line, last_note) != 0) { /* a list of pairs would repeat its notes */
        snprintf(last_note, sizeof last_note, "%s", line);
        cli_note("%s", line);
    }
}

tsl_status cli_open_rank(tsl_context **out, const char *device, int threads, tsl_comm *comm)
{
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = device;
    options.threads = threads;
    options.message = silent ? NULL : on_message; /* the rank that speaks gets the same messages */
    options.comm = comm;
    return tsl_context_create(out, &options);
}

tsl_status cli_open_context(tsl_context **out, const cli_common *common)
{
    int first, last;
    if (strchr(common->device, ',') != NULL ||
        sscanf(common->device, "cuda:%d-%d", &first, &last) == 2) {
        cli_error("--device %s: this command runs on one device: give one, as cuda:0",
                  common->device);
        return TSL_E_ARG;
    }
    const tsl_status status = cli_open_rank(out, common->device, common->threads, NULL);
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(NULL));
    } else if (common->profile) {
        tsl_profile_enable(*out);
    }
    return status;
}

int cli_end(const tsl_context *context, tsl_status status, bool bounded)
{
    if (status != TSL_OK && context != NULL) { /* cli_open_context() has printed its own errors */
        cli_error("%s", tsl_last_error(context));
    }
    return cli_exit_status(context, status, bounded);
}

int cli_exit_status(const tsl_context *context, tsl_status status, bool bounded)
{
    switch (status) {
    case TSL_OK:
        return CLI_DONE;
    case TSL_E_NOCONV:
        return CLI_CHECK_FAILED;
    case TSL_E_ARG:
    case TSL_E_IO:
    case TSL_E_FORMAT:
    case TSL_E_UNSUPPORTED:
        return CLI_USAGE;
    case TSL_E_NOMEM:
        /* the user can change a bound that is too small, but not memory that has run out */
        return bounded && strstr(tsl_last_error(context), "out of memory") == NULL ? CLI_USAGE
                                                                                   : CLI_DEVICE;
    case TSL_E_DEVICE:
    case TSL_E_COMM:
        return CLI_DEVICE;
    case TSL_E_CANCELLED:
        return 128 + cli_signal();
    case TSL_E_INTERNAL:
        break;
    }
    return CLI_INTERNAL;
}

static bool output_is_closed;
static int output_error; /* errno of the first flush of standard output that failed */

void cli_flush(FILE *stream)
{
    if (fflush(stream) != 0 && stream == stdout && output_error == 0) {
        output_error = errno;
    }
}

void cli_check_output(void)
{
    if (!output_is_closed && cli_close_output(CLI_DONE) != CLI_DONE) {
        fflush(stderr);
        _exit(CLI_USAGE);
    }
}

int cli_close_output(int exit_status)
{
    output_is_closed = true;
    cli_flush(stdout);
    if ((output_error != 0 || ferror(stdout)) && exit_status == CLI_DONE) {
        cli_error("cannot write to standard output: %s", /* that of printf() itself is lost */
                  output_error != 0 ? strerror(output_error) : "is its disk full?");
        return CLI_USAGE;
    }
    return exit_status;
}
