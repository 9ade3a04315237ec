/* Names of files on a command line: whether they can be written, and are all different. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/shared/cli.h"
#include "core/config.h"
#include "io/file/output.h"
#include "io/report/figure.h"

/* Cut `path` back to its parent: "a/b" to "a", "a" to ".", "/a" to "/". False at the top. */
static bool to_parent(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        path[--length] = '\0';
    }
    if (strcmp(path, "/") == 0 || strcmp(path, ".") == 0) {
        return false;
    }
    char *slash = strrchr(path, '/');
    if (slash == NULL) {
        strcpy(path, ".");
    } else {
        slash[slash == path] = '\0';
    }
    return true;
}

static bool is_writable_folder(const char *option, const char *path, const char *folder)
{
    struct stat about;
    if (stat(folder, &about) != 0) {
        cli_error("%s %s: %s: %s%s", option, path, folder, strerror(errno),
                  errno == ENOENT ? ": make that folder first" : "");
    } else if (!S_ISDIR(about.st_mode)) {
        cli_error("%s %s: %s is a file, not a folder: choose another place", option, path, folder);
    } else if (access(folder, W_OK | X_OK) != 0) {
        cli_error("%s %s: cannot write in %s: %s: choose another place", option, path, folder,
                  strerror(errno));
    } else {
        return true;
    }
    return false;
}

/* Is the name of a folder a link to nothing? Then no folder can be made there. */
static bool leads_nowhere(const char *option, const char *path, const char *folder)
{
    struct stat about;
    const int reason = errno;
    const bool is_link = lstat(folder, &about) == 0 && S_ISLNK(about.st_mode);
    errno = reason;
    if (is_link) {
        cli_error("%s %s: %s is a link to a folder that is not there: make that folder, or choose "
                  "another path",
                  option, path, folder);
    }
    return is_link;
}

bool cli_can_write(const char *option, const char *path, bool folder)
{
    char parent[PATH_MAX];
    struct stat about;
    if (*path == '\0' || strlen(path) >= sizeof parent) {
        cli_error("%s: %s", option, *path == '\0' ? "the name is empty" : "the name is too long");
        return false;
    }
    const int descriptor = folder ? -1 : tsl_output_descriptor(path);
    if (descriptor >= 0) {
        const int mode = fcntl(descriptor, F_GETFL);
        if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY) {
            cli_error("%s %s: is not open for writing: name a file", option, path);
            return false;
        }
        return true;
    }
    strcpy(parent, path);
    const bool exists = stat(path, &about) == 0;
    if (folder) {
        bool found = exists;
        if (!exists && leads_nowhere(option, path, parent)) {
            return false;
        }
        while (!found && (errno == ENOENT || errno == ENOTDIR) && to_parent(parent)) {
            found = stat(parent, &about) == 0;
            if (!found && leads_nowhere(option, path, parent)) {
                return false;
            }
        }
        return is_writable_folder(option, path, parent);
    }
    if (exists && S_ISDIR(about.st_mode)) {
        cli_error("%s %s: is a folder: give the name of a file", option, path);
        return false;
    }
    if (exists && !S_ISREG(about.st_mode)) { /* a terminal, a pipe or /dev/null */
        return true;
    }
    if (!tsl_output_follow(parent, path)) {
        cli_error("%s %s: %s: choose another path", option, path, strerror(errno));
        return false;
    }
    if (!exists && tsl_output_among_devices(parent)) {
        cli_error("%s %s: there is no such device: choose another path", option, path);
        return false;
    }
    return to_parent(parent) && is_writable_folder(option, path, parent);
}

