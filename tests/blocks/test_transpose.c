/* Transpositions against plain loops over x, y and z. */
/* ctest: cost 60, full with sanitizers */
#include "support/devices.h"

#include <stdlib.h>
#include <string.h>

#include "blocks/transpose/measure.h"
#include "blocks/transpose/transpose.h"
#include "core/context.h"

/* One transposition, and how. */
typedef struct job {
    int64_t shape[3];
    tsl_permutation permutation;
    int element;
    int in_place;
    int64_t auxiliary;
    int tile, per_thread;
} job;

static int64_t count_of(const job *j)
{
    return j->shape[0] * j->shape[1] * j->shape[2];
}

/* Bytes that tell every element from every other. */
static unsigned char *make_elements(int64_t count, int element)
{
    uint32_t *words = malloc((size_t)(count * element));
    assert_non_null(words);
    for (int64_t i = 0; i < count; i++) {
        for (int w = 0; w < element / 4; w++) {
            words[i * (element / 4) + w] = (uint32_t)i * 4 + (uint32_t)w;
        }
    }
    return (unsigned char *)words;
}

/* The definition: the name spells the axes of the result, fastest first. */
static unsigned char *oracle(const unsigned char *in, const job *j)
{
    const char *name = tsl_permutation_name(j->permutation);
    unsigned char *out = malloc((size_t)(count_of(j) * j->element));
    const size_t e = (size_t)j->element;
    int64_t i = 0;
    assert_non_null(out);
    for (int64_t z = 0; z < j->shape[2]; z++) {
        for (int64_t y = 0; y < j->shape[1]; y++) {
            for (int64_t x = 0; x < j->shape[0]; x++, i++) {
                const int64_t at[3] = {x, y, z};
                int64_t to = 0;
                for (int axis = 2; axis >= 0; axis--) {
                    to = to * j->shape[name[axis] - 'x'] + at[name[axis] - 'x'];
                }
                memcpy(out + (size_t)to * e, in + (size_t)i * e, e);
            }
        }
    }
    return out;
}

static tsl_transpose_options options_of(const job *j)
{
    tsl_transpose_options options = TSL_TRANSPOSE_OPTIONS_INIT;
    memcpy(options.shape, j->shape, sizeof options.shape);
    options.permutation = j->permutation;
    options.element = j->element;
    options.in_place = j->in_place;
    options.auxiliary = j->auxiliary;
    options.tile = j->tile;
    options.per_thread = j->per_thread;
    return options;
}

static tsl_buffer *make_buffer(tsl_context *context, const void *data, int64_t bytes)
{
    tsl_buffer *buffer = NULL;
    assert_int_equal(tsl_buffer_create(&buffer, context, bytes), TSL_OK);
    if (data != NULL) {
        assert_int_equal(tsl_buffer_write(buffer, 0, data, bytes), TSL_OK);
    }
    return buffer;
}

/* Does the device's result equal the definition's, and is the source as it was? */
static void check(tsl_context *context, const job *j)
{
    const int64_t bytes = count_of(j) * j->element;
    const tsl_transpose_options options = options_of(j);
    unsigned char *in = make_elements(count_of(j), j->element);
    unsigned char *expected = oracle(in, j);
    unsigned char *found = malloc((size_t)bytes);
    tsl_buffer *source = make_buffer(context, in, bytes);
    tsl_buffer *target = j->in_place ? source : make_buffer(context, NULL, bytes);
    tsl_transpose_plan *plan = NULL;
    if (tsl_transpose_plan_create(&plan, context, &options) != TSL_OK) {
        fail_msg("%s", tsl_last_error(context));
    }
    assert_int_equal(tsl_transpose_execute(plan, target, source), TSL_OK);
    assert_int_equal(tsl_buffer_read(target, 0, found, bytes), TSL_OK);
    if (memcmp(found, expected, (size_t)bytes) != 0) {
        fail_msg("%s: %lld x %lld x %lld, %s, %d bytes, in place %d, auxiliary %lld, tile %d/%d",
                 context->name, (long long)j->shape[0], (long long)j->shape[1],
                 (long long)j->shape[2], tsl_permutation_name(j->permutation), j->element,
                 j->in_place, (long long)j->auxiliary, j->tile, j->per_thread);
    }
    if (!j->in_place) {
        assert_int_equal(tsl_buffer_read(source, 0, found, bytes), TSL_OK);
        assert_memory_equal(found, in, (size_t)bytes);
        tsl_buffer_destroy(target);
    }
    tsl_transpose_plan_destroy(plan);
    tsl_buffer_destroy(source);
    free(found);
    free(expected);
    free(in);
}

