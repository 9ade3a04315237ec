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

/* Cells along an axis, where no file and no option says how many. */
#define POISSON_USUAL_N 128

typedef enum poisson_task {
    POISSON_FILE,
    POISSON_VERIFY,
    POISSON_BENCH,
    POISSON_STUDY
} poisson_task;

/* What a study varies (study.c). */
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
    const char *dataset; /* name in an HDF5 or .npz input */
    const char *figure;
    const char *study; /* word behind `study`; NULL: none yet */
    poisson_varied varied;
    poisson_quantity quantity;
    tsl_poisson_options poisson; /* n and precision 0: the file's; lengths 0: not given */
    poisson_sign sign;
    bool centres;                     /* samples stand at the cells' centres */
    bool nuclei;                      /* the nuclei of the cube's header are added */
    double valence[TSL_ELEMENTS + 1]; /* charge of an element's nuclei; 0: the header's */
    const char *electrons;            /* as given: the density is scaled to that; NULL: it is not */
    int repeat;
} poisson_options;

/* A case of the suite. */
typedef struct poisson_case {
    char name[64];
    double value, bound;
} poisson_case;

enum { POISSON_CASES = 32 };

/* Seconds of a solve, over its repeats. */
typedef struct poisson_timing {
    double median, fastest, mean, deviation;
} poisson_timing;

/* The stages of a benchmark's solve, each by itself (stages.c): seconds and bytes of a solve, means
 * over the ranks that share it, by their own clocks. */
typedef struct poisson_stages {
    int segments;
    poisson_timing untimed; /* without overlap, and without stops between stages */
    double total;           /* of a solve with stops between stages */
    double seconds[TSL_TIMED], slowest[TSL_TIMED];
    double bytes[TSL_TIMED];
} poisson_stages;

/* A row of a study. */
typedef struct poisson_run {
    const char *name; /* "segments", "strong" or "weak" */
    tsl_poisson_options options;
    tsl_poisson_summary plan; /* of the plan that the members below were measured with */
    poisson_timing timing;
    double relative; /* time of the first row of that name by this row's; of strong scaling by the
                        ranks too, which makes it the efficiency */
} poisson_run;

typedef enum poisson_format {
    POISSON_NO_FORMAT, /* the name has no known ending */
    POISSON_NPY,
    POISSON_CUBE,
    POISSON_HDF5
} poisson_format;

/* A field in memory, and what its file says of it. */
typedef struct poisson_field {
    poisson_format format;
    const char *path, *dataset; /* of an HDF5 or .npz file, as given or chosen */
    bool has_datasets;          /* the file is HDF5 or .npz */
    int64_t n[3];
    double lengths[3];  /* the file's; 0: it has none */
    int precision;      /* bytes of a number */
    void *data;         /* [n0][n1][n2] */
    bool wide_integers; /* of 8 bytes, which a double may not hold */
    bool wide_numbers;  /* numbers of more than 8 bytes */
    bool half;          /* of 2 bytes, and not integers */
    double open_digits; /* sum over the elements of half a unit of the last digit in the file, where
                           that is more than precision says */
    double open_squares; /* sum of the squares of those half units */
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
    const char *devices;         /* devices of all ranks */
    tsl_poisson_options poisson; /* the options, with all that was open settled */
    tsl_poisson_summary summary;
    double begun, setup, compute; /* seconds; setup: the plan */
    poisson_field field;          /* the source, as it is solved */
    tsl_points points;            /* the nuclei */
    bool electrons;               /* the source is the negative of the file's numbers */
    double scale;                 /* the source is also multiplied by this */
    double charge;                /* integral of the source */
    double energy, energy_nuclei; /* of the source by itself, of the nuclei by themselves */
    double energy_mixed;          /* of the source with the nuclei */
    poisson_timing timing;        /* of a benchmark's solves */
    poisson_stages stages;        /* segments 0: not asked for */
    poisson_run *runs;            /* a study's, [run_count] */
    int run_count;
    int formed; /* problems of the suite that took the form asked for */
    int cases;
    poisson_case of_case[POISSON_CASES];
} poisson_work;

