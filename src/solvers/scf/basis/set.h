/* Basis sets: the shells of each element, as files have them. */
#ifndef TSL_SCF_SET_H
#define TSL_SCF_SET_H

#include "io/molecule/elements.h"
#include "solvers/scf/basis/basis.h"

/* A shell of an element: one contraction of primitives. */
typedef struct tsl_scf_set_shell {
    int element, l;
    int first; /* index into exponent and coefficient */
    int primitives;
} tsl_scf_set_shell;

typedef struct tsl_scf_set {
    char *name; /* as it was asked for */
    int shells, primitives;
    int shell_room, primitive_room;
    tsl_scf_set_shell *shell; /* in the order of the file */
    double *exponent;         /* bohr^-2 */
    double *coefficient;      /* of normalised primitives, as in the file */
    /* Has the element an effective core potential, which is not read? */
    bool core_potential[TSL_ELEMENTS + 1];
} tsl_scf_set;

/* A set that is part of the library. */
typedef struct tsl_scf_shipped_set {
    const char *name; /* NULL: no more */
    const char *text;
    size_t size;
} tsl_scf_shipped_set;

extern const tsl_scf_shipped_set tsl_scf_shipped_sets[];

/* Parse a text of Gaussian 94's form (.gbs) or NWChem's, told by its content. S, P, ... I and SP or
 * L shells; several contractions of one list of primitives; exponents 1.0D+00. `source` names the
 * file in errors, with lines: TSL_E_FORMAT, TSL_E_NOMEM. */
tsl_status tsl_scf_set_parse(tsl_scf_set *out, tsl_context *context, const char *source,
                             const char *text, size_t size);

/* The set called `name`: a shipped one, in upper or lower case, or else the file of that path. */
tsl_status tsl_scf_set_load(tsl_scf_set *out, tsl_context *context, const char *name);

void tsl_scf_set_release(tsl_scf_set *set);

/* Place a set's shells on atoms: set_of[element] is that of its atoms, NULL: none. TSL_E_ARG if an
 * element has none or has shells beyond `max_l`; TSL_E_UNSUPPORTED if its set has an effective core
 * potential for it. */
tsl_status tsl_scf_basis_create(tsl_scf_basis *out, tsl_context *context,
                                const tsl_scf_atoms *atoms, const tsl_scf_set *const *set_of,
                                bool cartesian, int max_l);

#endif
