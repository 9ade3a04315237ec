/* Structs of a learner's file. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lab/structs.h"

enum { MOST_SCOPES = 64, MOST_MEMBERS = 32, NAME = 96 };

/* Where the reader is: in which namespaces, and whether in something else too. */
typedef struct scopes {
    char prefix[MOST_SCOPES][NAME]; /* "::a::b::" after each brace that is open */
    bool plain[MOST_SCOPES];        /* only namespaces so far */
    int depth;
    int conditional;
    bool seen; /* a directive */
} scopes;

typedef struct members {
    size_t begin[MOST_MEMBERS];
    size_t end[MOST_MEMBERS];
    int count;
    bool arrays; /* some are */
} members;

/* Members of a struct's body, if all are plain: types of words, names, dimensions, no more. */
static bool read_members(const tsl_lab_source *s, size_t open, size_t close, members *out)
{
    *out = (members){.count = 0};
    size_t name = 0, name_end = 0;
    for (size_t i = open + 1; i < close; i++) {
        const char c = s->blank[i];
        if (tsl_lab_is_word(c)) {
            name = i;
            name_end = tsl_lab_word_end(s, i);
            i = name_end - 1;
        } else if (c == ',' || c == ';') {
            if (name_end == 0 || out->count == MOST_MEMBERS) {
                return false;
            }
            out->begin[out->count] = name;
            out->end[out->count++] = name_end;
            name_end = 0;
        } else if (c == '[' && name_end != 0 && tsl_lab_match(s, i) < close) {
            out->arrays = true;
            i = tsl_lab_match(s, i);
        } else if (!isspace((unsigned char)c) && strncmp(s->blank + i, "::", 2) != 0 &&
                   strncmp(s->blank + i - 1, "::", 2) != 0) { /* a bit-field, for one */
            return false;
        }
    }
    return out->count > 0 && name_end == 0;
}

/* Give a struct of plain members the constructors by which it is copied in pieces of its own
 * alignment; aggregate initialisation goes on by a constructor of all members, for which there must
 * be no arrays; it is a template so that members whose copies are no constants do not keep it from
 * being constexpr. `number` is the one of TSL_LAB_IF_number; -1: no macro says whether. */
static void copy_whole(tsl_lab_source *s, size_t open, size_t close, const char *name,
                       bool nameless, const members *m, int number)
{
    tsl_lab_buffer text = {.data = NULL};
    if (number >= 0) {
        tsl_lab_buffer_print(
            &text, m->arrays ? " TSL_LAB_IF_%d(" : " TSL_LAB_MOSTLY(TSL_LAB_IF_%d, ", number);
    }
    if (!m->arrays) {
        tsl_lab_buffer_print(&text, " template <int = 0> TSL_LAB_MADE constexpr %s(", name);
    }
    for (int i = 0; i < m->count && !m->arrays; i++) {
        tsl_lab_buffer_print(&text,
                             i > 0 ? ", decltype(%.*s) tsl_lab_%d = {}"
                                   : "::tsl_lab::leading<decltype(%.*s)>::type tsl_lab_%d",
                             (int)(m->end[i] - m->begin[i]), s->text + m->begin[i], i);
    }
    for (int i = 0; i < m->count && !m->arrays; i++) {
        tsl_lab_buffer_print(&text, "%s%.*s(tsl_lab_%d)",
                             i > 0 ? ", " : ") : ", (int)(m->end[i] - m->begin[i]),
                             s->text + m->begin[i], i);
    }
    tsl_lab_buffer_print(&text, "%s TSL_LAB_WHOLE(%s) %s", m->arrays ? "" : " {}", name,
                         number >= 0 ? ") " : "");
    if (!text.failed) {
        if (nameless) {
            tsl_lab_replace(s, open, open, " %s ", name);
        }
        tsl_lab_replace(s, close, close, "%s", text.data);
    }
    s->failed = s->failed || text.failed;
    tsl_lab_buffer_release(&text);
}

