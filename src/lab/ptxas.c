#include "lab/ptxas.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAME = 256, LIST = 300, MOST_OUTPUT = 64 << 20 };

/* ---- names -------------------------------------------------------------------------------- */

/* The name of a function within a mangled one (Itanium C++ ABI), with its namespaces and without
 * its template's arguments: lab::sum of _ZN3lab3sumIdEEvPT_i. Namespaces without a name, which
 * compilers number, are left out. A name that is not mangled stays as it is. */
static void plain_name(char out[NAME], const char *mangled)
{
    const char *at = mangled;
    size_t length = 0;
    out[0] = '\0';
    if (strncmp(at, "_Z", 2) == 0) {
        at += 2;
        const bool nested = *at == 'N';
        at += nested;
        while (*at == 'L' || *at == 'K' || *at == 'V') { /* qualifiers */
            at++;
        }
        do {
            char *end;
            const unsigned long letters = *at >= '1' && *at <= '9' ? strtoul(at, &end, 10) : 0;
            if (letters == 0 || letters > strlen(end)) {
                break;
            }
            const bool unnamed =
                strncmp(end, "_GLOBAL__N_", 11) == 0 || strncmp(end, "_INTERNAL_", 10) == 0;
            if (!unnamed && length + letters + 3 < NAME) {
                length += (size_t)snprintf(out + length, NAME - length, "%s%.*s",
                                           length > 0 ? "::" : "", (int)letters, end);
            }
            at = end + letters;
        } while (nested);
    }
    if (length == 0) {
        snprintf(out, NAME, "%s", mangled);
    }
}

static bool is_called(const char *mangled, const char *name)
{
    char plain[NAME];
    plain_name(plain, mangled);
    const size_t length = strlen(plain);
    const size_t wanted = strlen(name);
    return strcmp(mangled, name) == 0 || strcmp(plain, name) == 0 ||
           (length > wanted + 2 && strcmp(plain + length - wanted, name) == 0 &&
            strncmp(plain + length - wanted - 2, "::", 2) == 0);
}

/* ---- what the compiler prints ------------------------------------------------------------- */

/* The number that stands before `unit` in a line; 0: none does. Of two, as in "1024+16 bytes",
 * *added is the second. */
static int64_t number_before(const char *line, size_t length, const char *unit, int64_t *added)
{
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1),
             line);
    const char *at = strstr(text, unit);
    if (at == NULL) {
        return 0;
    }
    while (at > text && ((at[-1] >= '0' && at[-1] <= '9') || at[-1] == '+')) {
        at--;
    }
    char *end;
    const int64_t value = strtoll(at, &end, 10);
    if (added != NULL) {
        *added = *end == '+' ? strtoll(end, NULL, 10) : 0;
    }
    return value;
}

static bool line_has(const char *line, size_t length, const char *words)
{
    return memmem(line, length, words, strlen(words)) != NULL;
}

/* Names that go into an error, with commas between. */
typedef struct name_list {
    char text[LIST];
    size_t length;
    int count;
} name_list;

static void add_name(name_list *list, const char *name)
{
    const char *link = list->count++ > 0 ? ", " : "";
    if (list->length + strlen(link) + strlen(name) + 6 < LIST) {
        list->length +=
            (size_t)snprintf(list->text + list->length, LIST - list->length, "%s%s", link, name);
    } else if (list->length > 0 && list->text[list->length - 1] != '.') {
        list->length += (size_t)snprintf(list->text + list->length, LIST - list->length, ", ...");
    }
}

/* The name between the first quotes after `words`; false: the line has none. */
static bool quoted_name(char out[4 * NAME], const char *line, size_t length, const char *words)
{
    const char *at = memmem(line, length, words, strlen(words));
    if (at == NULL) {
        return false;
    }
    at += strlen(words);
    const char *end = memchr(at, '\'', length - (size_t)(at - line));
    if (end == NULL || end - at >= 4 * NAME) {
        return false;
    }
    snprintf(out, 4 * NAME, "%.*s", (int)(end - at), at);
    return true;
}

