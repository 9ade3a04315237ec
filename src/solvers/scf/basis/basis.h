/* Atoms, and contracted Gaussian basis functions on them.
 *
 * A shell is 2l + 1 (spherical) or (l + 1)(l + 2) / 2 (Cartesian) functions of one centre A that
 * share a radial part. With r = point - A, function f of the shell is
 *
 *     chi_f(r) = R(r) S_f(r),    R(r) = sum_k coefficient_k exp(-exponent_k |r|^2),
 *
 * where S_f is a homogeneous polynomial of degree l, given by tsl_scf_polynomials(). The radial
 * part is normalised: the integral from 0 to infinity of r^(2l+2) R(r)^2 dr is 1. `coefficient` has
 * this normalisation, and that of each primitive, in it.
 *
 * Spherical: S_f is a real solid harmonic whose square integrates to 1 over the unit sphere; l = 1
 * in the order x, y, z, l >= 2 in the order m = -l ... l (of d: xy, yz, z2, xz, x2-y2). Cartesian:
 * S_f is x^a y^b z^c times the constant that makes chi_f's norm 1, in the order xx, xy, xz, yy, yz,
 * zz (a descending, then b). These are PySCF's orders and, of spherical functions, its
 * normalisation; PySCF leaves out the constant of Cartesian functions with l >= 2.
 *
 * Shells stand by atom, and within an atom by ascending l, then as in the basis set. */
#ifndef TSL_SCF_BASIS_H
#define TSL_SCF_BASIS_H

#include "core/core.h"

enum {
    TSL_SCF_MAX_L = 6,         /* i: auxiliary functions of def2-universal-jkfit for iron */
    TSL_SCF_MAX_CARTESIAN = 28 /* (l + 1)(l + 2) / 2 of it */
};

/* Nuclei. */
typedef struct tsl_scf_atoms {
    int count;
    int *element;     /* [count] atomic number, which chooses basis functions and grid */
    double *charge;   /* [count] of the nucleus, e: the atomic number, or 0 of a ghost atom */
    double *position; /* [count][3] bohr */
} tsl_scf_atoms;

typedef struct tsl_scf_shell {
    int atom;
    int l;
    int first;        /* primitive: index into exponent and coefficient */
    int primitives;   /* how many, >= 1 */
    int function;     /* index of the first function */
    int functions;    /* how many */
    double center[3]; /* bohr, of its atom */
} tsl_scf_shell;

typedef struct tsl_scf_basis {
    bool cartesian;
    int shells, functions, primitives;
    int max_l;
    tsl_scf_shell *shell; /* [shells] */
    double *exponent;     /* [primitives] bohr^-2, descending or as in the set */
    double *coefficient;  /* [primitives] of normalised functions, as above */
} tsl_scf_basis;

/* Functions of a shell: (l + 1)(l + 2) / 2 or 2l + 1. */
static inline int tsl_scf_shell_size(int l, bool cartesian)
{
    return cartesian ? (l + 1) * (l + 2) / 2 : 2 * l + 1;
}

/* The polynomials S_f of a shell: table[f][c] is the coefficient of monomial c of function f, the
 * monomials x^a y^b z^c of degree l in the order of Cartesian functions. Shape [functions of the
 * shell][(l + 1)(l + 2) / 2], row-major without gaps. 0 <= l <= TSL_SCF_MAX_L. */
void tsl_scf_polynomials(double *table, int l, bool cartesian);

/* NULL's members are fine. */
void tsl_scf_atoms_release(tsl_scf_atoms *atoms);
void tsl_scf_basis_release(tsl_scf_basis *basis);

#endif
