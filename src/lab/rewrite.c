/* CUDA C to C++, token by token. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file/output.h"
#include "io/file/text.h"
#include "lab/absent.h"
#include "lab/rewrite.h"
#include "lab/structs.h"
#include "lab/tokens.h"

enum { MOST_BYTES = 16 << 20 };

/* ---- launches ------------------------------------------------------------------------------- */

/* Beginning of a kernel's name, with its scope and template arguments, that ends before `at`. */
static size_t kernel_begin(const tsl_lab_source *s, size_t at)
{
    size_t begin = at;
    while (begin > 0 && isspace((unsigned char)s->blank[begin - 1])) {
        begin--;
    }
    if (begin > 0 && (s->blank[begin - 1] == '>' || s->blank[begin - 1] == ')')) {
        const size_t open = tsl_lab_match_back(s, begin - 1);
        const bool call = s->blank[begin - 1] == ')';
        begin = open < s->length ? open : begin;
        if (call) {
            return begin;
        }
        while (begin > 0 && isspace((unsigned char)s->blank[begin - 1])) {
            begin--;
        }
    }
    while (begin > 0 && (tsl_lab_is_word(s->blank[begin - 1]) || s->blank[begin - 1] == ':')) {
        begin--;
    }
    return begin;
}

/* A literal NULL among a launch's arguments would come to the kernel as an integer. */
static void replace_nulls(tsl_lab_source *s, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (!tsl_lab_is_word(s->blank[i])) {
            continue;
        }
        const size_t word = i;
        i = tsl_lab_word_end(s, i);
        if (tsl_lab_word_is(s, word, "NULL")) {
            tsl_lab_replace(s, word, i, "nullptr");
        }
    }
}

static void print_name(char *out, size_t bytes, const char *text, size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < length && n + 1 < bytes; i++) {
        if (!isspace((unsigned char)text[i]) && text[i] != '"' && text[i] != '\\') {
            out[n++] = text[i];
        }
    }
    out[n] = '\0';
}

static tsl_status rewrite_launch(tsl_lab_source *s, tsl_context *context, size_t at, size_t *after)
{
    char name[128];
    const size_t begin = kernel_begin(s, at);
    const char *close = strstr(s->blank + at, ">>>");
    const size_t end = close != NULL ? (size_t)(close - s->blank) : s->length;
    const size_t open = close != NULL ? tsl_lab_skip_blanks(s, end + 3) : s->length;
    const size_t last =
        open < s->length && s->blank[open] == '(' ? tsl_lab_match(s, open) : s->length;
    size_t name_end = at;
    while (name_end > begin && isspace((unsigned char)s->blank[name_end - 1])) {
        name_end--;
    }
    if (last >= s->length || begin == name_end) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:%ld: a launch is kernel<<<blocks, threads>>>(arguments): one of these "
                        "is missing here",
                        s->path, tsl_lab_line(s, at));
    }
    const bool arguments = tsl_lab_skip_blanks(s, open + 1) < last;
    const int length = (int)(name_end - begin);
    print_name(name, sizeof name, s->text + begin, (size_t)length);
    tsl_lab_replace(s, begin, at + 3, "::tsl_lab::start(\"%s\", ::tsl_lab::config(", name);
    tsl_lab_replace(s, end, open + 1,
                    "), 0, [=](auto... tsl_lab_a) { %.*s(::tsl_lab::given(tsl_lab_a)...), "
                    "tsl_lab_leave(); }%s",
                    length, s->text + begin, arguments ? ", " : "");
    replace_nulls(s, open + 1, last);
    *after = open + 1;
    return TSL_OK;
}

/* cudaLaunchCooperativeKernel((void *)k, …): the kernel's type tells how to call it. */
static void rewrite_launch_call(tsl_lab_source *s, size_t at)
{
    const size_t open = tsl_lab_skip_blanks(s, tsl_lab_word_end(s, at));
    const size_t cast = tsl_lab_skip_blanks(s, open + 1);
    if (open >= s->length || s->blank[open] != '(' || s->blank[cast] != '(') {
        return;
    }
    const size_t close = tsl_lab_match(s, cast);
    if (close < s->length && memchr(s->blank + cast, '*', close - cast) != NULL) {
        tsl_lab_replace(s, cast, close + 1, " ");
    }
}

/* ---- variables of the device ----------------------------------------------------------------- */

typedef struct declaration {
    size_t begin; /* of its first word */
    size_t end;   /* where its declarator ends: at ( ; = { or [ */
    bool function;
    bool constant; /* const or constexpr */
} declaration;

