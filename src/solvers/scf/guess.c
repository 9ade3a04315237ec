/* The guess: a sum of densities of free atoms, each spherical and with fractional occupations,
 * solved in the molecule's own basis functions by the local density approximation (J. H. Van
 * Lenthe, R. Zwaans, H. J. J. Van Dam, M. F. Guest, J. Comput. Chem. 27, 926 (2006)). */
#include <math.h>
#include <string.h>

#include "device/device.h"
#include "solvers/scf/scf.h"

static const char *const functional = "lda_x + lda_c_vwn";
static const char *const grid_text = "coarse";
static const double SCREEN = 1e-16;

enum { ITERATIONS = 60 };

typedef struct atom {
    tsl_context *context;
    const tsl_scf_plan *plan;
    int element;
    double origin[3], charge;
    tsl_scf_atoms atoms;
    tsl_scf_basis basis, auxiliary;
    tsl_scf_grid grid;
    tsl_xc_step *step;
    tsl_scf_coulomb coulomb;
    tsl_scf_diis diis;
    int64_t n;
    double *memory;
    double *overlap, *kinetic, *nuclear, *density, *fock, *j, *xc, *error, *work; /* [n][n] each */
    double *values;
    int shells[TSL_SCF_MAX_L + 1]; /* how many of each l */
    double electrons[4];           /* s, p, d, f */
} atom;

/* Electrons of each l by Madelung's order of shells. */
static void configure(double electrons[4], int z)
{
    static const signed char order[] = {0, 0, 1, 0, 1, 0, 2, 1, 0, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1};
    memset(electrons, 0, 4 * sizeof *electrons);
    for (size_t i = 0; i < sizeof order && z > 0; i++) {
        const int room = 2 * (2 * order[i] + 1);
        electrons[order[i]] += z < room ? z : room;
        z -= room;
    }
}

enum { MATRICES = 12 };

static tsl_status prepare_memory(atom *a)
{
    a->n = a->basis.functions;
    const int64_t square = a->n * a->n;
    a->memory = tsl_allocate_zeroed((size_t)(MATRICES * square + a->n + 1), sizeof(double));
    if (a->memory == NULL) {
        return tsl_fail_memory(a->context, 8 * MATRICES * square, "an atom's density");
    }
    double **const all[] = {&a->overlap, &a->kinetic, &a->nuclear, &a->density, &a->fock,
                            &a->j,       &a->xc,      &a->error,   &a->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = a->memory + (int64_t)i * square;
    }
    a->values = a->memory + MATRICES * square;
    return TSL_OK;
}

static bool is_fitted(const atom *a)
{
    return a->plan->options.fit == TSL_SCF_FIT_DENSITY;
}

static tsl_status prepare_functions(atom *a)
{
    const tsl_scf_plan *plan = a->plan;
    a->charge = a->element;
    a->atoms = (tsl_scf_atoms){1, &a->element, &a->charge, a->origin};
    tsl_status status =
        tsl_scf_basis_create(&a->basis, a->context, &a->atoms, plan->set_of, false, 4);
    if (status == TSL_OK && is_fitted(a)) {
        status = tsl_scf_basis_create(&a->auxiliary, a->context, &a->atoms, plan->auxiliary_of,
                                      false, TSL_SCF_MAX_L);
    }
    return status;
}

static tsl_status prepare(atom *a)
{
    const tsl_scf_plan *plan = a->plan;
    tsl_context *context = a->context;
    tsl_scf_one_electron one = {NULL, NULL, {NULL, NULL, NULL}};
    tsl_scf_grid_options grid;
    tsl_xc_step_options step = TSL_XC_STEP_OPTIONS_INIT;
    tsl_status status = TSL_OK;
    step.functional = functional;
    step.memory = plan->step_memory;
    configure(a->electrons, a->element);
    TSL_TRY(prepare_functions(a));
    for (int s = 0; s < a->basis.shells; s++) {
        a->shells[a->basis.shell[s].l]++;
    }
    TSL_TRY(prepare_memory(a));
    one.overlap = a->overlap;
    one.kinetic = a->kinetic;
    TSL_TRY(tsl_scf_one_electron_fill(&one, context, &a->basis, SCREEN));
    TSL_TRY(tsl_scf_attraction(a->nuclear, context, plan->tables, &a->basis, 1, &a->charge,
                               a->origin, SCREEN));
    TSL_TRY(tsl_scf_coulomb_create(&a->coulomb, context, plan->tables, &a->basis,
                                   is_fitted(a) ? &a->auxiliary : NULL, SCREEN, INT64_MAX / 2));
    TSL_TRY(tsl_scf_grid_parse(&grid, context, grid_text));
    TSL_TRY(tsl_scf_grid_create(&a->grid, context, &a->atoms, &grid));
    TSL_TRY(tsl_xc_step_create(&a->step, context, &a->basis, &a->grid, &step));
    TSL_TRY(tsl_scf_diis_create(&a->diis, context, a->n * a->n, a->n * a->n));
done:
    return status;
}

