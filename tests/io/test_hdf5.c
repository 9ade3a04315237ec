/* HDF5 files: what is written, as the HDF5 library itself reads it; what is read, of files that it
 * wrote; and each way to be wrong. */
#include "core/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "io/grid/hdf5.h"
#include "scratch.h"

static const tsl_hdf5_array cube = {.precision = 8, .axes = 3, .shape = {2, 3, 4}};
static double numbers[24];

static void fill(void)
{
    for (int i = 0; i < 24; i++) {
        numbers[i] = 1.0 / (i + 1);
    }
}

#ifdef TSL_HAVE_HDF5

#include <hdf5.h>

#include "io/hdf5_look.h"

static void what_is_written_is_hdf5(void **state)
{
    (void)state;
    tsl_context context = {0};
    const double lengths[3] = {1, 2.5, 1e-3};
    const tsl_hdf5_attribute attributes[] = {{.name = "description", .text = "a \xcf\x86"},
                                             {.name = "lengths", .numbers = lengths, .count = 3}};
    const char *path = scratch_path("out.h5");
    fill();
    assert_int_equal(tsl_hdf5_write(&context, path, "potential", &cube, numbers, attributes, 2),
                     TSL_OK);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "/potential", H5P_DEFAULT);
    assert_true(file >= 0 && dataset >= 0);
    hsize_t shape[3];
    const hid_t space = H5Dget_space(dataset);
    assert_int_equal(H5Sget_simple_extent_ndims(space), 3);
    H5Sget_simple_extent_dims(space, shape, NULL);
    assert_true(shape[0] == 2 && shape[1] == 3 && shape[2] == 4);
    double found[24];
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    assert_memory_equal(found, numbers, sizeof numbers);
    const hid_t attribute = H5Aopen(dataset, "lengths", H5P_DEFAULT);
    double read[3];
    assert_true(H5Aread(attribute, H5T_NATIVE_DOUBLE, read) >= 0);
    assert_memory_equal(read, lengths, sizeof lengths);
    const hid_t text = H5Aopen(dataset, "description", H5P_DEFAULT);
    const hid_t type = H5Aget_type(text);
    char words[16] = "";
    assert_int_equal(H5Tget_size(type), 5);
    assert_true(H5Aread(text, type, words) >= 0);
    assert_string_equal(words, "a \xcf\x86");
    H5Tclose(type);
    H5Aclose(text);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    scratch_empty();
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_hdf5_array found;
    const tsl_hdf5_array narrow = {.precision = 4, .axes = 4, .shape = {3, 1, 2, 4}};
    float values[24], back[24];
    fill();
    for (int i = 0; i < 24; i++) {
        values[i] = (float)numbers[i];
    }
    assert_int_equal(
        tsl_hdf5_write(&context, scratch_path("a.h5"), "field", &narrow, values, NULL, 0), TSL_OK);
    assert_int_equal(look(&found, &context, scratch_path("a.h5"), "field", NULL, NULL), TSL_OK);
    assert_memory_equal(&found, &narrow, sizeof narrow);
    assert_int_equal(look(&found, &context, scratch_path("a.h5"), "field", NULL, back), TSL_OK);
    assert_memory_equal(back, values, sizeof values);
    /* the same bytes each time */
    assert_int_equal(
        tsl_hdf5_write(&context, scratch_path("b.h5"), "field", &narrow, values, NULL, 0), TSL_OK);
    size_t bytes[2];
    char *a = scratch_read(scratch_path("a.h5"), &bytes[0]);
    char *b = scratch_read(scratch_path("b.h5"), &bytes[1]);
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(a, b, bytes[0]);
    free(a);
    free(b);
    scratch_empty();
}