static bool is_attribute(const tsl_lab_source *s, size_t at)
{
    static const char *const names[] = {"__attribute__", "__align__", "__launch_bounds__",
                                        "alignas",       "decltype",  "__builtin_align__"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (tsl_lab_word_is(s, at, names[i])) {
            return true;
        }
    }
    return false;
}

static declaration find_declaration(const tsl_lab_source *s, size_t at)
{
    declaration d = {.begin = at, .end = s->length};
    while (d.begin > 0 && strchr(";{}#", s->blank[d.begin - 1]) == NULL) {
        d.begin--;
    }
    size_t i = d.begin;
    while (i < s->length) {
        const char c = s->blank[i];
        if (tsl_lab_is_word(c)) {
            const size_t next = tsl_lab_word_end(s, i);
            d.function = d.function || (i > at && tsl_lab_word_is(s, i, "operator"));
            d.constant =
                d.constant || tsl_lab_word_is(s, i, "const") || tsl_lab_word_is(s, i, "constexpr");
            const size_t bracket = tsl_lab_skip_blanks(s, next);
            const bool skip = is_attribute(s, i) && s->blank[bracket] == '(';
            i = skip ? tsl_lab_match(s, bracket) + 1 : next;
        } else if (i >= at && strchr("(;={[", c) != NULL && c != '\0') {
            d.end = i;
            d.function = d.function || c == '(' || (c == '{' && tsl_lab_skip_blanks(s, at) == i);
            break;
        } else {
            i++;
        }
    }
    return d;
}

static bool has_word(const tsl_lab_source *s, const declaration *d, const char *word)
{
    for (size_t i = d->begin; i < d->end; i++) {
        if (tsl_lab_is_word(s->blank[i])) {
            if (tsl_lab_word_is(s, i, word)) {
                return true;
            }
            i = tsl_lab_word_end(s, i);
        }
    }
    return false;
}

/* extern __shared__ T name[] outside of functions: the one dynamic piece, by its symbol. */
static void rewrite_dynamic(tsl_lab_source *s, size_t begin, size_t end, const declaration *d)
{
    const char *stop = strchr(s->blank + d->end, ';');
    tsl_lab_replace(s, begin, end, " ");
    if (stop != NULL) {
        const size_t at = (size_t)(stop - s->blank);
        tsl_lab_replace(s, at, at, " __asm__(\"tsl_dynamic_shared\")");
    }
}

/* One declarator of a __shared__ declaration: its name and where its dimensions end. */
static bool read_declarator(const tsl_lab_source *s, size_t at, size_t *name, size_t *end)
{
    size_t i = at;
    size_t word = s->length;
    while (i < s->length && strchr("[,;=", s->blank[i]) == NULL) {
        if (tsl_lab_is_word(s->blank[i])) {
            word = i;
            i = tsl_lab_word_end(s, i);
        } else { /* members, arguments of templates and of attributes are none of ours */
            const bool open = strchr("{<(", s->blank[i]) != NULL;
            const size_t close = open ? tsl_lab_match(s, i) : i;
            i = close < s->length ? close + 1 : i + 1;
        }
    }
    while (i < s->length && s->blank[i] == '[') {
        i = tsl_lab_skip_blanks(s, tsl_lab_match(s, i) + 1);
    }
    *name = word;
    *end = i;
    return word < s->length && i < s->length && (s->blank[i] == ',' || s->blank[i] == ';');
}

/* In a function: T a[3], b; become references to memory of the block. gcc would put variables of
 * templates elsewhere than it is told, and guard those of classes. */