/* All permutations and elements, out of place and in place: in one piece, and with the least
 * auxiliary memory that the shape may need and a little more. */
static void check_shape(tsl_context *context, const int64_t shape[3])
{
    static const int elements[3] = {4, 8, 16};
    for (int p = 0; p < TSL_PERMUTATIONS; p++) {
        for (int e = 0; e < 3; e++) {
            job j = {.shape = {shape[0], shape[1], shape[2]},
                     .permutation = (tsl_permutation)p,
                     .element = elements[e]};
            check(context, &j);
            j.in_place = 1;
            check(context, &j);
            int64_t line = 1; /* the shorter side of a matrix is no longer than the root */
            while (line * line < count_of(&j)) {
                line++;
            }
            if (j.permutation == TSL_PERMUTATION_XZY) { /* a matrix of rows */
                line = shape[0] * (shape[1] < shape[2] ? shape[1] : shape[2]);
            }
            j.auxiliary = 2 * (line * j.element + 16) * (1 + e);
            check(context, &j);
        }
    }
}

static const int64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 61, 67, 97};

static int64_t random_length(uint64_t *seed, int64_t most)
{
    const uint64_t kind = test_random(seed) % 8;
    if (kind == 0) {
        return 1;
    }
    if (kind < 4) {
        const int64_t prime = primes[test_random(seed) % (sizeof primes / sizeof *primes)];
        return prime < most ? prime : most;
    }
    return 1 + (int64_t)(test_random(seed) % (uint64_t)most);
}

/* 500 shapes of up to 3000 elements, lengths of 1 and primes among them, square and cubic ones too;
 * sim's other orders take a third of them, but with ./run-tests --full. */
static void any_shape_is_transposed(void **state)
{
    (void)state;
    enum { SHAPES = 500, MOST = 3000 };
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *alone = test_context(test_devices[d], 1);
        tsl_context *shared = test_context(test_devices[d], 3);
        const bool all = !test_is_another_order(test_devices[d]) || test_is_full();
        uint64_t seed = 5;
        for (int i = 0; i < SHAPES; i++) {
            int64_t shape[3];
            shape[0] = random_length(&seed, i % 5 == 0 ? MOST : 70);
            shape[1] = random_length(&seed, MOST / shape[0] > 70 ? 70 : MOST / shape[0]);
            shape[2] = random_length(&seed, MOST / (shape[0] * shape[1]));
            for (int turns = i % 3; turns > 0; turns--) {
                tsl_permutation_shape(shape, shape, TSL_PERMUTATION_YZX);
            }
            if (i % 7 == 0) {
                shape[1] = shape[0] = shape[0] > 30 ? 30 : shape[0];
                shape[2] = i % 2 == 0 && shape[0] < 20 ? shape[0] : 2;
            }
            if (all || i / 3 % 3 == 0) {
                check_shape(i % 10 == 0 ? shared : alone, shape);
            }
        }
        tsl_context_destroy(alone);
        tsl_context_destroy(shared);
    }
}

