/* Correlations against direct sums: both forms, both precisions, odd, prime and unequal sides. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/convolve_oracle.h"
#include "blocks/convolve_terms.h"
#include "blocks/reduce/reduce_point.h"

static int largest_first(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

enum { TOP = 7 };

/* Keys of a member's positive cells, largest first. */
static int64_t *sorted_keys(const double *wanted, int cells, int *count)
{
    int64_t *keys = malloc((size_t)cells * sizeof *keys);
    *count = 0;
    for (int c = 0; c < cells; c++) {
        if (wanted[c] > 0) {
            keys[(*count)++] = tsl_top_key((int32_t)wanted[c], c);
        }
    }
    qsort(keys, (size_t)*count, sizeof *keys, largest_first);
    return keys;
}

/* The largest cells of all members; then, of the last alone, those that follow. Returns the largest
 * distance from an integer that was noted. */
static double check_top(tsl_convolve *plan, tsl_context *context, const row *r, const oracle *o,
                        const void *device_grids)
{
    int64_t after[8], keys[8 * TOP];
    int found[8];
    float error = 0;
    for (int i = 0; i < 8; i++) {
        after[i] = INT64_MAX;
    }
    int64_t *const device_after = test_upload(context, after, sizeof after);
    int64_t *const device_keys = test_upload(context, keys, sizeof keys);
    int *const device_found = test_upload(context, found, sizeof found);
    float *const device_error = test_upload(context, &error, sizeof error);
    for (int look = 0; look < 2; look++) {
        const int first = look == 0 ? 0 : r->count - 1;
        const int k = look == 0 ? TOP : 3 * TOP;
        assert_int_equal(context->ops->convolve->top(plan, device_grids, first, r->count - first, k,
                                                     device_after + first, device_keys,
                                                     device_found, device_error),
                         TSL_OK);
        test_download(context, keys, device_keys, sizeof keys);
        test_download(context, found, device_found, sizeof found);
        test_download(context, after, device_after, sizeof after);
        for (int i = first; i < r->count; i++) {
            int positive = 0;
            int64_t *wanted =
                sorted_keys(o->wanted + (ptrdiff_t)i * cells_of(r), cells_of(r), &positive);
            const int from = look == 0 ? 0 : TOP < positive ? TOP : positive;
            const int left = positive - from < k ? positive - from : k;
            assert_int_equal(found[i - first], left);
            for (int j = 0; j < left; j++) {
                assert_int_equal(keys[(i - first) * k + j], wanted[from + j]);
            }
            assert_true(left == 0 || after[i] == wanted[from + left - 1]);
            free(wanted);
        }
    }
    test_download(context, &error, device_error, sizeof error);
    assert_true(error < 0.1F && (error > 0 || r->precision == TSL_DOUBLE));
    test_release(context, device_after);
    test_release(context, device_keys);
    test_release(context, device_found);
    test_release(context, device_error);
    return (double)error;
}

/* The distance of results from what is wanted, over the largest; *distance: from integers. */
static double error_of(const row *r, const oracle *o, const tsl_grid_layout *layout,
                       const void *grids, double *distance)
{
    const int cells = cells_of(r);
    double error = 0, largest = 1;
    *distance = 0;
    for (int i = 0; i < r->count * cells; i++) {
        const int c = i % cells;
        const int s[3] = {c / (r->n[1] * r->n[2]), c / r->n[2] % r->n[1], c % r->n[2]};
        const double value = at(layout, grids, i / cells, s);
        const double off = fabs(value - o->wanted[i]);
        *distance = fmax(*distance, fabs(value - rint(value)));
        error = off > error || isnan(off) ? off : error;
        largest = fmax(largest, fabs(o->wanted[i]));
    }
    return error / largest;
}

