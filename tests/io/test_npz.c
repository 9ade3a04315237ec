/* SciPy's files of matrices: members of all types, stored and deflated; each way to be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/config.h"
#include "io/dense.h"
#include "io/zipped.h"
#include "scratch.h"

/* [[0 5 2] [0 0 0] [3 0 4]], the first row's columns out of order and one of them in two parts. */
static const int32_t narrow_starts[] = {0, 3, 3, 5}, narrow_columns[] = {2, 1, 2, 0, 2};
static const int64_t wide_starts[] = {0, 3, 3, 5}, wide_columns[] = {2, 1, 2, 0, 2},
                     shape[] = {3, 3};
static const double doubles[] = {1.5, 5, 0.5, 3, 4},
                    complexes[] = {1.5, 0, 5, 0, 0.5, 0, 3, 0, 4, 0};
static const float singles[] = {1.5, 5, 0.5, 3, 4};
static const double npz_dense[] = {0, 5, 2, 0, 0, 0, 3, 0, 4};

#define MEMBERS(STARTS, COLUMNS, INDEX, BYTES, DATA, TYPE, ITEM)                                   \
    {                                                                                              \
        {"indices.npy", INDEX, "(5,)", COLUMNS, 5, BYTES},                                         \
            {"indptr.npy", INDEX, "(4,)", STARTS, 4, BYTES},                                       \
            {"format.npy", "|S3", "()", "csr", 1, 3}, {"shape.npy", "<i8", "(2,)", shape, 2, 8},   \
            {"data.npy", TYPE, "(5,)", DATA, 5, ITEM},                                             \
        {                                                                                          \
            NULL, NULL, NULL, NULL, 0, 0                                                           \
        }                                                                                          \
    }
enum { INDICES, INDPTR, FORMAT, SHAPE, DATA, ARRAYS };

static const zipped_array plain[] =
    MEMBERS(narrow_starts, narrow_columns, "<i4", 4, doubles, "<f8", 8);

static tsl_status parse_zipped(tsl_matrix_file *file, tsl_context *context,
                               const zipped_array *arrays, bool deflated, bool large)
{
    size_t bytes;
    char *archive = zipped(&bytes, arrays, deflated, large);
    const tsl_source source = tsl_source_of("a.npz", archive, bytes);
    const tsl_status status = tsl_matrix_parse(file, context, &source);
    free(archive);
    return status;
}

static void scipys_files_are_read(void **state)
{
    (void)state;
    static const zipped_array lists[][ARRAYS + 1] = {
        MEMBERS(narrow_starts, narrow_columns, "<i4", 4, doubles, "<f8", 8),
        MEMBERS(wide_starts, wide_columns, "<i8", 8, singles, "<f4", 4),
        MEMBERS(wide_starts, wide_columns, "<i8", 8, complexes, "<c16", 16),
    };
    for (int i = 0; i < 12; i++) {
        bool deflated = i / 3 % 2 == 1;
#ifndef TSL_HAVE_ZLIB
        deflated = false;
#endif
        tsl_context context = {.threads = 2};
        tsl_matrix_file file;
        if (parse_zipped(&file, &context, lists[i % 3], deflated, i >= 6) != TSL_OK) {
            fail_msg("%d: %s", i, context.error);
        }
        assert_dense(&file.matrix, 3, 3, npz_dense);
        assert_string_equal(file.format, "SciPy CSR");
        assert_int_equal(file.storage, TSL_SPARSE_GENERAL);
        assert_int_equal(file.duplicates, 1);
        tsl_matrix_file_release(&file);
    }
}

/* The matrix above in SciPy's other formats; blocks of three rows, of which zeros fill some; and a
 * diagonal longer than the matrix. */
static const int32_t rows_of[] = {2, 0, 0, 0, 2}, columns_of[] = {0, 1, 2, 2, 2},
                     column_starts[] = {0, 1, 2, 5}, block_starts[] = {0, 3},
                     block_columns[] = {2, 0, 1}, offsets[] = {1, -2, 0, 2, 7};
static const double in_triples[] = {3, 5, 1.5, 0.5, 4}, in_blocks[] = {2, 0, 4, 0, 0, 3, 5, 0, 0},
                    on_diagonals[] = {9, 5, 0, 9, 3, 9, 9, 9, 0, 0, 4, 9, 9, 9, 2, 9, 1, 1, 1, 1};

