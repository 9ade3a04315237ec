/** @file scf.h
 *  Kohn-Sham density-functional theory in Gaussian basis functions: the energy of a molecule's
 *  electrons, closed and open shells, with point charges around.
 *
 *  Solved are F C = S C epsilon with F = T + V + J + V_xc: kinetic energy, attraction by nuclei and
 * point charges, Coulomb repulsion of the density D by density fitting, and the potential of a
 * functional of the local density, its gradient and the kinetic energy density. The energy is
 *
 *      E = Tr D (T + V) + 1/2 Tr D J + E_xc + E_nn + E_nq,
 *
 *  where nuclei repel each other and the point charges. Those don't interact among themselves.
 *
 *  Units are hartree and bohr unless named. A plan uses one context, on any device. On a GPU
 * integrals of the Coulomb repulsion are made anew in each iteration, and none are stored; the host
 * works out overlap, kinetic energy and the densities of atoms.
 */
#ifndef TESELA_SCF_H
#define TESELA_SCF_H

#include <stddef.h>
#include <stdint.h>

#include "tesela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One bohr in angstrom (CODATA 2018). */
#define TSL_SCF_BOHR 0.529177210903

/** One atomic unit of a dipole moment in debye (CODATA 2018). */
#define TSL_SCF_DEBYE 2.541746473

/* ---- molecules ----------------------------------------------------------------------------- */

/** Nuclei at their places. Immutable. */
typedef struct tsl_scf_molecule tsl_scf_molecule;

/** Make a molecule of the caller's nuclei.
 *
 *  @param[in] count      number of atoms, 1 to 10000
 *  @param[in] elements   [count] atomic numbers, 1 to 118; a negative one is a ghost: basis
 * functions and grid of that element without its nucleus and electrons
 *  @param[in] positions  [count][3] bohr, finite, of magnitude below 1e6
 *  @return TSL_OK; TSL_E_ARG for numbers out of range or two atoms nearer than 1e-3 bohr;
 * TSL_E_NOMEM.
 */
TSL_API tsl_status tsl_scf_molecule_create(tsl_scf_molecule **out, tsl_context *context,
                                           int64_t count, const int *elements,
                                           const double *positions);

/** Read a molecule from an XYZ file: a line with the number of atoms, a line of comment, then a
 * line an atom: symbol or atomic number, x, y, z; what follows on it is not read. Where the comment
 * is that of extended XYZ, Properties= says which columns these are; a periodic cell (Lattice=) is
 * not used, with a warning. "@O" and "ghost-O" are ghosts, D and T are hydrogen.
 *
 *  @param[in] unit  bohr of one unit of the file: 1 / TSL_SCF_BOHR for angstrom, 1 for bohr
 *  @return TSL_OK; TSL_E_IO; TSL_E_FORMAT, with file and line; TSL_E_ARG as of
 *          tsl_scf_molecule_create(); TSL_E_NOMEM.
 */
TSL_API tsl_status tsl_scf_molecule_read(tsl_scf_molecule **out, tsl_context *context,
                                         const char *path, double unit);

/** NULL is fine. */
TSL_API void tsl_scf_molecule_destroy(tsl_scf_molecule *molecule);

/** Number of atoms; their atomic numbers [count], negative of ghosts; positions [count][3], bohr.
 * Borrowed from the molecule. */
TSL_API int64_t tsl_scf_molecule_count(const tsl_scf_molecule *molecule);
TSL_API const int *tsl_scf_molecule_elements(const tsl_scf_molecule *molecule);
TSL_API const double *tsl_scf_molecule_positions(const tsl_scf_molecule *molecule);

/** Point charges. Immutable. */
typedef struct tsl_scf_charges tsl_scf_charges;

/** @param[in] charges    [count] elementary charges, finite
 *  @param[in] positions  [count][3] bohr
 *  @return TSL_OK; TSL_E_ARG; TSL_E_NOMEM. */
TSL_API tsl_status tsl_scf_charges_create(tsl_scf_charges **out, tsl_context *context,
                                          int64_t count, const double *charges,
                                          const double *positions);

/** Read point charges: a line each of charge, x, y, z, before which a line with their
 * number may stand; "#" begins a comment.
 *  @param[in] unit  bohr of one unit of the file's positions
 *  @return TSL_OK; TSL_E_IO; TSL_E_FORMAT, with file and line; TSL_E_NOMEM. */
TSL_API tsl_status tsl_scf_charges_read(tsl_scf_charges **out, tsl_context *context,
                                        const char *path, double unit);

