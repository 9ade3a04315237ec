/* A C++ source with its comments and literals blanked, and edits of it. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/tokens.h"

bool tsl_lab_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- blanking ------------------------------------------------------------------------------- */

static void blank(char *text, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        text[i] = text[i] == '\n' || text[i] == '\\' ? text[i] : ' ';
    }
}

/* End of a literal that begins with the quote at `at`. */
static size_t literal_end(const char *text, size_t length, size_t at)
{
    const char quote = text[at];
    size_t i = at + 1;
    while (i < length && text[i] != quote && text[i] != '\n') {
        i += text[i] == '\\' ? 2 : 1;
    }
    return i < length ? i + 1 : length;
}

/* R"x(…)x": the quote is at `at`. */
static size_t raw_end(const char *text, size_t length, size_t at)
{
    char close[32] = ")";
    const size_t open = at + 1 + strcspn(text + at + 1, "(");
    const size_t name = open - at - 1;
    if (name > 16 || open >= length) {
        return literal_end(text, length, at);
    }
    memcpy(close + 1, text + at + 1, name);
    close[1 + name] = '"';
    close[2 + name] = '\0';
    const char *end = strstr(text + open, close);
    return end != NULL ? (size_t)(end - text) + name + 2 : length;
}

/* Comments and literals become blanks; `text` ends in a 0. A quote between digits, 1'000, is none.
 */
static void blank_all(char *text, const char *original, size_t length)
{
    size_t i = 0;
    while (i < length) {
        size_t end = i + 1;
        const char c = original[i];
        if (c == '/' && original[i + 1] == '/') {
            end = i + strcspn(original + i, "\n");
        } else if (c == '/' && original[i + 1] == '*') {
            const char *close = strstr(original + i + 2, "*/");
            end = close != NULL ? (size_t)(close - original) + 2 : length;
        } else if (c == '"') {
            const bool raw = i > 0 && original[i - 1] == 'R';
            end = raw ? raw_end(original, length, i) : literal_end(original, length, i);
        } else if (c == '\'' && !(i > 0 && isalnum((unsigned char)original[i - 1]) &&
                                  isalnum((unsigned char)original[i + 1]))) {
            end = literal_end(original, length, i);
        } else {
            i = end;
            continue;
        }
        end = end > length ? length : end;
        blank(text, i, end);
        i = end;
    }
}

tsl_status tsl_lab_source_begin(tsl_lab_source *out, tsl_context *context, const char *path,
                                const char *text, size_t length)
{
    *out = (tsl_lab_source){.path = path, .text = text, .length = length};
    out->blank = tsl_allocate(length + 4);
    if (out->blank == NULL) {
        return tsl_fail_memory(context, (int64_t)length, path);
    }
    memcpy(out->blank, text, length);
    memset(out->blank + length, 0, 4);
    blank_all(out->blank, text, length);
    return TSL_OK;
}

void tsl_lab_source_release(tsl_lab_source *source)
{
    for (size_t i = 0; i < source->edit_count; i++) {
        tsl_release(source->edits[i].text);
    }
    tsl_release(source->edits);
    tsl_release(source->blank);
    *source = (tsl_lab_source){.path = NULL};
}

/* ---- edits ---------------------------------------------------------------------------------- */

