/* The parts of `tesela dock`. */
#ifndef TSL_CLI_DOCK_COMMAND_H
#define TSL_CLI_DOCK_COMMAND_H

#include "blocks/fft/fft.h"
#include "cli/shared/cli.h"
#include "cli/shared/ranks.h"
#include "io/file/spool.h"
#include "solvers/dock/checkpoint.h"
#include "solvers/dock/plan.h"
#include "solvers/dock/pose_files.h"
#include "tesela/dock.h"

/* ---- options (options.c) ------------------------------------------------------------------ */

/* What the command is asked to do. */
typedef enum dock_task { DOCK_A_RUN, DOCK_LADDER, DOCK_QUALITY } dock_task;

enum { DOCK_MOST_REPEATS = 100 };

/* An atom of the receptor's residues has to be within a distance of one of the ligand's. */
typedef struct dock_restraint {
    char residues[2][512]; /* of receptor and ligand, as lists */
    double distance;       /* angstrom; 0: there is no restraint */
    uint8_t *marks[2];     /* of the pair at hand: [atoms], 1 for those of the residues */
} dock_restraint;

typedef struct dock_options {
    cli_common common;
    const char *receptor; /* NULL with a list */
    const char *ligand;
    const char *folder;
    const char *list;             /* file of pairs, or NULL */
    const char *rescore;          /* list of poses, or NULL */
    const char *judged;           /* list of poses whose quality is asked for, or NULL */
    const char *native;           /* the complex that it is compared with */
    const char *native_chains[2]; /* of receptor and ligand there */
    tsl_dock_options dock;
    const char *contacts; /* file of contact potentials; NULL: the library's own */
    /* the contact potentials that were read */
    double table[TSL_CONTACT_TYPE_COUNT][TSL_CONTACT_TYPE_COUNT];
    int rerank;             /* poses that are ranked anew by potentials of pairs; 0: none */
    const char *potentials; /* file of pair potentials; NULL: the library's own */
    tsl_pair_potentials pairs;
    double pair_edges[TSL_PAIR_BINS]; /* the ends of the bins of pair potentials that were read */
    double pair_values[TSL_PAIR_BINS][TSL_CONTACT_TYPE_COUNT][TSL_CONTACT_TYPE_COUNT];
    double cluster;             /* radius, angstrom; 0: no clusters */
    const char *block;          /* residues, "receptor" or "ligand" before them; NULL: none */
    const char *restrain;       /* "LIST within D of LIST", or NULL */
    int angle_step;             /* degrees; 0: rotations come from rotations_from */
    const char *rotations_from; /* "spiral:COUNT" or a file */
    int spiral;                 /* the COUNT of a spiral, or 0 */
    int top;                    /* rows of the list */
    int poses;                  /* complexes to write */
    tsl_hetero hetero;
    int models[2];               /* of receptor and ligand, as in tsl_molecule_options */
    const char *receptor_chains; /* "A,B"; NULL: all */
    const char *ligand_chains;
    bool resume;
    dock_task task;
    const char *variants; /* versions of the ladder that are asked for; NULL: all */
    int repeat;           /* runs of each version */
} dock_options;

int dock_command(const cli_command *self, int argc, char **argv);
const char *dock_electrostatics_name(tsl_electrostatics electrostatics);

/* Read options->contacts into options->table, which the docking options then point to. Prints what
 * is wrong with the file. */
bool dock_contacts_read(dock_options *options);

/* Read options->potentials into options->pairs. Prints what is wrong with the file. */
bool dock_potentials_read(dock_options *options);

/* ---- residues (residues.c) ------------------------------------------------------------------ */

/* Is this a list of residues, CHAIN:NUMBER, CHAIN:FIRST-LAST or CHAIN:*, with commas between? */
bool dock_residues_valid(const char *list);
struct dock_input;
/* 1 for each atom of an input's residues that a list names, else 0; the caller releases them. */
tsl_status dock_residues_mark(uint8_t **out, tsl_context *context, const char *option,
                              const char *list, const struct dock_input *input);

bool dock_restraint_parse(dock_restraint *out, const char *text);
/* Mark the atoms of a pair whose residues a restraint names. The molecules have been read. */
tsl_status dock_restraint_aim(dock_restraint *restraint, tsl_context *context,
                              const struct dock_input *receptor, const struct dock_input *ligand);
void dock_restraint_free(dock_restraint *restraint);

/* ---- rotations (rotations.c) -------------------------------------------------------------- */

