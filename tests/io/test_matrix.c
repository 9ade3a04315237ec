/* Matrix Market files, and files of vectors: each is compared with a dense matrix written out by
 * hand, or with a plain reader of triples; each way to be wrong has its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <unistd.h>

#include "io/dense.h"
#include "io/file/inflating.h"
#include "io/grid/npy.h"
#include "io/matrix/matrix.h"
#include "scratch.h"

#define BANNER "%%MatrixMarket matrix "

static tsl_status parse(tsl_matrix_file *file, tsl_context *context, const char *text)
{
    const tsl_source source = tsl_source_of("a.mtx", text, strlen(text));
    return tsl_matrix_parse(file, context, &source);
}

/* ---- what is read --------------------------------------------------------------------------- */

static const struct good {
    const char *text;
    int rows, columns;
    double dense[9];
    tsl_sparse_storage storage;
    const char *field, *symmetry;
    int entries, duplicates;
} goods[] = {
    {BANNER
     "coordinate real general\n% a comment\n\n3 3 4\n1 1 1.5\n2 3 -0.02D+02\n3 2 +.25\n1 3 7d0\n",
     3,
     3,
     {1.5, 0, 7, 0, 0, -2, 0, 0.25},
     TSL_SPARSE_GENERAL,
     "real",
     "general",
     4,
     0},
    {"%%MATRIXMARKET Matrix Coordinate Double GENERAL\r\n2 3 2\r\n2 3 5\r\n1 1 6\r\n",
     2,
     3,
     {6, 0, 0, 0, 0, 5},
     TSL_SPARSE_GENERAL,
     "real",
     "general",
     2,
     0},
    {BANNER "coordinate integer symmetric\n2 2 2\n1 1 4\n2 1 -1",
     2,
     2,
     {4, 0, -1},
     TSL_SPARSE_SYMMETRIC,
     "integer",
     "symmetric",
     2,
     0},
    {BANNER "coordinate real symmetric\n2 2 2\n1 1 4\n1 2 -1\n",
     2,
     2,
     {4, -1},
     TSL_SPARSE_SYMMETRIC,
     "real",
     "symmetric",
     2,
     0},
    {BANNER "coordinate real skew-symmetric\n2 2 1\n2 1 -1\n",
     2,
     2,
     {0, 0, -1},
     TSL_SPARSE_SKEW,
     "real",
     "skew-symmetric",
     1,
     0},
    {BANNER "coordinate pattern symmetric\n2 2 2\n 2\t1 \n2 2\n",
     2,
     2,
     {0, 0, 1, 1},
     TSL_SPARSE_SYMMETRIC,
     "pattern",
     "symmetric",
     2,
     0},
    {BANNER "coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 -1 -0.0\n",
     2,
     2,
     {4, 0, -1},
     TSL_SPARSE_SYMMETRIC,
     "complex",
     "hermitian",
     2,
     0},
    {BANNER "coordinate unsigned-integer general\n1 3 5\n1 3 1\n1 2 5\n1 3 2\n1 1 9\n1 3 4\n",
     1,
     3,
     {9, 5, 7},
     TSL_SPARSE_GENERAL,
     "integer",
     "general",
     5,
     2},
    {BANNER "array real general\n2 3\n1\n2\n3\n0\n5\n6\n",
     2,
     3,
     {1, 3, 5, 2, 0, 6},
     TSL_SPARSE_GENERAL,
     "real",
     "general",
     6,
     0},
    {BANNER "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
     3,
     3,
     {1, 0, 0, 2, 4, 0, 3, 5, 6},
     TSL_SPARSE_SYMMETRIC,
     "real",
     "symmetric",
     6,
     0},
    {BANNER "array integer skew-symmetric\n3 3\n1\n2\n3\n",
     3,
     3,
     {0, 0, 0, 1, 0, 0, 2, 3},
     TSL_SPARSE_SKEW,
     "integer",
     "skew-symmetric",
     3,
     0},
    {BANNER "array complex general\n2 1\n% the numbers\n1 0\n2 0\n",
     2,
     1,
     {1, 2},
     TSL_SPARSE_GENERAL,
     "complex",
     "general",
     2,
     0},
    {"%%MatrixMarket vector coordinate real general\n3 2\n3 1\n1 2\n",
     3,
     1,
     {2, 0, 1},
     TSL_SPARSE_GENERAL,
     "real",
     "general",
     2,
     0},
    {"%%MatrixMarket vector array real general\n3\n3\n1\n2\n",
     3,
     1,
     {3, 1, 2},
     TSL_SPARSE_GENERAL,
     "real",
     "general",
     3,
     0},
    {BANNER "coordinate real general\n0 0 0\n",
     0,
     0,
     {0},
     TSL_SPARSE_GENERAL,
     "real",
     "general",
     0,
     0},
    {BANNER "array real general\n3 0", 3, 0, {0}, TSL_SPARSE_GENERAL, "real", "general", 0, 0},
};

