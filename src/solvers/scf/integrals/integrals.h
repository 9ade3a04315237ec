/* Integrals over Gaussian basis functions by expansion in Hermite Gaussians (L. E. McMurchie, E. R.
 * Davidson, J. Comput. Phys. 26 (1978) 218; T. Helgaker, P. Jorgensen, J. Olsen, Molecular
 * Electronic-Structure Theory (2000), chapter 9).
 *
 * A product of two basis functions is, for each pair of primitives with sum of exponents p and
 * center P,
 *
 *     sum over t + u + v <= L of h_tuv (d/dPx)^t (d/dPy)^u (d/dPz)^v exp(-p |r - P|^2),
 *
 * L = l_a + l_b. The Coulomb integral of two such derivatives, at P and Q, is a derivative R_tuv of
 * F_0(rho |P - Q|^2): so all Coulomb integrals are matrix products of coefficients h with tables of
 * R_tuv. Indices tuv are listed by ascending t + u + v, then as monomials of a shell (basis.h).
 *
 * Units are bohr and hartree. Accuracy: 1e-13 of the largest element of a matrix. */
#ifndef TSL_SCF_INTEGRALS_H
#define TSL_SCF_INTEGRALS_H

#include "solvers/scf/basis/basis.h"
#include "solvers/scf/integrals/boys_point.h"

enum {
    TSL_SCF_MAX_ORDER = 16,     /* highest t + u + v of R_tuv */
    TSL_SCF_HERMITES = 969,     /* how many tuv there are up to it */
    TSL_SCF_PAIR_HERMITES = 165 /* up to order 8: pairs of g functions */
};

/* Number of tuv with t + u + v <= order. */
static inline int tsl_hermites(int order)
{
    return (order + 1) * (order + 2) * (order + 3) / 6;
}

/* Constants of the recursions; made by tsl_scf_tables_create(). */
typedef struct tsl_scf_tables {
    double boys[TSL_BOYS_ROWS * TSL_BOYS_COLUMNS];
    struct {
        signed char axis;    /* to lower: one whose exponent is not 0 */
        unsigned char t[3];  /* the exponents */
        short lower, lower2; /* index with that exponent less by 1 and by 2 (0 if there is none) */
        double factor;       /* exponent - 1 */
    } hermite[TSL_SCF_HERMITES];
    /* index of the sum of two: of a pair's and of an auxiliary function's or another pair's */
    short sum[TSL_SCF_PAIR_HERMITES][TSL_SCF_PAIR_HERMITES];
} tsl_scf_tables;

tsl_status tsl_scf_tables_create(tsl_scf_tables **out, tsl_context *context);

/* F_m at the points of the Boys function's table. */
void tsl_boys_fill(double *table);

/* ---- products of two shells (pair.c) ------------------------------------------------------- */

/* The Hermite expansion of the products of two shells' functions, or of one shell alone. */
typedef struct tsl_scf_pair {
    int order, hermites; /* l_a + l_b; how many tuv */
    int functions;       /* products: functions of a times functions of b, b's fastest */
    int primitives;      /* pairs of primitives that are kept */
    double *exponent;    /* [primitives] p */
    double *center;      /* [primitives][3] P */
    double *h;           /* [primitives][hermites][functions] */
    double *kinetic; /* [functions] of <a| -1/2 laplacian |b>; filled by tsl_scf_pair_kinetic() */
    double *work;
} tsl_scf_pair;

/* Memory for pairs of two bases' shells (`b` NULL: of single shells). */
tsl_status tsl_scf_pair_create(tsl_scf_pair *out, tsl_context *context, const tsl_scf_basis *a,
                               const tsl_scf_basis *b);
void tsl_scf_pair_release(tsl_scf_pair *pair);
/* Bytes of one. */
int64_t tsl_scf_pair_bytes(const tsl_scf_basis *a, const tsl_scf_basis *b);

/* Expand the products of shells i of a and j of b; pairs of primitives are left out whose overlap
 * is bounded by `screen`, and *primitives may become 0. */
void tsl_scf_pair_expand(tsl_scf_pair *pair, const tsl_scf_basis *a, int i, const tsl_scf_basis *b,
                         int j, double screen);
/* Expand shell i of a. */
void tsl_scf_pair_single(tsl_scf_pair *pair, const tsl_scf_basis *a, int i);
void tsl_scf_pair_kinetic(tsl_scf_pair *pair, const tsl_scf_basis *a, int i, const tsl_scf_basis *b,
                          int j);

/* ---- Coulomb derivatives (hermite.c) ------------------------------------------------------- */

/* Partners of a Hermite Gaussian are taken so many at a time. */
enum { TSL_SCF_LANES = 8 };

/* TSL_SCF_LANES charge distributions: normal Gaussians of these exponents (0: points), and weights.
 */