static bool rewrite_block_variables(tsl_lab_source *s, tsl_lab_sources *all, size_t begin,
                                    size_t end, bool dynamic)
{
    tsl_lab_buffer text = {.data = NULL};
    size_t name, stop;
    const size_t before = tsl_lab_word_before(s, begin);
    size_t from = end;
    if (before < begin &&
        (tsl_lab_word_is(s, before, "static") || tsl_lab_word_is(s, before, "extern") ||
         tsl_lab_word_is(s, before, "volatile") || tsl_lab_word_is(s, before, "const"))) {
        from = before; /* the words before belong to the type, but for static and extern */
    }
    if (!read_declarator(s, end, &name, &stop)) {
        return false;
    }
    const char *const kept =
        from < begin && !tsl_lab_word_is(s, from, "static") && !tsl_lab_word_is(s, from, "extern")
            ? (tsl_lab_word_is(s, from, "volatile") ? "volatile " : "const ")
            : "";
    const size_t type_end = name;
    size_t begun = begin;
    bool more = true;
    while (more && read_declarator(s, begun == begin ? end : begun, &name, &stop)) {
        const int number = all->sections++;
        const int length = (int)(tsl_lab_word_end(s, name) - name);
        more = s->blank[stop] == ',';
        tsl_lab_buffer_print(&text, "typedef %s%.*s tsl_lab_%d%.*s; ", kept, (int)(type_end - end),
                             s->text + end, number, (int)(stop - name) - length,
                             s->text + name + length);
        if (dynamic) {
            tsl_lab_buffer_print(&text, "TSL_LAB_DYNAMIC_VARIABLE(tsl_lab_%d, %.*s);", number,
                                 length, s->text + name);
        } else {
            tsl_lab_buffer_print(&text, "TSL_LAB_BLOCK_VARIABLE(%d, tsl_lab_%d, %.*s);", number,
                                 number, length, s->text + name);
        }
        begun = stop + 1;
    }
    for (size_t i = 0; i < text.length; i++) { /* its lines come back by the edit */
        text.data[i] = text.data[i] == '\n' || text.data[i] == '\\' ? ' ' : text.data[i];
    }
    if (text.data != NULL) {
        tsl_lab_replace(s, from < begin ? from : begin, stop + 1, "%s", text.data);
    }
    s->failed = s->failed || text.failed;
    tsl_lab_buffer_release(&text);
    return true;
}

static void rewrite_variable(tsl_lab_source *s, tsl_lab_sources *all, size_t begin, size_t end,
                             bool in_function)
{
    const declaration d = find_declaration(s, begin);
    const bool shared = tsl_lab_word_is(s, begin, "__shared__");
    const bool managed = tsl_lab_word_is(s, begin, "__managed__");
    const bool constant = tsl_lab_word_is(s, begin, "__constant__");
    const bool dynamic = shared && has_word(s, &d, "extern");
    const size_t before_it = tsl_lab_word_before(s, begin);
    const bool plain = !dynamic || (before_it < begin && tsl_lab_word_is(s, before_it, "extern"));
    if (shared && in_function && plain && rewrite_block_variables(s, all, begin, end, dynamic)) {
        return;
    }
    if (dynamic) {
        rewrite_dynamic(s, begin, end, &d);
        return;
    }
    if (!shared && !managed && !constant) { /* __device__ */
        const bool other = has_word(s, &d, "__constant__") || has_word(s, &d, "__managed__") ||
                           has_word(s, &d, "__shared__");
        if (d.function || other) {
            return; /* the headers make the word nothing */
        }
    }
    if (d.constant && !shared) { /* read-only data of the program, which kernels may read */
        tsl_lab_replace(s, begin, end, " ");
        return;
    }
    const size_t before = tsl_lab_word_before(s, begin);
    if (shared && before < begin && tsl_lab_word_is(s, before, "static")) {
        tsl_lab_replace(s, before, before + 6, " ");
    }
    tsl_lab_replace(s, begin, end, "%s(%d)",
                    shared     ? "TSL_LAB_SHARED"
                    : managed  ? "TSL_LAB_MANAGED"
                    : constant ? "TSL_LAB_CONSTANT"
                               : "TSL_LAB_VARIABLE",
                    all->sections++);
}

/* ---- a file --------------------------------------------------------------------------------- */

static tsl_status rewrite_file(tsl_lab_sources *all, tsl_context *context, const char *path,
                               const char *to, bool first);

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Find what an include names: beside the file that includes it, if it is in quotes, then in the
 * folders given. */
static bool find_include(char path[PATH_MAX], const tsl_lab_source *s, const tsl_lab_sources *all,
                         const char *name, int length, bool quoted)
{
    const char *slash = strrchr(s->path, '/');
    const int folder = slash != NULL ? (int)(slash - s->path) + 1 : 0;
    snprintf(path, PATH_MAX, "%.*s%.*s", folder, s->path, length, name);
    bool found = quoted && is_file(path);
    for (const char *const *o = all->options; o != NULL && *o != NULL && !found; o += 2) {
        if (strcmp(o[0], "-I") == 0) {
            snprintf(path, PATH_MAX, "%s/%.*s", o[1], length, name);
            found = is_file(path);
        }
    }
    return found;
}

/* Refuse the name at `at` if the simulated device has not what it stands for. What is in #if may
 * not be compiled: that is left to the compiler. */
static tsl_status refuse_absent(const tsl_lab_source *s, tsl_context *context, size_t at,
                                size_t length, const char *what, int conditional)
{
    return what == NULL || conditional > 0
               ? TSL_OK
               : tsl_fail(context, TSL_E_UNSUPPORTED,
                          "%s:%ld: %.*s: the simulated device has no %s; nvcc builds this file for "
                          "a card",
                          s->path, tsl_lab_line(s, at), (int)length, s->text + at, what);
}

