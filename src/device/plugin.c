#include "device/plugin.h"

#include <stdio.h>
#include <string.h>

#include "core/module.h"
#include "device/interface.h"

enum { REASON_BYTES = 512 };

static struct {
    bool tried;
    const tsl_plugin *plugin; /* NULL: `reason` says why */
    char reason[REASON_BYTES];
} cuda;

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

static void open_plugin(void)
{
    static const tsl_host host = {
        .allocate = tsl_allocate, .allocate_zeroed = tsl_allocate_zeroed, .release = tsl_release};
    char text[REASON_BYTES];
    tsl_plugin_entry entry = NULL;
    *(void **)&entry =
        tsl_module_open("libtesela_cuda.so", TSL_PLUGIN_ENTRY, false, text, sizeof text);
    const tsl_plugin *plugin = entry != NULL ? entry(&host) : NULL;
    if (entry == NULL) {
        memcpy(cuda.reason, text, sizeof text);
    } else if (fits(text, plugin)) {
        cuda.plugin = plugin;
    }
}

const tsl_device_ops *tsl_plugin_cuda(int *count, char *reason, size_t bytes)
{
#pragma omp critical(tsl_plugin)
    if (!cuda.tried) {
        cuda.tried = true;
        open_plugin();
    }
    if (cuda.plugin == NULL) {
        snprintf(reason, bytes, "%s", cuda.reason);
        return NULL;
    }
    *count = cuda.plugin->count(reason, bytes);
    return *count > 0 ? cuda.plugin->ops : NULL;
}