static void all_fields_and_symmetries_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const struct good *g = &goods[i];
        tsl_context context = {0};
        tsl_matrix_file file;
        if (parse(&file, &context, g->text) != TSL_OK) {
            fail_msg("%s: %s", g->text, context.error);
        }
        assert_dense(&file.matrix, g->rows, g->columns, g->dense);
        assert_int_equal(file.storage, g->storage);
        assert_string_equal(file.field, g->field);
        assert_string_equal(file.symmetry, g->symmetry);
        assert_int_equal(file.entries, g->entries);
        assert_int_equal(file.duplicates, g->duplicates);
        tsl_matrix_file_release(&file);
        tsl_matrix_file_release(&file);
    }
}

/* A zero that is given stays an entry, unless the format is an array. */
static void zeros_stay(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_matrix_file file;
    assert_int_equal(parse(&file, &context, BANNER "coordinate real general\n2 2 1\n2 2 0\n"),
                     TSL_OK);
    assert_int_equal(tsl_csr_nonzeros(&file.matrix), 1);
    assert_int_equal(file.matrix.column[0], 1);
    tsl_matrix_file_release(&file);
}

#define REAL BANNER "coordinate real general\n"
static const struct {
    const char *text;
    tsl_status status;
    const char *words;
} text_faults[] = {
    {"", TSL_E_FORMAT, "a.mtx: the file is empty"},
    {"1 2 3\n", TSL_E_FORMAT, "a.mtx:1: neither a Matrix Market file"},
    {"%%MatrixMarketx matrix", TSL_E_FORMAT, "a.mtx:1: neither"},
    {"%%MatrixMarket graph coordinate real general\n", TSL_E_FORMAT,
     "a.mtx:1: the object 'graph' is not matrix or vector"},
    {"%%MatrixMarket matrix sparse real general\n", TSL_E_FORMAT, "the format 'sparse'"},
    {BANNER "coordinate float general\n", TSL_E_FORMAT, "the field 'float' is not real, "},
    {BANNER "coordinate real\n", TSL_E_FORMAT, "the symmetry '' is not general, symm"},
    {BANNER "array pattern general\n", TSL_E_FORMAT, "a.mtx:1: an array cannot be a pattern"},
    {BANNER "coordinate real hermitian\n", TSL_E_FORMAT, "a.mtx:1: only a complex matrix"},
    {BANNER "coordinate pattern skew-symmetric\n", TSL_E_FORMAT, "a.mtx:1: a pattern cannot"},
    {REAL "% nothing else\n", TSL_E_FORMAT, "a.mtx: ends without a size line"},
    {REAL "2 2\n", TSL_E_FORMAT, "a.mtx:2: not a size line: the numbers of rows, columns and"},
    {REAL "2 2 1 1\n", TSL_E_FORMAT, "a.mtx:2: not a size line"},
    {REAL "-2 2 1\n", TSL_E_FORMAT, "a.mtx:2: not a size line"},
    {REAL "2 2 99999999999999999999\n", TSL_E_FORMAT, "a.mtx:2: says 10^17 entries or more"},
    {REAL "99999999999999999999 2 1\n", TSL_E_UNSUPPORTED, "a.mtx:2: more than 2147483647 rows"},
    {REAL "2 2 1\n99999999999999999999 1 1\n", TSL_E_FORMAT,
     "a.mtx:3: entry (10^17 or more, 1) lies outside the 2 x 2 matrix"},
    {REAL "2 2 1\n1 1 1e999\n", TSL_E_FORMAT,
     "a.mtx:3: '1e999' is too large for double precision, which ends at 1.8e308"},
    {"\xff\xfe%\0%\0", TSL_E_UNSUPPORTED, "a.mtx:1: text in UTF-16"},
    {BANNER "coordinate real general\n%%AMGX 2 2 sorted\n2 2 1\n1 1 1\n", TSL_E_UNSUPPORTED,
     "a.mtx:2: the %%AMGX line says '2': only matrices alone are read"},
    {BANNER "coordinate real general\n%%AMGX rhs\n2 2 1\n1 1 1\n", TSL_E_UNSUPPORTED,
     "a.mtx:2: the %%AMGX line says 'rhs'"},
    {BANNER "coordinate real general\n%%NVAMG 1 1 rhs\n2 2 1\n1 1 1\n", TSL_E_UNSUPPORTED,
     "a.mtx:2: the %%NVAMG line says 'rhs'"},
    {BANNER "coordinate real general\n%%AMGX base0\n2 2 1\n2 0 1\n", TSL_E_FORMAT,
     "a.mtx:4: entry (2, 0) lies outside the 2 x 2 matrix: rows and columns count from 0"},
    {REAL "2147483648 1 0\n", TSL_E_UNSUPPORTED, "a.mtx:2: more than 2147483647 rows"},
    {REAL "2 2 1000\n1 1 1\n", TSL_E_FORMAT, "a.mtx:2: says 1000 entries, more than"},
    {BANNER "array real general\n2147483647 2147483647\n1\n", TSL_E_FORMAT,
     "a.mtx:2: says 4611686014132420609 entries, more than"},
    {BANNER "coordinate real symmetric\n2 3 1\n1 1 1\n", TSL_E_FORMAT,
     "a.mtx:2: a matrix of 2 x 3 has no symmetry: say general"},
    {REAL "2 2 2\n1 1 1\n", TSL_E_FORMAT, "a.mtx:2: says 2 entries, but 1 follow"},
    {REAL "2 2 1\n1 1 1\n2 2 1\n", TSL_E_FORMAT, "a.mtx:2: says 1 entries, but 2 follow"},
    {REAL "2 2 1\n1 1\n", TSL_E_FORMAT,
     "a.mtx:3: not an entry: give the row, the column and a number"},
    {REAL "2 2 2\n1 1 1\n\n1 2 3 4\n", TSL_E_FORMAT, "a.mtx:5: not an entry"},
    {REAL "2 2 1\n1.0 1 1\n", TSL_E_FORMAT, "a.mtx:3: not an entry"},
    {REAL "2 2 1\n1 x 1\n", TSL_E_FORMAT, "a.mtx:3: not an entry"},
    {REAL "2 2 1\n0 1 1\n", TSL_E_FORMAT,
     "a.mtx:3: entry (0, 1) lies outside the 2 x 2 matrix: rows and columns count from 1"},
    {REAL "2 2 1\n1 3 1\n", TSL_E_FORMAT, "a.mtx:3: entry (1, 3) lies outside"},
    {REAL "2 2 2\n1 1 1\n2 2 nan\n", TSL_E_FORMAT, "a.mtx:4: 'nan' is no finite number"},
    {REAL "2 2 2\n1 1 1\n2 2 1d2d2\n", TSL_E_FORMAT, "a.mtx:4: '1d2d2' is no finite number"},
    {REAL "2 2 2\n1 1 1\n2 2 -inf\n", TSL_E_FORMAT, "a.mtx:4: '-inf' is no finite number"},
    {REAL "2 2 2\n1 1 1e999\n2 2 nan\n", TSL_E_FORMAT, "a.mtx:3: '1e999' is too large"},
    {BANNER "coordinate pattern general\n2 2 1\n1 1 1\n", TSL_E_FORMAT,
     "a.mtx:3: not an entry: give the row and the column"},
    {BANNER "coordinate complex general\n2 2 1\n1 1 1\n", TSL_E_FORMAT,
     "a.mtx:3: not an entry: give the row, the column, the real and the imaginary part"},
    {BANNER "coordinate complex general\n2 2 2\n1 1 1 0\n2 1 1 -2\n", TSL_E_UNSUPPORTED,
     "a.mtx:4: entry (2, 1) has an imaginary part: only real systems"},
    {BANNER "coordinate real skew-symmetric\n2 2 2\n2 1 1\n2 2 0\n", TSL_E_FORMAT,
     "a.mtx:4: entry (2, 2) on the diagonal of a skew-symmetric"},
    {BANNER "coordinate real symmetric\n3 3 3\n2 1 1\n2 2 1\n1 3 1\n", TSL_E_FORMAT,
     "a.mtx:5: an entry on the other side of the diagonal"},
    {BANNER "array real general\n2 1\n1 2\n", TSL_E_FORMAT, "a.mtx:2: says 2 entries, but 1"},
    {BANNER "array real general\n2 1\n1 2\n3\n", TSL_E_FORMAT,
     "a.mtx:3: not an entry: give one number"},
    {"%%MatrixMarket vector coordinate real general\n2 1\n1\n", TSL_E_FORMAT,
     "a.mtx:3: not an entry: give the row and a number"},
    {"%%MatrixMarket vector coordinate real general\n2 1 1\n1 1\n", TSL_E_FORMAT,
     "a.mtx:2: not a size line: the numbers of rows and entries"},
    {"PK\3\4 and no archive", TSL_E_FORMAT, "a.mtx: damaged zip archive"},
};

