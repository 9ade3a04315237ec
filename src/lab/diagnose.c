/* What clang's own CUDA front end says of a file. */
#include <stdio.h>
#include <string.h>

#include "io/output.h"
#include "io/text.h"
#include "lab/diagnose.h"
#include "lab/process.h"

/* Errors that only this front end can see; all others are the compiler's to tell. */
static const char *const own[] = {
    "kernel function type",
    "must have void return type",
    "reference to __host__ function",
    "reference to __global__ function",
    "reference to __device__ function",
    "call to __global__ function",
    "call to __host__ function",
    "call to __device__ function",
    "no matching function for call to '__cudaPushCallConfiguration'",
    "__shared__",
    "__constant__",
    "__global__",
    "dynamic initialization is not supported",
};

/* Functions of headers that are host functions to clang, though kernels may call them here. */
static bool is_of_headers(const char *line, const char *note, size_t note_length, const char *path)
{
    char name[PATH_MAX + 1];
    snprintf(name, sizeof name, "%s:", path);
    const bool in_file =
        note != NULL && note_length > strlen(name) && strncmp(note, name, strlen(name)) == 0;
    const bool in_api =
        note != NULL && memmem(note, note_length, "tesela-lab/cuda_api.h", 21) != NULL;
    const bool refers = strstr(line, "reference to __host__ function") != NULL;
    return refers && !in_file && !in_api;
}

static bool is_own(const char *line)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strstr(line, own[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Count the errors that are ours to tell, and write them to `out`. */
static int filter(FILE *out, const char *text, size_t size, const char *path)
{
    tsl_lines lines = tsl_lines_of(text, size);
    const char *line;
    size_t length;
    int errors = 0;
    while (tsl_lines_next(&lines, &line, &length)) {
        char copy[1024];
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        if (strstr(copy, ": error: ") == NULL || !is_own(copy)) {
            continue;
        }
        tsl_lines ahead = lines;
        const char *note = NULL;
        const char *next;
        size_t next_length;
        for (int i = 0; i < 6 && tsl_lines_next(&ahead, &next, &next_length); i++) {
            if (memmem(next, next_length, ": error: ", 9) != NULL) {
                break;
            }
            if (note == NULL && memmem(next, next_length, ": note: ", 8) != NULL) {
                note = next;
            }
        }
        const size_t note_length = note != NULL ? strcspn(note, "\n") : 0;
        if (!is_of_headers(copy, note, note_length, path)) {
            fprintf(out, "%s\n", copy);
            errors++;
        }
    }
    return errors;
}

static tsl_status run_side(int *errors, tsl_lab_build *build, tsl_context *context,
                           const char *clang, const char *path, const char *headers, bool device,
                           FILE *out)
{
    char messages[PATH_MAX];
    char include[PATH_MAX + 8];
    int status;
    snprintf(messages, sizeof messages, "%s/side.txt", build->folder);
    snprintf(include, sizeof include, "-I%s", headers);
    const char *const arguments[] = {clang,
                                     "-x",
                                     "cuda",
                                     "--cuda-host-only",
                                     "-nocudainc",
                                     "-nocudalib",
                                     "-std=c++17",
                                     "-fsyntax-only",
                                     "-w",
                                     "-fno-caret-diagnostics",
                                     "-ferror-limit=0",
                                     include,
                                     "-include",
                                     "cuda_runtime.h",
                                     path,
                                     device ? "-Xclang" : NULL,
                                     "-fcuda-is-device",
                                     NULL};
    const tsl_lab_process process = {
        .arguments = arguments, .output = messages, .errors = messages, .keep = -1};
    tsl_text text = {.data = NULL};
    tsl_status ran = tsl_lab_run_process(&status, context, &process);
    if (ran == TSL_OK && status != 0) {
        ran = tsl_text_read(&text, context, messages, (size_t)16 << 20);
        *errors += ran == TSL_OK ? filter(out, text.data, text.size, path) : 0;
    }
    tsl_text_release(&text);
    return ran;
}

tsl_status tsl_lab_diagnose(tsl_lab_build *build, tsl_context *context, const char *path,
                            const char *headers)
{
    char clang[PATH_MAX];
    char messages[PATH_MAX];
    static const char *const names[] = {"clang",    "clang-19", "clang-18", "clang-17",
                                        "clang-16", "clang-15", "clang-14"};
    size_t i = 0;
    while (i < sizeof names / sizeof *names && !tsl_lab_find_program(clang, names[i])) {
        i++;
    }
    if (i == sizeof names / sizeof *names) {
        return TSL_OK;
    }
    snprintf(messages, sizeof messages, "%s/messages.txt", build->folder);
    FILE *out = fopen(messages, "w");
    if (out == NULL) {
        return tsl_fail(context, TSL_E_IO, "%s cannot be written", messages);
    }
    tsl_status status = run_side(&build->refused, build, context, clang, path, headers, false, out);
    if (status == TSL_OK) {
        status = run_side(&build->refused, build, context, clang, path, headers, true, out);
    }
    fclose(out);
    build->diagnosed = status == TSL_OK;
    if (status == TSL_OK && build->refused > 0) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: clang refuses it as CUDA: see its lines above",
                        path);
    }
    return status;
}
