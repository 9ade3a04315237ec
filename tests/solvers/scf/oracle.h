/* Numbers of JSON files that other programs computed, which are not part of the tree. */
#ifndef TSL_TESTS_SCF_ORACLE_H
#define TSL_TESTS_SCF_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#define ORACLE_FOLDER TSL_SOURCE_DIR "/../shared/data/scf/"

typedef struct oracle {
    char *text; /* NULL: the file is not there */
} oracle;

/* A message says so where the file is not there: the test is to be skipped. */
bool oracle_open(oracle *out, const char *name);
void oracle_close(oracle *o);

/* The numbers, bare or quoted, of the value of "key" that comes first after "section" (NULL: of the
 * file), whatever arrays they are nested in; at most `room`. Their number; the test fails if there
 * is no such key. */
size_t oracle_numbers(const oracle *o, const char *section, const char *key, double *out,
                      size_t room);

#endif
