/* From a .cu file to a program that runs its kernels on the CPU. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/file/output.h"
#include "io/file/text.h"
#include "lab/build.h"
#include "lab/config.h"
#include "lab/diagnose.h"
#include "lab/process.h"
#include "lab/rewrite.h"

enum { MOST_TYPES = 128 };

/* ---- what is needed ------------------------------------------------------------------------- */

typedef struct places {
    char headers[PATH_MAX];
    char library[PATH_MAX];
} places;

static bool set_places(places *out, const char *headers, const char *library)
{
    snprintf(out->headers, sizeof out->headers, "%s", headers);
    snprintf(out->library, sizeof out->library, "%s/libtesela_lab_run.a", library);
    char file[PATH_MAX + 32];
    snprintf(file, sizeof file, "%s/cuda_runtime.h", headers);
    return access(file, R_OK) == 0 && access(out->library, R_OK) == 0;
}

/* Headers and library: where TESELA_LAB_PATH says, beside the command in a build folder, where they
 * were installed with it, or in the folder that it was built in. */
static tsl_status find_places(places *out, tsl_context *context)
{
    char self[PATH_MAX];
    char headers[PATH_MAX + 64];
    char library[PATH_MAX + 64];
    const char *named = getenv("TESELA_LAB_PATH");
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    if (named != NULL) {
        snprintf(headers, sizeof headers, "%s/include/tesela-lab", named);
        snprintf(library, sizeof library, "%s/lib", named);
        if (set_places(out, headers, library)) {
            return TSL_OK;
        }
    }
    if (set_places(out, TSL_LAB_SOURCE_HEADERS, self)) {
        return TSL_OK;
    }
    snprintf(headers, sizeof headers, "%s/%s/tesela-lab", self, TSL_LAB_TO_INCLUDE);
    snprintf(library, sizeof library, "%s/%s", self, TSL_LAB_TO_LIBRARY);
    if (set_places(out, headers, library) ||
        set_places(out, TSL_LAB_SOURCE_HEADERS, TSL_LAB_BUILD_FOLDER)) {
        return TSL_OK;
    }
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "libtesela_lab_run.a is not found in %s: install tesela whole, or set "
                    "TESELA_LAB_PATH to the folder above its include and lib",
                    library);
}

tsl_status tsl_lab_find_headers(char path[PATH_MAX], tsl_context *context)
{
    places at;
    const tsl_status status = find_places(&at, context);
    if (status == TSL_OK) {
        strcpy(path, at.headers);
    }
    return status;
}

static tsl_status find_compiler(char path[PATH_MAX], tsl_context *context, const char *asked)
{
    static const char *const names[] = {"clang++",    "clang++-19", "clang++-18", "clang++-17",
                                        "clang++-16", "clang++-15", "clang++-14", "g++",
                                        "g++-14",     "g++-13",     "g++-12",     "g++-11"};
    if (asked != NULL) {
        return tsl_lab_find_program(path, asked)
                   ? TSL_OK
                   : tsl_fail(context, TSL_E_ARG, "--compiler %s: there is no such program", asked);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (tsl_lab_find_program(path, names[i])) {
            return TSL_OK;
        }
    }
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "no C++ compiler is found: install clang (Debian and Ubuntu: apt install "
                    "clang) or g++");
}

/* ---- functions of the host ------------------------------------------------------------------ */

/* Calls of these go through the runtime, and are calls: no compiler puts anything else there. */
static const char host_functions[] = "-Wl"
#define TSL_HOST(type, name, parameters, arguments) ",--wrap=" #name
#define TSL_HOST_NOTHING(name, parameters, arguments) ",--wrap=" #name
#define TSL_HOST_LIST(name, of_a_list, parameters, last, arguments) ",--wrap=" #name
#include "lab/run/host.def"
#undef TSL_HOST
#undef TSL_HOST_NOTHING
#undef TSL_HOST_LIST
    ;
