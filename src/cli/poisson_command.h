/* What the files of `tesela poisson` share. */
#ifndef TSL_CLI_POISSON_COMMAND_H
#define TSL_CLI_POISSON_COMMAND_H

#include "cli/cli.h"
#include "io/cube.h"
#include "io/npy.h"
#include "tesela/buffer.h"
#include "tesela/poisson.h"

typedef enum poisson_task { POISSON_FILE, POISSON_VERIFY, POISSON_BENCH } poisson_task;

typedef enum poisson_sign {
    POISSON_SIGN_DEFAULT, /* electrons in a cube, else charge */
    POISSON_SIGN_CHARGE,
    POISSON_SIGN_ELECTRONS
} poisson_sign;

typedef struct poisson_options {
    cli_common common;
    poisson_task task;
    const char *input, *output;
    tsl_poisson_options poisson; /* n, precision: 0 means the file's; lengths: 0 means not given */
    poisson_sign sign;
    int repeat;
} poisson_options;

/* A check of the suite. */
typedef struct poisson_case {
    const char *name;
    double value, bound;
} poisson_case;

enum { POISSON_CASES = 32 };

typedef struct poisson_work {
    const poisson_options *options;
    tsl_context *context;
    tsl_poisson_options poisson; /* settled */
    tsl_poisson_summary summary;
    double begun, setup, compute; /* seconds; setup: the plan */
    bool electrons;               /* the source is minus the file's numbers */
    double energy;                /* of a file */
    double fastest, median;       /* of a benchmark's solves */
    int cases;
    poisson_case of_case[POISSON_CASES];
} poisson_work;

/* A field in memory, with what its file said of it. */
typedef struct poisson_field {
    bool is_cube;
    int64_t n[3];
    double lengths[3]; /* of a cube */
    int precision;     /* bytes of a number */
    void *data;
    tsl_cube cube; /* without values */
} poisson_field;

/* Is it a cube by its name? */
bool poisson_is_cube(const char *path);
/* Read a file; its numbers are finite. */
tsl_status poisson_field_read(poisson_field *field, tsl_context *context, const char *path);
/* Change the precision, and multiply. */
tsl_status poisson_field_convert(poisson_field *field, tsl_context *context, int precision,
                                 double factor);
/* Write as the name says; a cube needs a field that was read from one, and becomes double. */
tsl_status poisson_field_write(poisson_field *field, tsl_context *context, const char *path,
                               const char *title);
void poisson_field_release(poisson_field *field);

/* Names of what --equation, --symbol and --kernel choose, by its enumerator, ended by NULL. */
extern const char *const poisson_equation_names[];
extern const char *const poisson_symbol_names[];
extern const char *const poisson_kernel_names[];

/* Parse the command line; false: *exit_status is set and a message is out. */
bool poisson_options_parse(poisson_options *out, int argc, char **argv, int *exit_status);

/* The tasks. */
tsl_status poisson_solve_file(poisson_work *work);
tsl_status poisson_verify(poisson_work *work);
tsl_status poisson_bench(poisson_work *work);

/* 1: every case is within its bound; 0: one is not; -1: there are none. */
int poisson_verified(const poisson_work *work);

void poisson_print(FILE *stream, const poisson_work *work);
tsl_status poisson_write_report(const poisson_work *work, const char *path);

#endif
