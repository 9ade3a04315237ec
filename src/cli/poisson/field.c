/* Files as `tesela poisson` reads and writes them: NumPy's, cubes and HDF5. */
#include <math.h>
#include <string.h>

#include "cli/poisson/command.h"
#include "io/file/text.h"
#include "io/grid/hdf5.h"

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path);
    return length > strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
}

bool poisson_is_gzipped(const char *path)
{
    return ends_in(path, ".gz");
}

poisson_format poisson_format_of(const char *path)
{
    static const struct {
        const char *ending;
        poisson_format format;
    } rows[] = {{".npy", POISSON_NPY},      {".cube", POISSON_CUBE},   {".cub", POISSON_CUBE},
                {".cube.gz", POISSON_CUBE}, {".cub.gz", POISSON_CUBE}, {".h5", POISSON_HDF5},
                {".hdf5", POISSON_HDF5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (ends_in(path, rows[i].ending)) {
            return rows[i].format;
        }
    }
    return POISSON_NO_FORMAT;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Three axes, none of them empty. */
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

static tsl_status open_npy(poisson_field *field, tsl_context *context)
{
    const tsl_npy *header = &field->npy;
    tsl_status status = tsl_npy_open(&field->file, &field->npy, context, field->path);
    if (status == TSL_OK) {
        status = set_shape(field, context, header->axes, header->shape);
    }
    if (status == TSL_OK && header->fortran_order) {
        status =
            tsl_fail(context, TSL_E_FORMAT,
                     "%s: is in Fortran order: save numpy.ascontiguousarray() of it", field->path);
    } else if (status == TSL_OK && strcmp(header->type, "<f8") != 0 &&
               strcmp(header->type, "<f4") != 0) {
        status = tsl_fail(context, TSL_E_FORMAT,
                          "%s: holds elements of type %s: give <f8 or <f4 (float64, float32)",
                          field->path, header->type);
    }
    field->precision = (int)header->item;
    return status;
}

static tsl_status open_hdf5(poisson_field *field, tsl_context *context)
{
    tsl_hdf5_array array;
    const tsl_status status = tsl_hdf5_look(&array, context, field->path, field->dataset);
    if (status != TSL_OK) {
        return status;
    }
    field->precision = array.precision;
    return set_shape(field, context, array.axes, array.shape);
}

static tsl_status open_cube(poisson_field *field, tsl_context *context)
{
    const tsl_status status = tsl_cube_read_header(&field->cube, context, field->path);
    if (status == TSL_OK) {
        memcpy(field->n, field->cube.n, sizeof field->n);
        for (int axis = 0; axis < 3; axis++) {
            field->lengths[axis] = (double)field->n[axis] * field->cube.step[axis];
        }
        field->precision = 8;
    }
    return status;
}

static tsl_status load_cube(poisson_field *field, tsl_context *context)
{
    const tsl_status status = tsl_cube_read(&field->cube, context, field->path);
    if (status == TSL_OK && memcmp(field->n, field->cube.n, sizeof field->n) != 0) {
        return tsl_fail(context, TSL_E_IO, "%s: was changed while it was read", field->path);
    }
    field->data = field->cube.values;
    field->cube.values = NULL;
    return status;
}

tsl_status poisson_field_open(poisson_field *field, tsl_context *context, const char *path,
                              const char *dataset)
{
    static tsl_status (*const openers[])(poisson_field *, tsl_context *) = {
        [POISSON_NPY] = open_npy, [POISSON_CUBE] = open_cube, [POISSON_HDF5] = open_hdf5};
    *field = (poisson_field){
        .format = poisson_format_of(path), .path = path, .dataset = dataset, .precision = 8};
    return openers[field->format](field, context);
}

static tsl_status load_hdf5(poisson_field *field, tsl_context *context)
{
    tsl_hdf5_array array = {.precision = field->precision, .axes = 3};
    const int64_t bytes = poisson_field_count(field) * field->precision;
    memcpy(array.shape, field->n, sizeof field->n);
    field->data = tsl_allocate((size_t)bytes);
    return field->data == NULL
               ? tsl_fail_memory(context, bytes, "a field")
               : tsl_hdf5_read(field->data, context, field->path, field->dataset, &array);
}

static tsl_status check_finite(const poisson_field *field, tsl_context *context)
{
    const int64_t count = poisson_field_count(field);
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(poisson_field_value(field, i))) {
            return tsl_fail(
                context, TSL_E_FORMAT, "%s: element [%lld, %lld, %lld] is no finite number",
                field->path, (long long)(i / field->n[2] / field->n[1]),
                (long long)(i / field->n[2] % field->n[1]), (long long)(i % field->n[2]));
        }
    }
    return TSL_OK;
}

