/** @file scf.h
 *  Kohn-Sham density-functional theory in Gaussian basis functions: the energy of a molecule's
 *  electrons, for closed and open shells, optionally with point charges around the molecule.
 *
 *  The equations are F C = S C epsilon with F = T + V + J + V_xc: kinetic energy, attraction by
 *  nuclei and point charges, Coulomb repulsion of the density D by density fitting, and the
 *  potential of a functional of the local density, its gradient and the kinetic energy density. The
 *  energy is
 *
 *      E = Tr D (T + V) + 1/2 Tr D J + E_xc + E_nn + E_nq,
 *
 *  where E_nn is the repulsion of the nuclei and E_nq their interaction with the point charges.
 *  Point charges do not interact with each other.
 *
 *  Units are hartree and bohr unless another is named. A plan uses one context, on any device. On a
 *  GPU, integrals of the Coulomb repulsion are computed again in each iteration and not stored; the
 *  host computes overlap, kinetic energy and the densities of atoms.
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

/** Make a molecule from the caller's nuclei.
 *
 *  @param[out] out        the molecule, owned by the caller: tsl_scf_molecule_destroy()
 *  @param[in]  count      number of atoms, 1 to 10000
 *  @param[in]  elements   [count] atomic numbers, 1 to 118; a negative one is a ghost atom: basis
 *                         functions and grid of that element, without its nucleus and electrons
 *  @param[in]  positions  [count][3] bohr, finite, of magnitude below 1e6
 *  @return TSL_OK; TSL_E_ARG for numbers out of range or two atoms closer than 1e-3 bohr;
 *          TSL_E_NOMEM.
 */
TSL_API tsl_status tsl_scf_molecule_create(tsl_scf_molecule **out, tsl_context *context,
                                           int64_t count, const int *elements,
                                           const double *positions);

/** Read a molecule from an XYZ file: a line with the number of atoms, a comment line, then for each
 *  atom a line with symbol or atomic number, x, y, z. The rest of such a line is ignored. In an
 *  extended XYZ file, Properties= in the comment names the columns; the periodic cell (Lattice=) is
 *  ignored, with a warning. "@O" and "ghost-O" are ghost atoms; D and T are hydrogen.
 *
 *  @param[out] out   the molecule, owned by the caller: tsl_scf_molecule_destroy()
 *  @param[in]  path  file to read
 *  @param[in]  unit  bohr in one unit of length of the file: 1 / TSL_SCF_BOHR for angstrom, 1 for
 *                    bohr
 *  @return TSL_OK; TSL_E_IO; TSL_E_FORMAT, with file and line; TSL_E_ARG as for
 *          tsl_scf_molecule_create(); TSL_E_NOMEM.
 */
TSL_API tsl_status tsl_scf_molecule_read(tsl_scf_molecule **out, tsl_context *context,
                                         const char *path, double unit);

/** Release a molecule. NULL is allowed. */
TSL_API void tsl_scf_molecule_destroy(tsl_scf_molecule *molecule);

/** Number of atoms; their atomic numbers [count], negative for ghost atoms; their positions
 *  [count][3], bohr. Borrowed from the molecule. */
TSL_API int64_t tsl_scf_molecule_count(const tsl_scf_molecule *molecule);
TSL_API const int *tsl_scf_molecule_elements(const tsl_scf_molecule *molecule);
TSL_API const double *tsl_scf_molecule_positions(const tsl_scf_molecule *molecule);

/** Point charges. Immutable. */
typedef struct tsl_scf_charges tsl_scf_charges;

/** Make point charges from the caller's arrays, which are copied.
 *  @param[out] out        owned by the caller: tsl_scf_charges_destroy()
 *  @param[in]  count      number of charges, >= 0
 *  @param[in]  charges    [count] elementary charges, of magnitude below 1e6
 *  @param[in]  positions  [count][3] bohr, of magnitude below 1e9
 *  @return TSL_OK; TSL_E_ARG for numbers out of range; TSL_E_NOMEM. */
TSL_API tsl_status tsl_scf_charges_create(tsl_scf_charges **out, tsl_context *context,
                                          int64_t count, const double *charges,
                                          const double *positions);

/** Read point charges from a file. Each line holds charge, x, y, z; "#" begins a comment. The
 *  number of charges may come first.
 *  @param[out] out   owned by the caller: tsl_scf_charges_destroy()
 *  @param[in]  path  file to read
 *  @param[in]  unit  bohr in one unit of length of the file
 *  @return TSL_OK; TSL_E_IO; TSL_E_FORMAT, with file and line; TSL_E_ARG as for
 *          tsl_scf_charges_create(); TSL_E_NOMEM. */
TSL_API tsl_status tsl_scf_charges_read(tsl_scf_charges **out, tsl_context *context,
                                        const char *path, double unit);

