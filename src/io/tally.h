/* Names of residues, each with the number of times that it came. */
#ifndef TSL_IO_TALLY_H
#define TSL_IO_TALLY_H

#include "core/core.h"

typedef struct tsl_tally_entry {
    char name[8];
    char parent[8]; /* what the residue was taken for; "": nothing */
    bool neutral;   /* without the charge of the parent's side chain */
    int64_t count;
} tsl_tally_entry;

/* Entries are in the order in which names came first. A tally begins as zeros; it is released by
 * tsl_tally_free(). */
typedef struct tsl_tally {
    tsl_tally_entry *at;
    int64_t count, capacity;
} tsl_tally;

/* Counts one more of what `entry` names; the entry's own count is not read. */
tsl_status tsl_tally_add(tsl_tally *tally, tsl_context *context, const tsl_tally_entry *entry);
void tsl_tally_free(tsl_tally *tally);

enum { TSL_TALLY_TEXT = 600 };

/* Writes "2 UNK, 1 DA", as far as it fits, then "and 3 more names"; with parents "2 MSE for
 * MET". */
const char *tsl_tally_print(char out[TSL_TALLY_TEXT], const tsl_tally *tally);

#endif