static void check_row(tsl_context *context, const row *r, const oracle *o, tsl_convolve_form form)
{
    const tsl_convolve_description what = {.n = {r->n[0], r->n[1], r->n[2]},
                                           .box = {r->box[0], r->box[1], r->box[2]},
                                           .precision = r->precision,
                                           .batch = r->batch,
                                           .top = TOP,
                                           .top_of_one = 3 * TOP,
                                           .form = form};
    const tsl_grid_layout layout = context->ops->convolve->layout(&what);
    assert_true(layout.row >= r->n[2]);
    const int64_t bytes = tsl_grid_bytes(&layout, r->batch);
    void *grids = tsl_allocate((size_t)bytes);
    memset(grids, 0xff, (size_t)bytes); /* not-a-numbers */
    for (int i = 0; i < cells_of(r); i++) {
        put(&layout, grids, i / r->n[2], i % r->n[2], o->fixed[i]);
    }
    tsl_convolve *plan = NULL;
    void *const device_grids = test_upload(context, grids, bytes);
    void *const device_boxes = test_upload(context, o->boxes, box_cells_of(r) * r->count);
    assert_int_equal(context->ops->convolve->create(&plan, context, &what), TSL_OK);
    assert_int_equal(context->ops->convolve->set_fixed(plan, device_grids), TSL_OK);
    for (int pass = 0; pass < 2; pass++) { /* a second one finds the memory used */
        assert_int_equal(
            context->ops->convolve->execute(plan, r->count, device_boxes, device_grids), TSL_OK);
        const double noted = check_top(plan, context, r, o, device_grids);
        assert_int_equal(context->ops->convolve->store(plan, r->count, device_grids), TSL_OK);
        test_download(context, grids, device_grids, bytes);
        double distance;
        const double error = error_of(r, o, &layout, grids, &distance);
        if (!(error <= r->bound)) {
            fail_msg("%d x %d x %d, form %d: error %.2e", r->n[0], r->n[1], r->n[2], (int)form,
                     error);
        }
        assert_true(noted >= 0.999 * distance); /* no cell was left out */
    }
    context->ops->convolve->destroy(plan);
    test_release(context, device_grids);
    test_release(context, device_boxes);
    tsl_release(grids);
}

static void correlations_match_direct_sums(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        oracle o = make_oracle(&rows[i]);
        for (int d = 0; d < devices; d++) {
            tsl_context *context = test_context(test_devices[d], rows[i].threads);
            check_row(context, &rows[i], &o, TSL_CONVOLVE_LINES);
            check_row(context, &rows[i], &o, TSL_CONVOLVE_PLAIN);
            if (d == 0) { /* the CPU's two ways; TSL_CONVOLVE_LINES takes the faster */
                check_row(context, &rows[i], &o, TSL_CONVOLVE_STRIDED);
                check_row(context, &rows[i], &o, TSL_CONVOLVE_TRANSPOSED);
            }
            tsl_context_destroy(context);
        }
        free_oracle(&o);
    }
}

/* ---- several terms ------------------------------------------------------------------------- */

/* Boxes and points on a device. */
typedef struct given_terms {
    void *boxes, *heads, *next, *cells, *values;
    tsl_convolve_points points;
} given_terms;

static given_terms upload_terms(tsl_context *context, const row *r, const terms_oracle *o,
                                bool points)
{
    const int box = box_cells_of(r), given = points ? 1 : MOST_TERMS;
    int32_t *boxes = malloc((size_t)(box * given * r->count) * sizeof *boxes);
    for (int b = 0; b < r->count; b++) {
        memcpy(boxes + (ptrdiff_t)b * given * box,
               o->boxes + (ptrdiff_t)((b + 1) * MOST_TERMS - given) * box,
               (size_t)(given * box) * sizeof *boxes);
    }
    given_terms g = {
        .boxes = test_upload(context, boxes, (int64_t)box * given * r->count * 4),
        .heads = test_upload(context, o->heads, (int64_t)r->box[0] * r->box[1] * r->count * 4),
        .next = test_upload(context, o->next, sizeof o->next),
        .cells = test_upload(context, o->cells, sizeof o->cells),
        .values = test_upload(context, o->values, sizeof o->values)};
    g.points = (tsl_convolve_points){
        .count = POINTS, .heads = g.heads, .next = g.next, .cells = g.cells, .values = g.values};
    free(boxes);
    return g;
}