static void release(atom *a)
{
    tsl_scf_diis_release(&a->diis);
    tsl_xc_step_destroy(a->step);
    tsl_scf_grid_release(&a->grid);
    tsl_scf_coulomb_release(&a->coulomb);
    tsl_scf_basis_release(&a->basis);
    tsl_scf_basis_release(&a->auxiliary);
    tsl_release(a->memory);
}

/* The mean over m of the block of l of a matrix: [shells][shells]. */
static void average(double *out, const atom *a, const double *matrix, int l)
{
    int row = 0;
    for (int s = 0; s < a->basis.shells; s++) {
        int column = 0;
        for (int t = 0; t < a->basis.shells && a->basis.shell[s].l == l; t++) {
            if (a->basis.shell[t].l != l) {
                continue;
            }
            double sum = 0;
            for (int m = 0; m < 2 * l + 1; m++) {
                sum += matrix[(a->basis.shell[s].function + m) * a->n + a->basis.shell[t].function +
                              m];
            }
            out[row * a->shells[l] + column++] = sum / (2 * l + 1);
        }
        row += a->basis.shell[s].l == l;
    }
}

/* density's block of l := f [shells][shells] for each m. */
static void place_block_of_l(atom *a, int l, const double *f)
{
    const int64_t n = a->shells[l];
    int row = 0;
    for (int p = 0; p < a->basis.shells; p++) {
        int column = 0;
        for (int q = 0; q < a->basis.shells && a->basis.shell[p].l == l; q++) {
            for (int m = 0; m < 2 * l + 1 && a->basis.shell[q].l == l; m++) {
                a->density[(a->basis.shell[p].function + m) * a->n + a->basis.shell[q].function +
                           m] = f[row * n + column];
            }
            column += a->basis.shell[q].l == l;
        }
        row += a->basis.shell[p].l == l;
    }
}

/* density's block of l := sum of `electrons` in the lowest orbitals of the averaged Fock matrix. */
static tsl_status occupy(atom *a, int l, double electrons)
{
    const int64_t n = a->shells[l];
    double *f = a->work, *s = f + n * n, *x = s + n * n,
           *t = x + n * n; /* 4 n^2: also of the next one */
    tsl_status status = TSL_OK;
    average(f, a, a->fock, l);
    average(s, a, a->overlap, l);
    TSL_TRY(a->context->ops->dense->eigen(a->context, n, s, a->values));
    for (int64_t k = 0; k < n; k++) { /* rows of s: x^T */
        const double scale = a->values[k] > 1e-9 ? 1 / sqrt(a->values[k]) : 0;
        for (int64_t i = 0; i < n; i++) {
            x[i * n + k] = scale * s[k * n + i];
        }
    }
    TSL_TRY(tsl_scf_congruence(a->context, s, f, x, n, n, t));
    TSL_TRY(a->context->ops->dense->eigen(a->context, n, s, a->values));
    TSL_TRY(tsl_scf_multiply(a->context, t, x, false, s, true, n, n, n));
    memset(f, 0, sizeof *f * (size_t)(n * n));
    for (int64_t k = 0; k < n && electrons > 0; k++) {
        const double here = fmin(electrons, 2 * (2 * l + 1)) / (2 * l + 1);
        electrons -= 2 * (2 * l + 1);
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) {
                f[i * n + j] += here * t[i * n + k] * t[j * n + k];
            }
        }
    }
    place_block_of_l(a, l, f);