tsl_status tsl_ptxas_find(tsl_ptxas_use *out, tsl_context *context, const char *printed,
                          const char *file, const char *name)
{
    name_list all = {.text = ""}, called = {.text = ""};
    tsl_ptxas_use use = {0};
    bool inside = false; /* the lines are about the kernel */
    for (const char *line = printed; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        char mangled[4 * NAME];
        if (quoted_name(mangled, line, length, "Compiling entry function '")) {
            char plain[NAME];
            plain_name(plain, mangled);
            add_name(&all, plain);
            inside = is_called(mangled, name);
            if (inside) {
                add_name(&called, mangled);
                use = (tsl_ptxas_use){0};
            }
        } else if (inside && line_has(line, length, "spill stores")) {
            use.spilled = number_before(line, length, " bytes spill stores", NULL);
        } else if (inside && line_has(line, length, "Used ")) {
            use.registers = (int)number_before(line, length, " registers", NULL);
            use.barriers = line_has(line, length, " barriers")
                               ? (int)number_before(line, length, " barriers", NULL)
                               : -1;
            use.static_shared = number_before(line, length, " bytes smem", &use.system_shared);
            inside = false;
        }
        line += length + (line[length] == '\n');
    }
    if (called.count == 1) {
        *out = use;
        return TSL_OK;
    }
    if (called.count > 1) {
        return tsl_fail(context, TSL_E_ARG, "%s: %d kernels are called %s: give one of %s", file,
                        called.count, name, called.text);
    }
    return tsl_fail(context, TSL_E_ARG,
                    all.count > 0
                        ? "%s: no kernel is called %s, but %s; templates count where they "
                          "are instantiated"
                        : "%s: no kernel is called %s: the file has none",
                    file, name, all.text);
}

/* ---- the compiler ------------------------------------------------------------------------- */

/* All that is read until the other end closes; NULL: no memory. */
static char *read_all(int fd)
{
    size_t room = 1 << 16, length = 0;
    char *text = tsl_allocate(room);
    while (text != NULL) {
        const ssize_t got = read(fd, text + length, room - length - 1);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        length += (size_t)got;
        if (length + 1 == room) {
            char *larger = room < MOST_OUTPUT ? tsl_reallocate(text, room, 2 * room) : NULL;
            if (larger == NULL) {
                tsl_release(text);
                return NULL;
            }
            text = larger;
            room *= 2;
        }
    }
    if (text != NULL) {
        text[length] = '\0';
    }
    return text;
}

/* Start a program with both its output streams on `fd`. Returns 0 or errno. */
static int start(pid_t *child, const char *program, char *const arguments[], int fd)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fd, STDERR_FILENO);
    error = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Run the compiler, that of $CUDACXX if that is set, else whichever of its places has it; *printed
 * is all that it says. */
static tsl_status run(char **printed, int *exit_status, tsl_context *context, char *arguments[])
{
    const char *set = getenv("CUDACXX");
    const bool is_set = set != NULL && set[0] != '\0';
    const char *const places[] = {is_set ? set : "nvcc", is_set ? set : "/usr/local/cuda/bin/nvcc"};
    int ends[2];
    pid_t child = 0;
    int error = ENOENT;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return tsl_fail(context, TSL_E_IO, "nvcc: cannot make a pipe: %s", strerror(errno));
    }
    for (size_t i = 0; i < sizeof places / sizeof *places && error != 0; i++) {
        error = start(&child, places[i], arguments, ends[1]);
    }
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s cannot be run (%s): %s, or give --registers and --shared as `nvcc "
                        "-Xptxas -v` tells them; PyPI's nvidia-cuda-nvcc has it, without a GPU",
                        places[0], strerror(error),
                        is_set ? "set CUDACXX to CUDA's compiler"
                               : "add it to PATH or set CUDACXX");
    }
    *printed = read_all(ends[0]);
    close(ends[0]);
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    *exit_status = WIFEXITED(state) ? WEXITSTATUS(state) : 128;
    return *printed != NULL ? TSL_OK
                            : tsl_fail(context, TSL_E_NOMEM, "out of memory: what nvcc prints");
}