/* Shapes whose kernels need more than one tile, brick or piece each way, and their edges. */
static void large_shapes_are_transposed(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{130, 70, 3}, {65, 129, 2},  {70, 2, 70},  {3, 150, 150},
                                        {40, 40, 40}, {33, 1, 1089}, {35, 35, 35}, {2, 5000, 3},
                                        {5000, 3, 2}, {600, 30, 1},  {1030, 5, 5}, {30, 600, 31},
                                        {1, 3001, 2}, {17, 289, 1},  {3, 4, 2000}, {2, 97, 101},
                                        {64, 64, 64}, {530, 7, 12},  {130, 130, 2}};
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 3);
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            check_shape(context, shapes[i]);
        }
        tsl_context_destroy(context);
    }
}

static void every_tiling_gives_the_same(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        const tsl_transpose_ops *ops = context->ops->transpose;
        for (int t = 0; t < ops->tiling_count; t++) {
            for (int element = 4; element <= 16; element *= 2) {
                job j = {.shape = {131, 67, 2},
                         .permutation = TSL_PERMUTATION_YXZ,
                         .element = element,
                         .tile = ops->tilings[t].tile,
                         .per_thread = ops->tilings[t].per_thread};
                check(context, &j);
                j.permutation = TSL_PERMUTATION_ZYX;
                check(context, &j);
            }
        }
        tsl_context_destroy(context);
    }
}

/* More tiles than a launch has blocks: each block takes several. */
static void tiles_beyond_a_launch_are_met(void **state)
{
    (void)state;
    const job j = {.shape = {2, 2, 1048576 + 700},
                   .permutation = TSL_PERMUTATION_YXZ,
                   .element = 4,
                   .tile = 16,
                   .per_thread = 4};
    for (int d = 1; d < test_device_count(); d += 3) { /* sim, cuda:0 */
        tsl_context *context = test_context(test_devices[d], 1);
        check(context, &j);
        tsl_context_destroy(context);
    }
}

/* T T = 1 for yxz, zyx and xzy; yzx and zxy undo each other; yzx three times is nothing. */
static void permutations_undo_each_other(void **state)
{
    (void)state;
    static const tsl_permutation chains[][3] = {
        {TSL_PERMUTATION_YXZ, TSL_PERMUTATION_YXZ, TSL_PERMUTATION_XYZ},
        {TSL_PERMUTATION_ZYX, TSL_PERMUTATION_ZYX, TSL_PERMUTATION_XYZ},
        {TSL_PERMUTATION_XZY, TSL_PERMUTATION_XZY, TSL_PERMUTATION_XYZ},
        {TSL_PERMUTATION_YZX, TSL_PERMUTATION_ZXY, TSL_PERMUTATION_XYZ},
        {TSL_PERMUTATION_ZXY, TSL_PERMUTATION_YZX, TSL_PERMUTATION_XYZ},
        {TSL_PERMUTATION_YZX, TSL_PERMUTATION_YZX, TSL_PERMUTATION_YZX}};
    for (int p = 0; p < TSL_PERMUTATIONS; p++) {
        const tsl_permutation back = tsl_permutation_inverse((tsl_permutation)p);
        int64_t shape[3] = {2, 3, 5};
        tsl_permutation_shape(shape, shape, (tsl_permutation)p);
        tsl_permutation_shape(shape, shape, back);
        assert_int_equal(shape[0] + 10 * shape[1] + 100 * shape[2], 532);
    }
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
            int64_t shape[3] = {35, 18, 29};
            const int64_t bytes = shape[0] * shape[1] * shape[2] * 8;
            unsigned char *in = make_elements(bytes / 8, 8);
            unsigned char *found = malloc((size_t)bytes);
            tsl_buffer *buffer = make_buffer(context, in, bytes);
            for (int i = 0; i < 3; i++) {
                job j = {
                    .permutation = chains[c][i], .element = 8, .in_place = 1, .auxiliary = 16384};
                memcpy(j.shape, shape, sizeof shape);
                const tsl_transpose_options options = options_of(&j);
                tsl_transpose_plan *plan = NULL;
                assert_int_equal(tsl_transpose_plan_create(&plan, context, &options), TSL_OK);
                assert_int_equal(tsl_transpose_execute(plan, buffer, buffer), TSL_OK);
                tsl_transpose_plan_destroy(plan); /* work is still under way: memory must wait */
                tsl_permutation_shape(shape, shape, chains[c][i]);
            }
            assert_int_equal(tsl_buffer_read(buffer, 0, found, bytes), TSL_OK);
            assert_memory_equal(found, in, (size_t)bytes);
            tsl_buffer_destroy(buffer);
            free(found);
            free(in);
        }
        tsl_context_destroy(context);
    }
}

