/* What the tests of the readers share: a context that keeps its messages, texts given in place of
 * files, and files in a scratch folder. */
#ifndef TESTS_IO_READING_H
#define TESTS_IO_READING_H

#include "core/context.h"
#include "io/molecule/builder.h"

typedef struct reading {
    tsl_context context;
    int warnings;
    char warning[TSL_ERROR_TEXT]; /* the last */
    int64_t live;                 /* allocations before the test */
} reading;

/* cmocka set-up and tear-down: `*state` is a reading; the latter finds leaks. */
int reading_setup(void **state);
int reading_teardown(void **state);

/* Parse a text that must be read; the caller destroys the molecule. */
tsl_molecule *reading_parse(reading *r, const char *text);
tsl_molecule *reading_parse_with(reading *r, const char *text, const char *chains,
                                 tsl_hetero hetero);
/* Parse a text that must fail so, with one line that holds `part`. */
void reading_fails(reading *r, const char *text, const char *chains, tsl_status status,
                   const char *part);

/* Atom names of a molecule as "A/16/N A/16/CA …"; in static memory. */
const char *reading_names(const tsl_molecule *molecule);
/* Both molecules have the same atoms, positions and charges. */
void reading_assert_equal(const tsl_molecule *a, const tsl_molecule *b);

/* Path of a file in a scratch folder of this process, in static memory; removed by
 * reading_remove_scratch(). */
const char *reading_scratch(const char *name);
const char *reading_write(const char *name, const void *data, size_t size);
int reading_remove_scratch(void **state);

#endif
