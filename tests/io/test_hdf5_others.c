/* HDF5 files as others write them: numbers of every type, datasets whose elements are elsewhere or
 * nowhere, and reasons why one cannot be read. */
#include "core/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef TSL_HAVE_HDF5

#include <fcntl.h>
#include <hdf5.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/context.h"
#include "io/grid/hdf5.h"
#include "io/hdf5_look.h"
#include "scratch.h"

static double numbers[24];

static void fill(void)
{
    for (int i = 0; i < 24; i++) {
        numbers[i] = 1.0 / (i + 1);
    }
}

static const hsize_t cube_shape[3] = {2, 3, 4};

static hid_t make_file(const char *name)
{
    return H5Fcreate(scratch_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

/* Make a dataset of the cube's shape; the numbers are written unless `data` is NULL. */
static void add(hid_t file, const char *name, hid_t type, hid_t how, const void *data)
{
    const hid_t space = H5Screate_simple(3, cube_shape, NULL);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(dataset >= 0);
    if (data != NULL) {
        assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    }
    H5Dclose(dataset);
    H5Sclose(space);
}

/* IEEE 754's binary16, which the library has no name for. */
static hid_t half_type(hid_t of)
{
    const hid_t type = H5Tcopy(of);
    H5Tset_fields(type, 15, 10, 5, 0, 10);
    H5Tset_size(type, 2);
    H5Tset_ebias(type, 15);
    return type;
}

static void numbers_of_every_type_are_read(void **state)
{
    (void)state;
    tsl_context context = {0};
    const hid_t half = half_type(H5T_IEEE_F32LE), foreign = half_type(H5T_IEEE_F32BE);
    const struct {
        hid_t type;
        int precision;
        bool wide_integers, wide_numbers, half;
    } rows[] = {{half, 4, false, false, true},
                {foreign, 4, false, false, true},
                {H5T_IEEE_F32BE, 4, false, false, false},
                {H5T_IEEE_F64BE, 8, false, false, false},
                {H5T_NATIVE_LDOUBLE, 8, false, true, false},
                {H5T_STD_I8BE, 8, false, false, false},
                {H5T_STD_I16BE, 8, false, false, false},
                {H5T_STD_U32LE, 8, false, false, false},
                {H5T_STD_I64BE, 8, true, false, false}};
    double whole[24], back[24];
    float single[24];
    for (int i = 0; i < 24; i++) {
        whole[i] = i;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const hid_t file = make_file("type.h5");
        add(file, "rho", rows[i].type, H5P_DEFAULT, whole);
        H5Fclose(file);
        tsl_hdf5_array found;
        tsl_hdf5_remarks told = {.unmapped = 0};
        const bool narrow = rows[i].precision == 4;
        assert_int_equal(look(&found, &context, scratch_path("type.h5"), "rho", &told,
                              narrow ? (void *)single : back),
                         TSL_OK);
        assert_int_equal(found.precision, rows[i].precision);
        assert_true(told.wide_integers == rows[i].wide_integers &&
                    told.wide_numbers == rows[i].wide_numbers && told.half == rows[i].half);
        for (int k = 0; k < 24; k++) {
            assert_true((narrow ? (double)single[k] : back[k]) == whole[k]);
        }
    }
    H5Tclose(half);
    H5Tclose(foreign);
    scratch_empty();
}

/* Truth values as h5py writes them, and elements that are no numbers. */
static void truth_values_are_read(void **state)
{
    (void)state;
    tsl_context context = {0};
    double back[24];
    const hid_t truth = H5Tenum_create(H5T_NATIVE_INT8), complex = H5Tcreate(H5T_COMPOUND, 16);
    const int8_t no = 0, yes = 1;
    H5Tenum_insert(truth, "FALSE", &no);
    H5Tenum_insert(truth, "TRUE", &yes);
    H5Tinsert(complex, "r", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(complex, "i", 8, H5T_NATIVE_DOUBLE);
    const hid_t file = make_file("type.h5");
    const hid_t space = H5Screate_simple(3, cube_shape, NULL);
    const hid_t dataset =
        H5Dcreate2(file, "mask", truth, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const int8_t mask[24] = {1, 0, 1, 1};
    H5Dwrite(dataset, truth, H5S_ALL, H5S_ALL, H5P_DEFAULT, mask);
    H5Dclose(dataset);
    H5Sclose(space);
    add(file, "psi", complex, H5P_DEFAULT, NULL);
    add(file, "text", H5T_C_S1, H5P_DEFAULT, NULL);
    H5Fclose(file);
    tsl_hdf5_array found;
    assert_int_equal(look(&found, &context, scratch_path("type.h5"), "mask", NULL, back), TSL_OK);
    for (int k = 0; k < 24; k++) {
        assert_true(back[k] == mask[k]);
    }
    assert_int_equal(look(&found, &context, scratch_path("type.h5"), "psi", NULL, NULL),
                     TSL_E_FORMAT);
    assert_error_names(&context, "type.h5: 'psi' holds compounds");
    assert_int_equal(look(&found, &context, scratch_path("type.h5"), "text", NULL, NULL),
                     TSL_E_FORMAT);
    assert_error_names(&context, "type.h5: 'text' holds texts, not numbers");
    H5Tclose(truth);
    H5Tclose(complex);
    scratch_empty();
}

/* A virtual dataset of one part, of rows that `rows` says of the six of another file's. */
static void make_virtual(const char *name, const char *source, hsize_t rows)
{
    const hsize_t shape[3] = {rows, 3, 4};
    const hid_t file = make_file(name);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(3, cube_shape, NULL);
    const hid_t part = H5Screate_simple(3, shape, NULL);
    const hsize_t first[3] = {0};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, shape, NULL);
    assert_true(H5Pset_virtual(how, space, source, "rho", part) >= 0);
    H5Sclose(space);
    add(file, "rho", H5T_IEEE_F64LE, how, NULL);
    H5Sclose(part);
    H5Pclose(how);
    H5Fclose(file);
}

/* The library would fill in for all of these without a word. */
static void what_is_missing_is_named(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_hdf5_array found;
    tsl_hdf5_remarks told = {.unmapped = 0};
    double back[24];
    fill();
    hid_t file = make_file("source.h5");
    add(file, "rho", H5T_IEEE_F64LE, H5P_DEFAULT, numbers);
    H5Fclose(file);
    make_virtual("virtual.h5", "source.h5", 2);
    assert_int_equal(look(&found, &context, scratch_path("virtual.h5"), "rho", &told, back),
                     TSL_OK);
    assert_memory_equal(back, numbers, sizeof numbers);
    assert_int_equal(told.unmapped, 0);
    make_virtual("virtual.h5", "source.h5", 1);
    assert_int_equal(look(&found, &context, scratch_path("virtual.h5"), "rho", &told, NULL),
                     TSL_OK);
    assert_int_equal(told.unmapped, 12);
    make_virtual("nested.h5", "virtual.h5", 2);
    make_virtual("virtual.h5", "gone.h5", 2);
    assert_int_equal(look(&found, &context, scratch_path("virtual.h5"), "rho", NULL, NULL),
                     TSL_E_IO);
    assert_error_names(&context, "virtual.h5: 'rho' is a virtual dataset, and the file gone.h5");
    assert_int_equal(look(&found, &context, scratch_path("nested.h5"), "rho", NULL, NULL),
                     TSL_E_IO);
    assert_error_names(&context, "virtual.h5: 'rho' is a virtual dataset, and the file gone.h5");
    file = make_file("gone.h5");
    add(file, "phi", H5T_IEEE_F64LE, H5P_DEFAULT, numbers);
    H5Fclose(file);
    assert_int_equal(look(&found, &context, scratch_path("virtual.h5"), "rho", NULL, NULL),
                     TSL_E_IO);
    assert_error_names(&context, "gone.h5, from which it takes elements, is missing");
    scratch_empty();
}

/* A virtual dataset of numbered files, a row each, has as many rows as files are there when it is
 * read, whatever it was written with: no element beyond those may be touched. */
static void numbered_files_are_read_as_far_as_they_go(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_hdf5_array found;
    tsl_hdf5_remarks told = {.unmapped = 0};
    const hsize_t row[3] = {1, 3, 4}, one[3] = {1, 1, 1}, first[3] = {0};
    const hsize_t most[3] = {H5S_UNLIMITED, 3, 4}, count[3] = {H5S_UNLIMITED, 1, 1};
    const double guard = -77;
    double back[25];
    char name[16];
    fill();
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "row%d.h5", i);
        const hid_t part = make_file(name);
        const hid_t space = H5Screate_simple(3, row, NULL);
        const hid_t dataset = H5Dcreate2(part, "rho", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                         H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 &numbers[(ptrdiff_t)12 * i]);
        H5Dclose(dataset);
        H5Sclose(space);
        H5Fclose(part);
    }
    const hid_t file = make_file("rows.h5");
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(3, cube_shape, most);
    const hid_t source = H5Screate_simple(3, row, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first, one, count, row);
    assert_true(H5Pset_virtual(how, space, "row%b.h5", "rho", source) >= 0);
    H5Dclose(H5Dcreate2(file, "rho", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT));
    H5Sclose(source);
    H5Sclose(space);
    H5Pclose(how);
    H5Fclose(file);
    for (int rows = 2; rows >= 1; rows--) {
        for (int k = 0; k < 25; k++) {
            back[k] = guard;
        }
        assert_int_equal(look(&found, &context, scratch_path("rows.h5"), "rho", &told, back),
                         TSL_OK);
        assert_int_equal(found.shape[0], rows);
        assert_true(told.blocks);
        assert_memory_equal(back, numbers, (size_t)(12 * rows) * sizeof *numbers);
        for (int k = 12 * rows; k < 25; k++) {
            assert_true(back[k] == guard);
        }
        remove(scratch_path("row1.h5"));
    }
    scratch_empty();
}

/* A file of bare numbers that is not there, or too short. */
static void missing_bare_numbers_are_named(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_hdf5_array found;
    double back[24];
    fill();
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(how, scratch_path("bare"), 8, H5F_UNLIMITED);
    const hid_t file = make_file("external.h5");
    add(file, "rho", H5T_NATIVE_DOUBLE, how, NULL);
    H5Fclose(file);
    assert_int_equal(look(&found, &context, scratch_path("external.h5"), "rho", NULL, NULL),
                     TSL_E_IO);
    assert_error_names(&context, "bare, which cannot be opened: No such file");
    scratch_write(scratch_path("bare"), numbers, sizeof numbers);
    assert_int_equal(look(&found, &context, scratch_path("external.h5"), "rho", NULL, NULL),
                     TSL_E_FORMAT);
    assert_error_names(&context, "bare, which has 192 bytes of 200");
    double longer[25] = {0};
    memcpy(longer + 1, numbers, sizeof numbers);
    scratch_write(scratch_path("bare"), longer, sizeof longer);
    assert_int_equal(look(&found, &context, scratch_path("external.h5"), "rho", NULL, back),
                     TSL_OK);
    assert_memory_equal(back, numbers, sizeof numbers);
    H5Pclose(how);
    scratch_empty();
}

/* Pieces that were never written, and links that lead nowhere. */
static void unwritten_pieces_are_counted(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_hdf5_array found;
    tsl_hdf5_remarks told = {.unmapped = 0};
    double back[24];
    fill();
    const hsize_t piece[3] = {1, 3, 4};
    const hid_t pieces = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(pieces, 3, piece);
    const hid_t file = make_file("pieces.h5");
    add(file, "none", H5T_IEEE_F64LE, pieces, NULL);
    H5Pset_deflate(pieces, 1);
    add(file, "all", H5T_IEEE_F64LE, pieces, numbers);
    const double seven = 7;
    H5Pset_fill_value(pieces, H5T_NATIVE_DOUBLE, &seven);
    add(file, "half", H5T_IEEE_F64LE, pieces, NULL);
    const hid_t half = H5Dopen2(file, "half", H5P_DEFAULT);
    const hid_t part = H5Screate_simple(3, piece, NULL), space = H5Dget_space(half);
    const hsize_t first[3] = {0};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, piece, NULL);
    assert_true(H5Dwrite(half, H5T_NATIVE_DOUBLE, part, space, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(half);
    H5Sclose(part);
    H5Sclose(space);
    H5Lcreate_soft("/nowhere", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("lost.h5", "/rho", file, "hard", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    const char *path = scratch_path("pieces.h5");
    assert_int_equal(look(&found, &context, path, "none", NULL, NULL), TSL_E_FORMAT);
    assert_error_names(&context, "'none' was made, but none of its elements was ever written");
    assert_int_equal(look(&found, &context, path, "all", &told, back), TSL_OK);
    assert_int_equal(told.unwritten, 0);
    assert_int_equal(look(&found, &context, path, "half", &told, back), TSL_OK);
    assert_true(told.unwritten == 1 && told.chunks == 2 && told.fill == 7);
    assert_true(back[11] == numbers[11] && back[12] == 7);
    assert_int_equal(look(&found, &context, path, "soft", NULL, NULL), TSL_E_IO);
    assert_error_names(&context, "'soft' is a link to /nowhere, which is missing");
    assert_int_equal(look(&found, &context, path, "hard", NULL, NULL), TSL_E_IO);
    assert_error_names(&context, "'hard' is a link to /rho of the file lost.h5, which is missing");
    H5Pclose(pieces);
    scratch_empty();
}

/* A filter that passes all data on. */
static size_t pass(unsigned flags, size_t count, const unsigned values[], size_t bytes,
                   size_t *room, void **data)
{
    (void)flags;
    (void)count;
    (void)values;
    (void)room;
    (void)data;
    return bytes;
}

static void other_reasons_are_told(void **state)
{
    (void)state;
    enum { FILTER = 300 };
    tsl_context context = {0};
    tsl_hdf5_array found;
    double back[24];
    const H5Z_class2_t filter = {.version = H5Z_CLASS_T_VERS,
                                 .id = FILTER,
                                 .encoder_present = 1,
                                 .decoder_present = 1,
                                 .name = "tesela's test",
                                 .filter = pass};
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    fill();
    H5Zregister(&filter);
    H5Pset_chunk(how, 3, cube_shape);
    H5Pset_filter(how, FILTER, H5Z_FLAG_MANDATORY, 0, NULL);
    hid_t file = make_file("filter.h5");
    add(file, "rho", H5T_IEEE_F64LE, how, numbers);
    H5Fclose(file);
    H5Zunregister(FILTER);
    H5Pclose(how);
    assert_int_equal(look(&found, &context, scratch_path("filter.h5"), "rho", NULL, back),
                     TSL_E_UNSUPPORTED);
    assert_error_names(&context, "filter.h5: is packed by a filter that this HDF5 library lacks");

    /* while another process writes */
    file = make_file("locked.h5");
    add(file, "rho", H5T_IEEE_F64LE, H5P_DEFAULT, numbers);
    H5Fclose(file);
    const int descriptor = open(scratch_path("locked.h5"), O_RDWR);
    assert_int_equal(flock(descriptor, LOCK_EX), 0);
    assert_int_equal(look(&found, &context, scratch_path("locked.h5"), "rho", NULL, NULL),
                     TSL_E_IO);
    assert_error_names(&context, "locked.h5: is locked by a program that has it open for writing");
    close(descriptor);
    assert_int_equal(look(&found, &context, scratch_path("locked.h5"), "rho", NULL, back), TSL_OK);
    scratch_empty();
}

/* Choose a dataset of a file. */
static tsl_status choose(char name[TSL_HDF5_NAME], int *datasets, tsl_context *context,
                         const char *path)
{
    tsl_input *input;
    tsl_hdf5 *file = NULL;
    assert_int_equal(tsl_input_open(&input, context, path), TSL_OK);
    tsl_status status = tsl_hdf5_open(&file, input);
    if (status == TSL_OK) {
        status = tsl_hdf5_choose(name, datasets, file);
    }
    tsl_hdf5_close(file);
    tsl_input_close(input);
    return status;
}

/* Write one byte of a file. */
static void spoil(const char *path, haddr_t at, unsigned char byte)
{
    const int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, &byte, 1, (off_t)at), 1);
    close(file);
}

static void an_only_dataset_that_cannot_be_opened_is_said(void **state)
{
    (void)state;
    tsl_context context = {0};
    char name[TSL_HDF5_NAME];
    int datasets = 0;
    tsl_hdf5_array found;
    const char *path = scratch_path("later.h5");
    fill();
    const hid_t file = make_file("later.h5");
    add(file, "rho", H5T_IEEE_F64LE, H5P_DEFAULT, numbers);
    const hid_t dataset = H5Dopen2(file, "rho", H5P_DEFAULT);
    const haddr_t data = H5Dget_offset(dataset);
    H5Dclose(dataset);
    H5Fclose(file);
    /* the object's header, of version 1, is between its group's parts and its numbers */
    unsigned char bytes[8192];
    const int raw = open(path, O_RDONLY);
    assert_true(raw >= 0 && data <= sizeof bytes);
    assert_int_equal(pread(raw, bytes, (size_t)data, 0), (int)data);
    close(raw);
    static const unsigned char header[] = {1, 0, 6, 0, 1, 0, 0, 0}; /* six messages, one link */
    haddr_t at = 0;
    while (at + sizeof header <= data && memcmp(bytes + at, header, sizeof header) != 0) {
        at++;
    }
    assert_true(at + sizeof header <= data);
    spoil(path, at, 77);
    assert_int_equal(choose(name, &datasets, &context, path), TSL_OK);
    assert_string_equal(name, "rho");
    assert_int_equal(datasets, 0);
    assert_int_equal(look(&found, &context, path, name, NULL, NULL), TSL_E_UNSUPPORTED);
    assert_error_names(&context,
                       "later.h5: has an object of a form that this build's HDF5 library");
}

static void the_only_dataset_is_found(void **state)
{
    (void)state;
    tsl_context context = {0};
    char name[TSL_HDF5_NAME];
    int datasets = 0;
    fill();
    hid_t file = make_file("one.h5");
    const char *path = scratch_path("one.h5");
    H5Fclose(file);
    assert_int_equal(choose(name, &datasets, &context, path), TSL_E_FORMAT);
    assert_error_names(&context, "one.h5: has no dataset");
    file = make_file("one.h5");
    H5Gclose(H5Gcreate2(file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    add(file, "run/rho", H5T_IEEE_F64LE, H5P_DEFAULT, numbers);
    H5Fclose(file);
    assert_int_equal(choose(name, &datasets, &context, path), TSL_OK);
    assert_string_equal(name, "run/rho");
    assert_int_equal(datasets, 1);
    /* by other names it is the same; one of one axis is none of three */
    const hsize_t length = 5;
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Lcreate_soft("/run/rho", file, "a", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(file, "run/rho", file, "b", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t line = H5Screate_simple(1, &length, NULL);
    H5Dclose(H5Dcreate2(file, "x", H5T_IEEE_F64LE, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(line);
    H5Fclose(file);
    assert_int_equal(choose(name, &datasets, &context, path), TSL_OK);
    assert_string_equal(name, "a");
    assert_int_equal(datasets, 2);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    add(file, "phi", H5T_IEEE_F64LE, H5P_DEFAULT, numbers);
    H5Fclose(file);
    assert_int_equal(choose(name, &datasets, &context, path), TSL_E_FORMAT);
    assert_error_names(&context, "one.h5: has 2 datasets of three axes: say with --dataset which, "
                                 "of a, phi");
    scratch_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_type_are_read),
        cmocka_unit_test(truth_values_are_read),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(numbered_files_are_read_as_far_as_they_go),
        cmocka_unit_test(missing_bare_numbers_are_named),
        cmocka_unit_test(unwritten_pieces_are_counted),
        cmocka_unit_test(other_reasons_are_told),
        cmocka_unit_test(an_only_dataset_that_cannot_be_opened_is_said),
        cmocka_unit_test(the_only_dataset_is_found)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}

#else

#include <stdio.h>

int main(void)
{
    puts("built without HDF5");
    return 77;
}

#endif
