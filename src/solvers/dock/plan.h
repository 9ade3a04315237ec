/* What a docking plan holds. */
#ifndef TSL_DOCK_PLAN_H
#define TSL_DOCK_PLAN_H

#include "blocks/convolve/convolve.h"
#include "blocks/reduce/reduce.h"
#include "device/device.h"
#include "solvers/dock/dock.h"

/* Who waits while a plan is made: whether it goes on being wanted, and how far it is. */
typedef struct tsl_dock_watcher {
    tsl_fft_patience patience;
    /* A CPU has summed `rows` more of the `of` rows of the receptor's potential that are this
     * rank's; NULL: nobody asks. */
    void (*summed)(void *user, int64_t rows, int64_t of);
    void *user; /* of summed() */
} tsl_dock_watcher;

/* What a batch of rotations needs besides grids: one block of memory, of which the device has one
 * and the host a mirror. The first part goes to the device before a batch, the second comes back.
 */
typedef struct tsl_dock_batch {
    char *memory;
    int64_t bytes;
    /* to the device */
    tsl_dock_turns *turns; /* [batch] */
    int32_t *shifts;       /* [batch][3], of a rescoring */
    int64_t *after;        /* [batch] */
    int *kept;             /* [batch], back again */
    float *error;          /* [1], back again */
    int64_t sent;          /* bytes up to here */
    /* from the device */
    int *found;        /* [batch] */
    int64_t *winners;  /* [batch][keep] */
    int64_t *energies; /* [batch][keep] */
    int64_t *scores;   /* [batch] */
    int64_t received;  /* bytes from `kept` up to here */
    /* on the device alone */
    int64_t *candidates;      /* [batch][TSL_CANDIDATES], at least TSL_CANDIDATES_MORE */
    tsl_dock_corner *corners; /* [batch][charged][3] */
} tsl_dock_batch;

/* Atoms of receptor and ligand of which two have to be near each other. */
typedef struct tsl_dock_restraint {
    int64_t count[2];     /* 0: there is no restraint */
    double *positions[2]; /* [count][3], as read */
    /* where cells are masked: */
    void *atoms;        /* device */
    void *mask;         /* device */
    tsl_reduce *reduce; /* finds the largest of the cells that are left */
    tsl_restraint_task task;
} tsl_dock_restraint;

/* What the score of complementarity takes. */
typedef struct tsl_dock_terms {
    tsl_score_weights weights;
    tsl_terms *fields;       /* [N]^3, device */
    double norms[TSL_TERMS]; /* of the fields */
    tsl_score_ligand ligand;
    tsl_score_batch device;
    /* [candidates], what comes back of them */
    int64_t *candidates, *scores, *energies;
    int64_t *squares; /* [batch] */
    void *host;       /* their memory */
    tsl_dock_restraint restraint;
} tsl_dock_terms;

struct tsl_dock_plan {
    tsl_context *context;
    tsl_dock_options options;
    tsl_dock_summary summary;
    tsl_dock_geometry geometry;
    const tsl_molecule *receptor_molecule; /* whose grids `receptor` holds; NULL: none yet */
    const tsl_molecule *ligand_molecule;
    tsl_dock_atoms ligand;
    tsl_dock_receptor receptor;
    tsl_convolve_description correlation;
    tsl_grid_layout layout;
    tsl_convolve *convolve; /* NULL: not made yet */
    void *reserve;          /* what it will take, of a CPU that makes it later */
    bool is_loaded;         /* `convolve` has the receptor */
    int64_t charged;        /* atoms of the ligand that it is aimed at */
    int64_t atoms;          /* all of them */
    int64_t aside;          /* bytes besides grids and batches, while it is set up too */
    uint8_t *boxes;         /* [batch][box]^3, device */
    void *grids;            /* [batch] result grids, device */
    tsl_dock_batch device, host;
    tsl_dock_terms terms;            /* of the score of complementarity */
    const tsl_dock_watcher *watcher; /* tsl_dock_plan_create_while(); NULL: nobody watches */
    bool is_for_first;               /* tsl_dock_share_for_first() */
    double begun;                    /* tsl_dock_share_begun() */
    const double *parts; /* of the ranks in the work: tsl_dock_share_in_parts(); NULL: as they go */
};

/* Candidates of a rotation looked at in one go. About half of them qualify, so there is hardly ever
 * a second look; it takes more. */
enum { TSL_CANDIDATES = 64, TSL_CANDIDATES_MORE = 1024 };

/* A transform's values are rounded to scores while none is farther than this from an integer. */
#define TSL_TRANSFORM_ERROR_LIMIT 0.25

/* Size, spacing and box of the grid for a pair. */
tsl_status tsl_dock_choose_grid(tsl_context *context, const tsl_dock_options *options,
                                const tsl_molecule *receptor, const tsl_molecule *ligand,
                                tsl_dock_geometry *geometry, tsl_dock_summary *summary);

/* Plan transforms and give them the receptor where that is still to be done: a CPU beside GPUs does
 * it while they are at work already. TSL_E_CANCELLED: `patience`, which may be NULL, was lost; the
 * plan is as it was. */
tsl_status tsl_dock_get_ready(tsl_dock_plan *plan, const tsl_fft_patience *patience);