/** Release point charges. NULL is allowed. */
TSL_API void tsl_scf_charges_destroy(tsl_scf_charges *charges);
/** Number of point charges. */
TSL_API int64_t tsl_scf_charges_count(const tsl_scf_charges *charges);
/** Sum of all charges, elementary charges. */
TSL_API double tsl_scf_charges_total(const tsl_scf_charges *charges);
/** Smallest distance between a charge and a nucleus, bohr; HUGE_VAL without charges. */
TSL_API double tsl_scf_charges_nearest(const tsl_scf_charges *charges,
                                       const tsl_scf_molecule *molecule);

/* ---- calculations -------------------------------------------------------------------------- */

/** A prepared calculation: basis functions, integrals and grid. */
typedef struct tsl_scf_plan tsl_scf_plan;

/** How the Coulomb repulsion is computed. */
typedef enum tsl_scf_fit {
    TSL_SCF_FIT_DENSITY = 0, /**< by fitting the density with auxiliary functions */
    TSL_SCF_FIT_NONE = 1     /**< from all integrals of four functions: at most 50 functions */
} tsl_scf_fit;

/** How to make a plan. Initialise with TSL_SCF_OPTIONS_INIT. */
typedef struct tsl_scf_options {
    size_t size;            /**< sizeof(tsl_scf_options) */
    const char *basis;      /**< basis set: a set of the library, such as "def2-svp", or a file in
                                 the format of Gaussian 94 or NWChem. Exceptions by element may
                                 follow: "def2-svp,Fe=FILE" */
    const char *auxiliary;  /**< auxiliary basis set, as `basis`; NULL: "def2-universal-jfit" */
    const char *functional; /**< as tsl_xc_plan_create() takes it */
    const char *grid; /**< "coarse", "medium", "fine", or radial by angular points: "99x590" */
    int cartesian;    /**< 1: Cartesian functions in both basis sets; 0: spherical */
    tsl_scf_fit fit;
    int charge;              /**< charge of the molecule, e */
    int multiplicity;        /**< 2 S + 1; 0: 1, or 2 for an odd number of electrons */
    int unrestricted;        /**< 1: two sets of orbitals for any multiplicity */
    double energy_tolerance; /**< convergence, hartree: largest change of the energy in the last
                                  iteration */
    double error_tolerance;  /**< convergence, hartree: largest element of F D S - S D F in an
                                  orthonormal basis. Both tolerances must be met */
    int max_iterations; /**< iterations of the first solution, 1 to 10000; for further solutions see
                             tsl_scf_solve() */
    double damping;     /**< share of the previous F that is kept in the first iterations, 0 to
                             0.95 */
    double level_shift; /**< hartree, >= 0, added to the energies of unoccupied orbitals. A solution
                             that converges with it must converge again without it */
    double screen;  /**< pairs of primitive functions with an overlap below this are left out, >=
                         0 */
    int64_t memory; /**< bytes that a plan and its solution may take, of the host's memory or, on a
                         GPU, of the GPU's memory; 0: three quarters of what is free. A CPU stores
                         integrals in what remains beside matrices, metric, grid and initial
                         density. Integrals that do not fit are computed again in each iteration. A
                         GPU uses at most 2 GiB for batches of grid points */
    const char *restart; /**< file for the density, a NumPy archive; NULL: none. If the file exists,
                              the iteration begins with its density. The latest density replaces the
                              file, at most once a second and at the end */
} tsl_scf_options;

#define TSL_SCF_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(tsl_scf_options), "def2-svp", NULL, "pbe", "medium", 0, TSL_SCF_FIT_DENSITY, 0, 0,  \
            0, 1e-8, 1e-5, 100, 0, 0, 1e-14, 0, NULL                                               \
    }

/** Sizes and other properties of a plan. */
typedef struct tsl_scf_description {
    size_t size;                            /**< sizeof(tsl_scf_description), set by the caller */
    int64_t functions, auxiliary_functions; /**< number of functions of both basis sets */
    int64_t orthogonal; /**< number of functions that remain after linearly dependent combinations,
                             those with an overlap below 1e-7, are removed */
    int64_t grid_points;
    int alpha, beta; /**< electrons of each spin */
    int unrestricted;
    int64_t stored_bytes, total_bytes; /**< integrals (mu nu|P), bytes: those stored, and all */
    int64_t memory_bytes;  /**< largest memory that the plan and tsl_scf_solve() take, bytes,
                                integrals included, without the program itself and the stacks of
                                threads. On a GPU: its memory, without what its libraries take */
    const char *auxiliary; /**< name of the auxiliary set; NULL: none. Borrowed from the plan */
} tsl_scf_description;

/** Energies in hartree, and other properties of a solution. */
typedef struct tsl_scf_result {
    size_t size; /**< sizeof(tsl_scf_result), set by the caller */
    double total;
    double kinetic;
    double nuclear_attraction; /**< attraction of electrons and nuclei */
    double mm_attraction;      /**< attraction of electrons and point charges */
    double coulomb;            /**< repulsion of the electrons */
    double exchange;           /**< exact exchange; always 0 */
    double xc;                 /**< exchange-correlation energy of the functional */
    double nuclear_repulsion;
    double nuclear_mm;           /**< interaction of nuclei and point charges */
    double electrons_on_grid[2]; /**< integral of the density of each spin */
    double s_squared;            /**< expectation value <S^2> of the determinant */
    double dipole[3];            /**< debye, about the centre of nuclear charge */
    double energy_change;        /**< change of the total energy in the last iteration */
    double error;                /**< largest element of F D S - S D F in an orthonormal basis */
    int iterations;              /**< total number of iterations of all solutions */
    int converged;               /**< 1: converged; 0: not within the iterations allowed */
} tsl_scf_result;

