/* Contacts against a plain loop, on every device. */
#include "support/devices.h"

#include "tesela/contacts.h"

enum { MOST = 300 };

typedef struct row {
    int64_t m, n;
    double cutoff;
    int threads;
} row;

static const row rows[] = {{1, 1, 10, 1}, {300, 1, 0.5, 2}, {1, 300, 0.5, 2}, {MOST, 129, 0.7, 3}};

static tsl_molecule *cloud(tsl_context *context, uint64_t *seed, double (*at)[3], int64_t count)
{
    tsl_molecule *out = NULL;
    for (int64_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            at[i][axis] = test_uniform(seed);
        }
    }
    assert_int_equal(tsl_molecule_create(&out, context, count, &at[0][0], NULL), TSL_OK);
    return out;
}

static void check_row(tsl_context *context, const row *r)
{
    static double a[MOST][3];
    static double b[MOST][3];
    uint64_t seed = 7;
    int64_t expected = 0;
    int64_t pairs = -1;
    tsl_molecule *one = cloud(context, &seed, a, r->m);
    tsl_molecule *other = cloud(context, &seed, b, r->n);
    for (int64_t i = 0; i < r->m; i++) {
        for (int64_t j = 0; j < r->n; j++) {
            const double d[3] = {a[i][0] - b[j][0], a[i][1] - b[j][1], a[i][2] - b[j][2]};
            expected += d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < r->cutoff * r->cutoff;
        }
    }
    assert_int_equal(tsl_contacts_count(&pairs, context, one, other, r->cutoff), TSL_OK);
    assert_int_equal(pairs, expected);
    assert_int_equal(tsl_contacts_count(&pairs, context, one, other, 0), TSL_E_ARG);
    tsl_molecule_destroy(one);
    tsl_molecule_destroy(other);
}

static void counts_match_a_plain_loop(void **state)
{
    (void)state;
    for (int d = 0; d < test_device_count(); d++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            tsl_context *context = test_context(test_devices[d], rows[i].threads);
            check_row(context, &rows[i]);
            tsl_context_destroy(context);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_match_a_plain_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
