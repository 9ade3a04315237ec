/* Densities in files, and the memory that a plan says it takes. */
/* ctest: cost 15, full with sanitizers */
#include "support/devices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tesela/scf.h"

static const int water[3] = {8, 1, 1};
static const double places[9] = {0, 0, 0.2254, 0, 1.4423, -0.9015, 0, -1.4423, -0.9015};

/* A calculation from beginning to end. */
typedef struct calculation {
    tsl_scf_options options;
    int elements[3];
    double places[9];
    tsl_scf_result result;
    tsl_scf_description about;
} calculation;

static calculation small(const char *restart)
{
    calculation c = {.options = TSL_SCF_OPTIONS_INIT};
    c.options.basis = "sto-3g";
    c.options.grid = "coarse";
    c.options.energy_tolerance = 1e-10;
    c.options.error_tolerance = 1e-7;
    c.options.restart = restart;
    memcpy(c.elements, water, sizeof water);
    memcpy(c.places, places, sizeof places);
    return c;
}

static tsl_status run(tsl_context *context, void *user)
{
    calculation *c = user;
    tsl_scf_molecule *molecule = NULL;
    tsl_scf_plan *plan = NULL;
    double charges[6];
    c->result.size = sizeof c->result;
    c->about.size = sizeof c->about;
    tsl_status status = tsl_scf_molecule_create(&molecule, context, 3, c->elements, c->places);
    if (status == TSL_OK) {
        status = tsl_scf_plan_create(&plan, context, molecule, NULL, &c->options);
    }
    if (status == TSL_OK) {
        status = tsl_scf_plan_describe(plan, &c->about);
    }
    if (status == TSL_OK) {
        status = tsl_scf_solve(plan, &c->result);
    }
    if (status == TSL_OK) {
        status = tsl_scf_populations(plan, charges, charges + 3);
    }
    tsl_scf_plan_destroy(plan);
    tsl_scf_molecule_destroy(molecule);
    return status;
}

/* ---- files ---------------------------------------------------------------------------------- */

typedef struct file {
    char folder[64], path[96];
    char *data;
    size_t size;
} file;

static void open_folder(file *f)
{
    *f = (file){.folder = "/tmp/tesela-restart-XXXXXX"};
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/density.npz", f->folder);
}

static void close_folder(file *f)
{
    unlink(f->path);
    assert_int_equal(rmdir(f->folder), 0); /* nothing else is left in it */
    free(f->data);
}