/** NULL is fine. */
TSL_API void tsl_scf_charges_destroy(tsl_scf_charges *charges);
TSL_API int64_t tsl_scf_charges_count(const tsl_scf_charges *charges);
/** Sum of all. */
TSL_API double tsl_scf_charges_total(const tsl_scf_charges *charges);
/** The least distance of a charge and a nucleus, bohr; HUGE_VAL without charges. */
TSL_API double tsl_scf_charges_nearest(const tsl_scf_charges *charges,
                                       const tsl_scf_molecule *molecule);

/* ---- calculations -------------------------------------------------------------------------- */

/** A calculation made ready: basis functions, integrals, grid. */
typedef struct tsl_scf_plan tsl_scf_plan;

/** How the Coulomb repulsion is had. */
typedef enum tsl_scf_fit {
    TSL_SCF_FIT_DENSITY = 0, /**< by fitting the density with auxiliary functions */
    TSL_SCF_FIT_NONE = 1     /**< by all integrals of four functions: at most 50 functions */
} tsl_scf_fit;

/** How to make a plan. Initialise with TSL_SCF_OPTIONS_INIT. */
typedef struct tsl_scf_options {
    size_t size;           /**< sizeof(tsl_scf_options) */
    const char *basis;     /**< "def2-svp": a set of the library, or a file of Gaussian 94's form or
                                NWChem's; exceptions by element follow: "def2-svp,Fe=FILE" */
    const char *auxiliary; /**< set or file of auxiliary functions; NULL: "def2-universal-jfit" */
    const char *functional; /**< as tsl_xc_plan_create() takes it */
    const char *grid; /**< "coarse", "medium", "fine", or radial by angular points: "99x590" */
    int cartesian;    /**< 1: Cartesian functions, in both sets; 0: spherical */
    tsl_scf_fit fit;
    int charge;              /**< of the molecule, e */
    int multiplicity;        /**< 2 S + 1; 0: 1 or, of an odd number of electrons, 2 */
    int unrestricted;        /**< 1: two sets of orbitals whatever the multiplicity */
    double energy_tolerance; /**< hartree: the most that the energy of a converged solution changed
                                in the last iteration */
    double error_tolerance;  /**< hartree: the largest element of F D S - S D F, in orthonormal
                                functions, of a converged solution */
    int max_iterations; /**< of the first solution, 1 to 10000; tsl_scf_solve() says of others */
    double damping;     /**< of the first iterations: part of the old F that is kept, 0 to 0.95 */
    double level_shift; /**< hartree, added to the energies of orbitals that are not occupied, >= 0.
                           What converges with it must converge again without */
    double screen;  /**< pairs of primitive functions whose overlap is less are left out, >= 0 */
    int64_t memory; /**< bytes that a plan and its solution may take, of the host's memory or, on a
                         GPU, of the card's; 0: three quarters of what is free. What matrices,
                         metric, grid and guess leave of it keeps integrals on a CPU, and those
                         that don't fit are worked out anew in each iteration. On a GPU it serves
                         batches of grid points, 2 GiB at most */
    const char *restart; /**< file of a density, a NumPy archive; NULL: none. If it is there, the
                              iteration begins with its density. The latest density goes to it, at
                              most once a second and at the end, and replaces it whole */
} tsl_scf_options;

#define TSL_SCF_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(tsl_scf_options), "def2-svp", NULL, "pbe", "medium", 0, TSL_SCF_FIT_DENSITY, 0, 0,  \
            0, 1e-8, 1e-5, 100, 0, 0, 1e-14, 0, NULL                                               \
    }

/** What a plan is. */
typedef struct tsl_scf_description {
    size_t size; /**< sizeof(tsl_scf_description), set by the caller */
    int64_t functions, auxiliary_functions;
    int64_t orthogonal; /**< functions that are left when nearly dependent ones are taken out: those
                             combinations whose overlap is below 1e-7 */
    int64_t grid_points;
    int alpha, beta; /**< electrons */
    int unrestricted;
    int64_t stored_bytes, total_bytes; /**< of integrals (mu nu|P): kept, and all */
    int64_t memory_bytes;  /**< that the plan and tsl_scf_solve() take at most, integrals included;
                                threads' stacks and the program itself are not. On a GPU: of its
                                memory, without what its libraries take themselves */
    const char *auxiliary; /**< name of the auxiliary set; NULL: none. Borrowed from the plan */
} tsl_scf_description;