static void release_terms(tsl_context *context, const given_terms *g)
{
    test_release(context, g->boxes);
    test_release(context, g->heads);
    test_release(context, g->next);
    test_release(context, g->cells);
    test_release(context, g->values);
}

static void check_terms(tsl_context *context, const row *r, const terms_oracle *o,
                        tsl_convolve_form form, bool points)
{
    const tsl_convolve_description what = {.n = {r->n[0], r->n[1], r->n[2]},
                                           .box = {r->box[0], r->box[1], r->box[2]},
                                           .precision = r->precision,
                                           .batch = r->batch,
                                           .top = TOP,
                                           .top_of_one = TOP,
                                           .form = form,
                                           .terms = MOST_TERMS,
                                           .points = points};
    const tsl_grid_layout layout = context->ops->convolve->layout(&what);
    const int64_t bytes = tsl_grid_bytes(&layout, r->batch);
    void *grids = tsl_allocate((size_t)bytes);
    tsl_convolve *plan = NULL;
    void *device_grids = NULL;
    assert_int_equal(context->ops->convolve->create(&plan, context, &what), TSL_OK);
    for (int t = 0; t < MOST_TERMS; t++) {
        memset(grids, 0xff, (size_t)bytes); /* not-a-numbers */
        for (int i = 0; i < cells_of(r); i++) {
            put(&layout, grids, i / r->n[2], i % r->n[2], o->fixed[t][i]);
        }
        test_release(context, device_grids);
        device_grids = test_upload(context, grids, bytes);
        assert_int_equal(context->ops->convolve->set_term(plan, t, device_grids), TSL_OK);
    }
    const bool taken = context->ops->convolve->takes_points != NULL &&
                       context->ops->convolve->takes_points(&what) != 0;
    const given_terms given = upload_terms(context, r, o, taken);
    assert_int_equal(taken, points && layout.lanes == 2); /* by lines on a GPU, and only there */
    for (int pass = 0; pass < 2; pass++) {                /* a second one finds the memory used */
        assert_int_equal(context->ops->convolve->execute_terms(plan, r->count, given.boxes,
                                                               taken ? &given.points : NULL,
                                                               device_grids),
                         TSL_OK);
    }
    assert_int_equal(context->ops->convolve->store(plan, r->count, device_grids), TSL_OK);
    test_download(context, grids, device_grids, bytes);
    const oracle wanted = {.wanted = o->wanted};
    double distance, largest = 1;
    for (int i = 0; i < cells_of(r) * r->count; i++) {
        largest = fmax(largest, fabs(o->wanted[i]));
    }
    const double error = error_of(r, &wanted, &layout, grids, &distance) * largest;
    if (!(error <= tsl_convolve_error(&what) * o->norms)) {
        fail_msg("%d x %d x %d, form %d, points %d: error %.2e, bound %.2e", r->n[0], r->n[1],
                 r->n[2], (int)form, points, error, tsl_convolve_error(&what) * o->norms);
    }
    context->ops->convolve->destroy(plan);
    test_release(context, device_grids);
    release_terms(context, &given);
    tsl_release(grids);
}

