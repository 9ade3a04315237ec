/* What the tests of files share: a scratch folder, whole files in memory, and failing allocations.
 * Include after <cmocka.h>. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"

static char scratch_folder[64];

/* cmocka set-up and tear-down of a group. */
static inline int scratch_make(void **state)
{
    (void)state;
    strcpy(scratch_folder, "/tmp/tesela-test-XXXXXX");
    return mkdtemp(scratch_folder) != NULL ? 0 : -1;
}

/* Remove all files of the scratch folder; their number. */
static inline int scratch_empty(void)
{
    int files = 0;
    DIR *folder = opendir(scratch_folder);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[512];
        if (entry->d_name[0] == '.' && strchr("./", entry->d_name[1]) != NULL) {
            continue; /* the folder itself and its parent */
        }
        snprintf(path, sizeof path, "%s/%s", scratch_folder, entry->d_name);
        assert_int_equal(remove(path), 0);
        files++;
    }
    closedir(folder);
    return files;
}

static inline int scratch_remove(void **state)
{
    (void)state;
    scratch_empty();
    return rmdir(scratch_folder);
}

/* The path of a file in the scratch folder, in one of a few static places. */
static inline const char *scratch_path(const char *name)
{
    static char paths[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", scratch_folder, name);
    return paths[turn];
}

/* A file's bytes and a final 0; free() it. */
static inline char *scratch_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, size, file), size);
    data[size] = 0;
    fclose(file);
    if (bytes != NULL) {
        *bytes = size;
    }
    return data;
}

static inline void scratch_write(const char *path, const void *data, size_t bytes)
{
    remove(path); /* faster than overwriting, which some file systems sync */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static inline void scratch_write_text(const char *path, const char *text)
{
    scratch_write(path, text, strlen(text));
}

static inline void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("'%s' lacks '%s'", text, part);
    }
}

/* An error is one line that names the thing at fault. */
static inline void assert_error_names(const tsl_context *context, const char *part)
{
    assert_null(strchr(context->error, '\n'));
    assert_contains(context->error, part);
}

/* Run `call` with its k-th allocation failing, for all k: it must return TSL_E_NOMEM and lose
 * nothing, until k is past its last allocation. */
static inline void assert_survives_no_memory(tsl_status (*call)(tsl_context *context, void *user),
                                             void *user)
{
    tsl_context context = {0};
    const int64_t live = tsl_test_live_allocations();
    for (int64_t k = 1; k < 1000; k++) {
        tsl_test_fail_allocation(k);
        const tsl_status status = call(&context, user);
        const int64_t made = tsl_test_fail_allocation(0);
        assert_int_equal(tsl_test_live_allocations(), live);
        if (made < k) {
            assert_int_equal(status, TSL_OK);
            assert_true(k > 1);
            return;
        }
        assert_int_equal(status, TSL_E_NOMEM);
        assert_error_names(&context, "out of memory");
    }
    fail_msg("a thousand allocations and no end");
}

#endif
