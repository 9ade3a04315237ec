#include "core/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *tsl_library_open(const char *const *names, void *calls, const tsl_library_call *rows,
                       size_t count, char *text, size_t bytes)
{
    void *library = NULL;
    for (size_t i = 0; library == NULL && names[i] != NULL; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) {
            snprintf(text, bytes, "%s", names[i]);
        } else if (i == 0) {
            snprintf(text, bytes, "%s", dlerror());
        }
    }
    for (size_t i = 0; library != NULL && i < count; i++) {
        void *const found = dlsym(library, rows[i].name);
        if (found == NULL) {
            const size_t length = strlen(text);
            snprintf(text + length, bytes - length, " has no %s", rows[i].name);
            tsl_library_close(library);
            return NULL;
        }
        memcpy((char *)calls + rows[i].offset, &found, sizeof found);
    }
    return library;
}

void tsl_library_close(void *library)
{
    if (library != NULL) {
        dlclose(library);
    }
}