/* ---- indices beyond 2^31, without the arrays ------------------------------------------------ */

/* Where the form sends the element whose place along the axes is `at`. */
static void follow_form(const tsl_transpose_form *f, const int64_t at[3], int64_t *in, int64_t *out)
{
    *in = 0;
    *out = 0;
    for (int i = 0; i < 3; i++) {
        *in += at[i] * f->in[i];
        *out += at[i] * f->out[i];
    }
}

static void forms_of_large_arrays_are_exact(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{2048, 2048, 2048},
                                        {3, INT64_C(1) << 33, 5},
                                        {100003, 100019, 7},
                                        {INT64_C(1) << 40, 3, 2}};
    uint64_t seed = 3;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int p = 0; p < TSL_PERMUTATIONS; p++) {
            const char *name = tsl_permutation_name((tsl_permutation)p);
            const int64_t *n = shapes[s];
            tsl_transpose_form f;
            tsl_transpose_reduce(&f, n, (tsl_permutation)p, 16);
            assert_true(f.n[0] * f.n[1] * f.n[2] == n[0] * n[1] * n[2]);
            for (int i = 0; i < 1000; i++) {
                int64_t at[3], in, out;
                for (int axis = 0; axis < 3; axis++) {
                    at[axis] = f.n[axis] - 1 - (int64_t)(test_random(&seed) % (uint64_t)f.n[axis]);
                }
                follow_form(&f, at, &in, &out);
                const int64_t of[3] = {in % n[0], in / n[0] % n[1], in / n[0] / n[1]};
                int64_t expected = 0;
                for (int axis = 2; axis >= 0; axis--) {
                    expected = expected * n[name[axis] - 'x'] + of[name[axis] - 'x'];
                }
                assert_true(out == expected);
            }
        }
    }
}

static void boxes_of_large_arrays_cover_them(void **state)
{
    (void)state;
    const tsl_transpose_form f = {
        .n = {INT64_C(1) << 34, 70000, 3}, .in = {1, 1, 1}, .out = {1, 1, 1}};
    const tsl_transpose_cover cover = tsl_transpose_cover_of(&f, 64, 64, 1);
    const int64_t boxes = tsl_transpose_boxes(&cover);
    assert_true(boxes == (INT64_C(1) << 28) * 1094 * 3);
    int64_t at[3];
    tsl_transpose_corner(at, &cover, boxes - 1);
    assert_true(at[0] == f.n[0] - 64 && at[1] == 1093 * 64 && at[2] == 2);
    tsl_transpose_corner(at, &cover, 1094); /* the shorter axis runs first */
    assert_true(at[0] == 64 && at[1] == 0 && at[2] == 0);
    int64_t rest;
    assert_true(tsl_transpose_divide(&rest, INT64_C(1) << 50, 3) == (INT64_C(1) << 50) / 3);
    assert_true(rest == 1);
    assert_true(tsl_transpose_divide(&rest, UINT32_MAX, 10) == 429496729 && rest == 5);
    const int64_t side = INT64_C(3037000499); /* cells of the largest square below 2^63 */
    assert_true(tsl_transpose_source(side, side, side * side - 1) == side * side - 1);
    assert_true(tsl_transpose_source(side, side, 1) == side);
}

