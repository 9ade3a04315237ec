/* What the files of `tesela poisson` share. */
#ifndef TSL_CLI_POISSON_COMMAND_H
#define TSL_CLI_POISSON_COMMAND_H

#include "cli/shared/cli.h"
#include "io/grid/cube.h"
#include "io/grid/hdf5.h"
#include "io/grid/npy.h"
#include "io/molecule/elements.h"
#include "solvers/poisson/point_charges.h"
#include "solvers/poisson/ranks/times.h"
#include "tesela/buffer.h"
#include "tesela/poisson.h"

/* Cells along an axis of what has no file. */
#define POISSON_USUAL_N 128

typedef enum poisson_task {
    POISSON_FILE,
    POISSON_VERIFY,
    POISSON_BENCH,
    POISSON_STUDY
} poisson_task;

/* What a study varies: see study.c. */
typedef enum poisson_varied { POISSON_SEGMENTS, POISSON_SCALING } poisson_varied;

typedef enum poisson_sign {
    POISSON_SIGN_DEFAULT, /* electrons in a cube, else charge */
    POISSON_SIGN_CHARGE,
    POISSON_SIGN_ELECTRONS
} poisson_sign;

typedef enum poisson_quantity { POISSON_POTENTIAL, POISSON_FIELD, POISSON_ENERGY } poisson_quantity;

/* Names of the options' values, in the order of the enumerations, ended by NULL. */
extern const char *const poisson_equation_names[];
extern const char *const poisson_symbol_names[];
extern const char *const poisson_kernel_names[];
extern const char *const poisson_quantity_names[];
extern const char *const poisson_boundary_names[];
extern const char *const poisson_path_names[];

typedef struct poisson_options {
    cli_common common;
    poisson_task task;
    const char *input, *output;
    const char *dataset; /* of an HDF5 or .npz input */
    const char *figure;
    const char *study; /* as given; NULL: not yet */
    poisson_varied varied;
    poisson_quantity quantity;
    tsl_poisson_options poisson; /* n, precision: 0 means the file's; lengths: 0 means not given */
    poisson_sign sign;
    bool centres;                     /* samples stand at the cells' centres */
    bool nuclei;                      /* add those of the cube's header */
    double valence[TSL_ELEMENTS + 1]; /* charge of an element's nuclei; 0: the header's */
    const char *electrons;            /* as given: what the density is scaled to; NULL: it is not */
    int repeat;
} poisson_options;

/* A check of the suite. */
typedef struct poisson_case {
    char name[64];
    double value, bound;
} poisson_case;

enum { POISSON_CASES = 32 };

/* Seconds of a solve over the repeats. */
typedef struct poisson_timing {
    double median, fastest, mean, deviation;
} poisson_timing;

/* A benchmark's stages, each by itself (stages.c): seconds and bytes of a solve, means over
 * the ranks that share it by their own clocks. */
typedef struct poisson_stages {
    int segments;
    poisson_timing untimed; /* without overlap, and without stops between stages */
    double total;           /* of a solve with those */
    double seconds[TSL_TIMED], slowest[TSL_TIMED];
    double bytes[TSL_TIMED];
} poisson_stages;

/* A study's row. */
typedef struct poisson_run {
    const char *name; /* "segments", "strong" or "weak" */
    tsl_poisson_options options;
    tsl_poisson_summary plan; /* of what was measured, as what follows */
    poisson_timing timing;
    double relative; /* time of the first row of that name by this one's; of strong scaling by the
                        ranks too: the efficiency */
} poisson_run;

typedef enum poisson_format {
    POISSON_NO_FORMAT, /* a name ends in none that is known */
    POISSON_NPY,
    POISSON_CUBE,
    POISSON_HDF5
} poisson_format;

/* A field in memory, with what its file said of it. */
typedef struct poisson_field {
    poisson_format format;
    const char *path, *dataset; /* of an HDF5 or .npz file, as given or chosen */
    bool has_datasets;          /* it is one of these */
    int64_t n[3];
    double lengths[3];  /* that the file says; 0: it does not */
    int precision;      /* bytes of a number */
    void *data;         /* [n0][n1][n2] */
    bool wide_integers; /* of 8 bytes, which a double may not hold */
    bool wide_numbers;  /* of more */
    bool half;          /* of 2 bytes, and not integers */
    double open_digits; /* sum over the elements of half a unit of the last digit in the file, where
                           that is more than precision says */
    double open_squares; /* and of its square */
    tsl_cube cube;       /* without values */
    tsl_npy npy;
    tsl_hdf5 *hdf5;
    tsl_hdf5_remarks remarks;
    char chosen[TSL_HDF5_NAME];
    tsl_input *input;
} poisson_field;

