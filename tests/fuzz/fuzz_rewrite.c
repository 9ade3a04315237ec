/* Fuzzes the rewriter of CUDA files: whatever the bytes, C++ or a one-line error, and all memory is
 * given back. A file is written in the current folder, for it reads by name. */
#include <stdio.h>

#include "fuzz/fuzz.h"
#include "lab/rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tsl_context context = {0};
    tsl_lab_sources sources;
    FILE *file = fopen("rewrite.cu", "wb");
    fuzz_require(file != NULL);
    fuzz_require(fwrite(data, 1, size, file) == size);
    fuzz_require(fclose(file) == 0);
    if (tsl_lab_rewrite(&sources, &context, "rewrite.cu", ".", NULL) != TSL_OK) {
        fuzz_require_error(&context);
    }
    tsl_lab_sources_release(&sources);
    fuzz_require(tsl_test_live_allocations() == 0);
    return 0;
}