static void all_formats_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *title;
        int entries, duplicates;
        zipped_array arrays[ARRAYS + 1];
    } cases[] = {{"SciPy COO",
                  5,
                  1,
                  {{"row.npy", "<i4", "(5,)", rows_of, 5, 4},
                   {"col.npy", "<i4", "(5,)", columns_of, 5, 4},
                   {"format.npy", "|S3", "()", "coo", 1, 3},
                   {"shape.npy", "<i8", "(2,)", shape, 2, 8},
                   {"data.npy", "<f8", "(5,)", in_triples, 5, 8}}},
                 {"SciPy CSC",
                  5,
                  1,
                  {{"indices.npy", "<i4", "(5,)", rows_of, 5, 4},
                   {"indptr.npy", "<i4", "(4,)", column_starts, 4, 4},
                   {"format.npy", "|S3", "()", "csc", 1, 3},
                   {"shape.npy", "<i8", "(2,)", shape, 2, 8},
                   {"data.npy", "<f8", "(5,)", in_triples, 5, 8}}},
                 {"SciPy BSR",
                  9,
                  0,
                  {{"indices.npy", "<i4", "(3,)", block_columns, 3, 4},
                   {"indptr.npy", "<i4", "(2,)", block_starts, 2, 4},
                   {"format.npy", "|S3", "()", "bsr", 1, 3},
                   {"shape.npy", "<i8", "(2,)", shape, 2, 8},
                   {"data.npy", "<f8", "(3, 3, 1)", in_blocks, 9, 8}}},
                 {"SciPy DIA",
                  7,
                  0,
                  {{"offsets.npy", "<i4", "(5,)", offsets, 5, 4},
                   {"format.npy", "|S3", "()", "dia", 1, 3},
                   {"shape.npy", "<i8", "(2,)", shape, 2, 8},
                   {"data.npy", "<f8", "(5, 4)", on_diagonals, 20, 8}}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsl_context context = {.threads = 2};
        tsl_matrix_file file;
        if (parse_zipped(&file, &context, cases[i].arrays, false, false) != TSL_OK) {
            fail_msg("%s: %s", cases[i].title, context.error);
        }
        assert_string_equal(file.format, cases[i].title);
        assert_dense(&file.matrix, 3, 3, npz_dense);
        assert_int_equal(file.entries, cases[i].entries);
        assert_int_equal(file.duplicates, cases[i].duplicates);
        assert_int_equal(file.base, 0);
        tsl_matrix_file_release(&file);
    }
}

static const int32_t descending[] = {0, 3, 2, 5}, outside[] = {2, 1, 2, 0, 3},
                     many[] = {0, 3, 3, 6};
static const double nan_bearing[] = {1.5, 5, NAN, 3, 4},
                    imaginary[] = {1, 0, 2, 0, 3, 7, 4, 0, 5, 0};
