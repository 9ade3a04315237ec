/* Text that grows. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lab/buffer.h"

static bool make_room(tsl_lab_buffer *buffer, size_t more)
{
    const size_t needed = buffer->length + more + 1;
    if (needed > buffer->room && !buffer->failed) {
        const size_t room = needed + needed / 2 + 256;
        char *grown = tsl_reallocate(buffer->data, buffer->room, room);
        buffer->failed = grown == NULL;
        if (grown != NULL) {
            buffer->data = grown;
            buffer->room = room;
        }
    }
    return !buffer->failed;
}

void tsl_lab_buffer_add(tsl_lab_buffer *buffer, const char *text, size_t length)
{
    if (make_room(buffer, length)) {
        memcpy(buffer->data + buffer->length, text, length);
        buffer->length += length;
        buffer->data[buffer->length] = '\0';
    }
}

void tsl_lab_buffer_print(tsl_lab_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && make_room(buffer, (size_t)length)) {
        vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void tsl_lab_buffer_release(tsl_lab_buffer *buffer)
{
    tsl_release(buffer->data);
    *buffer = (tsl_lab_buffer){.data = NULL};
}