static void load(file *f)
{
    FILE *stream = fopen(f->path, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    f->size = (size_t)ftell(stream);
    rewind(stream);
    f->data = malloc(f->size);
    assert_non_null(f->data);
    assert_int_equal(fread(f->data, 1, f->size, stream), f->size);
    fclose(stream);
}

static void store(const file *f, const char *data, size_t size)
{
    FILE *stream = fopen(f->path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(data, 1, size, stream), size);
    fclose(stream);
}

static void check_unchanged(const file *f)
{
    file now = *f;
    load(&now);
    assert_int_equal(now.size, f->size);
    assert_memory_equal(now.data, f->data, f->size);
    free(now.data);
}

/* ---- restarts ------------------------------------------------------------------------------- */

static void an_iteration_goes_on_from_a_file(void **state)
{
    file f;
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    open_folder(&f);
    calculation whole = small(NULL), begun = small(f.path), rest = small(f.path);
    assert_int_equal(run(context, &whole), TSL_OK);
    begun.options.max_iterations = 4;
    assert_int_equal(run(context, &begun), TSL_E_NOCONV);
    assert_int_equal(run(context, &rest), TSL_OK);
    assert_true(rest.result.iterations < whole.result.iterations);
    assert_true(fabs(rest.result.total - whole.result.total) < 1e-9);
    calculation again = small(f.path), open = small(f.path), closed = small(f.path);
    assert_int_equal(run(context, &again), TSL_OK);
    assert_int_equal(again.result.iterations, 2); /* the second says that nothing changes */
    open.options.unrestricted = 1;
    assert_int_equal(run(context, &open), TSL_OK);
    assert_int_equal(open.result.iterations, 2);
    assert_int_equal(run(context, &closed), TSL_OK); /* from a density of two spins */
    assert_int_equal(closed.result.iterations, 2);
    assert_true(fabs(closed.result.total - whole.result.total) < 1e-9);
    close_folder(&f);
    tsl_context_destroy(context);
}

static void check_refused(tsl_context *context, const file *f, calculation *c, tsl_status status,
                          const char *word)
{
    assert_int_equal(run(context, c), status);
    if (strstr(tsl_last_error(context), word) == NULL ||
        strstr(tsl_last_error(context), f->path) == NULL) {
        fail_msg("'%s' does not say %s", tsl_last_error(context), word);
    }
    check_unchanged(f);
}

static void files_of_others_are_refused(void **state)
{
    file f;
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    open_folder(&f);
    calculation c = small(f.path);
    assert_int_equal(run(context, &c), TSL_OK);
    load(&f);
    c = small(f.path);
    c.elements[0] = 16;
    check_refused(context, &f, &c, TSL_E_ARG, "molecule");
    c = small(f.path);
    c.elements[1] = -1;
    check_refused(context, &f, &c, TSL_E_ARG, "molecule");
    c = small(f.path);
    c.places[2] += 1e-3;
    check_refused(context, &f, &c, TSL_E_ARG, "molecule");
    c = small(f.path);
    c.options.basis = "sto-3g,H=6-31g*";
    check_refused(context, &f, &c, TSL_E_ARG, "basis set");
    c = small(f.path);
    c.options.charge = 1;
    check_refused(context, &f, &c, TSL_E_ARG, "charge");
    c = small(f.path);
    c.options.multiplicity = 3;
    check_refused(context, &f, &c, TSL_E_ARG, "multiplicity");
    store(&f, "PK", 2);
    free(f.data);
    load(&f);
    c = small(f.path);
    check_refused(context, &f, &c, TSL_E_FORMAT, "zip");
    close_folder(&f);
    tsl_context_destroy(context);
}

/* A cut file is refused as it is; of one with a wrong byte what is read is checked. */
static void damaged_files_are_survived(void **state)
{
    file f;
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    open_folder(&f);
    calculation c = small(f.path);
    assert_int_equal(run(context, &c), TSL_OK);
    const double total = c.result.total;
    load(&f);
    const size_t step = test_is_full() ? 1 : 211;
    for (size_t size = 0; size < f.size; size += step) {
        store(&f, f.data, size);
        c = small(f.path);
        assert_int_equal(run(context, &c), TSL_E_FORMAT);
        assert_non_null(strstr(tsl_last_error(context), "remove this one to begin anew"));
    }
    for (size_t at = 0; at < f.size; at += step) {
        f.data[at] = (char)(f.data[at] ^ 0x41);
        store(&f, f.data, f.size);
        c = small(f.path);
        const tsl_status status = run(context, &c);
        if (status == TSL_OK) { /* it was a byte that nobody reads */
            assert_true(fabs(c.result.total - total) < 1e-9);
        } else {
            assert_true(strlen(tsl_last_error(context)) > 0);
            check_unchanged(&f);
        }
        f.data[at] = (char)(f.data[at] ^ 0x41);
    }
    close_folder(&f);
    tsl_context_destroy(context);
}

static tsl_status go_on(tsl_context *context, void *user)
{
    calculation c = *(calculation *)user;
    return run(context, &c);
}

static void failing_allocations_are_survived(void **state)
{
    file f;
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    open_folder(&f);
    calculation c = small(f.path);
    c.options.energy_tolerance = 1e-7;
    c.options.error_tolerance = 1e-4;
    assert_int_equal(run(context, &c), TSL_OK);
    test_survives_no_memory(context, go_on, &c);
    close_folder(&f);
    tsl_context_destroy(context);
}

static void a_file_that_cannot_be_written_is_refused_at_once(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    calculation c = small("/nowhere/at/all.npz");
    assert_int_equal(run(context, &c), TSL_E_IO);
    assert_int_equal(c.result.iterations, 0);
    tsl_context_destroy(context);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* What is said is enough, and not far more than what is taken. */
static void check_said(tsl_context *context, calculation *c)
{
    tsl_test_own_peak();
    assert_int_equal(run(context, c), TSL_OK);
    const int64_t peak = tsl_test_own_peak();
    print_message("said: %lld, taken: %lld bytes\n", (long long)c->about.memory_bytes,
                  (long long)peak);
    assert_true(peak <= c->about.memory_bytes);
    assert_true(c->options.memory == 0 || c->about.memory_bytes <= c->options.memory);
    assert_true(peak > c->about.memory_bytes / 8);
}

static void memory_is_as_said(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        tsl_context *context = test_context("cpu", threads);
        calculation c = small(NULL);
        c.options.basis = "def2-svp";
        check_said(context, &c);
        c = small(NULL);
        c.options.unrestricted = 1;
        check_said(context, &c);
        c = small(NULL);
        c.options.fit = TSL_SCF_FIT_NONE;
        check_said(context, &c);
        c = small(NULL);
        c.options.auxiliary = "def2-universal-jkfit";
        c.options.cartesian = 1;
        check_said(context, &c);
        tsl_context_destroy(context);
    }
}

static void memory_is_bounded(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    calculation whole = small(NULL), part = small(NULL), little = small(NULL);
    whole.options.basis = part.options.basis = little.options.basis = "def2-svp";
    check_said(context, &whole);
    assert_true(whole.about.stored_bytes == whole.about.total_bytes);
    little.options.memory = 4096;
    assert_int_equal(run(context, &little), TSL_E_NOMEM);
    assert_non_null(strstr(tsl_last_error(context), "4.0 KiB are allowed"));
    assert_non_null(strstr(tsl_last_error(context), "allow more"));
    double mebibytes = 0; /* what the line says is enough, or nearly */
    assert_int_equal(sscanf(strstr(tsl_last_error(context), "need ") + 5, "%lf MiB", &mebibytes),
                     1);
    part.options.memory = (int64_t)((mebibytes + 0.06) * 1048576);
    check_said(context, &part);
    assert_true(part.about.stored_bytes < part.about.total_bytes);
    assert_true(part.result.total == whole.result.total);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_iteration_goes_on_from_a_file),
        cmocka_unit_test(files_of_others_are_refused),
        cmocka_unit_test(damaged_files_are_survived),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(a_file_that_cannot_be_written_is_refused_at_once),
        cmocka_unit_test(memory_is_as_said),
        cmocka_unit_test(memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
