/* What measurements of transpositions say of the result. */
/* ctest: cost 60 */
#include "support/devices.h"

#include <string.h>

#include "blocks/transpose/measure.h"
#include "core/context.h"

static const int64_t shape[3] = {31, 65, 129};
enum { BYTES = 31 * 65 * 129 * 8 };

/* `laid` is what the transposition takes the array for: another shape than the array's is a fault
 * that moves nearly all elements. */
static tsl_transpose_result measure(tsl_context *context, const int64_t laid[3],
                                    tsl_permutation permutation, int in_place, int64_t most)
{
    tsl_transpose_bench *bench = NULL;
    tsl_transpose_result result;
    tsl_transpose_options options = TSL_TRANSPOSE_OPTIONS_INIT;
    memcpy(options.shape, laid, sizeof options.shape);
    options.element = 8;
    options.permutation = permutation;
    options.in_place = in_place;
    assert_int_equal(tsl_transpose_bench_create(&bench, context, shape, 8), TSL_OK);
    assert_int_equal(tsl_transpose_bench_run(bench, &result, &options, most), TSL_OK);
    tsl_transpose_bench_destroy(bench);
    return result;
}

/* Whole, or a tenth of it in pieces: what is right is, and what isn't is found. */
static void faults_are_found(void **state)
{
    (void)state;
    static const int64_t other[3] = {129, 31, 65};
    static const int64_t bounds[] = {BYTES, BYTES / 10};
    for (int device = 0; device < test_device_count(); device++) {
        if (test_is_another_order(test_devices[device])) {
            continue;
        }
        tsl_context *context = test_context(test_devices[device], 2);
        for (int i = 0; i < 2 * TSL_PERMUTATIONS; i++) {
            const tsl_permutation permutation = (tsl_permutation)(i % TSL_PERMUTATIONS);
            const int in_place = i / TSL_PERMUTATIONS;
            for (int b = in_place; b < 2; b++) {
                const tsl_transpose_result right =
                    measure(context, shape, permutation, in_place, bounds[b]);
                assert_int_equal(right.wrong, 0);
                assert_true(right.compared <= bounds[b]);
                assert_true(right.compared > bounds[b] * 9 / 10);
            }
            if (permutation != TSL_PERMUTATION_XYZ) { /* which is the same of any shape */
                const tsl_transpose_result wrong =
                    measure(context, other, permutation, in_place, bounds[1]);
                assert_true(wrong.wrong * 8 > wrong.compared / 2);
            }
        }
        const tsl_transpose_result none = measure(context, other, TSL_PERMUTATION_YXZ, 0, 0);
        assert_int_equal(none.wrong, -1);
        assert_int_equal(none.compared, 0);
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(faults_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
