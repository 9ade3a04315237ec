/* The parts of a calculation of density-functional theory. */
#ifndef TSL_SCF_SCF_H
#define TSL_SCF_SCF_H

#include "blocks/dense/dense.h"
#include "core/context.h"
#include "solvers/scf/basis/set.h"
#include "solvers/scf/grid/grid.h"
#include "solvers/scf/integrals/integrals.h"
#include "solvers/scf/xc_step/xc_step.h"
#include "tesela/scf.h"

struct tsl_scf_molecule {
    int64_t count;
    int *element; /* negative: a ghost */
    double *position;
};

struct tsl_scf_charges {
    int64_t count;
    double *charge, *position;
};

/* tsl_scf_molecule_read() and tsl_scf_charges_read() of a text in memory; `path` names it in
 * errors. */
tsl_status tsl_scf_molecule_parse(tsl_scf_molecule **out, tsl_context *context, const char *path,
                                  const char *text, size_t size, double unit);
tsl_status tsl_scf_charges_parse(tsl_scf_charges **out, tsl_context *context, const char *path,
                                 const char *text, size_t size, double unit);

/* c [m][n] := op(a) op(b), all without gaps. */
tsl_status tsl_scf_multiply(tsl_context *context, double *c, const double *a, bool transpose_a,
                            const double *b, bool transpose_b, int64_t m, int64_t n, int64_t k);
/* c [k][k] := x^T a x of a [n][n] and x [n][k]; work holds n * k numbers. */
tsl_status tsl_scf_congruence(tsl_context *context, double *c, const double *a, const double *x,
                              int64_t n, int64_t k, double *work);
/* Tr a b of symmetric matrices with n elements in all. */
double tsl_scf_trace(const double *a, const double *b, int64_t n);

/* ---- the Coulomb matrix (coulomb_matrix.c) -------------------------------------------------- */

/* A pair of shells whose integrals are not all negligible. */
typedef struct tsl_scf_row {
    int i, j;      /* shells, i >= j */
    int64_t first; /* of its functions' products among all rows */
} tsl_scf_row;

typedef struct tsl_scf_coulomb {
    const tsl_scf_tables *tables;
    const tsl_scf_basis *basis;
    double screen;
    double *four; /* of all products, tsl_scf_coulomb4(); NULL: the density is fitted */
    tsl_scf_partners *partners;
    int64_t auxiliary; /* functions */
    double *metric;    /* its factor or, where it has none, its inverse without what is near 0 */
    bool inverse;
    tsl_scf_row *row;
    int64_t rows, products;      /* pairs of shells; of functions */
    int64_t kept;                /* rows whose integrals are stored */
    double *stored;              /* (mu nu|P) [products of the first `kept` rows][auxiliary] */
    tsl_scf_coulomb3_work *work; /* a thread each */
    double **scratch;            /* a thread each: the integrals of a pair of shells */
    int threads;
} tsl_scf_coulomb;

/* `auxiliary` NULL: all integrals of four functions. What is borrowed must outlive it. `memory`:
 * bytes for what is stored. */
tsl_status tsl_scf_coulomb_create(tsl_scf_coulomb *out, tsl_context *context,
                                  const tsl_scf_tables *tables, const tsl_scf_basis *basis,
                                  const tsl_scf_basis *auxiliary, double screen, int64_t memory);
/* For a device that stores no integrals: the auxiliary set's partners, and with them the metric,
 * whose factor the device works out. `out` is zeroed before. */
tsl_status tsl_scf_coulomb_create_partners(tsl_scf_coulomb *out, tsl_context *context,
                                           const tsl_scf_basis *auxiliary);
tsl_status tsl_scf_coulomb_create_metric(tsl_scf_coulomb *out, tsl_context *context,
                                         tsl_context *device, const tsl_scf_tables *tables,
                                         const tsl_scf_basis *auxiliary);
void tsl_scf_coulomb_release(tsl_scf_coulomb *coulomb);

/* What tsl_scf_coulomb_create() and tsl_scf_coulomb_apply() take at most, in bytes. */
typedef struct tsl_scf_coulomb_need {
    int64_t made;      /* while the metric is made, before integrals are kept */
    int64_t fixed;     /* from then on, besides integrals */
    int64_t integrals; /* all of them */
} tsl_scf_coulomb_need;

