/* Files that `tesela poisson` writes: NumPy's, cubes and HDF5. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/poisson/command.h"
#include "io/grid/hdf5.h"

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path);
    return length > strlen(ending) && strcasecmp(path + length - strlen(ending), ending) == 0;
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
    } rows[] = {{".npy", POISSON_NPY},
                {".cube", POISSON_CUBE},
                {".cub", POISSON_CUBE},
                {".h5", POISSON_HDF5},
                {".hdf5", POISSON_HDF5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (ends_in(path, rows[i].ending)) {
            return rows[i].format;
        }
    }
    return POISSON_NO_FORMAT;
}

/* Make the title that a file has. */
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
        {.name = "origin", .numbers = field->cube.origin, .count = 3}, /* zeros without a cube */
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
