/* Files that `tesela poisson` reads: NumPy's, cubes and HDF5. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/poisson/command.h"
#include "io/file/format.h"

/* ---- opening ------------------------------------------------------------------------------ */

/* Take a shape of three axes, none of them empty. */
static tsl_status set_shape(poisson_field *field, tsl_context *context, int axes,
                            const int64_t *shape)
{
    if (axes != 3 || shape[0] < 1 || shape[1] < 1 || shape[2] < 1) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s: has %d ax%cs%s: a field has three axes, x, y and z, with elements",
                        field->path, axes, axes == 1 ? 'i' : 'e',
                        axes == 3 ? " and no elements" : "");
    }
    memcpy(field->n, shape, sizeof field->n);
    return TSL_OK;
}

/* Are a file's numbers floats or doubles of the machine, with x slowest? These are taken as they
 * are. */
static bool is_taken_as_is(const tsl_npy *header)
{
    return !header->fortran_order && tsl_npy_is_native(header) && header->type[1] == 'f' &&
           (header->item == 4 || header->item == 8);
}

static tsl_status open_npy(poisson_field *field, tsl_context *context)
{
    const tsl_npy *header = &field->npy;
    tsl_status status = tsl_npy_open(&field->npy, field->input);
    if (status == TSL_OK) {
        status = set_shape(field, context, header->axes, header->shape);
    }
    if (status == TSL_OK && !tsl_npy_has_numbers(header)) {
        status = tsl_fail(context, TSL_E_FORMAT,
                          "%s: holds elements of type %s: give numbers, e.g. float64", field->path,
                          header->type);
    }
    const char kind = header->type[1];
    const int64_t part = kind == 'c' ? header->item / 2 : header->item;
    const bool real = kind == 'c' || kind == 'f';
    field->precision = real && part <= 4 ? 4 : 8;
    field->wide_integers = !real && part == 8;
    field->wide_numbers = real && part > 8;
    field->half = real && part == 2;
    return status;
}

/* Choose the dataset that was asked for, or the only one there is. */
static tsl_status choose_dataset(poisson_field *field)
{
    int datasets = 1;
    tsl_status status = TSL_OK;
    if (field->dataset == NULL) {
        status = tsl_hdf5_choose(field->chosen, &datasets, field->hdf5);
        field->dataset = field->chosen;
    }
    if (status == TSL_OK && datasets > 1) {
        cli_note("%s: of its %d datasets '%s' is read, the only one of three axes", field->path,
                 datasets, field->chosen);
    }
    return status;
}

static tsl_status open_hdf5(poisson_field *field, tsl_context *context)
{
    tsl_hdf5_array array;
    tsl_hdf5_remarks *remarks = &field->remarks;
    field->has_datasets = true;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_hdf5_open(&field->hdf5, field->input));
    TSL_TRY(choose_dataset(field));
    TSL_TRY(tsl_hdf5_look(&array, remarks, field->hdf5, field->dataset));
done:
    if (status != TSL_OK) {
        return status;
    }
    field->precision = array.precision;
    field->wide_integers = remarks->wide_integers;
    field->wide_numbers = remarks->wide_numbers;
    field->half = remarks->half;
    memcpy(field->lengths, remarks->lengths, sizeof field->lengths);
    if (remarks->unwritten > 0) {
        cli_note("%s: %lld of the %lld chunks of '%s' were never written: their elements are %g",
                 field->path, (long long)remarks->unwritten, (long long)remarks->chunks,
                 field->dataset, remarks->fill);
    }
    if (remarks->blocks) {
        cli_note(
            "%s: the virtual dataset '%s' is of as many files as there are: it has %lld x %lld "
            "x %lld elements",
            field->path, field->dataset, (long long)array.shape[0], (long long)array.shape[1],
            (long long)array.shape[2]);
    }
    if (remarks->unmapped > 0) {
        cli_note("%s: the virtual dataset '%s' takes %lld of its elements from nowhere: they are "
                 "%g",
                 field->path, field->dataset, (long long)remarks->unmapped, remarks->fill);
    }
    return set_shape(field, context, array.axes, array.shape);
}

/* Open an array of an archive, which is a .npy file like any other. */
static tsl_status open_npz(poisson_field *field, tsl_context *context)
{
    const tsl_format_choice choice = {.wanted = field->dataset, .option = "--dataset", .axes = 3};
    int arrays;
    field->has_datasets = true;
    const tsl_status status = tsl_format_unpack(field->chosen, &arrays, field->input, &choice);
    if (status == TSL_OK && arrays > 1 && field->dataset == NULL) {
        cli_note("%s: of its %d arrays '%s' is read, the only one of three axes", field->path,
                 arrays, field->chosen);
    }
    field->dataset = field->chosen;
    return status == TSL_OK ? open_npy(field, context) : status;
}

