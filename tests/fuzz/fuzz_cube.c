/* Fuzzes the reader of cube files: whatever the bytes, a field that holds together or a one-line
 * error. */
#include "fuzz/fuzz.h"
#include "io/grid/cube.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tsl_context context = {0};
    tsl_cube cube;
    if (tsl_cube_parse(&cube, &context, "fuzz", (const char *)data, size) != TSL_OK) {
        fuzz_require_error(&context);
        fuzz_require(cube.values == NULL && cube.atom == NULL);
    } else {
        int64_t count = 1;
        for (int axis = 0; axis < 3; axis++) {
            fuzz_require(cube.n[axis] >= 1 && cube.step[axis] > 0 && isfinite(cube.origin[axis]));
            count *= cube.n[axis];
        }
        fuzz_require(count <= (int64_t)size);
        for (int64_t i = 0; i < count; i++) {
            fuzz_require(isfinite(cube.values[i]));
        }
    }
    tsl_cube_release(&cube);
    fuzz_require(tsl_test_live_allocations() == 0);
    return 0;
}