typedef struct tsl_scf_lanes {
    double exponent[TSL_SCF_LANES];
    double center[3][TSL_SCF_LANES];
    double weight[TSL_SCF_LANES]; /* 0 in lanes that are not used */
} tsl_scf_lanes;

/* r[tuv][lane] := weight times (d/dP)^tuv of the Coulomb integral of exp(-p |r - P|^2) and the
 * lane's exp(-q |r - Q|^2) or point charge, t + u + v <= order. With omega > 0 the interaction is
 * erf(omega r) / r. */
void tsl_scf_coulomb_lanes(double (*r)[TSL_SCF_LANES], const tsl_scf_tables *tables, int order,
                           double p, const double center[3], const tsl_scf_lanes *lanes,
                           double omega);

/* ---- matrices of basis functions (one_electron.c) ------------------------------------------ */

/* Symmetric matrices [functions][functions]; those that are NULL are not wanted. */
typedef struct tsl_scf_one_electron {
    double *overlap, *kinetic;
    double *dipole[3]; /* <mu| x |nu> about the origin */
} tsl_scf_one_electron;

tsl_status tsl_scf_one_electron_fill(const tsl_scf_one_electron *out, tsl_context *context,
                                     const tsl_scf_basis *basis, double screen);

/* v [functions][functions] := - sum_C charge_C <mu| 1 / |r - C| |nu>. Charges that are 0 cost
 * nothing. */
tsl_status tsl_scf_attraction(double *v, tsl_context *context, const tsl_scf_tables *tables,
                              const tsl_scf_basis *basis, int64_t charges, const double *charge,
                              const double *position, double screen);

/* ---- Coulomb integrals (coulomb.c) ---------------------------------------------------------- */

/* Auxiliary functions, sorted by l and made ready as partners. */
typedef struct tsl_scf_partners {
    int functions, max_l;
    int lanes; /* groups of TSL_SCF_LANES primitives of one l */
    struct tsl_scf_partner *partner;
    /* of each l: which tuv each function is made of */
    struct {
        int terms;
        short function[512], hermite[512];
        signed char power[512]; /* of 1 / (2 q) besides the lane's weight */
        double coefficient[512];
    } shape[TSL_SCF_MAX_L + 1];
} tsl_scf_partners;

typedef struct tsl_scf_partner {
    int l;
    int function[TSL_SCF_LANES]; /* first function of the lane's shell; -1: the lane is not used */
    tsl_scf_lanes lanes;
} tsl_scf_partner;

tsl_status tsl_scf_partners_create(tsl_scf_partners **out, tsl_context *context,
                                   const tsl_scf_basis *auxiliary);
void tsl_scf_partners_destroy(tsl_scf_partners *partners);
/* Bytes that they take at most. */
int64_t tsl_scf_partners_bytes(const tsl_scf_basis *auxiliary);

/* metric [functions][functions] := (P|Q). */
tsl_status tsl_scf_coulomb2(double *metric, tsl_context *context, const tsl_scf_tables *tables,
                            const tsl_scf_basis *auxiliary, const tsl_scf_partners *partners,
                            double omega);

/* Memory of one thread for tsl_scf_coulomb3(). */
typedef struct tsl_scf_coulomb3_work {
    tsl_scf_pair pair;
    double *g;
} tsl_scf_coulomb3_work;

tsl_status tsl_scf_coulomb3_work_create(tsl_scf_coulomb3_work *out, tsl_context *context,
                                        const tsl_scf_basis *basis,
                                        const tsl_scf_partners *partners);
void tsl_scf_coulomb3_work_release(tsl_scf_coulomb3_work *work);
/* Bytes of one for pairs of two bases' shells (`b` NULL: of single shells) and so many auxiliary
 * functions. */
int64_t tsl_scf_coulomb_work_bytes(const tsl_scf_basis *a, const tsl_scf_basis *b,
                                   int64_t auxiliary);

/* out [functions of the pair][auxiliary functions] := (mu nu|P) for shells i and j of `basis`.
 * False: all are below `screen`, and `out` is not written. */
bool tsl_scf_coulomb3(double *out, tsl_scf_coulomb3_work *work, const tsl_scf_tables *tables,
                      const tsl_scf_basis *basis, int i, int j, const tsl_scf_partners *partners,
                      double screen, double omega);

/* out [pairs][pairs] := (mu nu|lambda sigma), pairs mu >= nu packed as mu (mu + 1) / 2 + nu. For
 * small bases. */
tsl_status tsl_scf_coulomb4(double *out, tsl_context *context, const tsl_scf_tables *tables,
                            const tsl_scf_basis *basis, double screen);
/* Bytes of it and of what it takes for the time of the call. */
int64_t tsl_scf_coulomb4_bytes(const tsl_context *context, const tsl_scf_basis *basis);

#endif