static const int64_t huge[] = {INT64_C(1) << 31, 3}, tall[] = {4, 3};
static const struct {
    int place;
    tsl_status status;
    zipped_array array;
    const char *words;
} npz_faults[] = {
    {INDPTR,
     TSL_E_FORMAT,
     {"indptr.npy", "<i4", "(4,)", descending, 4, 4},
     "a.npz: indptr[2] is 2: the offsets must ascend"},
    {INDPTR, TSL_E_FORMAT, {"indptr.npy", "<i4", "(4,)", outside, 4, 4}, "indptr[0] is 2"},
    {INDPTR,
     TSL_E_FORMAT,
     {"indptr.npy", "<i4", "(4,)", many, 4, 4},
     "a.npz: indices.npy has 5 elements of type <i4: it should have 6 integers"},
    {INDPTR, TSL_E_FORMAT, {"indptr.npy", "<f8", "(4,)", doubles, 4, 8}, "4 integers"},
    {INDPTR,
     TSL_E_FORMAT,
     {"start.npy", "<i4", "(4,)", narrow_starts, 4, 4},
     "a.npz: the archive has no 'indptr.npy'"},
    {INDICES,
     TSL_E_FORMAT,
     {"indices.npy", "<i4", "(5,)", outside, 5, 4},
     "a.npz: indices[4] is 3: the matrix has the columns 0 to 2"},
    {DATA,
     TSL_E_FORMAT,
     {"data.npy", "<f8", "(5,)", nan_bearing, 5, 8},
     "a.npz: data[2] is no finite number"},
    {DATA,
     TSL_E_UNSUPPORTED,
     {"data.npy", "<c16", "(5,)", imaginary, 5, 16},
     "a.npz: data[2] has an imaginary part"},
    {DATA,
     TSL_E_FORMAT,
     {"data.npy", "<f8", "(4,)", doubles, 4, 8},
     "a.npz: data.npy has 4 elements of type <f8: it should have 5 numbers"},
    {DATA,
     TSL_E_FORMAT,
     {"data.npy", "<f8", "(5,)", doubles, 4, 8},
     "a.npz: data.npy: is cut short"},
    {FORMAT,
     TSL_E_UNSUPPORTED,
     {"format.npy", "|S3", "()", "lil", 1, 3},
     "a.npz: holds a matrix of SciPy's format 'lil': save its tocsr()"},
    {FORMAT,
     TSL_E_FORMAT,
     {"format.npy", "|S3", "()", "bsr", 1, 3},
     "a.npz: data.npy has 1 axes and elements of type <f8: it should have 3"},
    {FORMAT,
     TSL_E_FORMAT,
     {"format.npy", "|S3", "()", "coo", 1, 3},
     "a.npz: the archive has no 'row.npy'"},
    {INDPTR,
     TSL_E_FORMAT,
     {"indptr.npy", "<i4", "(5,)", outside, 5, 4},
     "a.npz: indptr.npy has 5 elements of type <i4: it should have 4 integers"},
    {SHAPE,
     TSL_E_FORMAT,
     {"shape.npy", "<i4", "(5,)", outside, 5, 4},
     "a.npz: shape.npy has 5 elements of type <i4: it should have 2 integers"},
    {SHAPE, TSL_E_UNSUPPORTED, {"shape.npy", "<i8", "(2,)", huge, 2, 8}, "2147483648 x 3"},
    {SHAPE,
     TSL_E_FORMAT,
     {"shape.npy", "<i8", "(2,)", tall, 2, 8},
     "indptr.npy has 4 elements of type <i4: it should have 5"},
};

static void faults_of_scipys_files_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof npz_faults / sizeof *npz_faults; i++) {
        tsl_context context = {0};
        tsl_matrix_file file;
        zipped_array arrays[ARRAYS + 1];
        memcpy(arrays, plain, sizeof plain);
        arrays[npz_faults[i].place] = npz_faults[i].array;
        const int64_t live = tsl_test_live_allocations();
        const tsl_status status = parse_zipped(&file, &context, arrays, false, false);
        if (status != npz_faults[i].status) {
            fail_msg("%s: %s", npz_faults[i].words, context.error);
        }
        assert_error_names(&context, npz_faults[i].words);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
}

/* Cut anywhere, or with any one byte changed, an archive is read as it was, read as another matrix
 * (a byte that is not checked), or refused: never more. */
static void damaged_archives_are_survived(void **state)
{
    (void)state;
    size_t bytes;
    char *archive = zipped(&bytes, plain, false, true);
    const int64_t live = tsl_test_live_allocations();
    int refused = 0;
    for (size_t i = 0; i < 2 * bytes; i++) {
        const size_t size = i < bytes ? bytes : i - bytes;
        char *copy = malloc(size + (size == 0)); /* so that a sanitizer knows its end */
        memcpy(copy, archive, size);
        if (i < bytes) {
            copy[i] ^= 0x41;
        }
        tsl_context context = {0};
        tsl_matrix_file file;
        const tsl_source source = tsl_source_of("a.npz", copy, size);
        if (tsl_matrix_parse(&file, &context, &source) == TSL_OK) {
            tsl_matrix_file_release(&file);
        } else {
            assert_error_names(&context, "a.npz");
            refused++;
        }
        assert_int_equal(tsl_test_live_allocations(), live);
        free(copy);
    }
    assert_true(refused > (int)(3 * bytes / 2));
    free(archive);
}

static tsl_status read_zipped(tsl_context *context, void *user)
{
    tsl_matrix_file file;
    const bool *deflated = user;
    const tsl_status status = parse_zipped(&file, context, plain, *deflated, false);
    if (status == TSL_OK) {
        tsl_matrix_file_release(&file);
    }
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    bool deflated = false;
    assert_survives_no_memory(read_zipped, &deflated);
#ifdef TSL_HAVE_ZLIB
    deflated = true;
    assert_survives_no_memory(read_zipped, &deflated);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scipys_files_are_read),
                                       cmocka_unit_test(all_formats_are_read),
                                       cmocka_unit_test(faults_of_scipys_files_are_named),
                                       cmocka_unit_test(damaged_archives_are_survived),
                                       cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
