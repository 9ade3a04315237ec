/* Names of residues, each with how often it came. */
#ifndef TSL_IO_TALLY_H
#define TSL_IO_TALLY_H

#include "core/core.h"

typedef struct tsl_tally_entry {
    char name[8];
    char parent[8]; /* what it was taken for; "": nothing */
    bool neutral;   /* without the charge of the parent's side chain */
    int64_t count;
} tsl_tally_entry;

/* In the order in which the names came. Begins as zeros; ends with tsl_tally_free(). */
typedef struct tsl_tally {
    tsl_tally_entry *at;
    int64_t count, capacity;
} tsl_tally;

/* One more of what `entry` names; its count is not read. */
tsl_status tsl_tally_add(tsl_tally *tally, tsl_context *context, const tsl_tally_entry *entry);
void tsl_tally_free(tsl_tally *tally);

enum { TSL_TALLY_TEXT = 600 };

/* "2 UNK, 1 DA", as far as it fits, then "and 3 more names"; with parents "2 MSE for MET". */
const char *tsl_tally_print(char out[TSL_TALLY_TEXT], const tsl_tally *tally);

#endif
