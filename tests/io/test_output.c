#include "io/file/output.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "scratch.h"

static tsl_context context;

static void write_text(const char *path, const char *text)
{
    tsl_output *output = NULL;
    assert_int_equal(tsl_output_open(&output, &context, path), TSL_OK);
    fputs(text, tsl_output_stream(output));
    assert_int_equal(tsl_output_commit(output), TSL_OK);
}

static void assert_holds(const char *path, const char *text)
{
    char *data = scratch_read(path, NULL);
    assert_string_equal(data, text);
    free(data);
}

static void test_new_file(void **state)
{
    (void)state;
    const char *path = scratch_path("new");
    const mode_t mask = umask(027);
    write_text(path, "whole\n");
    umask(mask);
    assert_holds(path, "whole\n");
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(scratch_empty(), 1); /* no temporary file is left */
}

static void test_old_file_stands_until_commit(void **state)
{
    (void)state;
    const char *path = scratch_path("old");
    tsl_output *output = NULL;
    scratch_write_text(path, "old");
    assert_int_equal(tsl_output_open(&output, &context, path), TSL_OK);
    fputs("new", tsl_output_stream(output));
    fflush(tsl_output_stream(output));
    assert_holds(path, "old");
    assert_int_equal(tsl_output_commit(output), TSL_OK);
    assert_holds(path, "new");
    assert_int_equal(tsl_output_open(&output, &context, path), TSL_OK);
    fputs("newer", tsl_output_stream(output));
    tsl_output_discard(output);
    tsl_output_discard(NULL);
    assert_holds(path, "new");
    assert_int_equal(scratch_empty(), 1);
}

static void test_two_at_once(void **state)
{
    (void)state;
    tsl_output *a = NULL;
    tsl_output *b = NULL;
    const char *path = scratch_path("both");
    assert_int_equal(tsl_output_open(&a, &context, path), TSL_OK);
    assert_int_equal(tsl_output_open(&b, &context, path), TSL_OK);
    fputs("first", tsl_output_stream(a));
    fputs("second", tsl_output_stream(b));
    assert_int_equal(tsl_output_commit(a), TSL_OK);
    assert_holds(path, "first");
    assert_int_equal(tsl_output_commit(b), TSL_OK);
    assert_holds(path, "second");
    assert_int_equal(scratch_empty(), 1);
}

/* What a process does that ends at once, with more files open than are listed. */
static void remove_and_end(void)
{
    enum { OPEN = 70, LISTED = 64 };
    tsl_output *outputs[OPEN];
    int failed = 0;
    for (int i = 0; i < OPEN; i++) {
        failed += tsl_output_open(&outputs[i], &context, scratch_path("file")) != TSL_OK;
    }
    tsl_output *renamed = outputs[0];
    failed += failed > 0 || tsl_output_commit(renamed) != TSL_OK;
    tsl_output_remove_temporaries();
    for (int i = 1; i < OPEN && failed == 0; i++) {
        failed += (access(tsl_output_temporary(outputs[i]), F_OK) == 0) != (i >= LISTED);
        tsl_output_discard(outputs[i]);
    }
    _exit(failed);
}

static void test_temporaries_are_removed(void **state)
{
    (void)state;
    int ended = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        remove_and_end();
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_holds(scratch_path("file"), "");
    assert_int_equal(scratch_empty(), 1);
}

static void test_link_stays_a_link(void **state)
{
    (void)state;
    const char *target = scratch_path("target");
    const char *link = scratch_path("link");
    struct stat status;
    scratch_write_text(target, "old");
    assert_int_equal(symlink(target, link), 0);
    write_text(link, "new");
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_holds(target, "new");
    assert_int_equal(scratch_empty(), 2);
}

/* Links to a file that is still to be made, by way of another link and of a folder. */
static void test_link_to_no_file_makes_it(void **state)
{
    (void)state;
    char place[PATH_MAX], link[96];
    snprintf(link, sizeof link, "%s/link", scratch_folder);
    struct stat status;
    assert_int_equal(symlink("second", link), 0);
    assert_int_equal(symlink(scratch_path("target"), scratch_path("second")), 0);
    assert_true(tsl_output_follow(place, link));
    assert_string_equal(place, scratch_path("target"));
    write_text(link, "new");
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_holds(scratch_path("target"), "new");
    assert_int_equal(scratch_empty(), 3);
    assert_int_equal(symlink("missing/file", link), 0);
    tsl_output *output = NULL;
    assert_int_equal(tsl_output_open(&output, &context, link), TSL_E_IO);
    assert_error_names(&context, "make the folder first");
    assert_int_equal(scratch_empty(), 1);
    assert_int_equal(symlink("link", link), 0);
    assert_false(tsl_output_follow(place, link));
    assert_int_equal(tsl_output_open(&output, &context, link), TSL_E_IO);
    assert_int_equal(scratch_empty(), 1);
}

