/* Finds the course and reads all of it. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/build.h"
#include "lab/config.h"
#include "lab/course/course.h"

enum { MOST_EXERCISES = 400, MOST_MODULES = 40 };

static bool is_course(const char *folder)
{
    char file[PATH_MAX + 16];
    snprintf(file, sizeof file, "%s/README.md", folder);
    return access(file, R_OK) == 0;
}

static tsl_status find_folder(char out[PATH_MAX], tsl_context *context, const char *asked)
{
    char self[PATH_MAX];
    const char *named = getenv("TESELA_LAB_PATH");
    if (asked != NULL) {
        snprintf(out, PATH_MAX, "%s", asked);
        return is_course(out) ? TSL_OK
                              : tsl_fail(context, TSL_E_IO,
                                         "%s: this folder has no README.md of a course", asked);
    }
    if (named != NULL) {
        snprintf(out, PATH_MAX, "%s/share/tesela/course", named);
        if (is_course(out)) {
            return TSL_OK;
        }
    }
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL) {
        *slash = '\0';
        snprintf(out, PATH_MAX, "%.2000s/%s", self, TSL_LAB_TO_COURSE);
        if (is_course(out)) {
            return TSL_OK;
        }
    }
    snprintf(out, PATH_MAX, "%s", TSL_LAB_SOURCE_COURSE);
    return is_course(out) ? TSL_OK
                          : tsl_fail(context, TSL_E_UNSUPPORTED,
                                     "the course is not found in %s: install tesela whole, or set "
                                     "TESELA_LAB_PATH to the folder above its share/tesela/course",
                                     out);
}

static bool ends_in(const char *name, const char *end)
{
    const size_t n = strlen(name);
    const size_t m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static tsl_status read_module(tsl_lab_course *course, tsl_context *context, const char *folder,
                              int number)
{
    char path[PATH_MAX + 300];
    DIR *files = opendir(folder);
    tsl_status status = TSL_OK;
    if (files == NULL) {
        return tsl_fail(context, TSL_E_IO, "%s: %s", folder, strerror(errno));
    }
    for (struct dirent *f = readdir(files); f != NULL && status == TSL_OK; f = readdir(files)) {
        snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        if (strcmp(f->d_name, "module.md") == 0 && course->module_count < MOST_MODULES) {
            course->modules[course->module_count].number = number;
            status = tsl_lab_module_read(&course->modules[course->module_count++], context, path);
        } else if (isdigit((unsigned char)f->d_name[0]) && ends_in(f->d_name, ".md") &&
                   course->count < MOST_EXERCISES) {
            tsl_lab_exercise *e = &course->exercises[course->count++];
            status = tsl_lab_exercise_read(e, context, path);
            if (status == TSL_OK && e->module != number) {
                status =
                    tsl_fail(context, TSL_E_FORMAT, "%s: id %s is of another module", path, e->id);
            }
        }
    }
    closedir(files);
    return status;
}

static int by_number(const void *a, const void *b)
{
    const tsl_lab_exercise *x = a;
    const tsl_lab_exercise *y = b;
    return x->module != y->module ? x->module - y->module : x->number - y->number;
}

static int by_module(const void *a, const void *b)
{
    return ((const tsl_lab_module *)a)->number - ((const tsl_lab_module *)b)->number;
}

tsl_status tsl_lab_course_read(tsl_lab_course *out, tsl_context *context, const char *folder)
{
    *out = (tsl_lab_course){.count = 0};
    tsl_status status = find_folder(out->folder, context, folder);
    if (status != TSL_OK) {
        return status;
    }
    out->exercises = tsl_allocate_zeroed(MOST_EXERCISES, sizeof *out->exercises);
    out->modules = tsl_allocate_zeroed(MOST_MODULES, sizeof *out->modules);
    if (out->exercises == NULL || out->modules == NULL) {
        return tsl_fail_memory(context, MOST_EXERCISES * sizeof *out->exercises, "the course");
    }
    DIR *files = opendir(out->folder);
    if (files == NULL) {
        return tsl_fail(context, TSL_E_IO, "%s: %s", out->folder, strerror(errno));
    }
    for (struct dirent *f = readdir(files); f != NULL && status == TSL_OK; f = readdir(files)) {
        char path[PATH_MAX + 300];
        if (isdigit((unsigned char)f->d_name[0])) {
            snprintf(path, sizeof path, "%s/%s", out->folder, f->d_name);
            status = read_module(out, context, path, (int)strtol(f->d_name, NULL, 10));
        }
    }
    closedir(files);
    if (status == TSL_OK && out->count == 0) {
        return tsl_fail(context, TSL_E_FORMAT, "%s: has no exercises: name the folder of a course",
                        out->folder);
    }
    qsort(out->exercises, (size_t)out->count, sizeof *out->exercises, by_number);
    qsort(out->modules, (size_t)out->module_count, sizeof *out->modules, by_module);
    for (int i = 1; i < out->count && status == TSL_OK; i++) {
        if (by_number(&out->exercises[i - 1], &out->exercises[i]) == 0) {
            status = tsl_fail(context, TSL_E_FORMAT, "%s and %s have the same id",
                              out->exercises[i - 1].path, out->exercises[i].path);
        }
    }
    for (int i = 0; i < out->count && status == TSL_OK; i++) {
        if (tsl_lab_course_module(out, out->exercises[i].module) == NULL) {
            status = tsl_fail(context, TSL_E_FORMAT, "%s: beside it is no module.md",
                              out->exercises[i].path);
        }
    }
    return status;
}

void tsl_lab_course_release(tsl_lab_course *course)
{
    for (int i = 0; i < course->count; i++) {
        tsl_release(course->exercises[i].text);
        tsl_release(course->exercises[i].path);
    }
    for (int i = 0; i < course->module_count; i++) {
        tsl_release(course->modules[i].text);
    }
    tsl_release(course->exercises);
    tsl_release(course->modules);
    *course = (tsl_lab_course){.count = 0};
}

int tsl_lab_course_find(const tsl_lab_course *course, const char *what)
{
    const char *slash = strrchr(what, '/');
    const char *base = slash != NULL ? slash + 1 : what;
    for (int i = 0; i < course->count; i++) {
        const tsl_lab_exercise *e = &course->exercises[i];
        char file[160];
        tsl_lab_answer_name(file, sizeof file, e);
        const size_t length = strlen(e->id);
        const bool other = strncmp(base, e->id, length) == 0 && base[length] == '-' &&
                           ends_in(base, strrchr(file, '.'));
        if (strcmp(what, e->id) == 0 || strcmp(what, e->name) == 0 || other) {
            return i;
        }
    }
    return -1;
}

const tsl_lab_module *tsl_lab_course_module(const tsl_lab_course *course, int number)
{
    for (int i = 0; i < course->module_count; i++) {
        if (course->modules[i].number == number) {
            return &course->modules[i];
        }
    }
    return NULL;
}
