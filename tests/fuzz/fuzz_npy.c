/* Fuzzes the reader of .npy headers: whatever the bytes, a header that holds together or a one-line
 * error. */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tsl_context context = {0};
    tsl_npy header;
    if (tsl_npy_parse(&header, &context, "fuzz", (const char *)data, size) != TSL_OK) {
        require(context.error[0] != '\0' && strchr(context.error, '\n') == NULL);
        return 0;
    }
    require(memchr(header.type, '\0', sizeof header.type) != NULL);
    require(header.item >= 1 && header.offset >= 10 && (size_t)header.offset <= size);
    require(header.axes >= 0 && header.axes <= TSL_NPY_AXES && header.count >= 0);
    int64_t count = 1;
    bool empty = false;
    for (int i = 0; i < header.axes; i++) {
        require(header.shape[i] >= 0);
        empty = empty || header.shape[i] == 0;
    }
    for (int i = 0; i < header.axes && !empty; i++) {
        require(!__builtin_mul_overflow(count, header.shape[i], &count));
    }
    require(header.count == (empty ? 0 : count));
    require(!__builtin_mul_overflow(header.count, header.item, &count));
    require(tsl_test_live_allocations() == 0);
    return 0;
}
