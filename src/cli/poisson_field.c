/* Fields as `tesela poisson` reads and writes them: NumPy's files and cubes. */
#include <math.h>
#include <string.h>

#include "cli/poisson_command.h"

bool poisson_is_cube(const char *path)
{
    static const char *const endings[] = {".cube", ".cub", ".cube.gz", ".cub.gz"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(path + length - ending, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static tsl_status check_header(tsl_context *context, const char *name, const tsl_npy *header)
{
    if (header->axes != 3 || header->count == 0) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s: has %d axes and %lld elements: a field has three axes, x, y and z",
                        name, header->axes, (long long)header->count);
    }
    if (header->fortran_order) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s: is in Fortran order: save numpy.ascontiguousarray() of it", name);
    }
    if (strcmp(header->type, "<f8") != 0 && strcmp(header->type, "<f4") != 0) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s: holds elements of type %s: give <f8 or <f4 (float64, float32)", name,
                        header->type);
    }
    return TSL_OK;
}

static double element(const poisson_field *field, int64_t i)
{
    return field->precision == 4 ? (double)((const float *)field->data)[i]
                                 : ((const double *)field->data)[i];
}

static int64_t count_of(const poisson_field *field)
{
    return field->n[0] * field->n[1] * field->n[2];
}

static tsl_status check_finite(tsl_context *context, const char *name, const poisson_field *field)
{
    const int64_t count = count_of(field);
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(element(field, i))) {
            return tsl_fail(
                context, TSL_E_FORMAT, "%s: element [%lld, %lld, %lld] is no finite number", name,
                (long long)(i / field->n[2] / field->n[1]),
                (long long)(i / field->n[2] % field->n[1]), (long long)(i % field->n[2]));
        }
    }
    return TSL_OK;
}

static tsl_status read_npy(poisson_field *field, tsl_context *context, const char *path)
{
    tsl_npy header;
    tsl_status status = tsl_npy_read(&header, &field->data, context, path);
    if (status == TSL_OK) {
        status = check_header(context, path, &header);
    }
    if (status == TSL_OK) {
        memcpy(field->n, header.shape, sizeof field->n);
        field->precision = (int)header.item;
        status = check_finite(context, path, field);
    }
    return status;
}

static tsl_status read_cube(poisson_field *field, tsl_context *context, const char *path)
{
    const tsl_status status = tsl_cube_read(&field->cube, context, path);
    if (status == TSL_OK) {
        memcpy(field->n, field->cube.n, sizeof field->n);
        for (int axis = 0; axis < 3; axis++) {
            field->lengths[axis] = (double)field->n[axis] * field->cube.step[axis];
        }
        field->precision = 8;
        field->data = field->cube.values;
        field->cube.values = NULL;
    }
    return status;
}

tsl_status poisson_field_read(poisson_field *field, tsl_context *context, const char *path)
{
    *field = (poisson_field){.is_cube = poisson_is_cube(path)};
    const tsl_status status =
        field->is_cube ? read_cube(field, context, path) : read_npy(field, context, path);
    if (status != TSL_OK) {
        poisson_field_release(field);
    }
    return status;
}

tsl_status poisson_field_convert(poisson_field *field, tsl_context *context, int precision,
                                 double factor)
{
    const int64_t count = count_of(field);
    void *converted = tsl_allocate((size_t)(count * precision));
    if (converted == NULL) {
        return tsl_fail_memory(context, count * precision, "a field");
    }
    for (int64_t i = 0; i < count; i++) {
        if (precision == 4) {
            ((float *)converted)[i] = (float)(factor * element(field, i));
        } else {
            ((double *)converted)[i] = factor * element(field, i);
        }
    }
    tsl_release(field->data);
    field->data = converted;
    field->precision = precision;
    return TSL_OK;
}

tsl_status poisson_field_write(poisson_field *field, tsl_context *context, const char *path,
                               const char *title)
{
    if (poisson_is_cube(path)) {
        tsl_status status = poisson_field_convert(field, context, 8, 1);
        if (status == TSL_OK) {
            field->cube.values = field->data;
            status = tsl_cube_write(context, path, &field->cube, title);
            field->cube.values = NULL;
        }
        return status;
    }
    tsl_npy header = {.item = field->precision, .axes = 3};
    strcpy(header.type, field->precision == 4 ? "<f4" : "<f8");
    memcpy(header.shape, field->n, sizeof field->n);
    return tsl_npy_write(context, path, &header, field->data);
}

void poisson_field_release(poisson_field *field)
{
    tsl_cube_release(&field->cube);
    tsl_release(field->data);
    field->data = NULL;
}