static void terms_add_up_within_the_bound(void **state)
{
    (void)state;
    static const row with_terms[] = {
        {{8, 8, 8}, {8, 8, 8}, TSL_DOUBLE, 1, 1, 1, 0},
        {{12, 10, 14}, {5, 4, 6}, TSL_SINGLE, 5, 4, 3, 0},
        {{12, 10, 14}, {5, 4, 6}, TSL_DOUBLE, 3, 3, 2, 0},
        {{18, 24, 15}, {5, 18, 11}, TSL_SINGLE, 3, 3, 2, 0},
        {{2, 3, 360}, {2, 2, 30}, TSL_SINGLE, 2, 2, 1, 0},
        {{378, 2, 3}, {30, 1, 2}, TSL_SINGLE, 2, 2, 1, 0},  /* too long for two tiles */
        {{180, 4, 50}, {20, 2, 9}, TSL_SINGLE, 2, 1, 1, 0}, /* several blocks of columns */
    };
    const int devices = test_device_count();
    for (size_t i = 0; i < sizeof with_terms / sizeof *with_terms; i++) {
        terms_oracle o = make_terms(&with_terms[i]);
        for (int d = 0; d < devices; d++) {
            tsl_context *context = test_context(test_devices[d], with_terms[i].threads);
            check_terms(context, &with_terms[i], &o, TSL_CONVOLVE_LINES, false);
            check_terms(context, &with_terms[i], &o, TSL_CONVOLVE_LINES, true);
            check_terms(context, &with_terms[i], &o, TSL_CONVOLVE_PLAIN, true);
            if (d == 0) {
                check_terms(context, &with_terms[i], &o, TSL_CONVOLVE_STRIDED, false);
                check_terms(context, &with_terms[i], &o, TSL_CONVOLVE_TRANSPOSED, false);
            }
            tsl_context_destroy(context);
        }
        free_terms(&o);
    }
}

enum { LOOKED_AT = 4, MEMBERS = LOOKED_AT + 1, PLANES = 16, CELLS = 16 * 8, ONE_LOOK = 3 };

/* Members 1 … LOOKED_AT of a batch, and what looks at them have found so far. */
typedef struct looks {
    tsl_context *context;
    tsl_convolve *plan;
    void *grids;
    int64_t *after, *keys;
    int *found;
    float *error;
    int64_t seen[MEMBERS][2 * PLANES];
    int count[MEMBERS];
} looks;

static void look_at(looks *l, int first, int count)
{
    int64_t keys[LOOKED_AT * ONE_LOOK];
    int found[LOOKED_AT];
    assert_int_equal(l->context->ops->convolve->top(l->plan, l->grids, first, count, ONE_LOOK,
                                                    l->after + first, l->keys, l->found, l->error),
                     TSL_OK);
    test_download(l->context, keys, l->keys, sizeof keys);
    test_download(l->context, found, l->found, sizeof found);
    for (int i = 0; i < count; i++) {
        assert_in_range(found[i], 0, ONE_LOOK);
        for (int j = 0; j < found[i] && l->count[first + i] < 2 * PLANES; j++) {
            l->seen[first + i][l->count[first + i]++] = keys[i * ONE_LOOK + j];
        }
    }
}

/* Each plane has one positive cell, some of equal score; one cell is no integer. */
static void fill_planes(const tsl_grid_layout *layout, double *fixed, void *grid)
{
    uint64_t seed = 3;
    for (int x = 0; x < PLANES; x++) {
        const int positive = (int)(test_random(&seed) % CELLS);
        for (int i = 0; i < CELLS; i++) {
            const double value = i == positive                           ? 1 + x % 3
                                 : x == 5 && i == (positive + 9) % CELLS ? -0.375
                                                                         : -15;
            fixed[x * CELLS + i] = value;
            put(layout, grid, x * 16 + i / 8, i % 8, value);
        }
    }
}

/* Each look has to find planes of its own; members are at different places of their lists, and the
 * first looked at is an odd one. The cell that is no integer has to be noted. */
