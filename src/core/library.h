/* Libraries of others that are opened at run time, so that a build runs where they are not
 * installed. */
#ifndef TSL_CORE_LIBRARY_H
#define TSL_CORE_LIBRARY_H

#include <stddef.h>

/* A function of a library, and where the caller keeps its address. */
typedef struct tsl_library_call {
    const char *name;
    size_t offset; /* of a pointer to a function, in the caller's struct */
} tsl_library_call;

/* Opens the first of the file names that the system's loader finds, and writes the addresses of
 * `count` functions into `calls`. `names` ends with NULL.
 *
 * Returns the open library, and `text` is its file name; or NULL, and `text` is one line of reason:
 * why the first name cannot be opened, or which function the library lacks. Then nothing stays
 * open, and `calls` is not to be used. */
void *tsl_library_open(const char *const *names, void *calls, const tsl_library_call *rows,
                       size_t count, char *text, size_t bytes);

/* Closes what tsl_library_open() returned, whose functions must then be called no more. NULL is
 * fine. */
void tsl_library_close(void *library);

#endif
