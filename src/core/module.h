/* Parts of tesela that are opened at run time. */
#ifndef TSL_CORE_MODULE_H
#define TSL_CORE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the module `file_name` and returns its function `entry`; `text` becomes the module's path.
 * It is looked for in the folders of TESELA_PLUGIN_PATH, beside the library or the command, and in
 * ../lib from there. NULL: `text` is one line of reason. The module stays open. `global`: libraries
 * that it loads see the symbols of one another. */
void *tsl_module_open(const char *file_name, const char *entry, bool global, char *text,
                      size_t bytes);

#endif