/* A plan and its arrays on the device. */
typedef struct poisson_arrays {
    tsl_context *context; /* NULL: there is nothing to release */
    tsl_poisson_plan *plan;
    tsl_poisson_options options; /* of the plan: the fastest, where ways were measured */
    tsl_buffer *source, *result; /* NULL: no cells */
    tsl_poisson_times times;     /* of this rank's stages */
    double told;                 /* the time when all ranks had heard of the last solve */
} poisson_arrays;

/* ---- files (field.c) ---------------------------------------------------------------------- */

/* Tells from a file's content what it holds, before memory is taken for it. `path` and `dataset`,
 * which may be NULL, are borrowed. Release the field whatever the outcome. */
tsl_status poisson_field_open(poisson_field *field, tsl_context *context, const char *path,
                              const char *dataset);
/* Bytes of host memory that reading the numbers takes, with the text of a cube. */
int64_t poisson_field_loading_bytes(const poisson_field *field);
/* Reads the numbers; all of them must be finite. */
tsl_status poisson_field_load(poisson_field *field, tsl_context *context);
/* Changes the precision of the numbers, and multiplies them by a factor. */
tsl_status poisson_field_convert(poisson_field *field, tsl_context *context, int precision,
                                 double factor);
/* Number i of the field. */
double poisson_field_value(const poisson_field *field, int64_t i);
int64_t poisson_field_count(const poisson_field *field);
void poisson_field_release(poisson_field *field);

/* ---- options beside the file (input.c) ------------------------------------------------------ */

/* Do the options go with the file's content? TSL_E_ARG if not. */
tsl_status poisson_check_input(const poisson_work *work);

/* ---- the source (source.c) ------------------------------------------------------------------ */

/* Makes the source of the numbers that were read, with notes on what may not be meant. */
tsl_status poisson_make_source(poisson_work *work);
/* Are all axes periodic? */
bool poisson_is_periodic(const poisson_work *work);

/* ---- results (result.c) --------------------------------------------------------------------- */

/* The format that the end of a name stands for. */
poisson_format poisson_format_of(const char *path);
bool poisson_is_gzipped(const char *path);
/* Draws slices of the source and the potential. */
tsl_status poisson_figure_write(const poisson_work *work, const void *potential);
/* Writes the potential, or the three components of the field, from host memory
 * [components][n0][n1][n2] in the work's precision. A cube can be written only if the input was a
 * cube. */
tsl_status poisson_result_write(const poisson_work *work, const void *values, int components);

/* ---- nuclei (nuclei.c) -------------------------------------------------------------------- */

/* Reads "O=6,H=1". */
error_t poisson_set_valence(const cli_option *row, const char *text, void *parsed);
/* Takes the nuclei of the cube in work->field as charges into work->points. */
tsl_status poisson_nuclei_take(poisson_work *work);
double poisson_nuclei_charge(const poisson_work *work);

/* ---- the tasks ---------------------------------------------------------------------------- */

int poisson_command(const cli_command *self, int argc, char **argv);

tsl_status poisson_solve_file(poisson_work *work);
tsl_status poisson_verify(poisson_work *work);
tsl_status poisson_bench(poisson_work *work);
tsl_status poisson_study(poisson_work *work);

/* ---- measuring (bench.c) ------------------------------------------------------------------- */

/* Settles the options that a benchmark's command line leaves open. */
void poisson_bench_settle(poisson_work *work);
/* Times as many solves of a plan as --repeat says, after some that do not count. */
tsl_status poisson_time(poisson_timing *out, poisson_work *work, poisson_arrays *a, int warm_ups);
/* Makes a plan for these options, times its solves, and releases it. */
tsl_status poisson_time_plan(poisson_timing *out, tsl_poisson_summary *plan, poisson_work *work,
                             const tsl_poisson_options *options);