static const char *const as_calls[] = {
#define TSL_HOST(type, name, parameters, arguments) "-fno-builtin-" #name,
#define TSL_HOST_NOTHING(name, parameters, arguments) "-fno-builtin-" #name,
#define TSL_HOST_LIST(name, of_a_list, parameters, last, arguments) "-fno-builtin-" #name,
#include "lab/run/host.def"
#undef TSL_HOST
#undef TSL_HOST_NOTHING
#undef TSL_HOST_LIST
    NULL};

/* ---- linking -------------------------------------------------------------------------------- */

/* Each variable gets a gap behind it, of a multiple of the banks' 128 bytes, so that an access past
 * its end does not meet the next one. */
static void write_kind(FILE *file, const char *kind, int sections)
{
    fprintf(file, "    tsl_%s_begin = .;\n", kind);
    for (int i = 0; i < sections; i++) {
        fprintf(file, "    *(tsl_%s.%d)\n    . = ALIGN(128) + 128;\n", kind, i);
    }
}

static tsl_status write_script(tsl_context *context, const char *path, int sections)
{
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    FILE *file = tsl_output_stream(output);
    fprintf(file, "SECTIONS {\n  tsl_shared_variables : ALIGN(4096) {\n");
    write_kind(file, "shared", sections);
    fprintf(file,
            "    . = ALIGN(1024);\n    tsl_shared_end = .;\n    *(tsl_static)\n    *(tsl_dynamic)\n"
            "    . = ALIGN(4096);\n  }\n  tsl_device_variables : ALIGN(4096) {\n");
    write_kind(file, "device", sections);
    fprintf(file, "    *(tsl_pad.device)\n    . = ALIGN(4096);\n    tsl_device_end = .;\n");
    write_kind(file, "managed", sections);
    fprintf(file, "    *(tsl_pad.managed)\n    . = ALIGN(4096);\n    tsl_managed_end = .;\n  }\n"
                  "  tsl_constant_variables : ALIGN(4096) {\n");
    write_kind(file, "constant", sections);
    fprintf(file, "    *(tsl_pad.constant)\n    . = ALIGN(4096);\n    tsl_constant_end = .;\n  }\n"
                  "}\nINSERT AFTER .data;\n"
                  "SECTIONS {\n  tsl_runtime : {\n    tsl_runtime_begin = .;\n"
                  "    *libtesela_lab_run.a:*(.text .text.*)\n    tsl_runtime_end = .;\n  }\n"
                  "}\nINSERT AFTER .text;\n");
    return tsl_output_commit(output);
}

/* ---- compiling ------------------------------------------------------------------------------ */

static bool is_clang(const char *compiler)
{
    const char *slash = strrchr(compiler, '/');
    return strncmp(slash != NULL ? slash + 1 : compiler, "clang", 5) == 0;
}

/* Has the folder's disk too little space for a program? What a compiler says then may be lost. */
static bool is_full(const char *folder)
{
    struct statvfs disk;
    return statvfs(folder, &disk) == 0 && (double)disk.f_bavail * (double)disk.f_frsize < 1 << 20;
}

static tsl_status run_compiler(tsl_lab_build *build, tsl_context *context, const tsl_lab_command *c,
                               const char *path)
{
    char messages[PATH_MAX];
    int status;
    snprintf(messages, sizeof messages, "%s/messages.txt", build->folder);
    const tsl_lab_process process = {.arguments = c->arguments,
                                     .output = messages,
                                     .errors = messages,
                                     .keep = -1,
                                     .data = TSL_LAB_COMPILER_BYTES,
                                     .file = TSL_LAB_COMPILER_BYTES,
                                     .cpu = TSL_LAB_COMPILER_SECONDS};
    const tsl_status ran = tsl_lab_run_process(&status, context, &process);
    if (ran == TSL_OK && status > 128) {
        return tsl_fail(
            context, TSL_E_FORMAT, "%s: %s was ended: it may take %d seconds of a core and %d GiB",
            path, build->compiler, TSL_LAB_COMPILER_SECONDS, (int)(TSL_LAB_COMPILER_BYTES >> 30));
    }
    if (ran == TSL_OK && status != 0 && is_full(build->folder)) {
        return tsl_fail(context, TSL_E_IO,
                        "%s: has less than 1 MiB free, and %s failed: free some space, or set "
                        "TMPDIR to another folder",
                        build->folder, build->compiler);
    }
    if (ran == TSL_OK && status != 0) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: %s refuses it: see its lines above", path,
                        build->compiler);
    }
    return ran;
}