typedef struct dock_rotations {
    int64_t count;
    tsl_rotation *at; /* [count] */
} dock_rotations;

tsl_status dock_rotations_make(dock_rotations *out, tsl_context *context,
                               const dock_options *options);
void dock_rotations_free(dock_rotations *rotations);

/* ---- molecules (molecule.c) --------------------------------------------------------------- */

/* A file of atoms, read once however many pairs use it. */
typedef struct dock_input {
    const char *path;       /* borrowed */
    const char *chains;     /* "A,B"; NULL: all */
    int model;              /* as in tsl_molecule_options */
    const char *option;     /* the option that chose the chains, for messages */
    bool of_list;           /* pairs of a list share it: it may be read again */
    tsl_spool file;         /* open once the digest is known */
    char digest[65];        /* of the file; "" until it is needed */
    tsl_molecule *molecule; /* NULL until it is needed */
    int64_t last_use;       /* the last pair of a list that needs it */
} dock_input;

/* The input of the receptor (role 0) or the ligand (1), not read yet. */
dock_input dock_input_of(const dock_options *options, int role, const char *path);
/* Read the molecule unless it is there, and say what was left out and assumed. */
tsl_status dock_input_read(dock_input *input, tsl_context *context, tsl_hetero hetero);
/* The file's digest. */
tsl_status dock_input_digest(dock_input *input, tsl_context *context);
void dock_input_free(dock_input *input);
/* Write the input as the member `name` of a report. */
void dock_input_report(tsl_json *json, const char *name, const dock_input *input);

/* TSL_E_ARG if `path` is standard input, a pipe or a device: those can be read only once, and by
 * one rank. */
tsl_status dock_refuse_pipe(tsl_context *context, const char *path);
/* TSL_E_ARG if `path` can be read only once and there are several ranks. */
tsl_status dock_refuse_shared_pipe(tsl_context *context, const char *path);

/* ---- one pair (pair.c) -------------------------------------------------------------------- */

/* The way in which a search is done. */
typedef struct dock_manner {
    bool keeps_at_end;   /* finished rotations go to a file when all are, not after each batch */
    const double *parts; /* [ranks]: rotations are split in proportion to these; NULL: they are
                            handed out as ranks go on */
    /* looks for signals to other ranks; NULL: only signals to this one count */
    void (*hear)(void *user);
    void *user;
} dock_manner;

/* The command's state on one rank, which stays from pair to pair. */
typedef struct dock_work {
    const dock_options *options;
    tsl_comm *comm;
    tsl_context *context;
    int rank, ranks;           /* rank 0 prints, and writes the results */
    cli_placement *placements; /* [ranks] */
    char *devices;             /* "cuda:0,cuda:1,cpu": those of all ranks */
    dock_rotations rotations;
    dock_manner manner;
    tsl_dock_watcher watcher; /* told of the plan's progress */
    cli_progress summing;     /* progress of summing the receptor's potential */
    tsl_dock_plan *plan;      /* NULL before the first pair and after a failure */
    dock_input *held[2];      /* whose molecules the plan borrows */
    double begun;
} dock_work;

/* Has no signal come? `work` is a dock_work. */
bool dock_is_wanted(void *work);

/* The share of a search that a rank did. */
typedef struct dock_share {
    int64_t rotations;
    double begun;   /* seconds from the search's beginning to that of its first batch */
    double seconds; /* from the beginning of its first batch to the end of its last */
} dock_share;

/* One pair: what is asked of it, then what came out. */
typedef struct dock_pair {
    const char *folder;
    dock_input *receptor;
    dock_input *ligand;
    tsl_spool rescored;     /* the list of options->rescore */
    char list_digest[65];   /* digest of that list; "" where there is none */
    char search_digest[65]; /* names everything the answer depends on */
    char output_digest[65]; /* names everything the files depend on */
    tsl_dock_options used;  /* what the plan was made with */
    uint8_t *blocked; /* mark for each atom that is blocked, of one of the molecules, or NULL */
    dock_restraint restraint;
    tsl_dock_summary summary;
    tsl_pose_list list;
    double lowest_energy;   /* of the whole run */
    int64_t rotations_done; /* by the ranks of this run */
    dock_share *shares;     /* [ranks]; NULL without a search */
    int64_t complexes;      /* files written */
    bool figure;            /* the figure was drawn */
    bool was_complete;      /* there was nothing left to do */
    tsl_profile profile_before;
    double begun, ready, computed, ended; /* tsl_seconds() */
} dock_pair;

/* The pair of the command line, which is not read yet. `receptor` and `ligand` are filled, and
 * borrowed. */