static void pairs_are_each_met_once(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 40; n++) {
        bool met[40][40] = {{false}};
        for (int64_t i = 0; i < tsl_transpose_pairs(n); i++) {
            int64_t low, high;
            tsl_transpose_pair(&low, &high, n, i);
            assert_true(low >= 0 && low < high && high < n && !met[low][high]);
            met[low][high] = true;
        }
        assert_int_equal(tsl_transpose_pairs(n), n * (n - 1) / 2);
    }
    const int64_t n = INT64_C(1) << 32;
    int64_t low, high;
    tsl_transpose_pair(&low, &high, n, tsl_transpose_pairs(n) - 1);
    assert_true(low >= 0 && low < high && high < n);
}

/* Cases of more than 2^31 elements where a GPU has room for them, every element compared. An
 * element is made of its number's 64 bits, so one that 32 bits have taken elsewhere is another. */
static void more_than_two_to_the_31_elements(void **state)
{
    (void)state;
    static const int64_t shape[3] = {1291, 1290, 1303};
    static const struct {
        tsl_permutation permutation;
        int in_place;
    } rows[] = {{TSL_PERMUTATION_ZYX, 0},
                {TSL_PERMUTATION_YZX, 0},
                {TSL_PERMUTATION_ZYX, 1},
                {TSL_PERMUTATION_ZXY, 1}};
    const int64_t bytes = shape[0] * shape[1] * shape[2] * 4;
    assert_true(bytes / 4 > INT64_C(1) << 31);
    if (test_device_count() < 5) {
        skip();
    }
    tsl_context *context = test_context("cuda:0", 8);
    tsl_device_properties device;
    tsl_transpose_bench *bench = NULL;
    assert_int_equal(context->ops->properties(context->device, &device), TSL_OK);
    if (device.memory < 5 * bytes / 2) {
        tsl_context_destroy(context);
        skip();
    }
    assert_int_equal(tsl_transpose_bench_create(&bench, context, shape, 4), TSL_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const job j = {.shape = {shape[0], shape[1], shape[2]},
                       .permutation = rows[i].permutation,
                       .element = 4,
                       .in_place = rows[i].in_place};
        const tsl_transpose_options options = options_of(&j);
        tsl_transpose_result result;
        assert_int_equal(tsl_transpose_bench_run(bench, &result, &options, INT64_MAX), TSL_OK);
        assert_true(result.compared == bytes);
        assert_int_equal(result.wrong, 0);
    }
    tsl_transpose_bench_destroy(bench);
    tsl_context_destroy(context);
}

/* ---- what is refused ---------------------------------------------------------------------- */