/* What is closed is an error, and nothing is made beside it: root could. */
static void test_descriptors(void **state)
{
    (void)state;
    char name[32];
    tsl_output *output = NULL;
    const int file = open(scratch_path("file"), O_WRONLY | O_CREAT, 0600);
    assert_true(file > STDERR_FILENO);
    assert_int_equal(write(file, "before, ", 8), 8);
    snprintf(name, sizeof name, "/dev/fd/%d", file);
    write_text(name, "after");
    close(file);
    assert_holds(scratch_path("file"), "before, after");
    assert_int_equal(tsl_output_open(&output, &context, name), TSL_E_IO);
    assert_error_names(&context, "not open for writing");
    assert_int_equal(tsl_output_open(&output, &context, "/dev/no such device"), TSL_E_IO);
    assert_error_names(&context, "/dev/no such device: cannot write: No such device");
    assert_int_equal(tsl_output_descriptor("/dev/stderr"), STDERR_FILENO);
    assert_int_equal(tsl_output_descriptor("/dev/fd/12x"), -1);
    assert_int_equal(scratch_empty(), 1);
}

static void test_pipe_is_written_directly(void **state)
{
    (void)state;
    const char *path = scratch_path("pipe");
    char got[16] = "";
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    write_text(path, "through");
    assert_int_equal(read(reader, got, sizeof got), 7);
    assert_string_equal(got, "through");
    close(reader);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(scratch_empty(), 1);
}

/* Standard output is a socket under some services; by its path that could not be opened. */
static void test_standard_output_is_written_directly(void **state)
{
    (void)state;
    char got[16] = "";
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    assert_int_equal(dup2(ends[0], STDOUT_FILENO), STDOUT_FILENO);
    tsl_output *output = NULL;
    const tsl_status opened = tsl_output_open(&output, &context, "/dev/stdout");
    if (opened == TSL_OK) {
        fputs("through", tsl_output_stream(output));
        tsl_output_commit(output);
    }
    assert_int_equal(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
    assert_int_equal(opened, TSL_OK);
    assert_int_equal(read(ends[1], got, sizeof got), 7);
    assert_string_equal(got, "through");
    close(kept);
    close(ends[0]);
    close(ends[1]);
}

/* A full disk is found whether the text fits the stream's buffer or not. */
static void test_full_disk(void **state)
{
    (void)state;
    const int lines[] = {1, 100000};
    for (int i = 0; i < 2; i++) {
        tsl_output *output = NULL;
        assert_int_equal(tsl_output_open(&output, &context, "/dev/full"), TSL_OK);
        for (int k = 0; k < lines[i]; k++) {
            fputs("a line\n", tsl_output_stream(output));
        }
        assert_int_equal(tsl_output_commit(output), TSL_E_IO);
        assert_error_names(&context, "/dev/full: cannot write: No space left on device; free");
    }
}

static void test_disk_fills_up(void **state)
{
    (void)state;
    const char *path = scratch_path("large");
    tsl_output *output = NULL;
    struct rlimit limit;
    scratch_write_text(path, "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    struct rlimit tight = {.rlim_cur = 10000, .rlim_max = limit.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    assert_int_equal(tsl_output_open(&output, &context, path), TSL_OK);
    for (int i = 0; i < 10000; i++) {
        fputs("a line\n", tsl_output_stream(output));
    }
    const tsl_status status = tsl_output_commit(output);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, TSL_E_IO);
    assert_error_names(&context, "large: cannot write: File too large; free some space");
    assert_holds(path, "old");
    assert_int_equal(scratch_empty(), 1);
}

static void assert_open_fails(const char *path, const char *part)
{
    tsl_output *output = NULL;
    assert_int_equal(tsl_output_open(&output, &context, path), TSL_E_IO);
    assert_null(output);
    assert_error_names(&context, path);
    assert_error_names(&context, part);
}

static void test_impossible_places(void **state)
{
    (void)state;
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    scratch_write_text(scratch_path("file"), "");
    assert_open_fails(scratch_path("missing/file"), "make the folder first");
    assert_open_fails(scratch_path("file/below"), "a folder in that path is a file");
    assert_open_fails(scratch_folder, "name a file");
    tsl_output *output = NULL;
    assert_int_equal(tsl_output_open(&output, &context, scratch_path(name)), TSL_E_IO);
    assert_error_names(&context, "shorter name");
    if (geteuid() != 0) { /* root may write anywhere */
        assert_int_equal(chmod(scratch_folder, 0500), 0);
        assert_open_fails(scratch_path("barred"), "choose a folder you may write to");
        assert_int_equal(chmod(scratch_folder, 0700), 0);
    }
    assert_int_equal(scratch_empty(), 1);
}

static tsl_status write_with(tsl_context *own, void *user)
{
    tsl_output *output = NULL;
    const tsl_status status = tsl_output_open(&output, own, user);
    return status == TSL_OK ? tsl_output_commit(output) : status;
}

static tsl_status make_with(tsl_context *own, void *user)
{
    return tsl_make_folder(own, user);
}

static void test_no_memory(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("memory"));
    assert_survives_no_memory(write_with, path);
    assert_survives_no_memory(make_with, scratch_folder);
    assert_int_equal(scratch_empty(), 1);
}