/* How the compiler is to translate. */
static void add_translation(tsl_lab_command *c, const char *compiler)
{
    static const char *const common[] = {
        "-std=c++17",
        "-O1",
        "-gdwarf-4", /* of version 5, addr2line 2.40 does not see all inlined functions */
        "-w",
        "-fsanitize=thread",
        "-fno-pie",
        "-ffp-contract=off",
        "-U_FORTIFY_SOURCE", /* whose copies have other names */
        "-fno-strict-aliasing"};
    /* Code keeps the source's order and is not doubled: lanes meet again where they did. Reads
     * that both branches of an `if` make are not joined, nor are any dropped that one compiler
     * alone would. */
    static const char *const of_clang[] = {"-tsan-instrument-read-before-write=1",
                                           "-tsan-distinguish-volatile=1",
                                           "-jump-threading-threshold=0",
                                           "-disable-early-taildup",
                                           "-disable-tail-duplicate",
                                           "-tail-dup-placement=0",
                                           "-simplifycfg-hoist-common=false",
                                           "-simplifycfg-sink-common=false",
                                           "-disable-block-placement",
                                           "-inline-threshold=100000"};
    static const char *const of_gcc[] = {"tsan-distinguish-volatile=1"};
    static const char *const plain_clang[] = {"-fno-vectorize", "-fno-slp-vectorize",
                                              "-fno-crash-diagnostics"};
    /* gcc puts small copies in line where its own instrumentation does not see them. */
    static const char *const plain_gcc[] = {"-fno-builtin-memcpy",
                                            "-fno-builtin-memmove",
                                            "-fno-builtin-memset",
                                            "-fno-reorder-blocks",
                                            "-fno-reorder-blocks-and-partition",
                                            "-fno-crossjumping",
                                            "-fno-thread-jumps",
                                            "-fno-tree-fre"};
    const bool clang = is_clang(compiler);
    const size_t plain = (clang ? sizeof plain_clang : sizeof plain_gcc) / sizeof *plain_gcc;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        tsl_lab_command_add(c, common[i]);
    }
    for (size_t i = 0; i < (clang ? sizeof of_clang : sizeof of_gcc) / sizeof *of_gcc; i++) {
        tsl_lab_command_add(c, clang ? "-mllvm" : "--param");
        tsl_lab_command_add(c, clang ? of_clang[i] : of_gcc[i]);
    }
    for (size_t i = 0; i < plain; i++) {
        tsl_lab_command_add(c, clang ? plain_clang[i] : plain_gcc[i]);
    }
    tsl_lab_command_add_all(c, as_calls);
}

/* `more`: options besides, ended by NULL. */
static tsl_status compile(tsl_lab_build *build, tsl_context *context, const char *path,
                          const places *at, const char *const *more)
{
    char source[PATH_MAX];
    char object[PATH_MAX];
    char headers[PATH_MAX + 8];
    char beside[PATH_MAX + 8];
    char real[PATH_MAX];
    tsl_lab_command c = {.count = 0};
    snprintf(source, sizeof source, "%s/source.cpp", build->folder);
    snprintf(object, sizeof object, "%s/source.o", build->folder);
    snprintf(headers, sizeof headers, "-I%s", at->headers);
    if (realpath(path, real) == NULL) {
        return tsl_fail(context, TSL_E_IO, "%s: %s", path, strerror(errno));
    }
    char *slash = strrchr(real, '/');
    *slash = '\0';
    snprintf(beside, sizeof beside, "-I%s", slash == real ? "/" : real);
    tsl_lab_command_add(&c, build->compiler);
    add_translation(&c, build->compiler);
    if (build->plain) {
        tsl_lab_command_add(&c, "-DTSL_LAB_PLAIN");
    }
    tsl_lab_command_add_all(&c, more);
    tsl_lab_command_add(&c, headers);
    tsl_lab_command_add(&c, beside);
    tsl_lab_command_add_all(&c, build->options);
    tsl_lab_command_add(&c, "-c");
    tsl_lab_command_add(&c, source);
    tsl_lab_command_add(&c, "-o");
    tsl_lab_command_add(&c, object);
    return run_compiler(build, context, &c, path);
}