/* Rewrite what the #include at `at` names, if it is one of the user's files. */
static tsl_status rewrite_include(tsl_lab_source *s, tsl_lab_sources *all, tsl_context *context,
                                  size_t at, int conditional)
{
    const size_t open = at + strcspn(s->text + at, "\"<\n");
    if (open >= s->length || s->text[open] == '\n') {
        return TSL_OK;
    }
    const bool quoted = s->text[open] == '"';
    const size_t length = strcspn(s->text + open + 1, quoted ? "\"\n" : ">\n");
    char path[PATH_MAX];
    char real[PATH_MAX];
    char to[PATH_MAX + 32];
    if (!find_include(path, s, all, s->text + open + 1, (int)length, quoted) ||
        realpath(path, real) == NULL) {
        return refuse_absent(s, context, open + 1, length,
                             tsl_lab_absent_header(s->text + open + 1, length), conditional);
    }
    int known = 0;
    while (known < all->count && strcmp(all->from[known], real) != 0) {
        known++;
    }
    snprintf(to, sizeof to, "%s/include%d.h", all->folder, known);
    tsl_lab_replace(s, open, open + length + 2, "\"%s\"", to);
    return known < all->count ? TSL_OK : rewrite_file(all, context, real, to, false);
}

static tsl_status rewrite_word(tsl_lab_source *s, tsl_lab_sources *all, tsl_context *context,
                               size_t at, int conditional, bool in_function)
{
    static const char *const spaces[] = {"__shared__", "__device__", "__constant__", "__managed__"};
    const size_t end = tsl_lab_word_end(s, at);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (tsl_lab_word_is(s, at, spaces[i])) {
            rewrite_variable(s, all, at, end, in_function);
        }
    }
    const bool assembly = tsl_lab_word_is(s, at, "asm") || tsl_lab_word_is(s, at, "__asm__") ||
                          tsl_lab_word_is(s, at, "__asm");
    if (assembly && conditional == 0) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s:%ld: inline PTX runs on a card only: write this in C, or run it with "
                        "nvcc",
                        s->path, tsl_lab_line(s, at));
    }
    if (memmem(s->blank + at, end - at, "no_sanitize", 11) != NULL ||
        tsl_lab_word_is(s, at, "disable_sanitizer_instrumentation")) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s:%ld: accesses of such a function would be neither counted nor checked: "
                        "leave the attribute out",
                        s->path, tsl_lab_line(s, at));
    }
    if (tsl_lab_word_is(s, at, "cudaLaunchKernel") ||
        tsl_lab_word_is(s, at, "cudaLaunchCooperativeKernel")) {
        rewrite_launch_call(s, at);
    }
    return refuse_absent(s, context, at, end - at, tsl_lab_absent_word(s, at, in_function),
                         conditional);
}

/* A line that begins with '#'. Counts how deep in #if the text is; what guards a header is none. */
static tsl_status rewrite_directive(tsl_lab_source *s, tsl_lab_sources *all, tsl_context *context,
                                    size_t at, int *conditional, bool *seen)
{
    const size_t word = tsl_lab_skip_blanks(s, at + 1);
    const bool guard = !*seen && tsl_lab_word_is(s, word, "ifndef");
    if (tsl_lab_word_is(s, word, "include")) {
        return rewrite_include(s, all, context, word, *conditional);
    }
    if (tsl_lab_word_is(s, word, "if") || tsl_lab_word_is(s, word, "ifdef") ||
        tsl_lab_word_is(s, word, "ifndef")) {
        *conditional += guard ? 0 : 1;
    } else if (tsl_lab_word_is(s, word, "endif")) {
        *conditional -= *conditional > 0;
    }
    *seen = true;
    return TSL_OK;
}

/* namespace a { or extern "C" {, whose literal is blank. */
static bool opens_namespace(const tsl_lab_source *s, size_t at)
{
    const size_t word = tsl_lab_word_before(s, at);
    if (word == at) {
        return false;
    }
    const size_t before = tsl_lab_word_before(s, word);
    return tsl_lab_word_is(s, word, "namespace") || tsl_lab_word_is(s, word, "extern") ||
           (before < word && tsl_lab_word_is(s, before, "namespace"));
}