static void refuse(tsl_context *context, const tsl_transpose_options *options, tsl_status status,
                   const char *words)
{
    tsl_transpose_plan *plan = NULL;
    assert_int_equal(tsl_transpose_plan_create(&plan, context, options), status);
    assert_null(plan);
    if (strstr(tsl_last_error(context), words) == NULL) {
        fail_msg("'%s' lacks '%s'", tsl_last_error(context), words);
    }
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const job good = {.shape = {4, 5, 6}, .permutation = TSL_PERMUTATION_YZX, .element = 8};
    tsl_transpose_options bad = options_of(&good);
    bad.size = 1;
    refuse(context, &bad, TSL_E_ARG, "TSL_TRANSPOSE_OPTIONS_INIT");
    bad = options_of(&good);
    bad.permutation = (tsl_permutation)6;
    refuse(context, &bad, TSL_E_ARG, "no permutation");
    bad = options_of(&good);
    bad.element = 2;
    refuse(context, &bad, TSL_E_ARG, "give 4, 8 or 16");
    bad = options_of(&good);
    bad.shape[1] = 0;
    refuse(context, &bad, TSL_E_ARG, "at least 1");
    bad = options_of(&good);
    bad.shape[0] = bad.shape[1] = INT64_C(1) << 31;
    refuse(context, &bad, TSL_E_ARG, "too large");
    bad = options_of(&good);
    bad.auxiliary = -1;
    refuse(context, &bad, TSL_E_ARG, "auxiliary");
    bad = options_of(&good);
    bad.tile = 48;
    refuse(context, &bad, TSL_E_UNSUPPORTED, "side 48");
    bad = options_of(&good);
    bad.in_place = 1;
    bad.auxiliary = 16;
    refuse(context, &bad, TSL_E_NOMEM, "in place this shape needs 64 bytes");
    tsl_permutation permutation = TSL_PERMUTATION_XZY;
    assert_int_equal(tsl_permutation_parse(&permutation, "xyx"), TSL_E_ARG);
    assert_int_equal(permutation, TSL_PERMUTATION_XZY);
    for (int none = -1; none <= TSL_PERMUTATIONS; none += TSL_PERMUTATIONS + 1) {
        int64_t shape[3] = {3, 4, 5};
        assert_null(tsl_permutation_name((tsl_permutation)none));
        assert_int_equal((int)tsl_permutation_inverse((tsl_permutation)none), none);
        tsl_permutation_shape(shape, shape, (tsl_permutation)none);
        assert_true(shape[0] == 3 && shape[1] == 4 && shape[2] == 5);
    }
    tsl_context_destroy(context);
}

static void bad_buffers_are_refused(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    _Alignas(16) unsigned char memory[1024];
    const job j = {.shape = {4, 4, 4}, .permutation = TSL_PERMUTATION_YZX, .element = 4};
    const tsl_transpose_options options = options_of(&j);
    tsl_transpose_plan *plan = NULL;
    assert_int_equal(tsl_transpose_plan_create(&plan, context, &options), TSL_OK);
    tsl_buffer *good, *small, *odd, *overlapping;
    assert_int_equal(tsl_buffer_wrap(&good, context, memory, 256), TSL_OK);
    assert_int_equal(tsl_buffer_wrap(&small, context, memory + 256, 255), TSL_OK);
    assert_int_equal(tsl_buffer_wrap(&odd, context, memory + 264, 256), TSL_OK);
    assert_int_equal(tsl_buffer_wrap(&overlapping, context, memory + 240, 256), TSL_OK);
    assert_int_equal(tsl_transpose_execute(plan, small, good), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "255"));
    assert_int_equal(tsl_transpose_execute(plan, odd, good), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "multiples of 16"));
    assert_int_equal(tsl_transpose_execute(plan, overlapping, good), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "overlap"));
    assert_int_equal(tsl_transpose_execute(plan, good, good), TSL_E_ARG);
    tsl_transpose_plan_destroy(plan);
    job in_place = j;
    in_place.in_place = 1;
    const tsl_transpose_options other = options_of(&in_place);
    assert_int_equal(tsl_transpose_plan_create(&plan, context, &other), TSL_OK);
    assert_int_equal(tsl_transpose_execute(plan, overlapping, good), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(context), "same memory twice"));
    tsl_transpose_plan_destroy(plan);
    tsl_buffer_destroy(good);
    tsl_buffer_destroy(small);
    tsl_buffer_destroy(odd);
    tsl_buffer_destroy(overlapping);
    tsl_context_destroy(context);
}

/* In place a plan holds no more than its documentation says, whatever the shape: plans only, some
 * of arrays larger than this machine's memory. */
