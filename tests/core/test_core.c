/* Contexts, buffers, memory, errors, profile. */
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "device/device.h"
#include "tesela/tesela.h"

static char last_line[TSL_ERROR_TEXT];

static void keep_line(void *user, tsl_message_kind kind, const char *line)
{
    *(tsl_message_kind *)user = kind;
    snprintf(last_line, sizeof last_line, "%s", line);
}

static void statuses_have_names(void **state)
{
    (void)state;
    assert_string_equal(tsl_status_name(TSL_OK), "TSL_OK");
    assert_string_equal(tsl_status_name(TSL_E_UNSUPPORTED), "TSL_E_UNSUPPORTED");
    assert_string_equal(tsl_status_name(TSL_E_CANCELLED), "TSL_E_CANCELLED");
    assert_string_equal(tsl_status_name((tsl_status)-11), "unknown status");
    assert_string_equal(tsl_status_name((tsl_status)1), "unknown status");
}

static void auto_says_what_it_took(void **state)
{
    (void)state;
    tsl_message_kind kind = TSL_MESSAGE_WARNING;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.threads = 3;
    options.message = keep_line;
    options.user = &kind;
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, &options), TSL_OK);
    assert_int_equal(kind, TSL_MESSAGE_NOTE);
    if (strcmp(tsl_context_device(context), "cpu") == 0) {
        assert_string_equal(last_line, "device: cpu (3 threads)");
    } else {
        assert_string_equal(last_line, "device: cuda:0");
        assert_string_equal(tsl_context_device(context), "cuda:0");
    }
    assert_int_equal(tsl_context_threads(context), 3);
    assert_string_equal(tsl_last_error(context), "");
    assert_int_equal(tsl_context_synchronize(context), TSL_OK);
    tsl_context_destroy(context);
    tsl_context_destroy(NULL);
}

/* OMP_NUM_THREADS may be any number. */
static void default_threads_are_bounded(void **state)
{
    (void)state;
    const int usual = omp_get_max_threads();
    const int rows[][2] = {{3, 3}, {4096, 4096}, {4097, 4096}, {100000, 4096}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
        options.device = "cpu";
        tsl_context *context = NULL;
        omp_set_num_threads(rows[i][0]);
        assert_int_equal(tsl_context_create(&context, &options), TSL_OK);
        assert_int_equal(tsl_context_threads(context), rows[i][1]);
        tsl_context_destroy(context);
    }
    omp_set_num_threads(usual);
}

static void bad_contexts_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *device;
        int threads;
        tsl_status status;
        const char *part;
    } cases[] = {{"gpu", 0, TSL_E_ARG, "unknown device 'gpu'"},
                 {"", 0, TSL_E_ARG, "unknown device ''"},
                 {"cpu:1", 0, TSL_E_ARG, "unknown device 'cpu:1'"},
                 {"cuda:99", 0, TSL_E_DEVICE, "device cuda:99: "},
                 {"cuda:-1", 0, TSL_E_ARG, "a context has one device"},
                 {"cuda:0x", 0, TSL_E_ARG, "a context has one device"},
                 {"cuda:3-0", 0, TSL_E_ARG, "'cuda:3-0': the range is backwards: use cuda:0-3"},
                 {"cuda:0,cpu", 0, TSL_E_ARG, "a context has one device"},
                 {"cpu", -1, TSL_E_ARG, "threads is -1"},
                 {"cpu", 5000, TSL_E_ARG, "threads is 5000"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
        options.device = cases[i].device;
        options.threads = cases[i].threads;
        tsl_context *context = NULL;
        assert_int_equal(tsl_context_create(&context, &options), cases[i].status);
        assert_null(context);
        assert_non_null(strstr(tsl_last_error(NULL), cases[i].part));
    }
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.size = 3;
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, &options), TSL_E_ARG);
    assert_non_null(strstr(tsl_last_error(NULL), "TSL_CONTEXT_OPTIONS_INIT"));
}