done:
    return status;
}

static tsl_status make_density(atom *a)
{
    tsl_status status = TSL_OK;
    memset(a->density, 0, sizeof(double) * (size_t)(a->n * a->n));
    for (int l = 0; l < 4 && status == TSL_OK; l++) {
        if (a->shells[l] > 0 && a->electrons[l] > 0) {
            status = occupy(a, l, a->electrons[l]);
        }
    }
    return status;
}

/* The Fock matrix, its error and the energy of the density. */
static tsl_status make_fock(atom *a, double *energy)
{
    const int64_t n = a->n, square = n * n;
    tsl_xc_step_sums sums;
    double coulomb;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_scf_coulomb_apply(&a->coulomb, a->context, a->density, a->j, &coulomb));
    TSL_TRY(tsl_xc_step_run(a->step, a->density, a->xc, &sums));
    *energy = coulomb + sums.energy;
    for (int64_t i = 0; i < square; i++) {
        *energy += a->density[i] * (a->kinetic[i] + a->nuclear[i]);
        a->fock[i] = a->kinetic[i] + a->nuclear[i] + a->j[i] + a->xc[i];
    }
    TSL_TRY(tsl_scf_multiply(a->context, a->work, a->density, false, a->overlap, false, n, n, n));
    TSL_TRY(tsl_scf_multiply(a->context, a->j, a->fock, false, a->work, false, n, n, n));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < n; k++) {
            a->error[i * n + k] = a->j[i * n + k] - a->j[k * n + i];
        }
    }
done:
    return status;
}

/* To 1e-6 hartree; a guess that is not there yet after ITERATIONS serves as well. */
static tsl_status iterate(atom *a)
{
    const int64_t square = a->n * a->n;
    double energy = 0, before = 0;
    tsl_status status = TSL_OK;
    for (int64_t i = 0; i < square; i++) {
        a->fock[i] = a->kinetic[i] + a->nuclear[i];
    }
    TSL_TRY(make_density(a));
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        TSL_TRY(make_fock(a, &energy));
        if (fabs(energy - before) < 1e-6) {
            break;
        }
        before = energy;
        tsl_scf_diis_extrapolate(&a->diis, a->fock, a->density, a->error, 0);
        TSL_TRY(make_density(a));
    }
done:
    return status;
}

/* ---- the molecule --------------------------------------------------------------------------- */

/* How spherical functions of degree l are made of Cartesian ones: [2l + 1][(l + 1)(l + 2) / 2]. */
static void spherical_of_cartesian(double *out, int l)
{
    double cartesian[TSL_SCF_MAX_CARTESIAN * TSL_SCF_MAX_CARTESIAN];
    const int n = (l + 1) * (l + 2) / 2;
    tsl_scf_polynomials(out, l, false);
    tsl_scf_polynomials(cartesian, l, true);
    for (int f = 0; f < 2 * l + 1; f++) {
        for (int c = 0; c < n; c++) {
            out[f * n + c] /= cartesian[c * n + c];
        }
    }
}

static double atom_density(const atom *a, int s, int f, int t, int g)
{
    return a->density[(a->basis.shell[s].function + f) * a->n + a->basis.shell[t].function + g];
}

/* Copy the block of an atom's shells s and t to those of the molecule. */
static void place_block(tsl_scf_plan *plan, const atom *a, int s, int t, int first)
{
    const tsl_scf_shell *p = &plan->basis.shell[first + s], *q = &plan->basis.shell[first + t];
    double wp[TSL_SCF_MAX_CARTESIAN * TSL_SCF_MAX_CARTESIAN] = {0},
                                      wq[sizeof wp / sizeof *wp] = {0};
    const int np = 2 * p->l + 1, nq = 2 * q->l + 1;
    spherical_of_cartesian(wp, p->l);
    spherical_of_cartesian(wq, q->l);
    for (int f = 0; f < p->functions; f++) {
        for (int g = 0; g < q->functions; g++) {
            double sum = plan->basis.cartesian ? 0 : atom_density(a, s, f, t, g);
            for (int k = 0; k < np && plan->basis.cartesian; k++) {
                for (int l = 0; l < nq; l++) {
                    sum += wp[k * p->functions + f] * wq[l * q->functions + g] *
                           atom_density(a, s, k, t, l);
                }
            }
            plan->density[(p->function + f) * plan->n + q->function + g] = sum;
        }
    }
}

