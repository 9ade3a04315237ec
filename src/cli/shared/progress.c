/* A line on the terminal: what is done, how fast, and for how long yet. */
#include <stdio.h>
#include <unistd.h>

#include "cli/shared/cli.h"

static bool line_stands; /* the cursor is at the end of a progress line */

void cli_progress_clear(void)
{
    if (line_stands) {
        fputs("\r\033[K", stderr);
        line_stands = false;
    }
}

void cli_progress_begin(cli_progress *progress, const char *unit, int64_t total, int64_t done)
{
    *progress = (cli_progress){.unit = unit,
                               .total = total,
                               .done = done,
                               .done_before = done,
                               .begun = tsl_seconds(),
                               .terminal = !cli_is_quiet() && isatty(STDERR_FILENO)};
}

/* Write "2 h 05 min", "3 min 20 s" or "12 s". */
static const char *format_time(char text[32], double seconds)
{
    const long long s = (long long)(seconds + 0.5);
    if (s >= 3600) {
        snprintf(text, 32, "%lld h %02lld min", s / 3600, s / 60 % 60);
    } else if (s >= 60) {
        snprintf(text, 32, "%lld min %02lld s", s / 60, s % 60);
    } else {
        snprintf(text, 32, "%lld s", s);
    }
    return text;
}

void cli_progress_add(cli_progress *progress, int64_t count)
{
    progress->done += count;
    const double now = tsl_seconds();
    if (!progress->terminal || now - progress->shown < 0.1) {
        return;
    }
    progress->shown = now;
    const double elapsed = now - progress->begun;
    fprintf(stderr, "\r%lld of %lld %s, %.0f %%", (long long)progress->done,
            (long long)progress->total, progress->unit,
            100.0 * (double)progress->done / (double)progress->total);
    if (elapsed >= 0.1) { /* long enough to tell a rate */
        const double rate = (double)(progress->done - progress->done_before) / elapsed;
        char left[32];
        format_time(left, (double)(progress->total - progress->done) / rate);
        fprintf(stderr, ", %.*f a second, %s left", rate < 10 ? 1 : 0, rate, left);
    }
    fputs("\033[K", stderr);
    line_stands = true;
}

void cli_progress_end(cli_progress *progress)
{
    (void)progress;
    cli_progress_clear();
}