static void test_folders(void **state)
{
    (void)state;
    struct stat status;
    assert_int_equal(tsl_make_folder(&context, scratch_path("a//b/c/")), TSL_OK);
    assert_int_equal(tsl_make_folder(&context, scratch_path("a/b/c")), TSL_OK);
    assert_int_equal(tsl_make_folder(&context, "/"), TSL_OK);
    assert_int_equal(tsl_make_folder(&context, "."), TSL_OK);
    assert_int_equal(stat(scratch_path("a/b/c"), &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    scratch_write_text(scratch_path("a/file"), "");
    assert_int_equal(tsl_make_folder(&context, scratch_path("a/file")), TSL_E_IO);
    assert_error_names(&context, "a/file: cannot make this folder: a file is in its place");
    assert_int_equal(tsl_make_folder(&context, scratch_path("a/file/d")), TSL_E_IO);
    assert_int_equal(tsl_make_folder(&context, ""), TSL_E_IO);
    assert_int_equal(tsl_make_folder(&context, "/proc/tesela"), TSL_E_IO);
    assert_error_names(&context, "/proc/tesela: cannot make this folder: ");
    assert_int_equal(remove(scratch_path("a/b/c")), 0);
    assert_int_equal(remove(scratch_path("a/b")), 0);
    assert_int_equal(remove(scratch_path("a/file")), 0);
    assert_int_equal(scratch_empty(), 1);
}

static void test_plain_names(void **state)
{
    (void)state;
    char name[12];
    tsl_plain_name(name, sizeof name, "/a/b c.pdb", true);
    assert_string_equal(name, "b c.pdb");
    tsl_plain_name(name, sizeof name, "/a/b c.pdb", false);
    assert_string_equal(name, "b_c.pdb");
    tsl_plain_name(name, sizeof name, "x\ty\nz\x7f", true);
    assert_string_equal(name, "x_y_z_");
    tsl_plain_name(name, sizeof name, "0123456789abcdef", true);
    assert_string_equal(name, "0123456789a");
}

static void test_plain_numbers(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "ru_RU.UTF-8"};
    char text[16];
    locale_t comma = (locale_t)0;
    for (int i = 0; i < 4 && comma == (locale_t)0; i++) {
        comma = newlocale(LC_ALL_MASK, names[i], (locale_t)0);
    }
    if (comma == (locale_t)0) {
        print_message("no locale with a decimal comma is installed: skipped\n");
        skip();
    }
    const locale_t before = uselocale(comma);
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1.5");
    tsl_plain_numbers_leave(numbers);
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
    uselocale(before);
    freelocale(comma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_file),
        cmocka_unit_test(test_old_file_stands_until_commit),
        cmocka_unit_test(test_two_at_once),
        cmocka_unit_test(test_temporaries_are_removed),
        cmocka_unit_test(test_link_stays_a_link),
        cmocka_unit_test(test_link_to_no_file_makes_it),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_pipe_is_written_directly),
        cmocka_unit_test(test_standard_output_is_written_directly),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_disk_fills_up),
        cmocka_unit_test(test_impossible_places),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_plain_names),
        cmocka_unit_test(test_plain_numbers),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
