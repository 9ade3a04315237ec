#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/config.h"
#include "core/context.h"

/* The error of what failed without a context. */
static _Thread_local char thread_error[TSL_ERROR_TEXT];

const char *tsl_status_name(tsl_status status)
{
    static const char *const names[] = {"TSL_OK",         "TSL_E_ARG",      "TSL_E_NOMEM",
                                        "TSL_E_IO",       "TSL_E_FORMAT",   "TSL_E_UNSUPPORTED",
                                        "TSL_E_DEVICE",   "TSL_E_COMM",     "TSL_E_NOCONV",
                                        "TSL_E_INTERNAL", "TSL_E_CANCELLED"};
    const int i = -(int)status;
    return i >= 0 && i < (int)(sizeof names / sizeof *names) ? names[i] : "unknown status";
}

const char *tsl_version(void)
{
    return TSL_VERSION;
}

tsl_status tsl_fail(tsl_context *context, tsl_status status, const char *format, ...)
{
    char text[TSL_ERROR_TEXT]; /* the arguments may point into the old error */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(context != NULL ? context->error : thread_error, text, sizeof text);
    return status;
}

const char *tsl_last_error(const tsl_context *context)
{
    return context != NULL ? context->error : thread_error;
}

tsl_status tsl_fail_memory(tsl_context *context, int64_t bytes, const char *what)
{
    char size[16];
    return tsl_fail(context, TSL_E_NOMEM, "out of memory: cannot take %s for %s",
                    tsl_format_bytes(size, bytes), what);
}

void tsl_error_prefix(tsl_context *context, const char *prefix)
{
    char text[TSL_ERROR_TEXT];
    memcpy(text, context->error, sizeof text);
    tsl_fail(context, TSL_OK, "%s: %s", prefix, text);
}

void tsl_message(tsl_context *context, tsl_message_kind kind, const char *format, ...)
{
    if (context->message == NULL) {
        return;
    }
    char text[TSL_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    context->message(context->user, kind, text);
}

const char *tsl_format_bytes(char *text, int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1023.95 && unit < 5) {
        value /= 1024;
        unit++;
    }
    snprintf(text, 16, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

double tsl_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