void tsl_lab_replace(tsl_lab_source *source, size_t begin, size_t end, const char *format, ...)
{
    tsl_lab_buffer text = {.data = NULL};
    va_list arguments;
    end = end > source->length ? source->length : end; /* of a source that ends too early */
    begin = begin > end ? end : begin;
    va_start(arguments, format);
    char short_text[256];
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(short_text, sizeof short_text, format, arguments);
    char *long_text = length >= (int)sizeof short_text ? tsl_allocate((size_t)length + 1) : NULL;
    if (long_text != NULL) {
        vsnprintf(long_text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    const char *whole = length >= (int)sizeof short_text ? long_text : short_text;
    if (whole != NULL) {
        tsl_lab_buffer_add(&text, whole, strlen(whole));
    }
    tsl_release(long_text);
    for (size_t i = begin; i < end; i++) {
        if (source->text[i] == '\n') { /* in a macro with its backslash */
            const bool goes_on = i > 0 && source->text[i - 1] == '\\';
            tsl_lab_buffer_add(&text, goes_on ? "\\\n" : "\n", goes_on ? 2 : 1);
        }
    }
    if (source->edit_count == source->edit_room) {
        const size_t room = source->edit_room == 0 ? 64 : 2 * source->edit_room;
        tsl_lab_edit *grown =
            tsl_reallocate(source->edits, source->edit_room * sizeof *grown, room * sizeof *grown);
        if (grown == NULL) {
            source->failed = true;
            tsl_lab_buffer_release(&text);
            return;
        }
        source->edits = grown;
        source->edit_room = room;
    }
    source->failed = source->failed || text.failed || whole == NULL;
    source->edits[source->edit_count] =
        (tsl_lab_edit){.begin = begin, .end = end, .order = source->edit_count, .text = text.data};
    source->edit_count++;
}

static int compare_edits(const void *a, const void *b)
{
    const tsl_lab_edit *x = a;
    const tsl_lab_edit *y = b;
    const size_t left = x->begin != y->begin ? x->begin : x->order;
    const size_t right = x->begin != y->begin ? y->begin : y->order;
    return (left > right) - (left < right);
}

void tsl_lab_apply(tsl_lab_source *source, tsl_lab_buffer *out)
{
    size_t at = 0;
    if (source->edit_count > 0) {
        qsort(source->edits, source->edit_count, sizeof *source->edits, compare_edits);
    }
    for (size_t i = 0; i < source->edit_count; i++) {
        const tsl_lab_edit *edit = &source->edits[i];
        if (edit->begin < at) {
            continue; /* inside one that was applied */
        }
        tsl_lab_buffer_add(out, source->text + at, edit->begin - at);
        if (edit->text != NULL) {
            tsl_lab_buffer_add(out, edit->text, strlen(edit->text));
        }
        at = edit->end;
    }
    tsl_lab_buffer_add(out, source->text + at, source->length - at);
}

/* ---- tokens --------------------------------------------------------------------------------- */

size_t tsl_lab_word_end(const tsl_lab_source *source, size_t at)
{
    while (at < source->length && tsl_lab_is_word(source->blank[at])) {
        at++;
    }
    return at;
}

bool tsl_lab_word_is(const tsl_lab_source *source, size_t at, const char *word)
{
    const size_t length = strlen(word);
    return at + length <= source->length && memcmp(source->blank + at, word, length) == 0 &&
           !tsl_lab_is_word(source->blank[at + length]);
}

size_t tsl_lab_skip_blanks(const tsl_lab_source *source, size_t at)
{
    while (at < source->length &&
           (isspace((unsigned char)source->blank[at]) || source->blank[at] == '\\')) {
        at++;
    }
    return at;
}

size_t tsl_lab_word_before(const tsl_lab_source *source, size_t at)
{
    size_t end = at;
    while (end > 0 && isspace((unsigned char)source->blank[end - 1])) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && tsl_lab_is_word(source->blank[begin - 1])) {
        begin--;
    }
    return begin < end ? begin : at;
}

static char partner(char c)
{
    static const char pairs[] = "()[]{}<>";
    const char *found = c != '\0' ? strchr(pairs, c) : NULL;
    if (found == NULL) {
        return '\0';
    }
    return (found - pairs) % 2 == 0 ? found[1] : found[-1];
}

size_t tsl_lab_match(const tsl_lab_source *source, size_t at)
{
    const char open = source->blank[at];
    const char close = partner(open);
    long depth = 0;
    for (size_t i = at; i < source->length; i++) {
        depth += source->blank[i] == open;
        depth -= source->blank[i] == close;
        if (depth == 0) {
            return i;
        }
    }
    return source->length;
}

size_t tsl_lab_match_back(const tsl_lab_source *source, size_t at)
{
    const char close = source->blank[at];
    const char open = partner(close);
    long depth = 0;
    for (size_t i = at + 1; i > 0; i--) {
        depth += source->blank[i - 1] == close;
        depth -= source->blank[i - 1] == open;
        if (depth == 0) {
            return i - 1;
        }
    }
    return source->length;
}

long tsl_lab_line(const tsl_lab_source *source, size_t at)
{
    long line = 1;
    for (size_t i = 0; i < at && i < source->length; i++) {
        line += source->text[i] == '\n';
    }
    return line;
}