static void memory_stays_within_its_bound(void **state)
{
    (void)state;
    static const struct {
        job job;
        bool nothing; /* square planes and cubes take no memory */
    } rows[] = {{{{512, 512, 512}, TSL_PERMUTATION_ZXY, 16, 1, 0, 0, 0}, true},
                {{{500, 500, 640}, TSL_PERMUTATION_YXZ, 16, 1, 0, 0, 0}, true},
                {{{3, 700, 700}, TSL_PERMUTATION_XZY, 8, 1, 0, 0, 0}, true},
                {{{20, 41, 23}, TSL_PERMUTATION_YZX, 8, 1, 0, 0, 0}, false},
                {{{1000, 2000, 3001}, TSL_PERMUTATION_YZX, 8, 1, 0, 0, 0}, false},
                {{{1000, 2000, 3001}, TSL_PERMUTATION_ZYX, 8, 1, 0, 0, 0}, false},
                {{{3, 40009, 50021}, TSL_PERMUTATION_YZX, 4, 1, 0, 0, 0}, false},
                {{{3, 40009, 50021}, TSL_PERMUTATION_XZY, 4, 1, 0, 0, 0}, false},
                {{{100003, 70001, 1}, TSL_PERMUTATION_YXZ, 16, 1, 0, 0, 0}, false},
                {{{INT64_C(1) << 33, 3, 2}, TSL_PERMUTATION_XZY, 4, 1, 0, 0, 0}, false},
                {{{1001, 5003, 7}, TSL_PERMUTATION_ZXY, 8, 1, 1 << 20, 0, 0}, false}};
    tsl_context *context = test_context("cpu", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tsl_transpose_options options = options_of(&rows[i].job);
        tsl_transpose_plan *plan = NULL;
        assert_int_equal(tsl_transpose_plan_create(&plan, context, &options), TSL_OK);
        const int64_t held = tsl_transpose_plan_bytes(plan);
        const int64_t percent = count_of(&rows[i].job) * rows[i].job.element / 100;
        const int64_t most = 2 * percent > 32 << 20 ? 2 * percent : 32 << 20;
        const int64_t asked = rows[i].job.auxiliary;
        assert_true(held <= (asked > 0 ? asked + percent : most));
        assert_true((held == 0) == rows[i].nothing);
        tsl_transpose_plan_destroy(plan);
    }
    tsl_context_destroy(context);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++) {
        tsl_context *context = test_context(test_devices[d], 1);
        const job j = {.shape = {37, 41, 3},
                       .permutation = TSL_PERMUTATION_ZYX,
                       .element = 8,
                       .in_place = 1,
                       .auxiliary = 4096};
        const tsl_transpose_options options = options_of(&j);
        const int64_t live = tsl_test_live_allocations();
        tsl_transpose_plan *plan = NULL;
        tsl_status status = TSL_E_NOMEM;
        int failures = 0;
        for (int k = 1; status == TSL_E_NOMEM; k++, failures++) {
            tsl_test_fail_allocation(k);
            status = tsl_transpose_plan_create(&plan, context, &options);
            tsl_test_fail_allocation(0);
            if (status != TSL_OK) {
                assert_null(plan);
                assert_int_equal(tsl_test_live_allocations(), live);
            }
        }
        assert_int_equal(status, TSL_OK);
        assert_true(failures >= 6);
        tsl_transpose_plan_destroy(plan);
        assert_int_equal(tsl_test_live_allocations(), live);
        check(context, &j);
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_shape_is_transposed),
                                       cmocka_unit_test(large_shapes_are_transposed),
                                       cmocka_unit_test(every_tiling_gives_the_same),
                                       cmocka_unit_test(tiles_beyond_a_launch_are_met),
                                       cmocka_unit_test(permutations_undo_each_other),
                                       cmocka_unit_test(forms_of_large_arrays_are_exact),
                                       cmocka_unit_test(boxes_of_large_arrays_cover_them),
                                       cmocka_unit_test(pairs_are_each_met_once),
                                       cmocka_unit_test(more_than_two_to_the_31_elements),
                                       cmocka_unit_test(bad_options_are_refused),
                                       cmocka_unit_test(bad_buffers_are_refused),
                                       cmocka_unit_test(memory_stays_within_its_bound),
                                       cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
