/* Makes .npz files for the tests: members stored, or deflated where the build can. */
#ifndef TESTS_IO_ZIPPED_H
#define TESTS_IO_ZIPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A member: a .npy array of `count` elements of `item` bytes, type and shape as Python writes them:
 * "<f8", "(3,)". NULL as name ends a list. */
typedef struct zipped_array {
    const char *name, *type, *shape;
    const void *data;
    size_t count, item;
} zipped_array;

/* The archive; free() it. `large`: with sizes in ZIP64 fields. */
char *zipped(size_t *bytes, const zipped_array *arrays, bool deflated, bool large);

#endif