static tsl_status link_program(tsl_lab_build *build, tsl_context *context, const char *path,
                               const places *at)
{
    char object[PATH_MAX];
    char script[PATH_MAX + 8];
    tsl_lab_command c = {.count = 0};
    snprintf(object, sizeof object, "%s/source.o", build->folder);
    snprintf(script, sizeof script, "-Wl,-T,%s/link.ld", build->folder);
    const char *const arguments[] = {build->compiler,
                                     object,
                                     at->library,
                                     "-no-pie",
                                     "-o",
                                     build->program,
                                     script,
                                     "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset",
                                     "-Wl,--wrap=__assert_fail",
                                     host_functions,
                                     "-lm",
                                     NULL};
    tsl_lab_command_add_all(&c, arguments);
    return run_compiler(build, context, &c, path);
}

/* ---- copies of structs ---------------------------------------------------------------------- */

typedef struct types {
    size_t bytes[MOST_TYPES];
    size_t alignment[MOST_TYPES];
    int number[MOST_TYPES];
    int count;
} types;

/* The table that the program has, which it tells when asked. */
static tsl_status read_types(types *out, const tsl_lab_build *build, tsl_context *context)
{
    char path[PATH_MAX];
    const char *const arguments[] = {build->program, NULL};
    const char *const settings[] = {"TESELA_LAB_TYPES=1", "TESELA_LAB_REPORT=1", NULL};
    int status;
    tsl_text text = {.data = NULL};
    out->count = 0;
    snprintf(path, sizeof path, "%s/types.txt", build->folder);
    const tsl_lab_process process = {
        .arguments = arguments, .settings = settings, .output = path, .keep = -1};
    tsl_status ran = tsl_lab_run_process(&status, context, &process);
    if (ran == TSL_OK) {
        ran = tsl_text_read(&text, context, path, 1 << 20);
    }
    if (ran == TSL_OK) {
        tsl_lines lines = tsl_lines_of(text.data, text.size);
        const char *line;
        size_t length;
        while (tsl_lines_next(&lines, &line, &length) && out->count < MOST_TYPES) {
            char copy[96];
            snprintf(copy, sizeof copy, "%.*s", (int)length, line);
            const int n = out->count;
            out->count += sscanf(copy, "type %zu %zu %d", &out->bytes[n], &out->alignment[n],
                                 &out->number[n]) == 3;
        }
    }
    tsl_text_release(&text);
    return ran;
}

/* clang passes such a struct by value in words of its own choice: reads of three bytes are then not
 * seen at all, and two members are read where one is used. */
static bool is_joined(const tsl_lab_build *build, size_t bytes, size_t alignment)
{
    return is_clang(build->compiler) && bytes <= 16 && alignment < 8 && alignment < bytes;
}

/* Structs of one size that are aligned unlike: their copies are told apart only if each is copied
 * piece by piece, which is compiled anew. Where that does not compile the first program stands. */
