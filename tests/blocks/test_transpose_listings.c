/* Listings of the literature that do not do what they say.
 *
 * R. Jodra Luque, "Resolución eficiente de la ecuación de Poisson en un clúster de GPU" (thesis,
 * UPV/EHU, 2016), chapter 4, gives eleven kernels for transpositions. Algorithms 2, 8, 10 and 11
 * are wrong as printed. Each is run here, block by block and thread by thread, as it was meant and
 * with its slip: of 2 and 8 as printed, of 10 and 11, which garble indices in lines 17, 19 and 20,
 * with that of line 19 alone. tesela's transposition must agree with what was meant. */
/* ctest: cost 60 */
#include "support/devices.h"

#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "tesela/transpose.h"

enum { TILE = 2, MOST = 4096 };

static int ceiling(int n)
{
    return (n + TILE - 1) / TILE;
}

static void number(int *a, int count)
{
    for (int i = 0; i < count; i++) {
        a[i] = i;
    }
}

/* The definition. */
static void expect(int *out, const int n[3], const char *name)
{
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        const int at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        int to = 0;
        for (int axis = 2; axis >= 0; axis--) {
            to = to * n[name[axis] - 'x'] + at[name[axis] - 'x'];
        }
        out[to] = i;
    }
}

static int differences(const int *a, const int *b, int count)
{
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        wrong += a[i] != b[i];
    }
    return wrong;
}

/* tesela's answer, on every device, is the definition's. */
static void assert_ours_is_right(const int n[3], const char *name, int in_place)
{
    int expected[MOST], found[MOST];
    const int64_t bytes = (int64_t)n[0] * n[1] * n[2] * (int64_t)sizeof *found;
    tsl_transpose_options options = TSL_TRANSPOSE_OPTIONS_INIT;
    assert_int_equal(tsl_permutation_parse(&options.permutation, name), TSL_OK);
    options.element = 4;
    options.in_place = in_place;
    for (int i = 0; i < 3; i++) {
        options.shape[i] = n[i];
    }
    expect(expected, n, name);
    for (int d = 0; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        tsl_buffer *in = NULL, *out = NULL;
        tsl_transpose_plan *plan = NULL;
        number(found, n[0] * n[1] * n[2]);
        assert_int_equal(tsl_buffer_create(&in, context, bytes), TSL_OK);
        assert_int_equal(tsl_buffer_create(&out, context, bytes), TSL_OK);
        assert_int_equal(tsl_buffer_write(in, 0, found, bytes), TSL_OK);
        assert_int_equal(tsl_transpose_plan_create(&plan, context, &options), TSL_OK);
        assert_int_equal(tsl_transpose_execute(plan, in_place ? in : out, in), TSL_OK);
        assert_int_equal(tsl_buffer_read(in_place ? in : out, 0, found, bytes), TSL_OK);
        assert_int_equal(differences(found, expected, n[0] * n[1] * n[2]), 0);
        tsl_transpose_plan_destroy(plan);
        tsl_buffer_destroy(out);
        tsl_buffer_destroy(in);
        tsl_context_destroy(context);
    }
}

/* ---- algorithm 2: yxz out of place -------------------------------------------------------- */

/* Returns the number of wrong elements. The print guards the write by x_w < n_y and y_w < n_x. */
static int run_algorithm_2(const int n[3], bool as_printed)
{
    int in[MOST], out[MOST], expected[MOST];
    number(in, MOST);
    memset(out, 0xFF, sizeof out);
    for (int z = 0; z < n[2]; z++) {
        for (int block = 0; block < ceiling(n[0]) * ceiling(n[1]); block++) {
            const int corner[2] = {block % ceiling(n[0]) * TILE, block / ceiling(n[0]) * TILE};
            int tile[TILE][TILE] = {{0}};
            for (int t = 0; t < TILE * TILE; t++) {
                const int x = corner[0] + t % TILE;
                const int y = corner[1] + t / TILE;
                if (x < n[0] && y < n[1]) {
                    tile[t % TILE][t / TILE] = in[x + (y + z * n[1]) * n[0]];
                }
            }
            for (int t = 0; t < TILE * TILE; t++) {
                const int x = corner[0] + t / TILE;
                const int y = corner[1] + t % TILE;
                const bool inside = as_printed ? x < n[1] && y < n[0] : x < n[0] && y < n[1];
                if (inside) {
                    out[y + (x + z * n[0]) * n[1]] = tile[t / TILE][t % TILE];
                }
            }
        }
    }
    expect(expected, n, "yxz");
    return differences(out, expected, n[0] * n[1] * n[2]);
}

static void algorithm_2_guards_its_write_with_swapped_lengths(void **state)
{
    (void)state;
    static const int oblong[3] = {5, 3, 2};
    static const int square[3] = {5, 5, 2};
    static const int larger[3] = {50, 35, 2};
    assert_int_equal(run_algorithm_2(square, true), 0);
    assert_true(run_algorithm_2(oblong, true) > 0);
    assert_int_equal(run_algorithm_2(oblong, false), 0);
    assert_ours_is_right(oblong, "yxz", 0);
    assert_ours_is_right(larger, "yxz", 0);
}

/* ---- algorithm 8: zyx in place ------------------------------------------------------------- */