/* Numbers as others store them: the other byte order, in pieces, in a group. */
static void others_files_are_read(void **state)
{
    (void)state;
    tsl_context context = {0};
    const hsize_t shape[3] = {2, 3, 4};
    const hsize_t piece[3] = {1, 2, 4};
    const char *path = scratch_path("other.h5");
    fill();
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "run 1", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(3, shape, NULL);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 3, piece);
    const hid_t dataset =
        H5Dcreate2(group, "rho", H5T_IEEE_F64BE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    const hid_t whole =
        H5Dcreate2(file, "count", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(whole);
    H5Dclose(dataset);
    H5Pclose(how);
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);

    tsl_hdf5_array found;
    double back[24];
    assert_int_equal(look(&found, &context, path, "/run 1/rho", NULL, NULL), TSL_OK);
    assert_memory_equal(&found, &cube, sizeof cube);
    assert_int_equal(look(&found, &context, path, "run 1/rho", NULL, back), TSL_OK);
    assert_memory_equal(back, numbers, sizeof numbers);
    assert_int_equal(look(&found, &context, path, "count", NULL, NULL), TSL_E_FORMAT);
    assert_error_names(&context, "other.h5: 'count' was made, but none of its elements was");
    assert_int_equal(look(&found, &context, path, "run 1", NULL, NULL), TSL_E_FORMAT);
    assert_error_names(&context, "has no dataset but a group 'run 1', in which are: rho");
    assert_int_equal(look(&found, &context, path, "rho", NULL, NULL), TSL_E_FORMAT);
    assert_error_names(&context, "has no dataset 'rho'; at its root are: count, run 1");
    scratch_empty();
}

static void faults_are_named(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_hdf5_array found;
    const tsl_hdf5_array scalar = {.precision = 8, .axes = 0};
    assert_int_equal(look(&found, &context, scratch_path("none.h5"), "rho", NULL, NULL), TSL_E_IO);
    assert_error_names(&context, "none.h5: cannot open: No such file");
    scratch_write_text(scratch_path("text.h5"), "no array");
    assert_int_equal(look(&found, &context, scratch_path("text.h5"), "rho", NULL, NULL),
                     TSL_E_FORMAT);
    assert_error_names(&context, "text.h5: is no HDF5 file");
    assert_int_equal(tsl_hdf5_write(&context, "/dev/full", "rho", &scalar, numbers, NULL, 0),
                     TSL_E_IO);
    assert_error_names(&context, "/dev/full: HDF5 is written to files only");
    assert_int_equal(
        tsl_hdf5_write(&context, scratch_path("no/a.h5"), "rho", &scalar, numbers, NULL, 0),
        TSL_E_IO);
    assert_error_names(&context, "make the folder first");
    /* a name that the library refuses: nothing is left behind */
    assert_int_equal(
        tsl_hdf5_write(&context, scratch_path("a.h5"), "no/rho", &scalar, numbers, NULL, 0),
        TSL_E_IO);
    assert_error_names(&context, "a.h5: cannot write: ");
    assert_int_equal(access(scratch_path("a.h5"), F_OK), -1);
    /* a file cut short */
    assert_int_equal(
        tsl_hdf5_write(&context, scratch_path("cut.h5"), "rho", &cube, numbers, NULL, 0), TSL_OK);
    assert_int_equal(truncate(scratch_path("cut.h5"), 900), 0);
    assert_int_equal(look(&found, &context, scratch_path("cut.h5"), "rho", NULL, NULL),
                     TSL_E_FORMAT);
    assert_error_names(&context, "cut.h5: is cut short");
    scratch_empty();
}

#else

static void all_is_refused(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_input *input;
    tsl_hdf5 *file;
    fill();
    assert_null(tsl_hdf5_library());
    scratch_write_text(scratch_path("a.h5"), "\x89HDF\r\n\x1a\n");
    assert_int_equal(tsl_input_open(&input, &context, scratch_path("a.h5")), TSL_OK);
    assert_int_equal(tsl_hdf5_open(&file, input), TSL_E_UNSUPPORTED);
    assert_error_names(&context, "a.h5: this build reads and writes no HDF5");
    tsl_input_close(input);
    scratch_empty();
    assert_int_equal(tsl_hdf5_write(&context, scratch_path("a.h5"), "rho", &cube, numbers, NULL, 0),
                     TSL_E_UNSUPPORTED);
    assert_int_equal(access(scratch_path("a.h5"), F_OK), -1);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TSL_HAVE_HDF5
        cmocka_unit_test(what_is_written_is_hdf5),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(others_files_are_read),
        cmocka_unit_test(faults_are_named),
#else
        cmocka_unit_test(all_is_refused),
#endif
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