static tsl_status rewrite_tokens(tsl_lab_source *s, tsl_lab_sources *all, tsl_context *context)
{
    tsl_status status = TSL_OK;
    int conditional = 0;
    bool seen = false;
    bool line_begins = true;
    int depth = 0; /* of braces that are not of namespaces */
    size_t i = 0;
    while (i < s->length && status == TSL_OK) {
        const char c = s->blank[i];
        if (c == '#' && line_begins) {
            status = rewrite_directive(s, all, context, i, &conditional, &seen);
            i++;
        } else if (strncmp(s->blank + i, "<<<", 3) == 0) {
            status = rewrite_launch(s, context, i, &i);
        } else if (tsl_lab_is_word(c)) {
            status = rewrite_word(s, all, context, i, conditional, depth > 0);
            i = tsl_lab_word_end(s, i);
        } else if (c == '{' && depth == 0 && opens_namespace(s, i)) {
            i++; /* its closing brace finds depth 0 */
        } else {
            depth += c == '{';
            depth -= c == '}' && depth > 0;
            i++;
        }
        line_begins = c == '\n' || (line_begins && isspace((unsigned char)c));
    }
    return status;
}

static tsl_status write_file(tsl_context *context, const char *path, const tsl_lab_buffer *text)
{
    tsl_output *output;
    tsl_status status = tsl_output_open(&output, context, path);
    if (status == TSL_OK) {
        fwrite(text->data, 1, text->length, tsl_output_stream(output));
        status = tsl_output_commit(output);
    }
    return status;
}

static tsl_status rewrite_file(tsl_lab_sources *all, tsl_context *context, const char *path,
                               const char *to, bool first)
{
    tsl_text text = {.data = NULL};
    tsl_lab_source source = {.path = NULL};
    tsl_lab_buffer out = {.data = NULL};
    tsl_lab_buffer copy = {.data = NULL};
    if (all->count == TSL_LAB_MOST_FILES) {
        return tsl_fail(context, TSL_E_UNSUPPORTED, "%s: more than %d files include each other",
                        path, TSL_LAB_MOST_FILES);
    }
    all->from[all->count] = tsl_duplicate_string(path);
    if (all->from[all->count] == NULL) {
        return tsl_fail_memory(context, (int64_t)strlen(path), "a name");
    }
    all->count++;
    tsl_status status = tsl_text_read(&text, context, path, MOST_BYTES);
    if (status == TSL_OK) {
        tsl_lab_buffer_add(&copy, text.data, text.size); /* with a 0 at its end */
        tsl_lab_buffer_add(&copy, "\n", 1);
        status = copy.failed ? tsl_fail_memory(context, (int64_t)text.size, path)
                             : tsl_lab_source_begin(&source, context, path, copy.data, copy.length);
    }
    if (status == TSL_OK) {
        status = rewrite_tokens(&source, all, context);
    }
    if (status == TSL_OK) {
        tsl_lab_structs(&source, &all->types, &all->structs);
        for (int i = 0; i < all->structs && first; i++) {
            tsl_lab_buffer_print(
                &out, "#ifndef TSL_LAB_IF_%d\n#define TSL_LAB_IF_%d(...)\n#endif\n", i, i);
        }
        tsl_lab_buffer_print(&out, "%s#line 1 \"%s\"\n",
                             first ? "#include \"cuda_runtime.h\"\n" : "", path);
        tsl_lab_apply(&source, &out);
        if (first) {
            tsl_lab_buffer_print(
                &out,
                "\nextern \"C\" { extern const tsl_lab_type tsl_lab_types[]; const "
                "tsl_lab_type tsl_lab_types[] = {%s{0, 0, -1}}; }\n",
                all->types.data != NULL ? all->types.data : "");
        }
        status = out.failed || source.failed ? tsl_fail_memory(context, (int64_t)text.size, path)
                                             : write_file(context, to, &out);
    }
    tsl_lab_buffer_release(&out);
    tsl_lab_buffer_release(&copy);
    tsl_lab_source_release(&source);
    tsl_text_release(&text);
    return status;
}

tsl_status tsl_lab_rewrite(tsl_lab_sources *out, tsl_context *context, const char *path,
                           const char *folder, const char *const *options)
{
    char real[PATH_MAX];
    char to[PATH_MAX + 16];
    *out = (tsl_lab_sources){.options = options};
    snprintf(out->folder, sizeof out->folder, "%s", folder);
    snprintf(to, sizeof to, "%s/source.cpp", folder);
    if (realpath(path, real) == NULL) {
        return tsl_fail(context, TSL_E_IO, "%s: %s", path, strerror(errno));
    }
    return rewrite_file(out, context, real, to, true);
}

void tsl_lab_sources_release(tsl_lab_sources *sources)
{
    for (int i = 0; i < sources->count; i++) {
        tsl_release(sources->from[i]);
    }
    tsl_lab_buffer_release(&sources->types);
    *sources = (tsl_lab_sources){.count = 0};
}
