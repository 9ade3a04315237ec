/* What all harnesses share. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* The context has an error of one line. */
static inline void fuzz_require_error(const tsl_context *context)
{
    fuzz_require(context->error[0] != '\0' && strchr(context->error, '\n') == NULL);
}

#endif
