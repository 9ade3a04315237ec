/* Text that grows. A failure to take memory is kept, so that callers ask once, at the end. */
#ifndef TSL_LAB_BUFFER_H
#define TSL_LAB_BUFFER_H

#include "core/core.h"

typedef struct tsl_lab_buffer {
    char *data; /* ends in a 0 once anything was added */
    size_t length;
    size_t room;
    bool failed;
} tsl_lab_buffer;

void tsl_lab_buffer_add(tsl_lab_buffer *buffer, const char *text, size_t length);
void tsl_lab_buffer_print(tsl_lab_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tsl_lab_buffer_release(tsl_lab_buffer *buffer);

#endif