void tsl_scf_coulomb_foresee(tsl_scf_coulomb_need *out, const tsl_context *context,
                             const tsl_scf_basis *basis, const tsl_scf_basis *auxiliary,
                             double screen);

/* j := Coulomb matrix of a density matrix, *energy := 1/2 Tr D J. The same bits for any number of
 * threads. */
tsl_status tsl_scf_coulomb_apply(tsl_scf_coulomb *coulomb, tsl_context *context,
                                 const double *density, double *j, double *energy);

/* ---- extrapolation (diis.c) ----------------------------------------------------------------- */

enum { TSL_SCF_DIIS = 8 };

typedef struct tsl_scf_diis {
    int64_t fock, error; /* numbers of each */
    int count, next;
    double *focks, *densities, *errors;         /* [TSL_SCF_DIIS][...] */
    double product[TSL_SCF_DIIS][TSL_SCF_DIIS]; /* of errors i and j */
    double energy[TSL_SCF_DIIS][TSL_SCF_DIIS];  /* Tr D_i F_j */
} tsl_scf_diis;

tsl_status tsl_scf_diis_create(tsl_scf_diis *out, tsl_context *context, int64_t fock,
                               int64_t error);
void tsl_scf_diis_release(tsl_scf_diis *diis);
void tsl_scf_diis_forget(tsl_scf_diis *diis);
/* Add a Fock matrix with its density and error, and replace it by a combination of those that are
 * kept. `largest` is the error's largest element: from 0.1 on the combination is that of least
 * energy, of weights that are not negative; up to 0.01 that of least error; a mean of both in
 * between. */
void tsl_scf_diis_extrapolate(tsl_scf_diis *diis, double *fock, const double *density,
                              const double *error, double largest);

/* Its two parts, for those who keep the matrices elsewhere. Take the place for what is added,
 * counted from then on; its products and energies with all are then to be filled in. */
int tsl_scf_diis_take_slot(tsl_scf_diis *diis);
/* The weights of what is kept, of which `last` was added last. False: there is only that. */
bool tsl_scf_diis_weigh(tsl_scf_diis *diis, int last, double largest, double *weight);

/* ---- the calculation ------------------------------------------------------------------------ */

typedef struct tsl_scf_gpu tsl_scf_gpu;

/* Parts of the energy that are made with the Fock matrices, hartree. */
typedef struct tsl_scf_energies {
    double kinetic, nuclear_attraction, mm_attraction, coulomb;
    tsl_xc_step_sums xc;
} tsl_scf_energies;

/* The steps of an iteration, on the host (solve.c) or on a device (gpu/): each reads what the ones
 * before have made of the plan's density. */
typedef struct tsl_scf_engine {
    /* Fock matrices and energies of the density. */
    tsl_status (*make_fock)(tsl_scf_plan *plan, tsl_scf_energies *out);
    /* X^T (F D S - S D F) X of each spin, D of one spin; *largest: of its elements. */
    tsl_status (*make_error)(tsl_scf_plan *plan, double *largest);
    /* If it `mixes`, F := (1 - kept) F + kept times the last iteration's; then keep F. */
    tsl_status (*mix)(tsl_scf_plan *plan, double kept, bool mixes, double *last);
    tsl_status (*extrapolate)(tsl_scf_plan *plan, tsl_scf_diis *diis, double largest);
    /* Orbitals of a spin from its Fock matrix; with a level shift, of F + shift (S - S D S), D of
     * one spin. */
    tsl_status (*diagonalise)(tsl_scf_plan *plan, int spin, double shift);
    /* The density of the lowest orbitals. */
    tsl_status (*occupy)(tsl_scf_plan *plan, int spin);
    /* Copy the orbitals of all spins to plan->orbitals, and from there to where they are used. */
    tsl_status (*bring_orbitals)(tsl_scf_plan *plan);
    tsl_status (*send_orbitals)(tsl_scf_plan *plan);
} tsl_scf_engine;

/* Orbitals closer than this, hartree, are of one energy. */
#define TSL_SCF_DEGENERATE 1e-6

/* Are the energies of the last occupied and the first empty orbital, `edge`, one energy? Then which
 * of the two is occupied is a choice, and plan->chosen[spin] is set. */