/** Make a plan: place basis functions on the molecule, and compute their integrals and the grid.
 *
 *  @param[out] out       the plan, owned by the caller: tsl_scf_plan_destroy()
 *  @param[in]  molecule  borrowed during the call
 *  @param[in]  charges   borrowed during the call; NULL: none
 *  @param[in]  options   NULL takes the defaults
 *  @return TSL_OK; TSL_E_ARG for an unknown basis set, functional or grid, an element without
 *          functions, a charge or multiplicity that does not fit the number of electrons, more than
 *          50 functions with TSL_SCF_FIT_NONE, a point charge within 1e-3 bohr of a nucleus,
 *          options out of range, or a file `restart` of another molecule, basis set or number of
 *          electrons; TSL_E_UNSUPPORTED for functionals with exact exchange or nonlocal
 *          correlation, basis sets with effective core potentials, orbital functions beyond g,
 *          TSL_SCF_FIT_NONE on a device other than `cpu`, and a GPU without cuBLAS and cuSOLVER;
 *          TSL_E_IO or TSL_E_FORMAT for files of basis sets and `restart`; TSL_E_NOMEM if `memory`,
 *          or the free memory, is less than what is needed without stored integrals. This is found
 *          before anything large is allocated.
 *
 *  A note to the context's message function says how much memory will be taken.
 */
TSL_API tsl_status tsl_scf_plan_create(tsl_scf_plan **out, tsl_context *context,
                                       const tsl_scf_molecule *molecule,
                                       const tsl_scf_charges *charges,
                                       const tsl_scf_options *options);

/** Release a plan. NULL is allowed. */
TSL_API void tsl_scf_plan_destroy(tsl_scf_plan *plan);

/** Describe a plan.
 *  @param[in,out] out  out->size is read, the rest is written
 *  @return TSL_OK; TSL_E_ARG if out->size is not known. */
TSL_API tsl_status tsl_scf_plan_describe(const tsl_scf_plan *plan, tsl_scf_description *out);

/** Solve the equations. The iteration begins with the plan's last density; if there is none, with
 *  that of the file `restart`; otherwise with the densities of the atoms.
 *
 *  DIIS (P. Pulay, J. Comput. Chem. 3, 556 (1982)) combines up to eight Fock matrices. If the
 *  energy rises three times in a row or the error stalls, Fock matrices are mixed with the previous
 *  one. If that does not help, the energies of unoccupied orbitals are raised. Notes to the
 *  context's message function say so.
 *
 *  If orbitals of equal energy are partly occupied, such as the pi orbitals of OH, the energy on
 *  the grid depends on their orientation about the axis. If error_tolerance is 1e-6 or less, the
 *  equations are then solved again from four other orientations, in at most 40 iterations each. The
 *  solution of lowest energy is kept, and a note says how much lower it is.
 *
 *  Accuracy: with the same basis functions, fit and grid, energies agree with PySCF's to 1e-8
 *  hartree. They have the same bits for any number of threads. Energies of other devices agree with
 *  the CPU's to 1e-10 hartree.
 *
 *  @param[out] result  also filled where the solution did not converge
 *  @return TSL_OK; TSL_E_NOCONV if max_iterations were not enough: result->converged is 0;
 *          TSL_E_ARG if result->size is not known; TSL_E_IO if the file `restart` cannot be
 *          written; TSL_E_NOMEM. Synchronous.
 */
TSL_API tsl_status tsl_scf_solve(tsl_scf_plan *plan, tsl_scf_result *result);

/** Orbital energies [orthogonal], hartree, ascending, of spin 0 or 1; NULL before a solution.
 *  Borrowed from the plan.
 */
TSL_API const double *tsl_scf_orbital_energies(const tsl_scf_plan *plan, int spin);

/** The density matrix [functions][functions] of spin 0 or 1 of an open shell; for a closed shell,
 *  of both spins together. Functions have PySCF's order, and Cartesian functions are each
 *  normalised. NULL before a solution. Borrowed from the plan. */
TSL_API const double *tsl_scf_density(const tsl_scf_plan *plan, int spin);

/** Charges of the atoms, e, by the population analyses of Mulliken and Löwdin.
 *  @param[out] mulliken  [atoms]; NULL: not wanted
 *  @param[out] lowdin    [atoms]; NULL: not wanted
 *  @return TSL_OK; TSL_E_ARG before a solution; TSL_E_NOMEM. */
TSL_API tsl_status tsl_scf_populations(const tsl_scf_plan *plan, double *mulliken, double *lowdin);

#ifdef __cplusplus
}
#endif

#endif
