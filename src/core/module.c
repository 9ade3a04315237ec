#include "core/module.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* A module that is looked for, and what was found. */
typedef struct search {
    const char *file_name;
    int flags;
    void *library;
    char *text; /* the path, or the reason */
    size_t bytes;
} search;

/* Open the module in one folder; false if it is not there. Only regular files are opened: reading a
 * pipe might never end. */
static bool open_in(search *s, const char *folder)
{
    char path[PATH_BYTES];
    struct stat about;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, s->file_name) >= sizeof path ||
        access(path, R_OK) != 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
        return false;
    }
    s->library = dlopen(path, s->flags);
    if (s->library == NULL) {
        snprintf(s->text, s->bytes, "the plug-in cannot be opened: %s", dlerror());
    } else {
        snprintf(s->text, s->bytes, "%s", path);
    }
    return true;
}

/* Folder of the library or command that this code is part of. */
static bool own_folder(char *folder)
{
    Dl_info info;
    char path[PATH_BYTES];
    if (dladdr((void *)(uintptr_t)&open_in, &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    /* the path of a command that was started by a bare name lacks the folder */
    const bool named = strchr(info.dli_fname, '/') != NULL;
    if (realpath(named ? info.dli_fname : "/proc/self/exe", path) == NULL) {
        return false;
    }
    snprintf(folder, PATH_BYTES, "%s", dirname(path));
    return true;
}

static bool search_folders(search *s)
{
    char folder[PATH_BYTES], other[PATH_BYTES + 16];
    const char *at = getenv("TESELA_PLUGIN_PATH");
    while (at != NULL && *at != '\0') {
        const size_t length = strcspn(at, ":");
        if (length > 0 && length < sizeof folder) {
            memcpy(folder, at, length);
            folder[length] = '\0';
            if (open_in(s, folder)) {
                return true;
            }
        }
        at += length + (at[length] == ':');
    }
    if (!own_folder(folder)) {
        return false;
    }
    snprintf(other, sizeof other, "%s/../lib", folder);
    return open_in(s, folder) || open_in(s, other);
}

void *tsl_module_open(const char *file_name, const char *entry, bool global, char *text,
                      size_t bytes)
{
    search s = {.file_name = file_name,
                .flags = RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL),
                .text = text,
                .bytes = bytes};
    if (!search_folders(&s)) {
        const char *path = getenv("TESELA_PLUGIN_PATH");
        snprintf(text, bytes, "there is no plug-in %s beside tesela or in TESELA_PLUGIN_PATH (%s)",
                 file_name, path != NULL && *path != '\0' ? path : "not set");
    }
    if (s.library == NULL) {
        return NULL;
    }
    void *found = dlsym(s.library, entry);
    if (found == NULL) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s", text);
        snprintf(text, bytes, "%s is no plug-in of tesela", path);
    }
    return found;
}
