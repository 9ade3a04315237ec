/* Fuzzes the reader of .npy headers: whatever the bytes, a header that holds together or a one-line
 * error. */
#include "fuzz/fuzz.h"
#include "io/grid/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tsl_context context = {0};
    tsl_npy header;
    if (tsl_npy_parse(&header, &context, "fuzz", (const char *)data, size) != TSL_OK) {
        fuzz_require_error(&context);
        return 0;
    }
    fuzz_require(memchr(header.type, '\0', sizeof header.type) != NULL);
    fuzz_require(header.item >= 1 && header.offset >= 10 && (size_t)header.offset <= size);
    fuzz_require(header.axes >= 0 && header.axes <= TSL_NPY_AXES && header.count >= 0);
    int64_t count = 1;
    bool empty = false;
    for (int i = 0; i < header.axes; i++) {
        fuzz_require(header.shape[i] >= 0);
        empty = empty || header.shape[i] == 0;
    }
    for (int i = 0; i < header.axes && !empty; i++) {
        fuzz_require(!__builtin_mul_overflow(count, header.shape[i], &count));
    }
    fuzz_require(header.count == (empty ? 0 : count));
    fuzz_require(!__builtin_mul_overflow(header.count, header.item, &count));
    fuzz_require(tsl_test_live_allocations() == 0);
    return 0;
}