/* A struct whose word is at `at`. */
static void read_struct(tsl_lab_source *s, const scopes *scope, size_t at, tsl_lab_buffer *rows,
                        int *numbers)
{
    size_t i = tsl_lab_skip_blanks(s, tsl_lab_word_end(s, at));
    size_t name = 0, name_end = 0;
    bool aligned = false;
    while (i < s->length && tsl_lab_is_word(s->blank[i])) {
        const size_t end = tsl_lab_word_end(s, i);
        const size_t next = tsl_lab_skip_blanks(s, end);
        if (s->blank[next] == '(') { /* an attribute */
            aligned = aligned || strncmp(s->blank + i, "__align", 7) == 0 ||
                      strncmp(s->blank + i, "alignas", 7) == 0 ||
                      strncmp(s->blank + i, "__attribute__", 13) == 0 ||
                      strncmp(s->blank + i, "__builtin_align__", 17) == 0;
            i = tsl_lab_skip_blanks(s, tsl_lab_match(s, next) + 1);
        } else {
            name = i;
            name_end = end;
            i = next;
        }
    }
    const size_t before = tsl_lab_word_before(s, at);
    const bool typedefs = before < at && tsl_lab_word_is(s, before, "typedef");
    const size_t close = i < s->length && s->blank[i] == '{' ? tsl_lab_match(s, i) : s->length;
    if (close >= s->length) {
        return; /* a use of the name, a declaration, or one with a base */
    }
    const bool nameless = name_end == 0;
    size_t typed = tsl_lab_skip_blanks(s, close + 1);
    if (nameless && !(typedefs && tsl_lab_is_word(s->blank[typed]))) {
        return;
    }
    const size_t begin = nameless ? typed : name;
    const size_t length = tsl_lab_word_end(s, begin) - begin;
    members m;
    char tag[NAME];
    const bool plain = tsl_lab_word_is(s, at, "struct") && read_members(s, i, close, &m);
    const bool always = plain && aligned && !m.arrays;
    const int number = plain && !always ? (*numbers)++ : -1;
    tsl_lab_buffer_print(rows,
                         number >= 0 && !m.arrays
                             ? "{sizeof(%s%.*s), alignof(%s%.*s), TSL_LAB_NUMBER(%d)}, "
                             : "{sizeof(%s%.*s), alignof(%s%.*s), %d}, ",
                         scope->prefix[scope->depth], (int)length, s->text + begin,
                         scope->prefix[scope->depth], (int)length, s->text + begin, number);
    snprintf(tag, sizeof tag, "%s%.*s", nameless ? "tsl_lab_tag_" : "", (int)length,
             s->text + begin);
    if (plain) {
        copy_whole(s, i, close, tag, nameless, &m, number);
    }
}

/* Does a template's head end just before `at`? A directive that ends in ">", as an #include does,
 * is none. */
static bool is_template(const tsl_lab_source *s, size_t at)
{
    size_t i = at;
    while (i > 0 && isspace((unsigned char)s->blank[i - 1])) {
        i--;
    }
    if (i == 0 || s->blank[i - 1] != '>') {
        return false;
    }
    while (i > 0 && s->blank[i - 1] != '\n') {
        i--;
    }
    return s->blank[tsl_lab_skip_blanks(s, i)] != '#';
}

/* A brace opens; `named`: the namespace's name before it, 0 bytes for none. */
static void open_scope(scopes *scope, bool is_namespace, const char *name, size_t length)
{
    if (scope->depth + 1 >= MOST_SCOPES) {
        return;
    }
    const int from = scope->depth++;
    scope->plain[scope->depth] = scope->plain[from] && is_namespace;
    char prefix[NAME];
    snprintf(prefix, NAME, "%.60s%.*s%s", scope->prefix[from], (int)(length > 30 ? 30 : length),
             name, length > 0 ? "::" : "");
    memcpy(scope->prefix[scope->depth], prefix, NAME);
}

static void read_directive(const tsl_lab_source *s, scopes *scope, size_t at)
{
    const size_t word = tsl_lab_skip_blanks(s, at + 1);
    if (strncmp(s->blank + word, "if", 2) == 0) {
        const bool guard = !scope->seen && tsl_lab_word_is(s, word, "ifndef");
        scope->conditional += guard ? 0 : 1;
    } else if (tsl_lab_word_is(s, word, "endif")) {
        scope->conditional -= scope->conditional > 0;
    }
    scope->seen = scope->seen || !tsl_lab_word_is(s, word, "include");
}

void tsl_lab_structs(tsl_lab_source *s, tsl_lab_buffer *rows, int *numbers)
{
    scopes scope = {.prefix = {"::"}, .plain = {true}};
    size_t namespace_at = s->length; /* of the last word "namespace" that no brace followed yet */
    size_t i = 0;
    while (i < s->length) {
        const char c = s->blank[i];
        if (c == '#') {
            read_directive(s, &scope, i);
            i += strcspn(s->blank + i, "\n");
        } else if (c == '{') {
            const bool is_namespace = namespace_at < s->length;
            const size_t name = is_namespace ? tsl_lab_skip_blanks(s, namespace_at + 9) : i;
            open_scope(&scope, is_namespace, s->text + name, tsl_lab_word_end(s, name) - name);
            namespace_at = s->length;
            i++;
        } else if (c == '}') {
            scope.depth -= scope.depth > 0;
            i++;
        } else if (tsl_lab_is_word(c)) {
            const bool plain = scope.plain[scope.depth] && scope.conditional == 0;
            if (plain && (tsl_lab_word_is(s, i, "struct") || tsl_lab_word_is(s, i, "union")) &&
                !is_template(s, i)) {
                read_struct(s, &scope, i, rows, numbers);
            }
            namespace_at = tsl_lab_word_is(s, i, "namespace") ? i : namespace_at;
            i = tsl_lab_word_end(s, i);
        } else {
            namespace_at = c == ';' || c == '=' ? s->length : namespace_at;
            i++;
        }
    }
}
