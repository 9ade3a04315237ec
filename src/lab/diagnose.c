/* What clang's own CUDA front end says of a file. */
#include <stdio.h>
#include <string.h>

#include "io/file/output.h"
#include "io/file/text.h"
#include "lab/buffer.h"
#include "lab/diagnose.h"
#include "lab/process.h"

/* Errors that only this front end can see: a part of the text of each. */
static const char *const own[] = {
    "kernel function type",
    "must have void return type",
    "reference to __host__ ",
    "reference to __global__ function",
    "reference to __device__ function",
    "kernel call to non-global function",
    "not configured",
    "execution configuration arguments",
    "dynamic initialization is not supported",
};

/* Where host code calls a device function or the reverse, clang says "no matching function for
 * call"; the note that follows has one of these parts. */
static const char *const across[] = {"call to __host__ function from",
                                     "call to __device__ function from",
                                     "call to __global__ function from"};

static bool has_one(const char *line, const char *const parts[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(line, parts[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Shall an error be told? `note`: the line after it if that is a note, else empty. Calls of
 * functions of the system's headers are not told: clang takes these for host functions, but kernels
 * may call them here. */
static bool is_own(const char *error, const char *note, const char *path)
{
    char name[PATH_MAX + 1];
    snprintf(name, sizeof name, "%s:", path);
    const bool in_file = strncmp(note, name, strlen(name)) == 0;
    const bool in_headers = strstr(note, "/tesela-lab/cuda_") != NULL;
    if (strstr(error, "no matching function for call") != NULL) {
        return has_one(note, across, sizeof across / sizeof *across) && (in_file || in_headers);
    }
    if (strstr(error, "reference to __host__ ") != NULL) {
        return in_file || in_headers;
    }
    return has_one(error, own, sizeof own / sizeof *own);
}

static bool is_told(const char *told, const char *line)
{
    return strstr(told, line) != NULL;
}

/* Append to *told the errors that shall be told and that it does not have yet: both sides may find
 * the same ones. Returns how many were appended. */
static int filter(tsl_lab_buffer *told, const char *text, size_t size, const char *path)
{
    tsl_lines lines = tsl_lines_of(text, size);
    const char *line;
    size_t length;
    int errors = 0;
    while (tsl_lines_next(&lines, &line, &length)) {
        char error[1024];
        char note[1024] = "";
        snprintf(error, sizeof error, "%.*s\n", (int)length, line);
        if (strstr(error, ": error: ") == NULL) {
            continue;
        }
        tsl_lines ahead = lines;
        const char *next;
        size_t next_length;
        if (tsl_lines_next(&ahead, &next, &next_length) &&
            memmem(next, next_length, ": note: ", 8) != NULL) {
            snprintf(note, sizeof note, "%.*s\n", (int)next_length, next);
        }
        if (is_own(error, note, path) && (told->data == NULL || !is_told(told->data, error))) {
            tsl_lab_buffer_print(told, "%s%s", error, note);
            errors++;
        }
    }
    return errors;
}

static tsl_status start_side(tsl_lab_diagnosis *d, tsl_context *context, const char *path,
                             const char *headers, const char *const *options, int side)
{
    char include[PATH_MAX + 8];
    snprintf(include, sizeof include, "-I%s", headers);
    static const char *const plain[] = {"-x",
                                        "cuda",
                                        "--cuda-host-only",
                                        "-nocudainc",
                                        "-nocudalib",
                                        "-std=c++17",
                                        "-fsyntax-only",
                                        "-w",
                                        "-fno-caret-diagnostics",
                                        "-fno-crash-diagnostics",
                                        "-Xclang",
                                        "-fcuda-allow-variadic-functions",
                                        "-ferror-limit=0",
                                        NULL};
    const char *const file[] = {include, "-include", "cuda_runtime.h", path, NULL};
    const char *const device[] = {"-Xclang", "-fcuda-is-device", NULL};
    tsl_lab_command c = {.arguments = {d->clang}, .count = 1};
    tsl_lab_command_add_all(&c, plain);
    tsl_lab_command_add_all(&c, options);
    tsl_lab_command_add_all(&c, file);
    tsl_lab_command_add_all(&c, side == 1 ? device : NULL);
    const tsl_lab_process process = {.arguments = c.arguments,
                                     .output = d->messages[side],
                                     .errors = d->messages[side],
                                     .keep = -1,
                                     .data = TSL_LAB_COMPILER_BYTES,
                                     .file = TSL_LAB_COMPILER_BYTES,
                                     .cpu = TSL_LAB_COMPILER_SECONDS};
    return tsl_lab_start_process(&d->running[side], context, &process);
}

tsl_status tsl_lab_diagnose_begin(tsl_lab_diagnosis *out, tsl_context *context,
                                  const tsl_lab_build *build, const char *path, const char *headers)
{
    static const char *const names[] = {"clang",    "clang-19", "clang-18", "clang-17",
                                        "clang-16", "clang-15", "clang-14"};
    size_t i = 0;
    tsl_status status = TSL_OK;
    *out = (tsl_lab_diagnosis){.running = {0, 0}};
    while (i < sizeof names / sizeof *names && !tsl_lab_find_program(out->clang, names[i])) {
        i++;
    }
    if (i == sizeof names / sizeof *names) {
        return TSL_OK;
    }
    for (int side = 0; side < 2 && status == TSL_OK; side++) {
        snprintf(out->messages[side], sizeof *out->messages, "%s/side%d.txt", build->folder, side);
        status = start_side(out, context, path, headers, build->options, side);
    }
    return status;
}

/* Write the errors of both sides to folder/messages.txt, and fail. */
static tsl_status tell(tsl_lab_build *build, tsl_context *context, const char *path,
                       const tsl_lab_buffer *told)
{
    char messages[PATH_MAX];
    snprintf(messages, sizeof messages, "%s/messages.txt", build->folder);
    FILE *out = fopen(messages, "w");
    if (out != NULL) {
        fwrite(told->data, 1, told->length, out);
        fclose(out);
    }
    return tsl_fail(context, TSL_E_FORMAT, "%s: clang refuses it as CUDA: see its %d error%s above",
                    path, build->refused, build->refused == 1 ? "" : "s");
}

tsl_status tsl_lab_diagnose_end(tsl_lab_diagnosis *d, tsl_lab_build *build, tsl_context *context,
                                const char *path)
{
    tsl_lab_buffer told = {.data = NULL};
    tsl_status status = TSL_OK;
    build->diagnosed = d->running[1] > 0;
    for (int side = 0; side < 2; side++) {
        tsl_text text = {.data = NULL};
        if (d->running[side] > 0 && tsl_lab_wait_process(d->running[side]) != 0 &&
            status == TSL_OK) {
            status = tsl_text_read(&text, context, d->messages[side], (size_t)16 << 20);
            build->refused += status == TSL_OK ? filter(&told, text.data, text.size, path) : 0;
            tsl_text_release(&text);
        }
        d->running[side] = 0;
    }
    if (status == TSL_OK && build->refused > 0) {
        status = told.failed ? tsl_fail_memory(context, (int64_t)told.length, "messages")
                             : tell(build, context, path, &told);
    }
    tsl_lab_buffer_release(&told);
    return status;
}
