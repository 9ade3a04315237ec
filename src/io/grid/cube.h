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
    bool angstrom;  /* the file's lengths are */
    bool has_id;    /* a line after the atoms names the field, as that of an orbital: */
    int32_t id;
    double open_digits;            /* sum over the values of half a unit of each one's last digit */
    double open_squares;           /* and of its square */
    char title[2][TSL_CUBE_TITLE]; /* the beginnings of the two lines of comment, printable */
} tsl_cube;

/* Numbers may be Fortran's: 1.0D-05, and 0.12345-100 for 0.12345E-100. A negative number of atoms
 * means that after them stand the number of fields, which must be one, and its id.
 * Read a cube from the `size` bytes of a file that errors call `name`. TSL_E_FORMAT, with the
 * line's number, if it is none, is damaged, holds more or fewer values than it says or one that is
 * no finite number; TSL_E_UNSUPPORTED for cells with edges other than along x, y and z, and several
 * fields in one file; TSL_E_NOMEM. Release with tsl_cube_release(). */
tsl_status tsl_cube_parse(tsl_cube *out, tsl_context *context, const char *name, const char *data,
                          size_t size);

/* The same from a file, plain or gzipped; TSL_E_IO if it cannot be read. */
tsl_status tsl_cube_read(tsl_cube *out, tsl_context *context, const char *path);

/* The same in two steps, for what is to be judged before memory is taken: axes and origin alone,
 * from the first lines, which stay to be read; and all of it. */
tsl_status tsl_cube_open(tsl_cube *out, tsl_input *input);
tsl_status tsl_cube_load(tsl_cube *out, tsl_input *input);

void tsl_cube_release(tsl_cube *cube);

/* What a file gets on the cube's grid. */
typedef struct tsl_cube_field {
    const char *title;  /* the first line */
    int components;     /* 3: a vector at each sample */
    int precision;      /* bytes of a number: 4 or 8 */
    const void *values; /* [components][n0][n1][n2]; the file has a sample's components together */
} tsl_cube_field;

/* Write a file, whole or not at all; the cube's own values are not. Values have 6 digits of the
 * mantissa as the format's custom is, positions, charges and steps 6 after
 * the point or, where those would change them, as many as they need. */
tsl_status tsl_cube_write(tsl_context *context, const char *path, const tsl_cube *cube,
                          const tsl_cube_field *field);

#endif
