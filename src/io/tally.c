#include "io/tally.h"

#include <stdio.h>
#include <string.h>

static bool is_alike(const tsl_tally_entry *a, const tsl_tally_entry *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->parent, b->parent) == 0;
}

tsl_status tsl_tally_add(tsl_tally *tally, tsl_context *context, const tsl_tally_entry *entry)
{
    int64_t i = 0;
    while (i < tally->count && !is_alike(&tally->at[i], entry)) {
        i++;
    }
    if (i == tally->count && i == tally->capacity) {
        const int64_t wanted = i > 0 ? 2 * i : 16;
        tsl_tally_entry *moved =
            tsl_reallocate(tally->at, (size_t)i * sizeof *moved, (size_t)wanted * sizeof *moved);
        if (moved == NULL) {
            return tsl_fail_memory(context, wanted * (int64_t)sizeof *moved, "names of residues");
        }
        tally->at = moved;
        tally->capacity = wanted;
    }
    if (i == tally->count) {
        tally->at[i] = *entry;
        tally->at[i].count = 0;
        tally->count++;
    }
    tally->at[i].count++;
    return TSL_OK;
}

void tsl_tally_free(tsl_tally *tally)
{
    tsl_release(tally->at);
    *tally = (tsl_tally){0};
}

const char *tsl_tally_print(char out[TSL_TALLY_TEXT], const tsl_tally *tally)
{
    enum { LONGEST = 64 }; /* length of an entry, or of the words for the rest */
    int used = 0;
    out[0] = '\0';
    for (int64_t i = 0; i < tally->count; i++) {
        const tsl_tally_entry *entry = &tally->at[i];
        if (used + 2 * LONGEST > TSL_TALLY_TEXT) {
            snprintf(out + used, (size_t)(TSL_TALLY_TEXT - used), " and %lld more names",
                     (long long)(tally->count - i));
            break;
        }
        used +=
            snprintf(out + used, LONGEST, "%s%lld %s%s%s", i > 0 ? ", " : "",
                     (long long)entry->count, entry->name[0] != '\0' ? entry->name : "(no name)",
                     entry->parent[0] != '\0' ? " for " : "", entry->parent);
    }
    return out;
}