/* Place an atom's density at all atoms of its element. */
static void place(tsl_scf_plan *plan, const atom *a)
{
    for (int first = 0; first < plan->basis.shells; first++) {
        const int at = plan->basis.shell[first].atom;
        const bool begins = first == 0 || plan->basis.shell[first - 1].atom != at;
        if (!begins || plan->atoms.element[at] != a->element || plan->atoms.charge[at] == 0) {
            continue;
        }
        for (int s = 0; s < a->basis.shells; s++) {
            for (int t = 0; t < a->basis.shells; t++) {
                place_block(plan, a, s, t, first);
            }
        }
    }
}

static tsl_status guess_element(tsl_scf_plan *plan, int element)
{
    atom a = {.context = plan->context, .plan = plan, .element = element};
    tsl_status status = prepare(&a);
    if (status == TSL_OK) {
        status = iterate(&a);
    }
    if (status == TSL_OK) {
        place(plan, &a);
    }
    release(&a);
    return status;
}

/* Has the molecule an atom of an element that is not a ghost? */
static bool has_nucleus(const tsl_scf_plan *plan, int z)
{
    for (int a = 0; a < plan->atoms.count; a++) {
        if (plan->atoms.element[a] == z && plan->atoms.charge[a] > 0) {
            return true;
        }
    }
    return false;
}

tsl_status tsl_scf_guess_foresee(int64_t *bytes, const tsl_scf_plan *plan)
{
    tsl_status status = TSL_OK;
    *bytes = 0;
    for (int z = 1; z <= TSL_ELEMENTS && status == TSL_OK; z++) {
        atom a = {.context = plan->context, .plan = plan, .element = z};
        tsl_scf_coulomb_need coulomb;
        tsl_scf_grid_options grid;
        if (!has_nucleus(plan, z)) {
            continue;
        }
        TSL_TRY(tsl_scf_grid_parse(&grid, a.context, grid_text));
        status = prepare_functions(&a);
        if (status == TSL_OK) {
            const int64_t n = a.basis.functions;
            const int64_t points = tsl_scf_grid_count(&a.atoms, &grid);
            tsl_scf_coulomb_foresee(&coulomb, a.context, &a.basis,
                                    is_fitted(&a) ? &a.auxiliary : NULL, SCREEN);
            const int64_t later =
                coulomb.fixed + coulomb.integrals + tsl_scf_grid_bytes(points, 1) +
                tsl_xc_step_bytes(a.context, &a.basis, points, 1, plan->step_memory);
            const int64_t all = 8 * (MATRICES + 3 * TSL_SCF_DIIS + 3) * n * n +
                                (later > coulomb.made ? later : coulomb.made);
            *bytes = all > *bytes ? all : *bytes;
        }
        tsl_scf_basis_release(&a.basis);
        tsl_scf_basis_release(&a.auxiliary);
    }
done:
    return status;
}

tsl_status tsl_scf_guess(tsl_scf_plan *plan)
{
    const int64_t square = plan->n * plan->n;
    tsl_status status = TSL_OK;
    memset(plan->density, 0, sizeof(double) * (size_t)(square * plan->spins));
    for (int z = 1; z <= TSL_ELEMENTS && status == TSL_OK; z++) {
        status = has_nucleus(plan, z) ? guess_element(plan, z) : TSL_OK;
    }
    const double electrons = tsl_scf_trace(plan->density, plan->overlap, square);
    const double wanted = plan->electrons[0] + plan->electrons[1];
    const double first = plan->spins == 1 ? wanted : plan->electrons[0];
    for (int64_t i = 0; i < square; i++) {
        const double d = electrons > 0 ? plan->density[i] / electrons : 0;
        plan->density[i] = first * d;
        if (plan->spins == 2) {
            plan->density[square + i] = plan->electrons[1] * d;
        }
    }
    return status;
}