static void buffers_copy_and_check_ranges(void **state)
{
    (void)state;
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, NULL), TSL_OK);
    tsl_buffer *buffer = NULL;
    assert_int_equal(tsl_buffer_create(&buffer, context, 0), TSL_E_ARG);
    assert_int_equal(tsl_buffer_create(&buffer, context, 100), TSL_OK);
    assert_int_equal(tsl_buffer_bytes(buffer), 100);
    assert_int_equal((uintptr_t)tsl_buffer_data(buffer) % 64, 0);
    assert_int_equal(tsl_buffer_fill(buffer, 7), TSL_OK);
    assert_int_equal(tsl_buffer_write(buffer, 90, "0123456789", 10), TSL_OK);
    char back[100];
    assert_int_equal(tsl_buffer_read(buffer, 0, back, 100), TSL_OK);
    assert_int_equal(back[89], 7);
    assert_memory_equal(back + 90, "0123456789", 10);
    assert_int_equal(tsl_buffer_write(buffer, 91, "0123456789", 10), TSL_E_ARG);
    assert_int_equal(tsl_buffer_read(buffer, -1, back, 1), TSL_E_ARG);
    assert_int_equal(tsl_buffer_read(buffer, 101, back, 0), TSL_E_ARG);
    assert_int_equal(tsl_buffer_read(buffer, 0, back, INT64_MAX), TSL_E_ARG);
    assert_int_equal(tsl_buffer_read(buffer, 100, back, 0), TSL_OK);
    tsl_buffer_destroy(buffer);
    assert_int_equal(tsl_buffer_wrap(&buffer, context, NULL, 4), TSL_E_ARG);
    assert_int_equal(tsl_buffer_wrap(&buffer, context, back, 100), TSL_OK);
    assert_ptr_equal(tsl_buffer_data(buffer), back);
    tsl_buffer_destroy(buffer);
    tsl_buffer_destroy(NULL);
    tsl_context_destroy(context);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    tsl_context *context = NULL;
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = "cpu";
    tsl_test_fail_allocation(1);
    assert_int_equal(tsl_context_create(&context, &options), TSL_E_NOMEM);
    tsl_test_fail_allocation(0);
    assert_int_equal(tsl_context_create(&context, &options), TSL_OK);
    const int64_t live = tsl_test_live_allocations();
    tsl_buffer *buffer = NULL;
    for (int k = 1; k <= 3; k++) {
        tsl_test_fail_allocation(k);
        assert_int_equal(tsl_buffer_create(&buffer, context, 3 << 20), TSL_E_NOMEM);
        assert_int_equal(tsl_test_live_allocations(), live);
        assert_int_equal(context->memory.live, 0);
    }
    tsl_test_fail_allocation(0);
    tsl_test_fail_device_allocation(context, 1);
    assert_int_equal(tsl_buffer_create(&buffer, context, 3 << 20), TSL_E_NOMEM);
    assert_int_equal(tsl_test_fail_device_allocation(context, 0), 1);
    static const char said[] = "cpu: out of memory: cannot take 3.0 MiB for a buffer, ";
    assert_memory_equal(tsl_last_error(context), said, sizeof said - 1);
    tsl_context_destroy(context);
}

static void memory_grows_and_keeps_its_contents(void **state)
{
    (void)state;
    const int64_t live = tsl_test_live_allocations();
    char *text = tsl_duplicate_string("tesela");
    char *grown = tsl_reallocate(text, 7, 1000);
    assert_string_equal(grown, "tesela");
    tsl_test_fail_allocation(1);
    assert_null(tsl_reallocate(grown, 1000, 2000));
    tsl_test_fail_allocation(0);
    assert_string_equal(grown, "tesela"); /* stands */
    tsl_release(grown);
    assert_null(tsl_allocate_zeroed(SIZE_MAX / 2, 3));
    assert_null(tsl_allocate(SIZE_MAX - 3));
    tsl_release(NULL);
    assert_int_equal(tsl_test_live_allocations(), live);
}

static void bytes_read_well(void **state)
{
    (void)state;
    static const struct {
        int64_t bytes;
        const char *text;
    } cases[] = {{0, "0 B"},
                 {1023, "1023 B"},
                 {1024, "1.0 KiB"},
                 {1536, "1.5 KiB"},
                 {(INT64_C(1) << 20) - 1, "1.0 MiB"},
                 {INT64_C(5) << 30, "5.0 GiB"}};
    char text[16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(tsl_format_bytes(text, cases[i].bytes), cases[i].text);
    }
}

static void errors_may_quote_errors(void **state)
{
    (void)state;
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, NULL), TSL_OK);
    assert_int_equal(tsl_fail(context, TSL_E_FORMAT, "line %d", 3), TSL_E_FORMAT);
    tsl_error_prefix(context, "a.pdb");
    assert_string_equal(tsl_last_error(context), "a.pdb: line 3");
    assert_int_equal(tsl_fail(context, TSL_E_IO, "again: %s", tsl_last_error(context)), TSL_E_IO);
    assert_string_equal(tsl_last_error(context), "again: a.pdb: line 3");
    tsl_context_destroy(context);
}

static void profile_adds_up(void **state)
{
    (void)state;
    tsl_context *context = NULL;
    assert_int_equal(tsl_context_create(&context, NULL), TSL_OK);
    const double now = tsl_seconds();
    tsl_profile_add(context, "one", now - 1, 10, 3);
    tsl_profile_add(context, "two", now, 1, 1);
    tsl_profile_add(context, "one", now - 1, 10, 3);
    const tsl_profile_stage *stages = NULL;
    assert_int_equal(tsl_profile_stages(context, &stages), 2);
    assert_string_equal(stages[0].stage, "one");
    assert_int_equal(stages[0].calls, 2);
    assert_int_equal(stages[0].bytes, 20);
    assert_int_equal(stages[0].flops, 6);
    assert_true(stages[0].seconds >= 2 && stages[0].seconds < 10);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(statuses_have_names),
                                       cmocka_unit_test(auto_says_what_it_took),
                                       cmocka_unit_test(default_threads_are_bounded),
                                       cmocka_unit_test(bad_contexts_are_refused),
                                       cmocka_unit_test(buffers_copy_and_check_ranges),
                                       cmocka_unit_test(failing_allocations_are_reported),
                                       cmocka_unit_test(memory_grows_and_keeps_its_contents),
                                       cmocka_unit_test(bytes_read_well),
                                       cmocka_unit_test(errors_may_quote_errors),
                                       cmocka_unit_test(profile_adds_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
