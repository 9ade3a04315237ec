#include "device/plugin.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/interface.h"

enum { PATH_BYTES = 4096, REASON_BYTES = 512 };

static struct {
    bool tried;
    const tsl_plugin *plugin; /* NULL: `reason` says why */
    char reason[REASON_BYTES];
} cuda;

static const char file_name[] = "libtesela_cuda.so";

/* Was the plug-in compiled with this library's headers? If not, says why. */
static bool fits(const char *path, const tsl_plugin *plugin)
{
    if (plugin == NULL) {
        snprintf(cuda.reason, sizeof cuda.reason, "%s is no plug-in of tesela", path);
        return false;
    }
    if (strcmp(plugin->interface, TSL_INTERFACE) != 0) {
        snprintf(cuda.reason, sizeof cuda.reason,
                 "%s belongs to tesela %s, this is " TSL_INTERFACE
                 ": build or install both together",
                 path, plugin->interface);
        return false;
    }
    return true;
}

/* Open the plug-in in one folder; false if there is none. */
static bool open_in(const char *folder)
{
    char path[PATH_BYTES];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, file_name) >= sizeof path ||
        access(path, R_OK) != 0) {
        return false;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(cuda.reason, sizeof cuda.reason, "the plug-in cannot be opened: %s", dlerror());
        return true;
    }
    static const tsl_host host = {
        .allocate = tsl_allocate, .allocate_zeroed = tsl_allocate_zeroed, .release = tsl_release};
    tsl_plugin_entry entry = NULL;
    *(void **)&entry = dlsym(library, TSL_PLUGIN_ENTRY);
    const tsl_plugin *plugin = entry != NULL ? entry(&host) : NULL;
    if (!fits(path, plugin)) {
        dlclose(library);
        return true;
    }
    cuda.plugin = plugin; /* stays open: the driver does not take to being unloaded */
    return true;
}

/* Folder of the library or command this code is in. */
static bool own_folder(char *folder)
{
    Dl_info info;
    char path[PATH_BYTES];
    if (dladdr((void *)(uintptr_t)&open_in, &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    /* A command started by a bare name has no folder there. */
    const bool named = strchr(info.dli_fname, '/') != NULL;
    if (realpath(named ? info.dli_fname : "/proc/self/exe", path) == NULL) {
        return false;
    }
    snprintf(folder, PATH_BYTES, "%s", dirname(path));
    return true;
}

static bool search_folders(void)
{
    char folder[PATH_BYTES], other[PATH_BYTES + 16];
    const char *at = getenv("TESELA_PLUGIN_PATH");
    while (at != NULL && *at != '\0') {
        const size_t length = strcspn(at, ":");
        if (length > 0 && length < sizeof folder) {
            memcpy(folder, at, length);
            folder[length] = '\0';
            if (open_in(folder)) {
                return true;
            }
        }
        at += length + (at[length] == ':');
    }
    if (!own_folder(folder)) {
        return false;
    }
    snprintf(other, sizeof other, "%s/../lib", folder);
    return open_in(folder) || open_in(other);
}

const tsl_device_ops *tsl_plugin_cuda(int *count, char *reason, size_t bytes)
{
#pragma omp critical(tsl_plugin)
    if (!cuda.tried) {
        cuda.tried = true;
        if (!search_folders()) {
            const char *path = getenv("TESELA_PLUGIN_PATH");
            snprintf(cuda.reason, sizeof cuda.reason,
                     "there is no plug-in %s beside tesela or in TESELA_PLUGIN_PATH (%s)",
                     file_name, path != NULL && *path != '\0' ? path : "not set");
        }
    }
    if (cuda.plugin == NULL) {
        snprintf(reason, bytes, "%s", cuda.reason);
        return NULL;
    }
    *count = cuda.plugin->count(reason, bytes);
    return *count > 0 ? cuda.plugin->ops : NULL;
}