/* The print computes offsets as x + (y + z n_x) n_x, with n_x where n_y belongs. */
static int run_algorithm_8(const int n[3], bool as_printed)
{
    int a[MOST], expected[MOST];
    const int layer = as_printed ? n[0] : n[1];
    number(a, MOST);
    for (int y = 0; y < n[1]; y++) {
        for (int block = 0; block < ceiling(n[0]) * ceiling(n[2]); block++) {
            const int left = block % ceiling(n[0]) * TILE;
            const int top = block / ceiling(n[0]) * TILE;
            int lower[TILE][TILE] = {{0}}, upper[TILE][TILE] = {{0}};
            for (int t = 0; t < TILE * TILE && left <= top; t++) {
                const int i = t % TILE;
                const int k = t / TILE;
                lower[k][i] = a[left + i + (y + (top + k) * layer) * n[0]];
                upper[k][i] = a[top + i + (y + (left + k) * layer) * n[0]];
            }
            for (int t = 0; t < TILE * TILE && left <= top; t++) {
                const int i = t % TILE;
                const int k = t / TILE;
                a[top + i + (y + (left + k) * layer) * n[0]] = lower[i][k];
                if (left < top) {
                    a[left + i + (y + (top + k) * layer) * n[0]] = upper[i][k];
                }
            }
        }
    }
    expect(expected, n, "zyx");
    return differences(a, expected, n[0] * n[1] * n[2]);
}

static void algorithm_8_takes_n_x_for_n_y(void **state)
{
    (void)state;
    static const int cube[3] = {6, 6, 6};
    static const int flat[3] = {6, 3, 6};
    static const int larger[3] = {35, 3, 35};
    assert_int_equal(run_algorithm_8(cube, true), 0);
    assert_true(run_algorithm_8(flat, true) > 0);
    assert_int_equal(run_algorithm_8(flat, false), 0);
    assert_ours_is_right(flat, "zyx", 1);
    assert_ours_is_right(larger, "zyx", 1);
}

/* ---- algorithms 10 and 11: rotations of cubes ------------------------------------------------ */

/* Element of a brick that comes to stand at l: for yzx (forward), for zxy. */
static int turned(int l, bool forward)
{
    const int x = l % TILE;
    const int y = l / TILE % TILE;
    const int z = l / TILE / TILE;
    return forward ? z + TILE * (x + TILE * y) : y + TILE * (z + TILE * x);
}

static int place_of(const int brick[3], int l, int n)
{
    return brick[0] * TILE + l % TILE +
           n * (brick[1] * TILE + l / TILE % TILE + n * (brick[2] * TILE + l / TILE / TILE));
}

/* `slips`: as line 19 of both listings does, write the second brick with the other listing's
 * index. Lines 17 and 20 are taken as they were meant. */
static int run_rotation(int n, bool forward, bool slips)
{
    enum { BRICK = TILE * TILE * TILE };
    int a[MOST], expected[MOST];
    const int lengths[3] = {n, n, n};
    number(a, MOST);
    const int side = n / TILE;
    for (int block = 0; block < side * side * side; block++) {
        const int b[3] = {block % side, block / side % side, block / side / side};
        if (b[0] > b[1] || b[0] > b[2] || ((b[0] == b[1] || b[0] == b[2]) && b[1] > b[2])) {
            continue;
        }
        const int other[2][3] = {{b[1], b[2], b[0]}, {b[2], b[0], b[1]}};
        const int *next = other[forward ? 0 : 1];
        const int *last = other[forward ? 1 : 0];
        int first[BRICK], second[BRICK], third[BRICK];
        for (int l = 0; l < BRICK; l++) {
            first[l] = a[place_of(b, l, n)];
            second[l] = a[place_of(next, l, n)];
            third[l] = a[place_of(last, l, n)];
        }
        for (int l = 0; l < BRICK; l++) {
            if (b[0] == b[1] && b[1] == b[2]) {
                a[place_of(b, l, n)] = first[turned(l, forward)];
                continue;
            }
            a[place_of(next, l, n)] = first[turned(l, slips ? !forward : forward)];
            a[place_of(last, l, n)] = second[turned(l, forward)];
            a[place_of(b, l, n)] = third[turned(l, forward)];
        }
    }
    expect(expected, lengths, forward ? "yzx" : "zxy");
    return differences(a, expected, n * n * n);
}

/* 8 cycles of three bricks; of the 8 elements of the second, 2 lie on its diagonal. */
enum { WRONG_OF_216 = 8 * 6 };

static void algorithm_10_turns_the_second_brick_the_other_way(void **state)
{
    (void)state;
    static const int small[3] = {6, 6, 6};
    static const int larger[3] = {15, 15, 15};
    assert_int_equal(run_rotation(6, true, true), WRONG_OF_216);
    assert_int_equal(run_rotation(6, true, false), 0);
    assert_ours_is_right(small, "yzx", 1);
    assert_ours_is_right(larger, "yzx", 1);
}

static void algorithm_11_turns_the_second_brick_the_other_way(void **state)
{
    (void)state;
    static const int small[3] = {6, 6, 6};
    static const int larger[3] = {15, 15, 15};
    assert_int_equal(run_rotation(6, false, true), WRONG_OF_216);
    assert_int_equal(run_rotation(6, false, false), 0);
    assert_ours_is_right(small, "zxy", 1);
    assert_ours_is_right(larger, "zxy", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithm_2_guards_its_write_with_swapped_lengths),
        cmocka_unit_test(algorithm_8_takes_n_x_for_n_y),
        cmocka_unit_test(algorithm_10_turns_the_second_brick_the_other_way),
        cmocka_unit_test(algorithm_11_turns_the_second_brick_the_other_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