typedef struct poisson_work {
    const poisson_options *options;
    tsl_context *context;
    const char *devices;         /* those of all ranks */
    tsl_poisson_options poisson; /* settled */
    tsl_poisson_summary summary;
    double begun, setup, compute; /* seconds; setup: the plan */
    poisson_field field;          /* the source, as it is solved */
    tsl_points points;            /* the nuclei */
    bool electrons;               /* the source is minus the file's numbers */
    double scale;                 /* and times this */
    double charge;                /* integral of the source */
    double energy, energy_nuclei; /* of the source by itself, of the nuclei by themselves */
    double energy_mixed;          /* of the source with the nuclei */
    poisson_timing timing;        /* of a benchmark's solves */
    poisson_stages stages;        /* segments 0: not asked for */
    poisson_run *runs;            /* a study's, [run_count] */
    int run_count;
    int formed; /* problems of the suite that took the form that was asked for */
    int cases;
    poisson_case of_case[POISSON_CASES];
} poisson_work;

/* A plan and its arrays on the device. */
typedef struct poisson_arrays {
    tsl_context *context; /* NULL: there is nothing to release */
    tsl_poisson_plan *plan;
    tsl_poisson_options options; /* of the plan: settled, where it was measured */
    tsl_buffer *source, *result; /* NULL: no cells */
    tsl_poisson_times times;     /* of this rank's stages */
    double told;                 /* when all ranks had heard of the last solve */
} poisson_arrays;

/* ---- files (field.c) ---------------------------------------------------------------------- */

/* Settle what a file holds, told by its content, before memory is taken for it. `path` and
 * `dataset`, which may be NULL, are borrowed. Release whatever the outcome. */
tsl_status poisson_field_open(poisson_field *field, tsl_context *context, const char *path,
                              const char *dataset);
/* Bytes of host memory that reading the numbers takes, a cube's text too. */
int64_t poisson_field_loading_bytes(const poisson_field *field);
/* Read the numbers, all of them finite. */
tsl_status poisson_field_load(poisson_field *field, tsl_context *context);
/* Change the precision, and multiply. */
tsl_status poisson_field_convert(poisson_field *field, tsl_context *context, int precision,
                                 double factor);
/* Number i. */
double poisson_field_value(const poisson_field *field, int64_t i);
int64_t poisson_field_count(const poisson_field *field);
void poisson_field_release(poisson_field *field);

/* ---- options beside the file (input.c) ------------------------------------------------------ */

/* Do the options go with what the file turned out to be? TSL_E_ARG. */
tsl_status poisson_check_input(const poisson_work *work);

/* ---- the source (source.c) ------------------------------------------------------------------ */

/* From the numbers read to the source, with notes on what may not be meant. */
tsl_status poisson_make_source(poisson_work *work);
/* Are all axes periodic? */
bool poisson_is_periodic(const poisson_work *work);

/* ---- results (result.c) --------------------------------------------------------------------- */

/* By the name. */
poisson_format poisson_format_of(const char *path);
bool poisson_is_gzipped(const char *path);
/* Draw slices of the source and the potential. */
tsl_status poisson_figure_write(const poisson_work *work, const void *potential);
/* Write the potential, or the field's three components: host memory, [components][n0][n1][n2] of
 * the work's precision. A cube needs a field that was read from one. */
tsl_status poisson_result_write(const poisson_work *work, const void *values, int components);

/* ---- nuclei (nuclei.c) -------------------------------------------------------------------- */

/* "O=6,H=1" */
error_t poisson_set_valence(const cli_option *row, const char *text, void *parsed);
/* The charges of work->field's cube, into work->points. */
tsl_status poisson_nuclei_take(poisson_work *work);
double poisson_nuclei_charge(const poisson_work *work);

/* ---- the tasks ---------------------------------------------------------------------------- */

int poisson_command(const cli_command *self, int argc, char **argv);
/* Parse the command line; false: *exit_status is set and a message is out. */
bool poisson_options_parse(poisson_options *out, int argc, char **argv, int *exit_status);

