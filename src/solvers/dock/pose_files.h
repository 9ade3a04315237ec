/* The files docking writes and reads: FTDock's list, ZDOCK's list, complexes as PDB, the figure. */
#ifndef TSL_DOCK_POSE_FILES_H
#define TSL_DOCK_POSE_FILES_H

#include "core/core.h"
#include "io/file/input.h"
#include "io/molecule/molecule.h"
#include "tesela/dock.h"

/* The head of a list: FTDock's, with what it lacks. */
typedef struct tsl_pose_list_head {
    char receptor[256]; /* file name without folders */
    char ligand[256];
    int grid;
    bool grid_given; /* "(user defined)" rather than "(default)" */
    int angle_step;  /* degrees; 0: other rotations, named in `rotations_from` */
    bool angle_step_given;
    char rotations_from[256]; /* "spiral:54000" or a file name, for angle_step 0 */
    double surface;
    bool surface_given;
    int core;
    bool core_given;
    tsl_electrostatics electrostatics;
    bool electrostatics_given;
    int keep;
    bool keep_given;
    int64_t rotations;
    double span;    /* angstrom */
    double spacing; /* angstrom */
    tsl_dock_score score;
} tsl_pose_list_head;

/* A list in memory. */
typedef struct tsl_pose_list {
    tsl_pose_list_head head;
    int64_t count;
    tsl_pose *poses;   /* [count] */
    int64_t *previous; /* [count]: rank in the list this one rescores, or was before its poses were
                          gathered into clusters; NULL: column prvID is 0 */
    int64_t *sizes;    /* [count]: poses of each one's cluster; NULL: there are none */
} tsl_pose_list;

/* Write FTDock 2.0's `ftdock_global.dat`, byte for byte the original's layout for a run with an
 * angle step: ES ratio = 100 energy / (lowest energy of the list's run, given; 0 if it is 0 or
 * electrostatics are off). Angles that are whole degrees print as the original prints them, others
 * with six decimals. Electrostatics print as "on", "off" or "trilinear". A list of another score
 * than FTDock's names it in one line more, "Score"; the surface and the deterrent above it are
 * without effect then. */
tsl_status tsl_ftdock_write(tsl_context *context, const char *path, const tsl_pose_list *list,
                            double lowest_energy);

/* Read such a list, of the original's or ours, or the original's scratch file or log, which have no
 * head. `energy` gets the ES ratio, negated (the energy itself from a scratch file, where it is
 * negative; 0 from a log).
 * Rows may be in any number; a malformed one is TSL_E_FORMAT with file and line. Angles out of
 * range are brought into it (the rotation is the same). Head fields that the file lacks are 0 or
 * "". Free with tsl_pose_list_free(); after a failure `out` is empty. */
tsl_status tsl_ftdock_read(tsl_context *context, const char *path, tsl_pose_list *out);
/* Read a list as tsl_ftdock_read() does, from an input that is open. */
tsl_status tsl_ftdock_take(tsl_input *input, tsl_pose_list *out);
void tsl_pose_list_free(tsl_pose_list *list);

/* Write ZDOCK's list (the form with four head lines: receptor fixed, ligand moved). Each row is
 * "psi theta phi tx ty tz score": ligand' = receptor centre - spacing t + Rz(psi) Rx(theta) Rz(phi)
 * (ligand - ligand centre), with t >= N/2 meaning t - N; radians with six decimals, or
 * nine where an angle is no whole degree, so that it can be read back; tab separated. */
tsl_status tsl_zdock_write(tsl_context *context, const char *path, const tsl_pose_list *list,
                           const tsl_dock_summary *summary);

/* Whether a file begins as a list of ZDOCK's does: with the number of cells and the spacing. The
 * input stays where it is. Errors as of tsl_input_peek(). */
tsl_status tsl_zdock_recognise(tsl_input *input, bool *is_zdock);

/* Where the poses of a list were: x' = motion[i][0..2] . x + motion[i][3] takes the ligand's
 * positions as read to the frame of the receptor's. */
typedef struct tsl_zdock_list {
    int grid;       /* N */
    double spacing; /* angstrom */
    int64_t count;
    double (*motions)[3][4]; /* [count] */
    tsl_rotation *rotations; /* [count]: the motions' */
    int64_t wide;            /* rows of more than seven columns, of which the rest is left out */
    int64_t first_wide;      /* line of the first of them */
} tsl_zdock_list;

/* Read a list of ZDOCK's, with four head lines (2.x) or five (3.x: a switch, and both molecules
 * turned beforehand), or ours. TSL_E_FORMAT, with file and line, for what is no such row. Free with
 * tsl_zdock_free(); after a failure `out` is empty. */
tsl_status tsl_zdock_take(tsl_input *input, tsl_zdock_list *out);
void tsl_zdock_free(tsl_zdock_list *list);

/* Write the receptor as read and the ligand moved by `motion` as one PDB file: REMARKs that name
 * both inputs (from `head`), rank, score and transformation; ATOM/HETATM records in PDB columns;
 * TER after each molecule; END.
 *
 * A ligand chain that the receptor has too, and a chain whose name is longer than a letter, is
 * renamed to the first free letter, with a REMARK. Atoms are numbered anew, after 99999 from 1;
 * residue numbers beyond four columns are written modulo 10000, with a REMARK; residue names of
 * more than four characters become UNL, and atom names are cut to four. Bare positions become one
 * residue UNK each. TSL_E_ARG if a coordinate does not fit its columns or chains outnumber the
 * letters. */
tsl_status tsl_complex_write(tsl_context *context, const char *path, const tsl_pose_list_head *head,
                             const tsl_molecule *receptor, const tsl_molecule *ligand,
                             const double motion[3][4], int64_t rank, const tsl_pose *pose);

/* Whether complexes of two molecules can be written, wherever a search may put the ligand: within
 * `reach` angstrom of the receptor's middle along each axis. TSL_E_ARG, with a line that names the
 * molecule at fault (`names` of receptor and ligand), if chains outnumber the letters or a
 * coordinate may not fit its columns. A note for each molecule says how many residue numbers, names
 * of residues and of atoms the columns will cut. Writes nothing. */
tsl_status tsl_complex_check(tsl_context *context, const char *const names[2],
                             const tsl_molecule *receptor, const tsl_molecule *ligand,
                             const double receptor_centre[3], double reach);

enum { TSL_FIGURE_POSES = 500 };

/* Draw `figure.svg`: left, a histogram of the list's scores; right, the ligand's centres of the
 * first 500 poses around the receptor, seen along z, over the receptor's atoms, coloured by score,
 * nearer ones drawn later. TSL_E_UNSUPPORTED in a build without Cairo. */
tsl_status tsl_dock_figure(tsl_context *context, const char *path, const tsl_pose_list *list,
                           const tsl_molecule *receptor, const tsl_molecule *ligand,
                           const tsl_dock_plan *plan);

/* The drawing itself: `centres` [min(list->count, TSL_FIGURE_POSES)][3] of the ligand, angstrom. */
tsl_status tsl_dock_figure_draw(tsl_context *context, const char *path, const tsl_pose_list *list,
                                const tsl_molecule *receptor, const double (*centres)[3]);

#endif