static void faults_are_named_with_their_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof text_faults / sizeof *text_faults; i++) {
        tsl_context context = {0};
        tsl_matrix_file file;
        const int64_t live = tsl_test_live_allocations();
        if (parse(&file, &context, text_faults[i].text) != text_faults[i].status) {
            fail_msg("%s: %s", text_faults[i].text, context.error);
        }
        assert_error_names(&context, text_faults[i].words);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
}

/* ---- long files ----------------------------------------------------------------------------- */

enum { LONG_ROWS = 900, LONG_ENTRIES = 150000 };

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Entries in random order, many of them at one place, with numbers of any length: several blocks.
 * Returns the text; `dense` gets the sums. */
static char *make_long(double *dense)
{
    uint64_t seed = 7;
    char *text = malloc((size_t)64 * LONG_ENTRIES);
    assert_non_null(text);
    char *at = text + sprintf(text, "%s%d %d %d\n", BANNER "coordinate real general\n", LONG_ROWS,
                              LONG_ROWS, LONG_ENTRIES);
    for (int k = 0; k < LONG_ENTRIES; k++) {
        const unsigned row = draw(&seed) % LONG_ROWS;
        const unsigned column = draw(&seed) % (k % 2 == 0 ? 64 : LONG_ROWS);
        const double value =
            ldexp((double)draw(&seed), -(int)(draw(&seed) % 8)); /* sums are exact */
        dense[row * LONG_ROWS + column] += value;
        at += sprintf(at, "%u %u %.17g%s", row + 1, column + 1, value,
                      k % 5 == 0   ? "   \r\n"
                      : k % 7 == 0 ? "\n\n% said by the way\n"
                                   : "\n");
    }
    return text;
}