static tsl_status tell_apart(tsl_lab_build *build, tsl_context *context, const char *path,
                             const places *at)
{
    types t;
    char options[MOST_TYPES][48];
    const char *more[MOST_TYPES + 1];
    int count = 0;
    tsl_status status = read_types(&t, build, context);
    for (int i = 0; i < t.count && status == TSL_OK; i++) {
        bool unlike = is_joined(build, t.bytes[i], t.alignment[i]);
        for (int k = 0; k < t.count; k++) {
            unlike = unlike || (t.bytes[k] == t.bytes[i] && t.alignment[k] != t.alignment[i]);
        }
        if (unlike && t.number[i] >= 0) {
            snprintf(options[count], sizeof *options, "-DTSL_LAB_IF_%d(...)=__VA_ARGS__",
                     t.number[i]);
            more[count] = options[count];
            count++;
        }
    }
    more[count] = NULL;
    if (status != TSL_OK || count == 0) {
        return status;
    }
    status = compile(build, context, path, at, more);
    if (status == TSL_E_FORMAT) {
        build->ambiguous = true;
        return TSL_OK;
    }
    return status == TSL_OK ? link_program(build, context, path, at) : status;
}

/* What clang says of the two sides comes before what the compiler says. Structs that cannot have
 * constructors are left as they are. */
static tsl_status compile_beside_diagnosis(tsl_lab_build *build, tsl_context *context,
                                           const char *path, const places *at, bool structs)
{
    tsl_lab_diagnosis diagnosis;
    const tsl_status begun = tsl_lab_diagnose_begin(&diagnosis, context, build, path, at->headers);
    const tsl_status compiled = begun == TSL_OK ? compile(build, context, path, at, NULL) : begun;
    const tsl_status diagnosed = tsl_lab_diagnose_end(&diagnosis, build, context, path);
    if (diagnosed != TSL_OK || compiled != TSL_E_FORMAT || !structs) {
        return diagnosed != TSL_OK ? diagnosed : compiled;
    }
    build->plain = true;
    return compile(build, context, path, at, NULL);
}

tsl_status tsl_lab_build_program(tsl_lab_build *out, tsl_context *context, const char *path,
                                 const tsl_lab_build_options *options)
{
    places at;
    tsl_lab_sources sources = {.count = 0};
    char script[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    const double begun = tsl_seconds();
    *out = (tsl_lab_build){.options = options->options};
    snprintf(out->folder, sizeof out->folder, "%s/tesela-lab-XXXXXX",
             temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    tsl_status status = realpath(path, out->file) != NULL
                            ? find_places(&at, context)
                            : tsl_fail(context, TSL_E_IO, "%s: %s", path, strerror(errno));
    if (status == TSL_OK) {
        status = find_compiler(out->compiler, context, options->compiler);
    }
    if (status == TSL_OK && mkdtemp(out->folder) == NULL) {
        status =
            tsl_fail(context, TSL_E_IO, "%s: %s: set TMPDIR to a folder that can be written to",
                     out->folder, strerror(errno));
        out->folder[0] = '\0';
    } else if (status != TSL_OK) {
        out->folder[0] = '\0';
    }
    snprintf(out->program, sizeof out->program, "%s/program", out->folder);
    snprintf(script, sizeof script, "%s/link.ld", out->folder);
    if (status == TSL_OK) {
        status = tsl_lab_rewrite(&sources, context, path, out->folder, options->options);
    }
    if (status == TSL_OK) {
        status = write_script(context, script, sources.sections);
    }
    if (status == TSL_OK) {
        status = compile_beside_diagnosis(out, context, path, &at, sources.structs > 0);
    }
    if (status == TSL_OK) {
        status = link_program(out, context, path, &at);
    }
    if (status == TSL_OK && sources.structs > 0) {
        status = tell_apart(out, context, path, &at);
    }
    tsl_lab_sources_release(&sources);
    out->seconds = tsl_seconds() - begun;
    return status;
}

void tsl_lab_build_release(tsl_lab_build *build, bool keep)
{
    DIR *folder = build->folder[0] != '\0' && !keep ? opendir(build->folder) : NULL;
    if (folder == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[PATH_MAX + 256];
        snprintf(path, sizeof path, "%s/%s", build->folder, entry->d_name);
        if (entry->d_name[0] != '.') {
            unlink(path);
        }
    }
    closedir(folder);
    rmdir(build->folder);
    build->folder[0] = '\0';
}
