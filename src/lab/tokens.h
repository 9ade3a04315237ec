/* A C++ source with its comments and literals blanked, for readers of tokens; and edits of it. */
#ifndef TSL_LAB_TOKENS_H
#define TSL_LAB_TOKENS_H

#include "lab/buffer.h"

typedef struct tsl_lab_edit {
    size_t begin;
    size_t end;
    size_t order;
    char *text;
} tsl_lab_edit;

typedef struct tsl_lab_source {
    const char *path;
    const char *text;
    char *blank; /* the same length; ends in a 0 */
    size_t length;
    tsl_lab_edit *edits;
    size_t edit_count;
    size_t edit_room;
    bool failed; /* memory ran out */
} tsl_lab_source;

tsl_status tsl_lab_source_begin(tsl_lab_source *out, tsl_context *context, const char *path,
                                const char *text, size_t length);
void tsl_lab_source_release(tsl_lab_source *source);

/* Put `text`, which is formatted, in place of [begin, end); line ends there stay. */
void tsl_lab_replace(tsl_lab_source *source, size_t begin, size_t end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Apply all edits, in order of place. */
void tsl_lab_apply(tsl_lab_source *source, tsl_lab_buffer *out);

bool tsl_lab_is_word(char c);
/* Does the word at `at` read so? */
bool tsl_lab_word_is(const tsl_lab_source *source, size_t at, const char *word);
/* The place after the word at `at`; after blanks from `at`. */
size_t tsl_lab_word_end(const tsl_lab_source *source, size_t at);
size_t tsl_lab_skip_blanks(const tsl_lab_source *source, size_t at);
/* Beginning of the word that ends before `at`, over blanks; `at` if there is none. */
size_t tsl_lab_word_before(const tsl_lab_source *source, size_t at);
/* Place of the bracket that closes the one at `at`, or that opens it, going back; `length` if there
 * is none. */
size_t tsl_lab_match(const tsl_lab_source *source, size_t at);
size_t tsl_lab_match_back(const tsl_lab_source *source, size_t at);
/* Line of a place, from 1. */
long tsl_lab_line(const tsl_lab_source *source, size_t at);

#endif