/* The first line with `words`, or the first that is not empty for ""; "" if there is none. */
static void first_line(char out[LIST], const char *printed, const char *words)
{
    out[0] = '\0';
    for (const char *line = printed; *line != '\0' && out[0] == '\0';) {
        const size_t length = strcspn(line, "\n");
        if (length > 0 && line_has(line, length, words)) {
            snprintf(out, LIST, "%.*s", (int)(length < LIST ? length : LIST - 1), line);
        }
        line += length + (line[length] == '\n');
    }
}

/* The line of what the compiler says that tells why it fails. */
static void find_reason(char out[LIST], const char *printed)
{
    static const char *const words[] = {"fatal", "error", ""};
    out[0] = '\0';
    for (int i = 0; i < 3 && out[0] == '\0'; i++) {
        first_line(out, printed, words[i]);
    }
}

/* Compile `file` into `target`; *printed, which the caller releases, is what the compiler says. */
static tsl_status compile(char **printed, tsl_context *context, const char *file, char *target,
                          char *architecture, char *const extra[])
{
    char *const own[] = {
        (char[]){"nvcc"}, architecture, (char[]){"-cubin"}, (char[]){"-Xptxas"}, (char[]){"-v"},
        (char[]){"-o"},   target,       (char[]){"-x"},     (char[]){"cu"}};
    size_t n = sizeof own / sizeof *own;
    size_t count = 0;
    int exit_status = 0;
    char error[LIST];
    while (extra != NULL && extra[count] != NULL) {
        count++;
    }
    char **arguments = tsl_allocate_zeroed(n + count + 2, sizeof *arguments);
    if (arguments == NULL) {
        return tsl_fail_memory(context, (int64_t)(count * sizeof *arguments),
                               "the arguments of nvcc");
    }
    memcpy(arguments, own, sizeof own);
    for (size_t i = 0; i < count; i++) {
        arguments[n++] = extra[i];
    }
    arguments[n] = (char *)(uintptr_t)file; /* which posix_spawn() leaves as it is */
    tsl_status status = run(printed, &exit_status, context, arguments);
    tsl_release(arguments);
    if (status == TSL_OK && exit_status != 0) {
        find_reason(error, *printed);
        status = tsl_fail(context, TSL_E_FORMAT, "%s: nvcc refuses it for %s: %s", file,
                          architecture + strlen("-arch="),
                          error[0] != '\0' ? error : "it does not say why");
    }
    return status;
}

tsl_status tsl_ptxas_measure(tsl_ptxas_use *out, tsl_context *context, const char *file,
                             const char *name, int major, int minor, char *const extra[])
{
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX], target[PATH_MAX + 16], architecture[32];
    char *printed = NULL;
    if (access(file, R_OK) != 0) {
        return tsl_fail(context, TSL_E_IO, "%s: %s", file, strerror(errno));
    }
    snprintf(folder, sizeof folder, "%s/tesela-ptxas-XXXXXX",
             temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    if (mkdtemp(folder) == NULL) {
        return tsl_fail(context, TSL_E_IO, "%s: %s: set TMPDIR to a folder that can be written in",
                        folder, strerror(errno));
    }
    snprintf(target, sizeof target, "%s/out.cubin", folder);
    snprintf(architecture, sizeof architecture, "-arch=sm_%d%d", major, minor);
    tsl_status status = compile(&printed, context, file, target, architecture, extra);
    if (status == TSL_OK) {
        status = tsl_ptxas_find(out, context, printed, file, name);
    }
    unlink(target);
    rmdir(folder);
    tsl_release(printed);
    return status;
}