/** Energies in hartree, and what else is known of a solution. */
typedef struct tsl_scf_result {
    size_t size; /**< sizeof(tsl_scf_result), set by the caller */
    double total;
    double kinetic;
    double nuclear_attraction; /**< electrons and nuclei */
    double mm_attraction;      /**< electrons and point charges */
    double coulomb;            /**< electrons among themselves */
    double exchange;           /**< exact exchange; 0 */
    double xc;                 /**< of the functional */
    double nuclear_repulsion;
    double nuclear_mm;           /**< nuclei and point charges */
    double electrons_on_grid[2]; /**< integral of the density of each spin */
    double s_squared;            /**< <S^2> of the determinant */
    double dipole[3];            /**< debye; about the center of nuclear charge */
    double energy_change;        /**< of the last iteration */
    double error;                /**< largest element of F D S - S D F, as tested */
    int iterations;              /**< of all solutions together */
    int converged;               /**< 1, or 0: not within the iterations allowed */
} tsl_scf_result;

/** Make a plan: place basis functions on the molecule, work out their integrals and the grid.
 *
 *  @param[in] molecule  borrowed during the call
 *  @param[in] charges   borrowed during the call; NULL: none
 *  @param[in] options   NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG for an unknown basis set, functional or grid, an element without
 * functions, a charge or multiplicity that the number of electrons cannot have, more than 50
 * functions with TSL_SCF_FIT_NONE, a point charge within 1e-3 bohr of a nucleus, options out of
 * range, a file `restart` of another molecule, basis set or number of electrons; TSL_E_UNSUPPORTED
 * for functionals with exact exchange or nonlocal correlation, basis sets with effective core
 * potentials, orbital functions beyond g, TSL_SCF_FIT_NONE on another device than `cpu`, a GPU
 * without cuBLAS and cuSOLVER; TSL_E_IO, TSL_E_FORMAT of basis sets' files and of `restart`;
 * TSL_E_NOMEM, before anything large is taken, where `memory`, or what is free, is less than what
 * is needed without integrals that are kept. A note says what will be taken.
 */
TSL_API tsl_status tsl_scf_plan_create(tsl_scf_plan **out, tsl_context *context,
                                       const tsl_scf_molecule *molecule,
                                       const tsl_scf_charges *charges,
                                       const tsl_scf_options *options);

/** NULL is fine. */
TSL_API void tsl_scf_plan_destroy(tsl_scf_plan *plan);

/** @return TSL_OK; TSL_E_ARG if out->size is not known. */
TSL_API tsl_status tsl_scf_plan_describe(const tsl_scf_plan *plan, tsl_scf_description *out);

/** Solve the equations, from the densities of the atoms, from that of the file `restart` or, of a
 * plan solved before, from its last.
 *
 *  DIIS (P. Pulay, J. Comput. Chem. 3, 556 (1982)) of eight Fock matrices. If the energy rises
 * three times in a row or the error stalls, Fock matrices are mixed with the last one, and then the
 * energies of empty orbitals are raised; notes to the context's message function say so.
 *
 *  Where orbitals of one energy are occupied in part, as the pi orbitals of OH, the energy
 * on the grid depends on their orientation about the axis. If error_tolerance is 1e-6 or less, the
 * equations are solved again from four other orientations, in at most 40 iterations each, and the
 * solution of least energy is kept; a note says what that gained.
 *
 *  Accuracy: with the same basis functions, fit and grid, energies agree with PySCF's to 1e-8
 * hartree. The same bits whatever the number of threads; another device's energies are the CPU's to
 * 1e-10 hartree.
 *
 *  @param[out] result  also where it did not converge
 *  @return TSL_OK; TSL_E_NOCONV if max_iterations were not enough: result->converged is 0;
 * TSL_E_ARG if result->size is not known; TSL_E_IO if the file `restart` cannot be written;
 * TSL_E_NOMEM. Synchronous.
 */
TSL_API tsl_status tsl_scf_solve(tsl_scf_plan *plan, tsl_scf_result *result);

/** Energies of orbitals [orthogonal], ascending, of spin 0 or 1; NULL before a solution. Borrowed.
 */
TSL_API const double *tsl_scf_orbital_energies(const tsl_scf_plan *plan, int spin);

/** The density matrix [functions][functions] of spin 0 or 1 of an open shell, of both electrons of
 * a closed one; functions in PySCF's order, Cartesian ones normalised each. NULL before a solution.
 *  Borrowed. */
TSL_API const double *tsl_scf_density(const tsl_scf_plan *plan, int spin);

/** Charges of the atoms [atoms], e, by Mulliken's and Löwdin's partition of the density. Either may
 * be NULL.
 *  @return TSL_OK; TSL_E_ARG before a solution; TSL_E_NOMEM. */
TSL_API tsl_status tsl_scf_populations(const tsl_scf_plan *plan, double *mulliken, double *lowdin);

#ifdef __cplusplus
}
#endif

#endif