static void threads_and_blocks_do_not_matter(void **state)
{
    (void)state;
    double *dense = calloc((size_t)LONG_ROWS * LONG_ROWS, sizeof *dense);
    char *text = make_long(dense);
    const char *path = scratch_path("long.mtx");
    assert_true(strlen(text) > 3 << 20);
    scratch_write_text(path, text);
    for (int threads = 1; threads <= 7; threads += 2) {
        tsl_context context = {.threads = threads};
        tsl_matrix_file file;
        const tsl_status status = threads % 3 == 0 ? parse(&file, &context, text)
                                                   : tsl_matrix_read(&file, &context, path);
        assert_int_equal(status, TSL_OK);
        assert_dense(&file.matrix, LONG_ROWS, LONG_ROWS, dense);
        assert_int_equal(file.entries - file.duplicates, tsl_csr_nonzeros(&file.matrix));
        assert_true(file.duplicates > 0);
        tsl_matrix_file_release(&file);
    }
    free(text);
    free(dense);
}

/* The first fault of the file is told, whichever thread finds one first. */
static void the_first_fault_is_told(void **state)
{
    (void)state;
    double *dense = calloc((size_t)LONG_ROWS * LONG_ROWS, sizeof *dense);
    char *text = make_long(dense);
    int lines = 1;
    char *fault = NULL;
    for (char *p = strchr(text, '\n'); p != NULL; p = strchr(p + 1, '\n')) {
        lines++;
        if (lines % 30000 == 0 && p[1] != '%' && p[1] != '\n') {
            fault = fault != NULL ? fault : p + 1;
            p[1] = 'x';
        }
    }
    assert_non_null(fault);
    int line = 1;
    for (const char *p = text; p < fault; p++) {
        line += *p == '\n';
    }
    char wanted[64];
    snprintf(wanted, sizeof wanted, "a.mtx:%d: not an entry", line);
    for (int threads = 1; threads <= 4; threads++) {
        tsl_context context = {.threads = threads};
        tsl_matrix_file file;
        assert_int_equal(parse(&file, &context, text), TSL_E_FORMAT);
        assert_error_names(&context, wanted);
    }
    free(text);
    free(dense);
}

