/* The CUDA plug-in, opened at run time, so that one build runs with and without a driver. */
#ifndef TSL_PLUGIN_H
#define TSL_PLUGIN_H

#include <stddef.h>

#include "device/device.h"

/* What a plug-in answers with. Version and sizes must be the library's own. */
typedef struct tsl_plugin {
    const char *version;
    size_t context_bytes; /* sizeof(struct tsl_context) */
    size_t ops_bytes;     /* sizeof(tsl_device_ops) */
    const tsl_device_ops *ops;
    /* Number of usable devices; 0 with the reason. */
    int (*count)(char *reason, size_t bytes);
} tsl_plugin;

/* Name of the function in libtesela_cuda.so that returns its tsl_plugin. */
#define TSL_PLUGIN_ENTRY "tsl_cuda_plugin"

/* The plug-in's table and the number of its devices; NULL with one line of reason: no plug-in,
 * another version's, no driver, no card. Looked for in the folders of TESELA_PLUGIN_PATH, beside
 * the library or the command, and in ../lib from there. Opened once. */
const tsl_device_ops *tsl_plugin_cuda(int *count, char *reason, size_t bytes);

#endif