static tsl_status open_cube(poisson_field *field, tsl_context *context)
{
    (void)context;
    const tsl_status status = tsl_cube_open(&field->cube, field->input);
    if (status == TSL_OK) {
        memcpy(field->n, field->cube.n, sizeof field->n);
        for (int axis = 0; axis < 3; axis++) {
            field->lengths[axis] = (double)field->n[axis] * field->cube.step[axis];
        }
        field->precision = 8;
    }
    if (status == TSL_OK && field->cube.angstrom) {
        cli_note("%s: negative numbers of samples: its lengths are read as angstrom, its values as "
                 "of bohr all the same",
                 field->path);
    }
    return status;
}

tsl_status poisson_field_open(poisson_field *field, tsl_context *context, const char *path,
                              const char *dataset)
{
    static const struct {
        poisson_format format;
        tsl_status (*open)(poisson_field *, tsl_context *);
    } rows[] = {[TSL_FORMAT_NPY] = {POISSON_NPY, open_npy},
                [TSL_FORMAT_NPZ] = {POISSON_NPY, open_npz},
                [TSL_FORMAT_HDF5] = {POISSON_HDF5, open_hdf5},
                [TSL_FORMAT_TEXT] = {POISSON_CUBE, open_cube}};
    tsl_format told = TSL_FORMAT_TEXT;
    *field = (poisson_field){.path = path, .dataset = dataset, .precision = 8};
    tsl_status status = tsl_input_open(&field->input, context, path);
    if (status == TSL_OK) {
        field->path = tsl_input_name(field->input);
        status = tsl_format_tell(&told, field->input);
    }
    if (status == TSL_OK) {
        field->format = rows[told].format;
        status = rows[told].open(field, context);
    }
    return status;
}

/* ---- reading ------------------------------------------------------------------------------ */

static tsl_status fail_complex(const poisson_field *field, tsl_context *context, const int64_t i[3])
{
    return tsl_fail(context, TSL_E_FORMAT,
                    "%s: holds complex numbers, and element [%lld, %lld, %lld] has an imaginary "
                    "part: save the real part",
                    field->path, (long long)i[0], (long long)i[1], (long long)i[2]);
}

/* Convert a few rows i0 from `first` on into numbers of the field's precision. */
static tsl_status convert_rows(poisson_field *field, tsl_context *context, const void *raw,
                               int64_t first, int64_t last)
{
    const int64_t *n = field->n;
    for (int64_t i1 = 0; i1 < n[1]; i1++) {
        for (int64_t i2 = 0; i2 < n[2]; i2++) {
            for (int64_t i0 = first; i0 < last; i0++) {
                const int64_t to = (i0 * n[1] + i1) * n[2] + i2;
                const int64_t from = field->npy.fortran_order ? (i2 * n[1] + i1) * n[0] + i0 : to;
                double imaginary;
                const double value = tsl_npy_number(&field->npy, raw, from, &imaginary);
                if (fabs(imaginary) > 0 || isnan(imaginary)) {
                    return fail_complex(field, context, (const int64_t[]){i0, i1, i2});
                }
                if (field->precision == 4) {
                    ((float *)field->data)[to] = (float)value;
                } else {
                    ((double *)field->data)[to] = value;
                }
            }
        }
    }
    return TSL_OK;
}

static tsl_status load_npy(poisson_field *field, tsl_context *context)
{
    enum { ROWS = 8 }; /* so many lines of cache are read, or written, at a time */
    void *raw = NULL;
    tsl_status status = tsl_npy_load(&raw, field->input, &field->npy);
    if (status != TSL_OK || is_taken_as_is(&field->npy)) {
        field->data = raw;
        return status;
    }
    const int64_t bytes = poisson_field_count(field) * field->precision;
    field->data = tsl_allocate((size_t)bytes);
    if (field->data == NULL) {
        status = tsl_fail_memory(context, bytes, "a field");
    }
    for (int64_t i = 0; i < field->n[0] && status == TSL_OK; i += ROWS) {
        status =
            convert_rows(field, context, raw, i, i + ROWS < field->n[0] ? i + ROWS : field->n[0]);
    }
    tsl_release(raw);
    return status;
}