static void check_looks(tsl_context *context, tsl_convolve_form form)
{
    const tsl_convolve_description what = {.n = {PLANES, 16, 8},
                                           .box = {MEMBERS, 1, 1},
                                           .precision = TSL_SINGLE,
                                           .batch = MEMBERS,
                                           .top = ONE_LOOK,
                                           .top_of_one = ONE_LOOK,
                                           .form = form};
    const tsl_grid_layout layout = context->ops->convolve->layout(&what);
    const int64_t bytes = tsl_grid_bytes(&layout, MEMBERS);
    double fixed[PLANES * CELLS];
    uint8_t boxes[MEMBERS * MEMBERS] = {0};
    void *grids = tsl_allocate_zeroed(1, (size_t)bytes);
    fill_planes(&layout, fixed, grids);
    for (int i = 0; i < MEMBERS; i++) {
        boxes[i * MEMBERS + i] = 1; /* member i: moved by i planes */
    }
    int64_t after[MEMBERS], keys[LOOKED_AT * ONE_LOOK] = {0};
    int found[LOOKED_AT] = {0};
    float error = 0;
    for (int i = 0; i < MEMBERS; i++) {
        after[i] = INT64_MAX;
    }
    looks l = {.context = context,
               .grids = test_upload(context, grids, bytes),
               .after = test_upload(context, after, sizeof after),
               .keys = test_upload(context, keys, sizeof keys),
               .found = test_upload(context, found, sizeof found),
               .error = test_upload(context, &error, sizeof error)};
    void *const device_boxes = test_upload(context, boxes, sizeof boxes);
    assert_int_equal(context->ops->convolve->create(&l.plan, context, &what), TSL_OK);
    assert_int_equal(context->ops->convolve->set_fixed(l.plan, l.grids), TSL_OK);
    assert_int_equal(context->ops->convolve->execute(l.plan, MEMBERS, device_boxes, l.grids),
                     TSL_OK);
    look_at(&l, 3, 1);
    look_at(&l, 1, 2);
    for (int i = 0; i < PLANES / ONE_LOOK + 1; i++) {
        look_at(&l, 1, LOOKED_AT);
    }
    for (int i = 1; i < MEMBERS; i++) {
        int positive = 0;
        double moved[PLANES * CELLS];
        for (int c = 0; c < PLANES * CELLS; c++) {
            moved[c] = fixed[(c + i * CELLS) % (PLANES * CELLS)];
        }
        int64_t *wanted = sorted_keys(moved, PLANES * CELLS, &positive);
        assert_int_equal(positive, PLANES);
        assert_int_equal(l.count[i], PLANES);
        assert_memory_equal(l.seen[i], wanted, PLANES * sizeof *wanted);
        free(wanted);
    }
    test_download(context, &error, l.error, sizeof error);
    assert_true(fabsf(error - 0.375F) < 1e-4F);
    context->ops->convolve->destroy(l.plan);
    tsl_release(grids);
}

enum { DEEP = 4 * 8 * 512, TIED = 16, MANY = 1024 };

/* Every cell is a candidate, better ones behind, so the buffers of keys fill up and are cut again
 * and again. Scores come in ties. */
static void check_many(tsl_context *context, tsl_convolve_form form)
{
    const tsl_convolve_description what = {.n = {4, 8, 512},
                                           .box = {1, 1, 1},
                                           .precision = TSL_SINGLE,
                                           .batch = 1,
                                           .top = TOP,
                                           .top_of_one = MANY,
                                           .form = form};
    const tsl_grid_layout layout = context->ops->convolve->layout(&what);
    const int64_t bytes = tsl_grid_bytes(&layout, 1);
    void *grid = tsl_allocate_zeroed(1, (size_t)bytes);
    for (int c = 0; c < DEEP; c++) {
        put(&layout, grid, c / 512, c % 512, 1 + c / TIED);
    }
    const uint8_t box = 1;
    const int64_t start = INT64_MAX;
    int64_t keys[MANY] = {0};
    int found = 0;
    float error = 0;
    void *const device_grid = test_upload(context, grid, bytes);
    uint8_t *const device_box = test_upload(context, &box, sizeof box);
    int64_t *const after = test_upload(context, &start, sizeof start);
    int64_t *const device_keys = test_upload(context, keys, sizeof keys);
    int *const device_found = test_upload(context, &found, sizeof found);
    float *const device_error = test_upload(context, &error, sizeof error);
    const tsl_convolve_ops *ops = context->ops->convolve;
    tsl_convolve *plan = NULL;
    assert_int_equal(ops->create(&plan, context, &what), TSL_OK);
    assert_int_equal(ops->set_fixed(plan, device_grid), TSL_OK);
    assert_int_equal(ops->execute(plan, 1, device_box, device_grid), TSL_OK);
    for (int from = 0; from < 3 * MANY; from += MANY) {
        assert_int_equal(
            ops->top(plan, device_grid, 0, 1, MANY, after, device_keys, device_found, device_error),
            TSL_OK);
        test_download(context, keys, device_keys, sizeof keys);
        test_download(context, &found, device_found, sizeof found);
        assert_int_equal(found, MANY);
        for (int i = 0; i < MANY; i++) {
            const int score = DEEP / TIED - (from + i) / TIED;
            assert_int_equal(keys[i], tsl_top_key(score, (score - 1) * TIED + i % TIED));
        }
    }
    ops->destroy(plan);
    tsl_release(grid);
}