/* Floating-point operations of a solve in the customary count: two complex transforms of all
 * cells. */
double poisson_flops(const int64_t n[3]);
/* Bytes of a source and a potential. */
double poisson_traffic(const int64_t n[3], int precision);

/* ---- stages (stages.c) ---------------------------------------------------------------------- */

tsl_status poisson_stages_measure(poisson_work *work);
void poisson_stages_print(FILE *stream, const poisson_work *work);
void poisson_stages_write(tsl_json *json, const poisson_work *work);

/* ---- studies (study_report.c) ---------------------------------------------------------------- */

void poisson_study_print(FILE *stream, const poisson_work *work);
/* Writes the files of --csv and --figure. */
tsl_status poisson_study_write(const poisson_work *work);
void poisson_study_write_runs(tsl_json *json, const poisson_work *work);

/* ---- the solver, on all ranks (ranks.c) --------------------------------------------------- */

enum { POISSON_NO_AXIS = -1 };

/* Makes a plan and its arrays on all ranks. Rank 0 calls this and the functions below, which
 * make the other ranks do the same (poisson_follow()). What does not fit is refused before
 * anything is taken. Release the arrays whatever the outcome. `shared`: each rank has its share
 * of the cells (where ways are measured, that of the fastest), and the source is 0; else rank 0
 * has all cells. */
tsl_status poisson_arrays_create(poisson_arrays *arrays, tsl_context *context,
                                 const tsl_poisson_options *options, bool shared);
/* Bytes of host memory that rank 0 holds for a file or the suite: alone, beside a plan that is
 * being made, and beside the arrays. */
typedef struct poisson_host {
    const char *name;   /* whose cells these are, for errors; NULL: only a plan's */
    const char *remedy; /* where it does not fit */
    int64_t loading, planning, solving;
} poisson_host;

/* Checks that poisson_arrays_create() would not be refused. Nothing is taken. `host` may be
 * NULL. */
tsl_status poisson_arrays_foresee(tsl_context *context, const tsl_poisson_options *options,
                                  bool shared, const poisson_host *host);
/* Solves for the potential of the source or, with an axis of 0 to 2, for its field along that
 * axis. */
tsl_status poisson_arrays_solve(poisson_arrays *arrays, int axis);
/* The energy of the source in the result. */
tsl_status poisson_arrays_energy(const poisson_arrays *arrays, double *energy);
/* Lets all ranks time their stages from now on. The arrays must stay where they are. */
tsl_status poisson_arrays_time(poisson_arrays *arrays);
/* The times of all ranks: all[size]. */
tsl_status poisson_arrays_times(const poisson_arrays *arrays, tsl_poisson_times *all);
void poisson_arrays_release(poisson_arrays *arrays);
/* Reads "ranks=2x3,segments=4,overlap=off". */
error_t poisson_set_plan(const cli_option *row, const char *text, void *parsed);
/* Writes the options that --plan set into `text`; NULL: all are open. */
enum { POISSON_PLAN_TEXT = 128 };
const char *poisson_plan_text(char text[POISSON_PLAN_TEXT], const tsl_poisson_options *options);
/* Ends poisson_follow() on the other ranks. */
tsl_status poisson_end(tsl_context *context, int exit_status);
/* Does what rank 0's calls ask of this rank, until poisson_end(). `memory` is this rank's own
 * bound. */
tsl_status poisson_follow(tsl_context *context, int64_t memory, int *exit_status);

/* poisson_arrays_create() with its time and the plan's summary noted in `work`. */
tsl_status poisson_arrays_take(poisson_arrays *arrays, poisson_work *work, bool shared);
/* Bytes of an array of all cells. */
int64_t poisson_bytes(const poisson_work *work);

/* 1: every case is within its bound; 0: one is not; -1: there are no cases. */
int poisson_verified(const poisson_work *work);

void poisson_print(FILE *stream, const poisson_work *work);
tsl_status poisson_write_report(const poisson_work *work, const char *path);

#endif