static tsl_status load_cube(poisson_field *field, tsl_context *context)
{
    (void)context;
    const tsl_status status = tsl_cube_load(&field->cube, field->input);
    field->data = field->cube.values;
    field->cube.values = NULL;
    field->open_digits = field->cube.open_digits;
    field->open_squares = field->cube.open_squares;
    return status;
}

static tsl_status load_hdf5(poisson_field *field, tsl_context *context)
{
    tsl_hdf5_array array = {.precision = field->precision, .axes = 3};
    const int64_t bytes = poisson_field_count(field) * field->precision;
    memcpy(array.shape, field->n, sizeof field->n);
    field->data = tsl_allocate((size_t)bytes);
    const double open = 0.5 * field->remarks.unit;
    field->open_digits = open * (double)poisson_field_count(field);
    field->open_squares = open * open * (double)poisson_field_count(field);
    return field->data == NULL ? tsl_fail_memory(context, bytes, "a field")
                               : tsl_hdf5_read(field->data, field->hdf5, field->dataset, &array);
}

static tsl_status check_finite(const poisson_field *field, tsl_context *context)
{
    const int64_t count = poisson_field_count(field);
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(poisson_field_value(field, i))) {
            return tsl_fail(
                context, TSL_E_FORMAT, "%s: element [%lld, %lld, %lld] is no finite number%s",
                field->path, (long long)(i / field->n[2] / field->n[1]),
                (long long)(i / field->n[2] % field->n[1]), (long long)(i % field->n[2]),
                field->wide_numbers ? ", or beyond double precision" : "");
        }
    }
    return TSL_OK;
}

/* Note numbers that doubles do not hold exactly. */
static void note_rounded(const poisson_field *field)
{
    const double exact = 9007199254740992.0; /* 2^53 */
    const int64_t count = poisson_field_count(field);
    int64_t beyond = 0;
    for (int64_t i = 0; i < count && field->wide_integers; i++) {
        beyond += fabs(poisson_field_value(field, i)) > exact;
    }
    if (beyond > 0) {
        cli_note("%s: %lld of its integers are beyond 2^53: they are rounded to double precision",
                 field->path, (long long)beyond);
    } else if (field->wide_numbers) {
        cli_note("%s: its numbers, of more than 8 bytes, are rounded to double precision",
                 field->path);
    }
}

int64_t poisson_field_loading_bytes(const poisson_field *field)
{
    const int64_t bytes = poisson_field_count(field) * field->precision;
    switch (field->format) {
    case POISSON_CUBE:
        return bytes + tsl_input_expected(field->input);
    case POISSON_NPY:
        return is_taken_as_is(&field->npy) ? bytes : bytes + field->npy.count * field->npy.item;
    default:
        return bytes;
    }
}

tsl_status poisson_field_load(poisson_field *field, tsl_context *context)
{
    static tsl_status (*const loaders[])(poisson_field *, tsl_context *) = {
        [POISSON_NPY] = load_npy, [POISSON_CUBE] = load_cube, [POISSON_HDF5] = load_hdf5};
    tsl_status status = loaders[field->format](field, context);
    if (status == TSL_OK) {
        status = check_finite(field, context);
    }
    if (status == TSL_OK) {
        note_rounded(field);
    }
    return status;
}

/* ---- in memory ---------------------------------------------------------------------------- */

double poisson_field_value(const poisson_field *field, int64_t i)
{
    return field->precision == 4 ? (double)((const float *)field->data)[i]
                                 : ((const double *)field->data)[i];
}

int64_t poisson_field_count(const poisson_field *field)
{
    return field->n[0] * field->n[1] * field->n[2];
}

tsl_status poisson_field_convert(poisson_field *field, tsl_context *context, int precision,
                                 double factor)
{
    const int64_t count = poisson_field_count(field);
    void *converted =
        precision == field->precision ? field->data : tsl_allocate((size_t)(count * precision));
    if (converted == NULL) {
        return tsl_fail_memory(context, count * precision, "a field");
    }
    for (int64_t i = 0; i < count; i++) {
        const double value = factor * poisson_field_value(field, i);
        if (precision == 4) {
            ((float *)converted)[i] = (float)value;
        } else {
            ((double *)converted)[i] = value;
        }
    }
    if (converted != field->data) {
        tsl_release(field->data);
    }
    field->data = converted;
    field->precision = precision;
    return TSL_OK;
}

void poisson_field_release(poisson_field *field)
{
    tsl_hdf5_close(field->hdf5);
    tsl_input_close(field->input);
    tsl_cube_release(&field->cube);
    tsl_release(field->data);
    *field = (poisson_field){.data = NULL};
}
