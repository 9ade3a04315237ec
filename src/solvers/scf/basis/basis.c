#include "solvers/scf/basis/basis.h"

#include <math.h>
#include <string.h>

#include "solvers/scf/basis/set.h"

/* ---- polynomials ---------------------------------------------------------------------------- */

static double factorial(int n)
{
    return n > 1 ? n * factorial(n - 1) : 1;
}

static double double_factorial(int n)
{
    return n > 1 ? n * double_factorial(n - 2) : 1;
}

static double binomial(int n, int k)
{
    return k < 0 || k > n ? 0 : factorial(n) / (factorial(k) * factorial(n - k));
}

/* Where the monomial x^a y^b z^c stands among those of degree a + b + c. */
static int monomial(int b, int c)
{
    return (b + c) * (b + c + 1) / 2 + c;
}

/* A row of coefficients of the real solid harmonic of degree l and order m: T. Helgaker, P.
 * Jorgensen, J. Olsen, Molecular Electronic-Structure Theory (2000), (6.4.47) to (6.4.50). */
static void solid_harmonic(double *row, int l, int m)
{
    const int k = m < 0 ? -m : m, odd = m < 0;
    const double norm = sqrt((m == 0 ? 1 : 2) * factorial(l + k) * factorial(l - k)) /
                        (ldexp(1, k) * factorial(l)) * sqrt((2 * l + 1) / (4 * M_PI));
    for (int t = 0; 2 * t <= l - k; t++) {
        for (int u = 0; u <= t; u++) {
            for (int w = odd; w <= k; w += 2) { /* power of y besides 2u; twice the formula's v */
                const double sign = (t + (w - odd) / 2) % 2 == 0 ? 1 : -1;
                row[monomial(2 * u + w, l - 2 * t - k)] += norm * sign * ldexp(1, -2 * t) *
                                                           binomial(l, t) * binomial(l - t, k + t) *
                                                           binomial(t, u) * binomial(k, w);
            }
        }
    }
}

void tsl_scf_polynomials(double *table, int l, bool cartesian)
{
    const int monomials = (l + 1) * (l + 2) / 2, functions = tsl_scf_shell_size(l, cartesian);
    memset(table, 0, sizeof *table * (size_t)(functions * monomials));
    if (!cartesian && l != 1) {
        for (int m = -l; m <= l; m++) {
            solid_harmonic(table + (m + l) * monomials, l, m);
        }
        return;
    }
    for (int a = l; a >= 0; a--) {
        for (int b = l - a; b >= 0; b--) {
            const int c = l - a - b, i = monomial(b, c);
            const double square = 4 * M_PI * double_factorial(2 * a - 1) *
                                  double_factorial(2 * b - 1) * double_factorial(2 * c - 1) /
                                  double_factorial(2 * l + 1);
            table[i * monomials + i] = 1 / sqrt(square);
        }
    }
}

/* ---- shells on atoms ------------------------------------------------------------------------ */

/* The integral from 0 to infinity of r^(2l+2) exp(-p r^2). */
static double radial_integral(int l, double p)
{
    return tgamma(l + 1.5) / (2 * pow(p, l + 1.5));
}

/* Coefficients become NaN where the functions of a contraction cancel each other. */
static void normalise(double *coefficient, const double *exponent, const double *from,
                      int primitives, int l)
{
    double square = 0, apart = 0; /* of the contraction, and summed over its functions */
    for (int i = 0; i < primitives; i++) {
        coefficient[i] = from[i] / sqrt(radial_integral(l, 2 * exponent[i]));
        apart += from[i] * from[i];
    }
    for (int i = 0; i < primitives; i++) {
        for (int j = 0; j < primitives; j++) {
            square +=
                coefficient[i] * coefficient[j] * radial_integral(l, exponent[i] + exponent[j]);
        }
    }
    const double norm = square > 1e-12 * apart ? sqrt(square) : NAN;
    for (int i = 0; i < primitives; i++) {
        coefficient[i] /= norm;
    }
}

static tsl_status check_sets(tsl_context *context, const tsl_scf_atoms *atoms,
                             const tsl_scf_set *const *set_of, int max_l)
{
    for (int a = 0; a < atoms->count; a++) {
        const int z = atoms->element[a];
        const tsl_scf_set *set = set_of[z];
        bool found = false;
        if (set != NULL && set->core_potential[z]) {
            return tsl_fail(
                context, TSL_E_UNSUPPORTED,
                "%s: describes %s with an effective core potential, which is not read: give a "
                "basis set of all electrons",
                set->name, tsl_element_symbol(z));
        }
        for (int s = 0; set != NULL && s < set->shells; s++) {
            found = found || set->shell[s].element == z;
            if (set->shell[s].element == z && set->shell[s].l > max_l) {
                return tsl_fail(context, TSL_E_UNSUPPORTED,
                                "%s: has functions of l = %d for %s: those up to %d are computed",
                                set->name, set->shell[s].l, tsl_element_symbol(z), max_l);
            }
        }
        if (!found) {
            return tsl_fail(context, TSL_E_ARG,
                            "%s: has no functions for %s: give another set, or %s=FILE",
                            set != NULL ? set->name : "the basis", tsl_element_symbol(z),
                            tsl_element_symbol(z));
        }
    }
    return TSL_OK;
}