/* Go over to double precision, within the memory bound; the batch may shrink. */
tsl_status tsl_dock_use_double(tsl_dock_plan *plan);

/* Refuse options that are out of range, with a line that says which. */
tsl_status tsl_dock_check_options(tsl_context *context, const tsl_dock_options *options);

/* Atoms with a charge, and bytes that all take on the device. */
int64_t tsl_dock_count_charged(const tsl_molecule *molecule);
int64_t tsl_dock_atoms_bytes(const tsl_molecule *molecule);

/* A molecule's atoms on the device, moved to the origin; frees what
 * `atoms` held before. */
tsl_status tsl_dock_upload_atoms(tsl_context *context, const tsl_molecule *molecule,
                                 tsl_dock_atoms *atoms);
void tsl_dock_free_atoms(tsl_context *context, tsl_dock_atoms *atoms);

/* Lay a batch of `count` rotations out from `memory`, which may be NULL to learn its size. */
void tsl_dock_lay_out_batch(tsl_dock_batch *batch, char *memory, int count, int keep,
                            int64_t charged);

/* ---- the score of complementarity (score/rank.c) -------------------------------------------- */

/* Does a plan score by complementarity? */
bool tsl_dock_has_terms(const tsl_dock_plan *plan);

/* Bytes of a batch of `count` rotations of a ligand of `atoms`, on the device and the host. */
int64_t tsl_dock_terms_bytes(const tsl_context *context, const tsl_dock_geometry *geometry,
                             const tsl_convolve_description *what, int count, int64_t atoms);

/* Take the batch's memory, and the ligand's atoms; and give them back. */
tsl_status tsl_dock_take_terms(tsl_dock_plan *plan, const tsl_molecule *molecule);
void tsl_dock_free_terms(tsl_dock_plan *plan);

/* Take the memory of the receptor's fields, make them, give both back. */
tsl_status tsl_dock_take_fields(tsl_dock_plan *plan);
tsl_status tsl_dock_make_fields(tsl_dock_plan *plan, const tsl_molecule *receptor);
void tsl_dock_free_fields(tsl_dock_plan *plan);
/* Give them to the correlation. */
tsl_status tsl_dock_load_fields(tsl_dock_plan *plan);

/* Place the ligand's atoms as the batch's `count` rotations turn them. */
tsl_status tsl_dock_place_terms(tsl_dock_plan *plan, int count);
/* Correlate what was placed with the receptor's fields, into plan->grids. */
tsl_status tsl_dock_correlate_terms(tsl_dock_plan *plan, int count);
/* The batch's winners, in plan->host: of all that a transform's error allows the best. */
tsl_status tsl_dock_select_terms(tsl_dock_plan *plan, const tsl_rotation *rotations, int count);
/* Score poses of a batch, which has been placed, by sums: plan->host.scores and energies. */
tsl_status tsl_dock_measure_terms(tsl_dock_plan *plan, int count);

/* ---- restraints (score/restrain.c) ---------------------------------------------------------- */

/* Count the atoms of a pair's restraint; TSL_E_ARG if a molecule has none. */
tsl_status tsl_dock_count_restrained(tsl_dock_plan *plan, const tsl_molecule *receptor,
                                     const tsl_molecule *ligand);
/* Bytes that it takes with `batch` rotations in flight. */
int64_t tsl_dock_restraint_bytes(const tsl_dock_plan *plan, const tsl_dock_geometry *geometry,
                                 int batch);
tsl_status tsl_dock_take_restraint(tsl_dock_plan *plan, const tsl_molecule *receptor,
                                   const tsl_molecule *ligand);
void tsl_dock_free_restraint(tsl_dock_plan *plan);
/* After a correlation of `count` rotations: set the cells to 0 that cannot fulfil the restraint, if
 * there is one. */
tsl_status tsl_dock_restrain(tsl_dock_plan *plan, int count);
/* Find the k best cells of members first to first + count - 1 that the restraint leaves, or of all
 * cells without one, as convolve->top() does, into plan->device. */
tsl_status tsl_dock_top_terms(tsl_dock_plan *plan, int first, int count, int k);
/* Does a pose fulfil the restraint? */
bool tsl_dock_fulfils(const tsl_dock_plan *plan, const double motion[3][4]);

/* The library's own pair potentials; `values` [TSL_PAIR_BINS][18][18] receives them
 * (score/potentials.c). */
void tsl_pair_potentials_own(tsl_pair_potentials *out, double *values);

/* Refuse poses that are out of range, and a plan that has no pair. */
tsl_status tsl_dock_check_poses(const tsl_dock_plan *plan, const tsl_pose *poses, int64_t count);

/* Mean of a molecule's positions; returns the distance of the atom farthest from it, angstrom. Both
 * are rounded as in FTDock 2.0, step by step. */
float tsl_dock_centre(const tsl_molecule *molecule, double centre[3]);

/* Edge of the grid that holds two molecules of these radii in any orientation, angstrom. */
float tsl_dock_span(float receptor_radius, float ligand_radius);
/* Edge of the grid that a score takes for a pair where no spacing is asked for, angstrom. */
float tsl_dock_span_of(tsl_dock_score score, const tsl_molecule *receptor,
                       const tsl_molecule *ligand);

#endif