bool tsl_scf_note_choice(tsl_scf_plan *plan, int spin, const double edge[2]);

/* Is the tolerance of the error tight enough to tell orientations of orbitals of one energy apart?
 * Then tsl_scf_solve() tries several. */
bool tsl_scf_seeks_lowest(const tsl_scf_plan *plan);

/* Choose among orbitals [n][m] of one energy, so that rounding does not where only some of them are
 * occupied. */
void tsl_scf_settle_orbitals(double *orbitals, const double *energies, int64_t n, int64_t m);

/* How many of the overlap's eigenvalues, ascending, are below 1e-7: those combinations are left
 * out, and a note says so. */
int64_t tsl_scf_count_dependent(tsl_context *context, int64_t n, const double *values);

struct tsl_scf_plan {
    tsl_context *device;  /* the caller's */
    tsl_context *context; /* of the CPU: the caller's, or one beside it */
    tsl_scf_gpu *gpu;     /* NULL: all is done on the CPU */
    tsl_scf_options options;
    char *basis_text, *auxiliary_text, *functional, *grid_text; /* what options' strings said */
    tsl_scf_atoms atoms;
    tsl_scf_charges charges;
    tsl_scf_set *set; /* loaded ones */
    int sets;
    const tsl_scf_set *set_of[TSL_ELEMENTS + 1], *auxiliary_of[TSL_ELEMENTS + 1];
    tsl_scf_basis basis, auxiliary;
    tsl_scf_tables *tables;
    tsl_scf_grid grid;
    tsl_xc_step *step;
    tsl_scf_coulomb coulomb;
    int spins; /* 1: closed shell; 2 */
    int electrons[2];
    int64_t n, orthogonal;
    double *overlap, *kinetic, *nuclear, *mm; /* [n][n]; mm NULL: no charges */
    double *dipole[3];
    double *x;                   /* [n][orthogonal]: X^T S X = 1 */
    double *density, *fock, *xc; /* [spins][n][n]; a closed shell's density is of both spins */
    double *total, *j, *work[3]; /* [n][n] */
    double *orbitals;            /* [spins][n][orthogonal], a column each */
    double *orbital_energies;    /* [spins][orthogonal] */
    double *error;               /* [spins][orthogonal][orthogonal] */
    double nuclear_repulsion, nuclear_mm;
    int64_t step_memory;     /* bytes that a batch of points may take */
    int64_t fixed_bytes;     /* of all but integrals */
    int64_t integrals_bytes; /* that integrals may take */
    char *restart;           /* path of a file; NULL: none */
    double restart_kept;     /* when it was written last, seconds; 0: not yet */
    bool chosen[2];          /* of a spin: orbitals of one energy were occupied in part */
    bool guessed, solved;
};

/* Properties of the plan's density (populations.c): <S^2> = S (S + 1) + what beta orbitals lack
 * within the space of alpha ones; and the dipole moment of the electrons, debye, about the center
 * of nuclear charge, where the nuclei have none. */
tsl_status tsl_scf_find_spin(tsl_scf_plan *plan, double *s_squared);
void tsl_scf_find_dipole(const tsl_scf_plan *plan, double dipole[3]);

/* plan->density := the sum of densities of free atoms (guess.c). */
tsl_status tsl_scf_guess(tsl_scf_plan *plan);
/* Bytes that it takes at most. */
tsl_status tsl_scf_guess_foresee(int64_t *bytes, const tsl_scf_plan *plan);

/* Before matrices, integrals and grid are taken: say what will be, share `memory` out among them,
 * and refuse what does not fit (foresee.c). */
tsl_status tsl_scf_foresee(tsl_scf_plan *plan);

/* ---- densities in files (restart.c) ---------------------------------------------------------- */

/* Take the density of the file options.restart, if that is there; find out whether it can be
 * written. TSL_E_ARG for a file of another molecule, basis set or number of electrons; TSL_E_FORMAT
 * if it holds no density; TSL_E_IO. */
tsl_status tsl_scf_restart_begin(tsl_scf_plan *plan);
/* Write the plan's density to that file: always at the `last`, else if a second has passed since.
 */
tsl_status tsl_scf_restart_keep(tsl_scf_plan *plan, bool last);

#endif