int64_t poisson_field_loading_bytes(const poisson_field *field)
{
    const int64_t text = field->format == POISSON_CUBE ? tsl_text_bytes(field->path) : 0;
    return text + poisson_field_count(field) * field->precision;
}

tsl_status poisson_field_load(poisson_field *field, tsl_context *context)
{
    tsl_status status = TSL_OK;
    if (field->format == POISSON_NPY) {
        FILE *file = field->file;
        field->file = NULL;
        status = tsl_npy_load(&field->data, file, &field->npy, context, field->path);
    } else if (field->format == POISSON_CUBE) {
        status = load_cube(field, context);
    } else if (field->format == POISSON_HDF5) {
        status = load_hdf5(field, context);
    }
    return status == TSL_OK ? check_finite(field, context) : status;
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
    if (field->file != NULL) {
        fclose(field->file);
    }
    tsl_cube_release(&field->cube);
    tsl_release(field->data);
    *field = (poisson_field){.data = NULL};
}

/* ---- writing ------------------------------------------------------------------------------ */

/* What a file says of itself. */
static void make_title(char title[160], const poisson_work *work)
{
    const bool field = work->options->quantity == POISSON_FIELD;
    if (work->poisson.equation == TSL_POISSON_PLAIN) {
        snprintf(title, 160, "tesela poisson: %s of laplacian phi = f, f the field read",
                 field ? "minus the gradient of the solution phi" : "solution phi");
        return;
    }
    char scaled[48] = "";
    if (work->scale != 1) {
        snprintf(scaled, sizeof scaled, ", the density times %.8g", work->scale);
    }
    /* only a cube says its units */
    const char *const unit = work->field.format != POISSON_CUBE ? ""
                             : field                            ? ", hartree / (e bohr),"
                                                                : ", hartree / e,";
    snprintf(title, 160, "tesela poisson: electrostatic %s%s of the %s%s%s",
             field ? "field" : "potential", unit,
             work->electrons ? "electrons (density read as electrons)" : "charge density",
             work->points.count > 0 ? " and the nuclei" : "", scaled);
}

static tsl_status write_hdf5(const poisson_work *work, const void *values, int components,
                             const char *title)
{
    const tsl_poisson_options *o = &work->poisson;
    const poisson_field *field = &work->field;
    tsl_hdf5_array array = {.precision = o->precision, .axes = components > 1 ? 4 : 3};
    char boundary[48];
    if (components > 1) {
        array.shape[0] = components;
    }
    memcpy(array.shape + (components > 1), o->n, sizeof o->n);
    snprintf(boundary, sizeof boundary, "%s,%s,%s", poisson_boundary_names[o->boundary[0]],
             poisson_boundary_names[o->boundary[1]], poisson_boundary_names[o->boundary[2]]);
    const tsl_hdf5_attribute attributes[] = {
        {.name = "description", .text = title},
        {.name = "lengths", .numbers = o->lengths, .count = 3},
        {.name = "origin", .numbers = field->cube.origin, .count = 3}, /* 0 without a cube */
        {.name = "sampling", .text = work->options->centres ? "centres" : "corners"},
        {.name = "boundary", .text = boundary},
        {.name = "source", .text = field->path},
    };
    return tsl_hdf5_write(work->context, work->options->output,
                          poisson_quantity_names[work->options->quantity], &array, values,
                          attributes, sizeof attributes / sizeof *attributes);
}

static tsl_status write_npy(const poisson_work *work, const void *values, int components)
{
    const int precision = work->poisson.precision;
    tsl_npy header = {.item = precision, .axes = components > 1 ? 4 : 3};
    strcpy(header.type, precision == 4 ? "<f4" : "<f8");
    header.shape[0] = components;
    memcpy(header.shape + (components > 1), work->poisson.n, sizeof work->poisson.n);
    return tsl_npy_write(work->context, work->options->output, &header, values);
}

tsl_status poisson_result_write(const poisson_work *work, const void *values, int components)
{
    char title[160];
    make_title(title, work);
    switch (poisson_format_of(work->options->output)) {
    case POISSON_CUBE: {
        const tsl_cube_field field = {title, components, work->poisson.precision, values};
        return tsl_cube_write(work->context, work->options->output, &work->field.cube, &field);
    }
    case POISSON_HDF5:
        return write_hdf5(work, values, components, title);
    default:
        return write_npy(work, values, components);
    }
}