dock_pair dock_pair_of(const dock_options *options, dock_input *receptor, dock_input *ligand);

/* Dock one pair into its folder. The context has the error. This function and those below are
 * collective, but for those that write files and reports. All ranks return the same status, except
 * for TSL_E_COMM on those that hear of a published failure. */
tsl_status dock_pair_run(dock_work *work, dock_pair *pair);
void dock_pair_free(dock_pair *pair);
/* Is the result verified: 1, 0, or -1 where there is nothing to verify? */
int dock_pair_verified(const dock_pair *pair);

/* ---- where poses come from (search.c, rescore.c) ------------------------------------------ */

/* Search all rotations, taking up checkpoints if that is asked for. Fills pair->shares and, on rank
 * 0, pair->list.poses, in order, and pair->lowest_energy. On success this rank's *checkpoint is
 * open, to be closed when the files are written. */
tsl_status dock_search(dock_work *work, dock_pair *pair, tsl_checkpoint **checkpoint);
/* Remove the checkpoints that a complete run left behind. For rank 0. */
void dock_search_tidy(dock_work *work, const dock_pair *pair);

/* Cut pair->list to options->rerank poses and rank them anew, if that is asked for. */
tsl_status dock_rerank(dock_work *work, dock_pair *pair);

/* Find clusters in pair->list, if they are asked for, and keep one pose of each; `most` poses are
 * to be left. */
tsl_status dock_cluster(dock_work *work, dock_pair *pair, int64_t most);

/* Read options->rescore into pair->list and take pair->used from its head. */
tsl_status dock_rescore_read(dock_work *work, dock_pair *pair);
/* Score the poses of pair->list anew and sort them. */
tsl_status dock_rescore(dock_work *work, dock_pair *pair);

/* ---- files (files.c) ---------------------------------------------------------------------- */

enum { DOCK_PATH = 4096 + 64, DOCK_FOLDER_LENGTH = 3072 };

/* "FOLDER/NAME"; lengths were checked at the start. Returns `path`. */
const char *dock_path(char path[DOCK_PATH], const char *folder, const char *name);
/* Write all files of a pair but run.json. */
tsl_status dock_files_write(dock_work *work, dock_pair *pair);
/* Does the folder hold a complete run with pair->output_digest? */
bool dock_files_complete(dock_work *work, const dock_pair *pair);
/* Does the folder's report name another search? False where there is none, or it cannot be told. */
bool dock_files_of_other_search(dock_work *work, const dock_pair *pair);
/* Copy the pair's run.json to `path`. */
tsl_status dock_files_copy_report(dock_work *work, const dock_pair *pair, const char *path);

/* ---- reports (report.c) ------------------------------------------------------------------- */

/* The envelope for one pair, as run.json has it. */
tsl_status dock_report_write(const dock_work *work, const dock_pair *pair, const char *path);
/* Write the member "parameters" of the envelope; `pair` is NULL for a list. */
void dock_report_parameters(tsl_json *json, const dock_work *work, const dock_pair *pair);
/* FTDock's measure of an energy: a share of the lowest of the run, in per cent. */
double dock_es_ratio(const dock_pair *pair, const tsl_pose *pose);
/* Print the summary for people. */
void dock_report_print(FILE *stream, const dock_work *work, const dock_pair *pair);

/* ---- lists of pairs (list.c) -------------------------------------------------------------- */

/* Dock all pairs of options->list. Returns the exit status; messages have been printed. */
int dock_list_run(dock_work *work);

/* ---- the ladder (ladder.c) ----------------------------------------------------------------- */

/* Measure the versions of docking on all ranks (ladder.h). Returns the exit status; messages have
 * been printed. */
int dock_ladder_run(dock_work *work);

/* ---- quality (quality.c) -------------------------------------------------------------------- */

/* Compare the poses of options->judged with options->native, on rank 0. Returns the exit status;
 * messages are out. */
int dock_quality_run(dock_work *work);
/* The edge of a cell that a list's poses are placed by. The list's head has it with three decimals
 * only: where the pair, by the list's score, gets an edge that rounds to that, it is the pair's. */
double dock_list_spacing(const tsl_pose_list_head *head, const tsl_molecule *receptor,
                         const tsl_molecule *ligand);

/* ---- the end (dock.c) --------------------------------------------------------------------- */

/* Print why the command failed, if it did; a published failure is printed by whoever runs the
 * ranks. Returns the exit status. */
int dock_end(const dock_work *work, tsl_status status);

#endif
