/* Grids for integrals over a molecule: spheres of points around each atom, whose weights are
 * multiplied by the atom's share of space, so that
 *
 *     integral f(r) d^3r = sum_p weight_p f(point_p).
 *
 * Radii: Treutler and Ahlrichs' M4 with x_i = cos(i pi / (n + 1)), i = 1 ... n,
 *
 *     r = xi / ln 2 (1 + x)^0.6 ln(2 / (1 - x)),
 *
 * xi chosen by element (J. Chem. Phys. 102, 346 (1995)). Spheres: Lebedev's rules (lebedev.h).
 * Shares: Becke's (J. Chem. Phys. 88, 2547 (1988)) with three iterations and Treutler's adjustment
 * to sizes by the square roots of Bragg's radii, or those of Stratmann, Scuseria and Frisch (Chem.
 * Phys. Lett. 257, 213 (1996)) with a = 0.64. Levels and pruning are those of PySCF, with the same
 * points. */
#ifndef TSL_SCF_GRID_H
#define TSL_SCF_GRID_H

#include "solvers/scf/basis/basis.h"
#include "tesela/context.h"

/* The heaviest element that has radii: radon. */
enum { TSL_SCF_GRID_ELEMENTS = 86, TSL_SCF_GRID_MOST_RADII = 500 };

typedef enum tsl_scf_partition { TSL_SCF_BECKE, TSL_SCF_STRATMANN } tsl_scf_partition;

typedef struct tsl_scf_grid_options {
    int level;          /* 0 to 9, PySCF's: numbers of radii and points by element; -1: */
    int radii, angular; /* the same on every atom; angular is a rule's number of points */
    bool prune;         /* smaller rules for spheres near the nucleus and far from it, as NWChem */
    tsl_scf_partition partition;
} tsl_scf_grid_options;

/* Points on the host. */
typedef struct tsl_scf_grid {
    int64_t points;
    double *position[3]; /* x, y, z [points], bohr */
    double *weight;      /* [points] bohr^3 */
    int32_t *atom;       /* [points]: around which the point's sphere is */
} tsl_scf_grid;

/* Read "coarse", "medium", "fine", "level 0" … "level9" or "99x590" (radii x points of a sphere).
 * coarse: level 1; medium: level 3; fine: 99x590. Levels are pruned, the others not.
 * @return TSL_OK; TSL_E_ARG with a line that lists what there is. */
tsl_status tsl_scf_grid_parse(tsl_scf_grid_options *out, tsl_context *context, const char *text);

/* Make the grid of some atoms. Points are in the order of atoms, then radii, then the rule's; all
 * of a grid are there, whatever their weight. Shares are worked out on the context's device.
 *
 * @return TSL_OK; TSL_E_ARG: an element without radii, two atoms in one place, or a rule of so many
 *         points that there is not; TSL_E_NOMEM; TSL_E_DEVICE.
 *
 * Accuracy: radii and their weights 4 ulp; shares 1e-14. Synchronous. */
tsl_status tsl_scf_grid_create(tsl_scf_grid *out, tsl_context *context, const tsl_scf_atoms *atoms,
                               const tsl_scf_grid_options *options);

/* NULL's members are fine. */
void tsl_scf_grid_release(tsl_scf_grid *grid);

/* The points that a grid is going to have; 0 of elements without radii. Bytes that making it takes
 * at most, and those that it keeps. */
int64_t tsl_scf_grid_count(const tsl_scf_atoms *atoms, const tsl_scf_grid_options *options);
int64_t tsl_scf_grid_bytes(int64_t points, int atoms);

/* ---- parts --------------------------------------------------------------------------------- */

/* One sphere of an atom's grid: its mean over the sphere is to be multiplied by `weight`. */
typedef struct tsl_scf_sphere {
    double radius; /* bohr */
    double weight; /* 4 pi r^2 dr */
    int points;    /* of the Lebedev rule */
} tsl_scf_sphere;

/* Radii [n], ascending, and dr [n] of an element, 1 <= element <= TSL_SCF_GRID_ELEMENTS. */
void tsl_scf_radii(int element, int n, double *radius, double *dr);

/* The spheres of an element: their number, at most TSL_SCF_GRID_MOST_RADII. */
int tsl_scf_spheres(tsl_scf_sphere *out, int element, const tsl_scf_grid_options *options);

/* Bragg's radius, angstrom (J. C. Slater, J. Chem. Phys. 41, 3199 (1964)). */
double tsl_scf_bragg(int element);

/* Points with what divides space among the atoms. All arrays are device memory. */
typedef struct tsl_scf_partition_task {
    tsl_scf_partition scheme;
    int atoms;
    const double *center;  /* [3][atoms] */
    const double *inverse; /* [atoms][atoms]: 1 / distance */
    const double *adjust;  /* [atoms][atoms]: Treutler's a; zeros with Stratmann's scheme */
    const int32_t *near;   /* [atoms][atoms]: all atoms by their distance from each, itself first */
    int64_t points;
    const double *position; /* [3][points] */
    const int32_t *atom;    /* [points] */
    double *weight;         /* [points], multiplied by the share */
} tsl_scf_partition_task;

typedef struct tsl_scf_grid_ops {
    /* Asynchronous on the context's stream. */
    tsl_status (*partition)(tsl_context *context, const tsl_scf_partition_task *task);
} tsl_scf_grid_ops;

extern const tsl_scf_grid_ops tsl_scf_grid_cpu;

#endif