tsl_status poisson_solve_file(poisson_work *work);
tsl_status poisson_verify(poisson_work *work);
tsl_status poisson_bench(poisson_work *work);
tsl_status poisson_study(poisson_work *work);

/* ---- measuring (bench.c) ------------------------------------------------------------------- */

/* Settle what a benchmark leaves open. */
void poisson_bench_settle(poisson_work *work);
/* Time solves of a plan, as many as --repeat says, after so many that don't count. */
tsl_status poisson_time(poisson_timing *out, poisson_work *work, poisson_arrays *a, int warm_ups);
/* Make a plan for these options, time it, and release it. */
tsl_status poisson_time_plan(poisson_timing *out, tsl_poisson_summary *plan, poisson_work *work,
                             const tsl_poisson_options *options);
/* In the customary count: two complex transforms of all cells. */
double poisson_flops(const int64_t n[3]);
/* Bytes of source and potential. */
double poisson_traffic(const int64_t n[3], int precision);

/* ---- stages (stages.c) ---------------------------------------------------------------------- */

tsl_status poisson_stages_measure(poisson_work *work);
void poisson_stages_print(FILE *stream, const poisson_work *work);
void poisson_stages_write(tsl_json *json, const poisson_work *work);

/* ---- studies (study_report.c) ---------------------------------------------------------------- */

void poisson_study_print(FILE *stream, const poisson_work *work);
/* The files of --csv and --figure. */
tsl_status poisson_study_write(const poisson_work *work);
void poisson_study_write_runs(tsl_json *json, const poisson_work *work);

/* ---- the solver, on all ranks (ranks.c) --------------------------------------------------- */

enum { POISSON_NO_AXIS = -1 };

/* Called by rank 0, which makes the others do the same. What does not fit is refused before
 * anything is kept. Release whatever the outcome. `shared`: each rank has its share of the cells,
 * of the fastest way where that is measured, the source 0; else rank 0 has all of them. */
tsl_status poisson_arrays_create(poisson_arrays *arrays, tsl_context *context,
                                 const tsl_poisson_options *options, bool shared);
/* What rank 0 holds besides, of a file or of the suite, bytes of host memory: alone, beside a plan
 * in the making, and beside those arrays. */
typedef struct poisson_host {
    const char *name;   /* whose cells these are, for the error; NULL: a plan's alone */
    const char *remedy; /* where it does not fit */
    int64_t loading, planning, solving;
} poisson_host;

/* Would that be refused? Nothing is taken. `host` may be NULL. */
tsl_status poisson_arrays_foresee(tsl_context *context, const tsl_poisson_options *options,
                                  bool shared, const poisson_host *host);
/* The result of the source: its potential, or with an axis of 0 to 2 its field along that. */
tsl_status poisson_arrays_solve(poisson_arrays *arrays, int axis);
/* The source's energy in the result. */
tsl_status poisson_arrays_energy(const poisson_arrays *arrays, double *energy);
/* From now on all ranks time their stages; the arrays must stay where they are. */
tsl_status poisson_arrays_time(poisson_arrays *arrays);
/* Those of all ranks: all[size]. */
tsl_status poisson_arrays_times(const poisson_arrays *arrays, tsl_poisson_times *all);
void poisson_arrays_release(poisson_arrays *arrays);
/* "ranks=2x3,segments=4,overlap=off" */
error_t poisson_set_plan(const cli_option *row, const char *text, void *parsed);
/* What was set so, in `text`; NULL: all is left open. */
enum { POISSON_PLAN_TEXT = 128 };
const char *poisson_plan_text(char text[POISSON_PLAN_TEXT], const tsl_poisson_options *options);
/* End what the other ranks do. */
tsl_status poisson_end(tsl_context *context, int exit_status);
/* What they do: as rank 0 says, until its end, each within a bound of its own on memory. */
tsl_status poisson_follow(tsl_context *context, int64_t memory, int *exit_status);

/* The same, with times and the plan's summary. */
tsl_status poisson_arrays_take(poisson_arrays *arrays, poisson_work *work, bool shared);
/* Bytes of an array of all cells. */
int64_t poisson_bytes(const poisson_work *work);

/* 1: every case is within its bound; 0: one is not; -1: there are none. */
int poisson_verified(const poisson_work *work);

void poisson_print(FILE *stream, const poisson_work *work);
tsl_status poisson_write_report(const poisson_work *work, const char *path);

#endif
