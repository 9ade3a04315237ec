/* Lattices of roots, against what is within reach in the matrix itself. */
#include "solvers/linsolve/systems.h"

#include <stdlib.h>
#include <string.h>

#include "solvers/linsolve/multigrid/gpu/lattice.h"

/* A grid of `side` cells along each of so many axes; cells are coupled by -1 with those whose
 * places differ by 1 along at most `mixed` axes. Along axis `weak` the coupling is 1e-6; -1: there
 * is no such axis. */
typedef struct grid {
    int axes, mixed, weak;
    int64_t side;
} grid;

static int64_t place_of(const grid *g, int64_t row, int axis)
{
    for (int k = 0; k < axis; k++) {
        row /= g->side;
    }
    return row % g->side;
}

/* 0: they are not coupled. */
static double coupling(const grid *g, int64_t i, int64_t j)
{
    int axes = 0;
    bool weak = false;
    for (int axis = 0; axis < g->axes; axis++) {
        const int64_t far = llabs(place_of(g, i, axis) - place_of(g, j, axis));
        if (far > 1) {
            return 0;
        }
        axes += far == 1;
        weak = weak || (far == 1 && axis == g->weak);
    }
    return axes > g->mixed ? 0 : weak ? -1e-6 : -1;
}

static test_system make_grid(const grid *g)
{
    int64_t reach = 0;
    test_system s = {.n = 1};
    for (int axis = 0; axis < g->axes; axis++) {
        reach = reach * g->side + 1;
        s.n *= g->side;
    }
    s.row_start = malloc((size_t)(s.n + 1) * sizeof *s.row_start);
    s.column = malloc((size_t)s.n * 27 * sizeof *s.column);
    s.value = malloc((size_t)s.n * 27 * sizeof *s.value);
    int64_t k = 0;
    for (int64_t i = 0; i < s.n; i++) {
        s.row_start[i] = k;
        const int64_t last = i + reach < s.n ? i + reach : s.n - 1;
        for (int64_t j = i > reach ? i - reach : 0; j <= last; j++) {
            const double value = coupling(g, i, j);
            if (value != 0) {
                s.column[k] = (int32_t)j;
                s.value[k++] = i == j ? 8 : value;
            }
        }
    }
    s.row_start[s.n] = k;
    return s;
}

/* How many strong entries each row is from row i, in `distance`; beyond `most`, most + 1. `queue`
 * is space. */
static void measure_distances(int *distance, int64_t *queue, const test_system *s, int64_t i,
                              int most)
{
    int64_t end = 1;
    for (int64_t j = 0; j < s->n; j++) {
        distance[j] = most + 1;
    }
    queue[0] = i;
    distance[i] = 0;
    for (int64_t at = 0; at < end; at++) {
        const int64_t j = queue[at];
        for (int64_t k = s->row_start[j]; k < s->row_start[j + 1] && distance[j] < most; k++) {
            const int32_t beside = s->column[k];
            if (s->value[k] < -0.5 && distance[beside] > most) {
                distance[beside] = distance[j] + 1;
                queue[end++] = beside;
            }
        }
    }
}

/* Is row i so far from the grid's faces? */
static bool is_inside(const grid *g, int64_t i, int far)
{
    for (int axis = 0; axis < g->axes; axis++) {
        const int64_t at = place_of(g, i, axis);
        if (axis != g->weak && (at < far || at >= g->side - far)) {
            return false;
        }
    }
    return true;
}

/* Founders are not within reach of each other, and rows inside are within reach - 1 of one. */
static void check(const grid *g, int reach, int phases)
{
    test_system s = make_grid(g);
    const tsl_csr m = {s.n, s.n, s.row_start, s.column, s.value};
    const tsl_lattice l = tsl_lattice_find(&m, 0.08, reach);
    assert_int_equal(l.phases, phases);
    int *distance = malloc((size_t)s.n * sizeof *distance);
    int *nearest = malloc((size_t)s.n * sizeof *nearest);
    int64_t *queue = malloc((size_t)s.n * sizeof *queue);
    int64_t roots = 0;
    for (int64_t i = 0; i < s.n; i++) {
        nearest[i] = reach;
    }
    for (int64_t i = 0; i < s.n; i++) {
        if (tsl_lattice_phase(&l, i) != (uint32_t)phases - 1) {
            continue;
        }
        roots++;
        measure_distances(distance, queue, &s, i, reach);
        for (int64_t j = 0; j < s.n; j++) {
            assert_false(j != i && distance[j] <= reach &&
                         tsl_lattice_phase(&l, j) == (uint32_t)phases - 1);
            nearest[j] = distance[j] < nearest[j] ? distance[j] : nearest[j];
        }
    }
    for (int64_t i = 0; i < s.n; i++) {
        assert_true(!is_inside(g, i, reach) || nearest[i] < reach);
    }
    assert_in_range(roots * phases, s.n * 3 / 4, s.n * 5 / 4);
    free(queue);
    free(nearest);
    free(distance);
    test_system_free(&s);
}

static void roots_are_a_lattice(void **state)
{
    (void)state;
    check(&(grid){1, 1, -1, 90}, 3, 5);  /* a row of cells */
    check(&(grid){2, 1, -1, 31}, 3, 13); /* 5 points */
    check(&(grid){2, 2, -1, 31}, 2, 9);  /* 9 points: squares */
    check(&(grid){2, 2, -1, 31}, 3, 25);
    check(&(grid){3, 1, -1, 14}, 3, 21); /* 7 points */
    check(&(grid){3, 3, -1, 13}, 2, 27); /* 27 points: cubes */
    check(&(grid){3, 1, 0, 14}, 3, 13);  /* 7 points, in planes across the rows' order */
    check(&(grid){3, 1, 2, 14}, 3, 13);  /* 7 points, in planes along the rows' order */
}

/* Neither random columns nor matrices and lines of few cells have one. */
static void others_have_none(void **state)
{
    (void)state;
    test_system s[] = {test_graph(2000, 6, -1, 5), test_laplacian(2, 1), test_laplacian(12, 1),
                       test_laplacian(12, 12)};
    for (int k = 0; k < 4; k++) {
        const tsl_csr m = {s[k].n, s[k].n, s[k].row_start, s[k].column, s[k].value};
        assert_int_equal(tsl_lattice_find(&m, 0, 3).phases, 0);
        assert_int_equal(tsl_lattice_find(&m, 0, 2).phases, 0);
        test_system_free(&s[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_a_lattice),
        cmocka_unit_test(others_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
