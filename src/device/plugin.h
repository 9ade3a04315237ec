/* The CUDA plug-in, opened at run time, so that one build runs with and without a driver. */
#ifndef TSL_PLUGIN_H
#define TSL_PLUGIN_H

#include <stddef.h>

#include "device/device.h"

/* What a plug-in calls of the library: its memory, so that all of it is counted, and made to fail
 * by tests, in one place. Files without state (core/error.c) are compiled into both. */
typedef struct tsl_host {
    void *(*allocate)(size_t bytes);
    void *(*allocate_zeroed)(size_t count, size_t bytes_each);
    void (*release)(void *memory);
} tsl_host;

/* What a plug-in offers. */
typedef struct tsl_plugin {
    /* TSL_INTERFACE: version and digest of the headers it was compiled with. Unless it equals the
     * library's own, the other members are not looked at. */
    const char *interface;
    const tsl_device_ops *ops;
    /* Number of usable devices; 0 with the reason. */
    int (*count)(char *reason, size_t bytes);
} tsl_plugin;

/* The function in libtesela_cuda.so that is called first. `host` lives as long as the library. */
typedef const tsl_plugin *(*tsl_plugin_entry)(const tsl_host *host);
#define TSL_PLUGIN_ENTRY "tsl_cuda_plugin"

/* The plug-in's table and the number of its devices; NULL with one line of reason: no plug-in,
 * another version's, no driver, no card. Looked for in the folders of TESELA_PLUGIN_PATH, beside
 * the library or the command, and in ../lib from there. Opened once. */
const tsl_device_ops *tsl_plugin_cuda(int *count, char *reason, size_t bytes);

#endif
