/* Parts of tesela that are opened at run time. */
#ifndef TSL_CORE_MODULE_H
#define TSL_CORE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/* The function `entry` of the module `file_name`, looked for in the folders of TESELA_PLUGIN_PATH,
 * beside the library or the command, and in ../lib from there; `text` becomes its path. NULL:
 * `text` is one line of reason. The module stays open. `global`: what its own libraries define may
 * be used by theirs. */
void *tsl_module_open(const char *file_name, const char *entry, bool global, char *text,
                      size_t bytes);

#endif
