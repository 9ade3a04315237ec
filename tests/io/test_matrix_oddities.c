/* Matrices and vectors as some programs write them: byte-order marks, AmgX's words, long comments,
 * many digits, several vectors in one file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/dense.h"
#include "io/grid/npy.h"
#include "scratch.h"

#define BANNER "%%MatrixMarket matrix "
#define REAL BANNER "coordinate real general\n"

/* What writers add or overdo: byte-order marks, AmgX's words, long comments, many digits. */
static void oddities_are_read(void **state)
{
    (void)state;
    enum { LONG = 300000, TEXT = 4 * LONG };
    static const double dense[] = {1, 0, 0, 1.0 / 3};
    char *text = malloc(TEXT), *comment = malloc(LONG + 2), *digits = malloc(501);
    memset(comment, 'c', LONG);
    comment[0] = '%';
    strcpy(comment + LONG, "\n");
    memset(digits, '3', 500);
    digits[500] = 0;
    const struct {
        const char *mark, *before, *first, *between;
        int base, underflows;
        double last;
    } cases[] = {{"\xef\xbb\xbf", "", "1", "", 1, 0, 1.0 / 3},
                 {"", "%%AMGX 1 1 sorted base0\n", "1", "", 0, 0, 1.0 / 3},
                 {"", comment, "1", comment, 1, 0, 1.0 / 3},
                 {"", "", "1", "2 1 1e-999\n1 2 -3D-400\n", 1, 2, 1.0 / 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsl_context context = {.threads = 2};
        tsl_matrix_file file;
        const int from = cases[i].base;
        snprintf(text, TEXT, "%s%s%s2 2 %d\n%d %d %s\n%s%d %d 0.%s\n", cases[i].mark, REAL,
                 cases[i].before, 2 + cases[i].underflows, from, from, cases[i].first,
                 cases[i].between, from + 1, from + 1, digits);
        /* read from a file too, where the text comes in blocks */
        scratch_write_text(scratch_path("odd.mtx"), text);
        assert_int_equal(tsl_matrix_read(&file, &context, scratch_path("odd.mtx")), TSL_OK);
        assert_int_equal(file.base, cases[i].base);
        assert_int_equal(file.underflows, cases[i].underflows);
        const double *last = &file.matrix.value[tsl_csr_nonzeros(&file.matrix) - 1];
        assert_true(*last == dense[3]);
        tsl_matrix_file_release(&file);
    }
    free(text);
    free(comment);
    free(digits);
}

/* Not only in the last block: a comment that is longer than a block's lines may be. */
static void long_comments_are_skipped(void **state)
{
    (void)state;
    enum { LONG = 3 << 20 };
    char *text = malloc(2 * LONG + 200);
    char *at = text + sprintf(text, "%s%%", REAL);
    for (int i = 0; i < 2; i++) {
        memset(at, 'c', LONG);
        at += LONG;
        at += sprintf(at, i == 0 ? "\n2 2 2\n1 1 5\n%%" : "\n2 2 7\n");
    }
    tsl_context context = {.threads = 2};
    tsl_matrix_file file;
    scratch_write_text(scratch_path("long.mtx"), text);
    assert_int_equal(tsl_matrix_read(&file, &context, scratch_path("long.mtx")), TSL_OK);
    static const double dense[] = {5, 0, 0, 7};
    assert_dense(&file.matrix, 2, 2, dense);
    tsl_matrix_file_release(&file);
    free(text);
}

/* By columns, whatever the file's order of axes; the name says nothing. */
static void several_vectors_are_read(void **state)
{
    (void)state;
    static const double wanted[] = {1, 2, 3, 4, 5, 6}, rows[] = {1, 4, 2, 5, 3, 6};
    const char *path = scratch_path("several.mtx");
    tsl_context context = {.threads = 1};
    for (int i = 0; i < 4; i++) {
        const tsl_npy header = {.type = "<f8",
                                .item = 8,
                                .fortran_order = i == 1,
                                .axes = 2,
                                .shape = {3, 2},
                                .count = 6};
        if (i < 2) {
            assert_int_equal(tsl_npy_write(&context, path, &header, i == 1 ? wanted : rows),
                             TSL_OK);
        } else {
            scratch_write_text(path, i == 2 ? BANNER "array real general\n3 2\n1\n2\n3\n4\n5\n6\n"
                                            : REAL
                                         "3 2 6\n1 1 1\n2 1 2\n3 1 3\n1 2 4\n2 2 5\n3 2 6\n");
        }
        tsl_dense dense;
        assert_int_equal(tsl_dense_read(&dense, &context, path), TSL_OK);
        assert_true(dense.rows == 3 && dense.columns == 2);
        assert_memory_equal(dense.value, wanted, sizeof wanted);
        tsl_dense back;
        const char *const copy = scratch_path(i % 2 == 0 ? "copy.mtx" : "copy.npy");
        assert_int_equal(tsl_dense_write(&context, copy, &dense), TSL_OK);
        assert_int_equal(tsl_dense_read(&back, &context, copy), TSL_OK);
        assert_memory_equal(back.value, wanted, sizeof wanted);
        tsl_dense_release(&back);
        tsl_dense_release(&dense);
    }
    tsl_matrix_file file; /* as a matrix it is sparse: 3 x 2 */
    static const double by_rows[] = {1, 4, 2, 5, 3, 6};
    const tsl_npy header = {.type = "<f8", .item = 8, .axes = 2, .shape = {3, 2}, .count = 6};
    assert_int_equal(tsl_npy_write(&context, path, &header, rows), TSL_OK);
    assert_int_equal(tsl_matrix_read(&file, &context, path), TSL_OK);
    assert_dense(&file.matrix, 3, 2, by_rows);
    tsl_matrix_file_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(oddities_are_read),
                                       cmocka_unit_test(long_comments_are_skipped),
                                       cmocka_unit_test(several_vectors_are_read)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
