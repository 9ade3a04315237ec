/* Gaussian's cube files: a scalar field on a regular grid, with the atoms it belongs to. x varies
 * slowest, z fastest. Lengths are in bohr; a file whose numbers of samples are negative has them in
 * angstrom, and they are converted. */
#ifndef TSL_IO_CUBE_H
#define TSL_IO_CUBE_H

#include "io/file/input.h"

typedef struct tsl_cube_atom {
    int32_t number; /* of the element */
    double charge;
    double at[3];
} tsl_cube_atom;

enum { TSL_CUBE_TITLE = 80 };

typedef struct tsl_cube {
    int64_t n[3];
    double origin[3]; /* position of sample (0, 0, 0) */
    double step[3];   /* from one sample to the next, > 0 */
    int64_t atoms;
    tsl_cube_atom *atom;
    double *values; /* [n0][n1][n2] */
    bool angstrom;  /* the lengths in the file are in angstrom */
    bool has_id;    /* a line after the atoms names the field, such as an orbital, by `id` */
    int32_t id;
    double open_digits;            /* sum over the values of half a unit of each one's last digit */
    double open_squares;           /* sum of the squares of those half units */
    char title[2][TSL_CUBE_TITLE]; /* the beginnings of the two lines of comment, printable */
} tsl_cube;

/* Reads a cube from the `size` bytes of a file that errors call `name`. Numbers may be Fortran's:
 * 1.0D-05, and 0.12345-100 for 0.12345E-100. After a negative number of atoms, and the atoms, come
 * the number of fields, which must be one, and its id. TSL_E_FORMAT, with the line's number, if it
 * is no cube, is damaged, holds more or fewer values than it says or one that is no finite number;
 * TSL_E_UNSUPPORTED for cells with edges other than along x, y and z, and for several fields in one
 * file; TSL_E_NOMEM. Release with tsl_cube_release(). */
tsl_status tsl_cube_parse(tsl_cube *out, tsl_context *context, const char *name, const char *data,
                          size_t size);

/* Reads a cube from a file, plain or gzipped. Errors are those of tsl_cube_parse(), and TSL_E_IO if
 * it cannot be read. */
tsl_status tsl_cube_read(tsl_cube *out, tsl_context *context, const char *path);

/* Reads a cube in two steps, so that it can be judged before memory is taken: tsl_cube_open() reads
 * axes and origin from the first lines, which stay to be read; tsl_cube_load() reads all of it. */
tsl_status tsl_cube_open(tsl_cube *out, tsl_input *input);
tsl_status tsl_cube_load(tsl_cube *out, tsl_input *input);

void tsl_cube_release(tsl_cube *cube);

/* A field to be written on a cube's grid. */
typedef struct tsl_cube_field {
    const char *title;  /* the first line */
    int components;     /* 3: a vector at each sample */
    int precision;      /* bytes of a number: 4 or 8 */
    const void *values; /* [components][n0][n1][n2]; the file has a sample's components together */
} tsl_cube_field;

/* Writes a cube with a field, whole or not at all. The cube's own values are not written. Values
 * have 6 digits of the mantissa, as is the format's custom; positions, charges and steps have 6
 * digits after the point or, where those would change them, as many as they need. */
tsl_status tsl_cube_write(tsl_context *context, const char *path, const tsl_cube *cube,
                          const tsl_cube_field *field);

#endif