static void long_lines_are_refused(void **state)
{
    (void)state;
    const size_t size = (size_t)3 << 20;
    char *text = malloc(size + 1);
    memset(text, ' ', size);
    text[size] = '\0';
    memcpy(text, REAL "1 1 1\n1 1", strlen(REAL "1 1 1\n1 1"));
    text[size - 1] = '5';
    tsl_context context = {0};
    tsl_matrix_file file;
    assert_int_equal(parse(&file, &context, text), TSL_E_FORMAT);
    assert_error_names(&context, "a.mtx:3: longer than 65536 characters");
    free(text);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void gzipped_files_are_read(void **state)
{
    (void)state;
#ifdef TSL_HAVE_ZLIB
    tsl_context context = {0};
    tsl_matrix_file file;
    const char *path = scratch_path("a.mtx.gz");
    gzFile packed = gzopen(path, "wb");
    assert_true(gzputs(packed, goods[0].text) > 0);
    assert_int_equal(gzclose(packed), Z_OK);
    assert_int_equal(tsl_matrix_read(&file, &context, path), TSL_OK);
    assert_dense(&file.matrix, 3, 3, goods[0].dense);
    tsl_matrix_file_release(&file);
#else
    skip();
#endif
}

static void missing_files_are_named(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_matrix_file file;
    double x[3];
    assert_int_equal(tsl_matrix_read(&file, &context, "/none/a.mtx"), TSL_E_IO);
    assert_error_names(&context, "/none/a.mtx: cannot open: No such file");
    assert_int_equal(tsl_vector_read(x, 3, &context, "/none/a.npy"), TSL_E_IO);
    assert_error_names(&context, "/none/a.npy: cannot open: No such file");
    assert_int_equal(tsl_matrix_read(&file, &context, "/"), TSL_E_IO);
    assert_error_names(&context, "/: is a folder: give a file");
    const char *path = scratch_path("link.mtx");
    assert_int_equal(symlink("nowhere.mtx", path), 0);
    assert_int_equal(tsl_matrix_read(&file, &context, path), TSL_E_IO);
    assert_error_names(&context, "link.mtx: is a link to 'nowhere.mtx', which is not there");
    assert_int_equal(tsl_matrix_read(&file, &context, "/dev/zero"), TSL_E_FORMAT);
    assert_error_names(&context, "/dev/zero:1: neither a Matrix Market file");
}

static void a_file_that_changes_is_not_taken(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_source source;
    const char *path = scratch_path("a.mtx");
    scratch_write_text(path, goods[0].text);
    assert_int_equal(tsl_source_open(&source, &context, path, NULL), TSL_OK);
    assert_int_equal(tsl_source_check(&source, &context), TSL_OK);
    FILE *stream = fopen(path, "ab");
    fputs("% more\n", stream);
    fclose(stream);
    tsl_matrix_file file;
    assert_int_equal(tsl_matrix_parse(&file, &context, &source), TSL_E_IO);
    assert_error_names(&context, "a.mtx: was written to while it was read");
    tsl_source_close(&source);
}

static void vectors_come_back(void **state)
{
    (void)state;
    static const double x[] = {1.0 / 3, -2e-310, 0, 123456789.123456789, 1e300};
    static const char *const names[] = {"x.mtx", "x.npy"};
    for (size_t i = 0; i < 2; i++) {
        tsl_context context = {0};
        double back[5];
        const char *path = scratch_path(names[i]);
        assert_int_equal(tsl_vector_write(&context, path, x, 5), TSL_OK);
        memset(back, 0xff, sizeof back);
        assert_int_equal(tsl_vector_read(back, 5, &context, path), TSL_OK);
        assert_memory_equal(back, x, sizeof x);
        assert_int_equal(tsl_vector_read(back, 4, &context, path), TSL_E_FORMAT);
        assert_error_names(&context, "has 5 rows where the matrix has 4");
    }
    tsl_context context = {0};
    double back[3];
    const char *path = scratch_path("b.mtx");
    scratch_write_text(path, REAL "3 1 2\n3 1 2.5\n1 1 -1\n");
    assert_int_equal(tsl_vector_read(back, 3, &context, path), TSL_OK);
    assert_true(back[0] == -1 && back[1] == 0 && back[2] == 2.5);
    scratch_write_text(path, goods[0].text);
    assert_int_equal(tsl_vector_read(back, 3, &context, path), TSL_E_FORMAT);
    assert_error_names(&context, "b.mtx: has 3 columns: give one vector");
    static const double bad[] = {1, NAN};
    path = scratch_path("b.npy");
    assert_int_equal(tsl_vector_write(&context, path, bad, 2), TSL_OK);
    assert_int_equal(tsl_vector_read(back, 2, &context, path), TSL_E_FORMAT);
    assert_error_names(&context, "b.npy: numbers[1] is no finite number");
    const tsl_npy foreign = {.type = ">f4", .item = 4, .axes = 1, .shape = {2}, .count = 2};
    static const unsigned char reversed[] = {0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0}; /* 1, -2.5 */
    assert_int_equal(tsl_npy_write(&context, path, &foreign, reversed), TSL_OK);
    assert_int_equal(tsl_vector_read(back, 2, &context, path), TSL_OK);
    assert_true(back[0] == 1 && back[1] == -2.5);
}

/* ---- memory --------------------------------------------------------------------------------- */

static tsl_status read_text(tsl_context *context, void *user)
{
    tsl_matrix_file file;
    const tsl_status status = tsl_matrix_read(&file, context, user);
    if (status == TSL_OK) {
        tsl_matrix_file_release(&file);
    }
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("a.mtx"));
    scratch_write_text(path, goods[0].text);
    assert_survives_no_memory(read_text, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_fields_and_symmetries_are_read),
                                       cmocka_unit_test(zeros_stay),
                                       cmocka_unit_test(faults_are_named_with_their_line),
                                       cmocka_unit_test(threads_and_blocks_do_not_matter),
                                       cmocka_unit_test(the_first_fault_is_told),
                                       cmocka_unit_test(long_lines_are_refused),
                                       cmocka_unit_test(gzipped_files_are_read),
                                       cmocka_unit_test(missing_files_are_named),
                                       cmocka_unit_test(a_file_that_changes_is_not_taken),
                                       cmocka_unit_test(vectors_come_back),
                                       cmocka_unit_test(every_failing_allocation_is_survived)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