/* Add an atom's shells of one l; without room in `b` only count. */
static void place_shells(tsl_scf_basis *b, const tsl_scf_atoms *atoms, int atom,
                         const tsl_scf_set *set, int l)
{
    for (int s = 0; s < set->shells; s++) {
        const tsl_scf_set_shell *from = &set->shell[s];
        if (from->element != atoms->element[atom] || from->l != l) {
            continue;
        }
        const int functions = tsl_scf_shell_size(l, b->cartesian);
        if (b->shell != NULL) {
            tsl_scf_shell *to = &b->shell[b->shells];
            *to = (tsl_scf_shell){.atom = atom,
                                  .l = l,
                                  .first = b->primitives,
                                  .primitives = from->primitives,
                                  .function = b->functions,
                                  .functions = functions};
            memcpy(to->center, atoms->position + 3 * (size_t)atom, sizeof to->center);
            memcpy(b->exponent + to->first, set->exponent + from->first,
                   sizeof(double) * (size_t)from->primitives);
            normalise(b->coefficient + to->first, b->exponent + to->first,
                      set->coefficient + from->first, from->primitives, l);
        }
        b->shells++;
        b->primitives += from->primitives;
        b->functions += functions;
        b->max_l = l > b->max_l ? l : b->max_l;
    }
}

static void place(tsl_scf_basis *b, const tsl_scf_atoms *atoms, const tsl_scf_set *const *set_of)
{
    b->shells = b->primitives = b->functions = b->max_l = 0;
    for (int a = 0; a < atoms->count; a++) {
        for (int l = 0; l <= TSL_SCF_MAX_L; l++) {
            place_shells(b, atoms, a, set_of[atoms->element[a]], l);
        }
    }
}

static tsl_status check_norms(const tsl_scf_basis *b, tsl_context *context,
                              const tsl_scf_atoms *atoms, const tsl_scf_set *const *set_of)
{
    for (int s = 0; s < b->shells; s++) {
        const tsl_scf_shell *shell = &b->shell[s];
        for (int k = shell->first; k < shell->first + shell->primitives; k++) {
            if (!isfinite(b->coefficient[k])) {
                const int z = atoms->element[shell->atom];
                return tsl_fail(context, TSL_E_FORMAT,
                                "%s: functions of l = %d of %s cancel each other in a contraction, "
                                "or their coefficients are out of range: correct them",
                                set_of[z]->name, shell->l, tsl_element_symbol(z));
            }
        }
    }
    return TSL_OK;
}

tsl_status tsl_scf_basis_create(tsl_scf_basis *out, tsl_context *context,
                                const tsl_scf_atoms *atoms, const tsl_scf_set *const *set_of,
                                bool cartesian, int max_l)
{
    memset(out, 0, sizeof *out);
    tsl_status status = check_sets(context, atoms, set_of, max_l);
    if (status != TSL_OK) {
        return status;
    }
    out->cartesian = cartesian;
    place(out, atoms, set_of);
    const size_t shells = (size_t)out->shells, primitives = (size_t)out->primitives;
    out->shell = tsl_allocate(sizeof *out->shell * (shells + 1));
    out->exponent = tsl_allocate(sizeof(double) * (primitives + 1));
    out->coefficient = tsl_allocate(sizeof(double) * (primitives + 1));
    if (out->shell == NULL || out->exponent == NULL || out->coefficient == NULL) {
        tsl_scf_basis_release(out);
        return tsl_fail_memory(context, (int64_t)(sizeof *out->shell * shells + 16 * primitives),
                               "basis functions");
    }
    place(out, atoms, set_of);
    status = check_norms(out, context, atoms, set_of);
    if (status != TSL_OK) {
        tsl_scf_basis_release(out);
    }
    return status;
}

void tsl_scf_basis_release(tsl_scf_basis *basis)
{
    tsl_release(basis->shell);
    tsl_release(basis->exponent);
    tsl_release(basis->coefficient);
    memset(basis, 0, sizeof *basis);
}

void tsl_scf_atoms_release(tsl_scf_atoms *atoms)
{
    tsl_release(atoms->element);
    tsl_release(atoms->charge);
    tsl_release(atoms->position);
    memset(atoms, 0, sizeof *atoms);
}
