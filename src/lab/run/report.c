/* Lines for the file of results, which src/lab/results.c reads. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/run/run.h"

enum { SEEN = 1024, MOST_REPORTS = 400 };

/* What was told of a launch already: kind and place. */
typedef struct seen {
    const char *kind;
    uintptr_t pc;
    uintptr_t other;
} seen;

static seen told[SEEN];
static int told_count;

void tsl_write_line(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (tsl_now.report < 0 || length < 0) {
        return;
    }
    length = length < (int)sizeof line - 2 ? length : (int)sizeof line - 2;
    for (int i = 0; i < length; i++) {
        line[i] = line[i] == '\n' ? ' ' : line[i];
    }
    line[length++] = '\n';
    while (tsl_guard_write(tsl_now.report, line, (size_t)length) == -EINTR) {
    }
}

void tsl_report(const char *kind, uintptr_t pc, uintptr_t other, const char *format, ...)
{
    char text[640];
    va_list arguments;
    for (int i = 0; i < told_count; i++) {
        if (told[i].kind == kind && told[i].pc == pc && told[i].other == other) {
            return;
        }
    }
    if (told_count == MOST_REPORTS) {
        return;
    }
    told[told_count++] = (seen){kind, pc, other};
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tsl_write_line("report %llu %s %llx %llx %s", (unsigned long long)tsl_now.launches, kind,
                   (unsigned long long)pc, (unsigned long long)other, text);
}

void tsl_fatal(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tsl_write_line("fatal %s", text);
    _exit(3);
}