/* The last name of a path. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool cli_same_file(const char *path, const char *other)
{
    struct stat one;
    struct stat two;
    const bool is_there = stat(path, &one) == 0;
    if (is_there != (stat(other, &two) == 0)) {
        return false;
    }
    if (!is_there) { /* is it the same name in the same folder? */
        char folder[PATH_MAX];
        char other_folder[PATH_MAX];
        if (!tsl_output_follow(folder, path) || !tsl_output_follow(other_folder, other) ||
            strcmp(name_of(folder), name_of(other_folder)) != 0 || !to_parent(folder) ||
            !to_parent(other_folder) || stat(folder, &one) != 0 || stat(other_folder, &two) != 0) {
            return false;
        }
    }
    return one.st_dev == two.st_dev && one.st_ino == two.st_ino &&
           (!is_there || S_ISREG(one.st_mode));
}

/* A file on the command line. */
typedef struct named_file {
    const char *option; /* the option that wrote it: "-o"; NULL: the file is read */
    const char *path;   /* NULL: not given */
} named_file;

/* May both files be on the command line? */
static bool is_apart(const named_file *file, const named_file *other)
{
    if (file->path == NULL || other->path == NULL ||
        (file->option == NULL && other->option == NULL) ||
        !cli_same_file(file->path, other->path)) {
        return true;
    }
    if (file->option == NULL || other->option == NULL) {
        const named_file *written = file->option != NULL ? file : other;
        cli_error("%s %s: is a file that is read, which it would replace: choose another name",
                  written->option, written->path);
    } else {
        cli_error("%s %s: is the file of %s too: choose another name", other->option, other->path,
                  file->option);
    }
    return false;
}

/* Check that no file that is written is also read, or written twice. `json`, the value of --json,
 * is one more file that is written, or NULL. */
static bool are_apart(const named_file *files, size_t count, const char *json)
{
    const named_file report = {"--json", json != NULL ? cli_report_file(json) : NULL};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            if (!is_apart(&files[i], &files[j])) {
                return false;
            }
        }
        if (!is_apart(&files[i], &report)) {
            return false;
        }
    }
    return true;
}

/* Can a figure be written: does the build draw, and is the name's end that of a figure? */
static bool can_write_figure(const char *option, const char *path)
{
    if (path != NULL && !tsl_figure_knows(path)) {
        cli_error("%s %s: give a name that ends in " CLI_FIGURE_ENDINGS, option, path);
        return false;
    }
#ifndef TSL_HAVE_CAIRO
    if (path != NULL) {
        cli_error("%s %s: this build has no Cairo: see tesela info", option, path);
        return false;
    }
#endif
    return path == NULL || cli_can_write(option, path, false);
}

/* ---- all files of a command line ----------------------------------------------------------- */

static bool can_write_row(const cli_common *common, const cli_option *row, const named_file *file)
{
    return row->written == CLI_RESULT   ? cli_can_write(file->option, file->path, false)
           : row->written == CLI_FIGURE ? can_write_figure(file->option, file->path)
           : row->written == CLI_TABLE  ? cli_can_write_csv(common)
                                        : true;
}

bool cli_check_files(const cli_common *common, const char *const inputs[], size_t count)
{
    enum { INPUTS = 8 };
    cli_option rows[CLI_MOST_ROWS];
    named_file files[CLI_MOST_ROWS + INPUTS];
    char names[CLI_MOST_ROWS + INPUTS][CLI_SPELLED];
    size_t found = 0;
    for (size_t i = 0; i < count && i < INPUTS; i++) {
        files[found++] = (named_file){NULL, inputs[i]};
    }
    cli_rows(rows, common->of);
    for (const cli_option *row = rows; !cli_is_end(row); row++) {
        const char *const field = (const char *)common + row->field.offset;
        if (row->heading != NULL || row->kind != CLI_FILE || field == (const char *)&common->json) {
            continue;
        }
        named_file *file = &files[found];
        file->path = *(const char *const *)(const void *)field;
        if (row->letter != '\0') {
            snprintf(names[found], CLI_SPELLED, "-%c", row->letter);
        } else {
            cli_spell(names[found], row);
        }
        file->option = names[found];
        if (file->path != NULL && !can_write_row(common, row, file)) {
            return false;
        }
        file->option = row->written != CLI_READ ? file->option : NULL;
        found++;
    }
    return are_apart(files, found, common->json);
}