static void looks_go_on_where_the_last_ended(void **state)
{
    (void)state;
    const int devices = test_device_count();
    for (int d = 0; d < devices; d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        check_looks(context, TSL_CONVOLVE_LINES);
        check_looks(context, TSL_CONVOLVE_PLAIN);
        check_many(context, TSL_CONVOLVE_LINES);
        check_many(context, TSL_CONVOLVE_PLAIN);
        tsl_context_destroy(context);
    }
}

/* What is asked for is what is done; devices with one way say so. */
static void ways_are_told(void **state)
{
    static const struct {
        tsl_convolve_form form;
        int least, most;
    } wanted[] = {{TSL_CONVOLVE_LINES, 0, 3},
                  {TSL_CONVOLVE_PLAIN, 0, 0},
                  {TSL_CONVOLVE_STRIDED, 0, 0},
                  {TSL_CONVOLVE_TRANSPOSED, 3, 3}};
    tsl_context *const cpu = test_context("cpu", 1);
    tsl_context *const gpu = test_context("sim", 1);
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const tsl_convolve_description what = {.n = {8, 12, 16},
                                               .box = {4, 4, 4},
                                               .precision = TSL_SINGLE,
                                               .batch = 1,
                                               .form = wanted[i].form};
        tsl_convolve *plan = NULL;
        assert_int_equal(cpu->ops->convolve->create(&plan, cpu, &what), TSL_OK);
        assert_in_range(cpu->ops->convolve->transposed(plan), wanted[i].least, wanted[i].most);
        cpu->ops->convolve->destroy(plan);
        if (what.form >= TSL_CONVOLVE_STRIDED) {
            assert_int_equal(gpu->ops->convolve->create(&plan, gpu, &what), TSL_E_UNSUPPORTED);
            assert_string_equal(tsl_last_error(gpu), "sim: correlates by lines or plain: strided "
                                                     "and transposed are for cpu");
        }
    }
    tsl_context_destroy(gpu);
    tsl_context_destroy(cpu);
}

static tsl_status make_plan(tsl_context *context, void *user)
{
    tsl_convolve *plan = NULL;
    const tsl_status status = context->ops->convolve->create(&plan, context, user);
    if (status == TSL_OK) {
        context->ops->convolve->destroy(plan);
    }
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    for (int form = TSL_CONVOLVE_LINES; form <= TSL_CONVOLVE_TRANSPOSED; form++) {
        tsl_convolve_description what = {.n = {64, 1, 600}, /* two kinds of blocks */
                                         .box = {4, 1, 4},
                                         .precision = TSL_DOUBLE,
                                         .batch = 2,
                                         .form = (tsl_convolve_form)form};
        test_survives_no_memory(context, make_plan, &what);
    }
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(correlations_match_direct_sums),
                                       cmocka_unit_test(terms_add_up_within_the_bound),
                                       cmocka_unit_test(looks_go_on_where_the_last_ended),
                                       cmocka_unit_test(ways_are_told),
                                       cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
