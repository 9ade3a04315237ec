#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "device/device.h"
#include "solvers/scf/gpu/gpu.h"
#include "solvers/scf/ranges.h"
#include "solvers/scf/scf.h"
#include "tesela/xc.h"

static const double LEAST_DISTANCE = 1e-3; /* bohr, of a point charge and a nucleus */

enum { MOST_EXACT = 50 /* functions without a fit */, ORBITAL_L = 4, MOST_SETS = 64 };

/* ---- options -------------------------------------------------------------------------------- */

static tsl_status check_options(tsl_context *context, const tsl_scf_options *o)
{
    if (o->size != sizeof *o) {
        return tsl_fail(context, TSL_E_ARG,
                        "options of %zu bytes: initialise with TSL_SCF_OPTIONS_INIT", o->size);
    }
    if (o->basis == NULL || o->functional == NULL || o->grid == NULL) {
        return tsl_fail(context, TSL_E_ARG, "name a basis set, a functional and a grid");
    }
    const double damping[] = {TSL_SCF_DAMPING_RANGE}, shift[] = {TSL_SCF_LEVEL_SHIFT_RANGE};
    const int iterations[] = {TSL_SCF_ITERATIONS_RANGE};
    if (!(o->energy_tolerance > 0 && o->error_tolerance > 0 && o->screen >= 0 &&
          o->level_shift >= shift[0] && o->level_shift <= shift[1] && o->damping >= damping[0] &&
          o->damping <= damping[1])) {
        return tsl_fail(
            context, TSL_E_ARG,
            "tolerances are positive, screen and level_shift (to %g) not negative, damping is %g "
            "to %g",
            shift[1], damping[0], damping[1]);
    }
    if (o->max_iterations < iterations[0] || o->max_iterations > iterations[1] ||
        o->multiplicity < 0 || o->memory < 0 || o->fit < TSL_SCF_FIT_DENSITY ||
        o->fit > TSL_SCF_FIT_NONE) {
        return tsl_fail(context, TSL_E_ARG,
                        "max_iterations is %d to %d, multiplicity and memory 0 or more, fit one "
                        "of its kinds",
                        iterations[0], iterations[1]);
    }
    if (context->ops->scf_matrices == NULL && strcmp(context->ops->name, "cpu") != 0) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "there are no density-functional energies on %s", context->name);
    }
    if (context->ops->scf_matrices != NULL && o->fit == TSL_SCF_FIT_NONE) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "without a fit energies are computed on the device 'cpu', not '%s': name "
                        "that, or fit the density",
                        context->ops->name);
    }
    return TSL_OK;
}

static tsl_status copy_text(char **to, tsl_context *context, const char *from)
{
    *to = tsl_duplicate_string(from);
    return *to != NULL ? TSL_OK : tsl_fail_memory(context, (int64_t)strlen(from), "options");
}

static tsl_status copy_options(tsl_scf_plan *p, const tsl_scf_options *o)
{
    tsl_status status = TSL_OK;
    p->options = *o;
    TSL_TRY(copy_text(&p->basis_text, p->context, o->basis));
    TSL_TRY(copy_text(&p->auxiliary_text, p->context,
                      o->auxiliary != NULL ? o->auxiliary : TSL_SCF_USUAL_AUXILIARY));
    TSL_TRY(copy_text(&p->functional, p->context, o->functional));
    TSL_TRY(copy_text(&p->grid_text, p->context, o->grid));
    if (o->restart != NULL) {
        TSL_TRY(copy_text(&p->restart, p->context, o->restart));
    }
    p->options.restart = p->restart;
    p->options.basis = p->basis_text;
    p->options.auxiliary = p->auxiliary_text;
    p->options.functional = p->functional;
    p->options.grid = p->grid_text;
done:
    return status;
}

/* What of the functional is not evaluated here. */
static tsl_status check_functional(const tsl_scf_plan *p)
{
    tsl_xc_plan *xc = NULL;
    tsl_xc_description about = {.size = sizeof about};
    tsl_status status = tsl_xc_plan_create(&xc, p->context, p->functional, NULL);
    if (status == TSL_OK) {
        status = tsl_xc_plan_describe(xc, &about);
    }
    if (status == TSL_OK && (about.exact_exchange != 0 || about.cam_omega != 0)) {
        status = tsl_fail(
            p->context, TSL_E_UNSUPPORTED,
            "%s: has exact exchange, which is not computed: give a functional without, as pbe, "
            "blyp, tpss or r2scan",
            p->functional);
    }
    if (status == TSL_OK && about.vv10_b != 0) {
        status = tsl_fail(p->context, TSL_E_UNSUPPORTED,
                          "%s: has nonlocal correlation (VV10), which is not computed: give a "
                          "functional without, as pbe, blyp, tpss or r2scan",
                          p->functional);
    }
    tsl_xc_plan_destroy(xc);
    return status;
}

/* Is SCAN, or its exchange or correlation alone, part of the functional? */
static bool is_scan(const char *functional)
{
    static const char *const names[] = {"scan", "mgga_x_scan", "mgga_c_scan", "263", "267"};
    const char *at = functional;
    while (*at != 0) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_') {
            length++;
        }
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (strlen(names[i]) == length && strncasecmp(names[i], at, length) == 0) {
                return true;
            }
        }
        at += length > 0 ? length : 1;
    }
    return false;
}

/* Warn of SCAN on a coarse grid: it changes faster between points than other functionals. */
static void warn_of_grid(const tsl_scf_plan *p, const tsl_scf_grid_options *grid)
{
    enum { LEVEL = 5, RADII = 99, ANGULAR = 590 }; /* off by 2e-5 hartree at most in water */
    const bool is_coarse =
        grid->level >= 0 ? grid->level < LEVEL : grid->radii < RADII || grid->angular < ANGULAR;
    if (is_coarse && is_scan(p->functional)) {
        tsl_message(p->context, TSL_MESSAGE_WARNING,
                    "%s on the grid %s may be off by 1e-3 hartree: give the grid fine, or the "
                    "functional r2scan",
                    p->functional, p->grid_text);
    }
}

/* ---- atoms and their functions -------------------------------------------------------------- */

static tsl_status copy_atoms(tsl_scf_plan *p, const tsl_scf_molecule *molecule)
{
    const size_t count = (size_t)molecule->count;
    tsl_scf_atoms *atoms = &p->atoms;
    atoms->count = (int)count;
    atoms->element = tsl_allocate(sizeof *atoms->element * count);
    atoms->charge = tsl_allocate(sizeof *atoms->charge * count);
    atoms->position = tsl_allocate(sizeof *atoms->position * 3 * count);
    if (atoms->element == NULL || atoms->charge == NULL || atoms->position == NULL) {
        return tsl_fail_memory(p->context, (int64_t)(36 * count), "atoms");
    }
    for (size_t a = 0; a < count; a++) {
        const int z = molecule->element[a];
        atoms->element[a] = z < 0 ? -z : z;
        atoms->charge[a] = z < 0 ? 0 : z;
    }
    memcpy(atoms->position, molecule->position, sizeof *atoms->position * 3 * count);
    return TSL_OK;
}

static tsl_status copy_charges(tsl_scf_plan *p, const tsl_scf_charges *charges)
{
    tsl_scf_charges *copy = NULL;
    const tsl_status status = tsl_scf_charges_create(&copy, p->context, charges->count,
                                                     charges->charge, charges->position);
    if (status == TSL_OK) {
        p->charges = *copy;
        tsl_release(copy);
    }
    return status;
}

/* Is the set needed that is given to `element`, or to all (0), by what comes first? */
static bool has_element(const tsl_scf_plan *p, int element)
{
    for (int a = 0; a < p->atoms.count; a++) {
        if (p->atoms.element[a] == element) {
            return true;
        }
    }
    return false;
}

/* One item of the list "def2-svp,Fe=FILE". */
static tsl_status load_item(tsl_scf_plan *p, const tsl_scf_set **set_of, char *item)
{
    char *equals = strchr(item, '=');
    int element = 0;
    if (equals != NULL) {
        element = tsl_element_find(item, (size_t)(equals - item));
        if (element == 0) {
            return tsl_fail(p->context, TSL_E_ARG,
                            "'%.40s': no element before '=': give as H=def2-svp", item);
        }
        item = equals + 1;
    }
    if (p->sets == MOST_SETS) {
        return tsl_fail(p->context, TSL_E_ARG, "more than %d basis sets: give fewer", MOST_SETS);
    }
    const tsl_status status = tsl_scf_set_load(&p->set[p->sets], p->context, item);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_scf_set *set = &p->set[p->sets++];
    for (int z = 1; z <= TSL_ELEMENTS; z++) {
        if (element == 0 ? set_of[z] == NULL : z == element) {
            set_of[z] = set;
        }
    }
    if (element != 0 && !has_element(p, element)) {
        tsl_message(p->context, TSL_MESSAGE_WARNING, "%s: the molecule has no %s", item,
                    tsl_element_symbol(element));
    }
    return TSL_OK;
}

/* Items with '=' go before those without, which fill what is left. */
static tsl_status load_sets(tsl_scf_plan *p, const tsl_scf_set **set_of, const char *text)
{
    tsl_status status = TSL_OK;
    for (int pass = 0; pass < 2 && status == TSL_OK; pass++) {
        char *copy = tsl_duplicate_string(text), *rest = NULL;
        if (copy == NULL) {
            return tsl_fail_memory(p->context, (int64_t)strlen(text), "options");
        }
        for (char *item = strtok_r(copy, ",", &rest); item != NULL && status == TSL_OK;
             item = strtok_r(NULL, ",", &rest)) {
            if ((strchr(item, '=') != NULL) == (pass == 0)) {
                status = load_item(p, set_of, item);
            }
        }
        tsl_release(copy);
    }
    return status;
}

static tsl_status make_bases(tsl_scf_plan *p)
{
    const tsl_scf_options *o = &p->options;
    tsl_status status = TSL_OK;
    p->set = tsl_allocate_zeroed(MOST_SETS, sizeof *p->set);
    if (p->set == NULL) {
        return tsl_fail_memory(p->context, (int64_t)sizeof *p->set * MOST_SETS, "basis sets");
    }
    TSL_TRY(load_sets(p, p->set_of, p->basis_text));
    TSL_TRY(
        tsl_scf_basis_create(&p->basis, p->context, &p->atoms, p->set_of, o->cartesian, ORBITAL_L));
    p->n = p->basis.functions;
    if (o->fit == TSL_SCF_FIT_DENSITY) {
        TSL_TRY(load_sets(p, p->auxiliary_of, p->auxiliary_text));
        TSL_TRY(tsl_scf_basis_create(&p->auxiliary, p->context, &p->atoms, p->auxiliary_of,
                                     o->cartesian, TSL_SCF_MAX_L));
    } else if (p->n > MOST_EXACT) {
        status = tsl_fail(p->context, TSL_E_ARG,
                          "%lld functions: without a fit at most %d are computed: fit the density",
                          (long long)p->n, MOST_EXACT);
    }
done:
    return status;
}

/* ---- electrons ------------------------------------------------------------------------------ */

static tsl_status count_electrons(tsl_scf_plan *p)
{
    double nuclei = 0;
    for (int a = 0; a < p->atoms.count; a++) {
        nuclei += p->atoms.charge[a];
    }
    const int electrons = (int)nuclei - p->options.charge;
    const int multiplicity =
        p->options.multiplicity > 0 ? p->options.multiplicity : 1 + (electrons & 1);
    if (electrons < 0) {
        return tsl_fail(p->context, TSL_E_ARG,
                        "a charge of %d: the nuclei have %d: give that or less", p->options.charge,
                        (int)nuclei);
    }
    if (multiplicity - 1 > electrons || (electrons - multiplicity + 1) % 2 != 0) {
        return tsl_fail(p->context, TSL_E_ARG,
                        "%d electrons cannot have multiplicity %d: give %s number from %d to %d",
                        electrons, multiplicity, electrons % 2 == 0 ? "an odd" : "an even",
                        1 + electrons % 2, electrons + 1);
    }
    p->electrons[0] = (electrons + multiplicity - 1) / 2;
    p->electrons[1] = electrons - p->electrons[0];
    p->spins = multiplicity > 1 || p->options.unrestricted ? 2 : 1;
    return TSL_OK;
}

/* ---- matrices ------------------------------------------------------------------------------- */

static tsl_status allocate_matrices(tsl_scf_plan *p)
{
    const int64_t square = p->n * p->n, spins = p->spins;
    double **const one[] = {&p->overlap,   &p->kinetic,   &p->nuclear, &p->dipole[0],
                            &p->dipole[1], &p->dipole[2], &p->x,       &p->total,
                            &p->j,         &p->work[0],   &p->work[1], &p->work[2]};
    double **const each[] = {&p->density,          &p->fock, &p->xc, &p->orbitals,
                             &p->orbital_energies, &p->error};
    int64_t taken = 0;
    bool enough = true;
    for (size_t i = 0; i < sizeof one / sizeof *one; i++, taken += square) {
        *one[i] = tsl_allocate_zeroed((size_t)square + 1, sizeof(double));
        enough = enough && *one[i] != NULL;
    }
    for (size_t i = 0; i < sizeof each / sizeof *each; i++, taken += spins * square) {
        *each[i] = tsl_allocate_zeroed((size_t)(spins * square) + 1, sizeof(double));
        enough = enough && *each[i] != NULL;
    }
    if (enough && p->charges.count > 0) {
        p->mm = tsl_allocate_zeroed((size_t)square + 1, sizeof(double));
        enough = p->mm != NULL;
    }
    return enough ? TSL_OK : tsl_fail_memory(p->context, 8 * taken, "matrices of basis functions");
}

int64_t tsl_scf_count_dependent(tsl_context *context, int64_t n, const double *values)
{
    int64_t count = 0;
    while (count < n && values[count] < 1e-7) {
        count++;
    }
    if (count > 0) {
        tsl_message(context, TSL_MESSAGE_NOTE,
                    "basis functions are nearly dependent: %lld of %lld combinations are left out",
                    (long long)count, (long long)n);
    }
    return count;
}

/* X of canonical orthogonalisation: eigenvectors of S over the root of their values, those of
 * values below 1e-7 left out. */
static tsl_status orthogonalise(tsl_scf_plan *p)
{
    const int64_t n = p->n;
    double *s = p->work[0], *values = p->work[1];
    memcpy(s, p->overlap, sizeof *s * (size_t)(n * n));
    const tsl_status status = p->context->ops->dense->eigen(p->context, n, s, values);
    if (status != TSL_OK) {
        return status;
    }
    const int64_t first = tsl_scf_count_dependent(p->context, n, values);
    p->orthogonal = n - first;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = first; k < n; k++) {
            p->x[i * p->orthogonal + k - first] = s[k * n + i] / sqrt(values[k]);
        }
    }
    return TSL_OK;
}

static tsl_status fill_matrices(tsl_scf_plan *p)
{
    const double begun = tsl_seconds();
    const tsl_scf_one_electron one = {
        p->overlap, p->kinetic, {p->dipole[0], p->dipole[1], p->dipole[2]}};
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_scf_one_electron_fill(&one, p->context, &p->basis, p->options.screen));
    if (p->device != p->context) {
        tsl_profile_add(p->context, "one-electron", begun, 8 * 5 * p->n * p->n, 0);
        return tsl_scf_gpu_create(p);
    }
    TSL_TRY(tsl_scf_attraction(p->nuclear, p->context, p->tables, &p->basis, p->atoms.count,
                               p->atoms.charge, p->atoms.position, p->options.screen));
    if (p->mm != NULL) {
        TSL_TRY(tsl_scf_attraction(p->mm, p->context, p->tables, &p->basis, p->charges.count,
                                   p->charges.charge, p->charges.position, p->options.screen));
    }
    TSL_TRY(orthogonalise(p));
    tsl_profile_add(p->context, "one-electron", begun, 8 * 6 * p->n * p->n, 0);
done:
    return status;
}

/* sum of q_a q_b / |r_a - r_b| over the atoms, and over atoms and charges. */
static tsl_status repel(tsl_scf_plan *p)
{
    const tsl_scf_atoms *atoms = &p->atoms;
    for (int a = 0; a < atoms->count; a++) {
        const double *r = atoms->position + 3 * (size_t)a;
        for (int b = 0; b < a; b++) {
            const double *s = atoms->position + 3 * (size_t)b;
            p->nuclear_repulsion += atoms->charge[a] * atoms->charge[b] /
                                    hypot(hypot(r[0] - s[0], r[1] - s[1]), r[2] - s[2]);
        }
        for (int64_t c = 0; c < p->charges.count && atoms->charge[a] > 0; c++) {
            const double *s = p->charges.position + 3 * c;
            const double d = hypot(hypot(r[0] - s[0], r[1] - s[1]), r[2] - s[2]);
            if (p->charges.charge[c] == 0) {
                continue;
            }
            if (d < LEAST_DISTANCE) {
                return tsl_fail(p->context, TSL_E_ARG,
                                "point charge %lld is %.2g bohr from atom %d: move or remove it",
                                (long long)c + 1, d, a + 1);
            }
            p->nuclear_mm += atoms->charge[a] * p->charges.charge[c] / d;
        }
    }
    return TSL_OK;
}

static tsl_status make_coulomb(tsl_scf_plan *p)
{
    const double begun = tsl_seconds();
    const tsl_status status =
        tsl_scf_coulomb_create(&p->coulomb, p->context, p->tables, &p->basis,
                               p->options.fit == TSL_SCF_FIT_DENSITY ? &p->auxiliary : NULL,
                               p->options.screen, p->integrals_bytes);
    tsl_profile_add(p->context, "integrals", begun, 8 * p->coulomb.products * p->coulomb.auxiliary,
                    0);
    return status;
}

static tsl_status make_grid(tsl_scf_plan *p)
{
    const double begun = tsl_seconds();
    tsl_scf_grid_options grid;
    tsl_xc_step_options step = TSL_XC_STEP_OPTIONS_INIT;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_scf_grid_parse(&grid, p->context, p->grid_text));
    TSL_TRY(tsl_scf_grid_create(&p->grid, p->device, &p->atoms, &grid));
    tsl_profile_add(p->device, "grid", begun, 32 * p->grid.points, 0);
    step.memory = p->step_memory;
    step.functional = p->functional;
    step.spins = p->spins;
    TSL_TRY(tsl_xc_step_create(&p->step, p->device, &p->basis, &p->grid, &step));
done:
    return status;
}

static tsl_status create(tsl_scf_plan *p, const tsl_scf_molecule *molecule,
                         const tsl_scf_charges *charges, const tsl_scf_options *options)
{
    tsl_scf_grid_options grid;
    tsl_status status = TSL_OK;
    TSL_TRY(copy_options(p, options));
    TSL_TRY(check_functional(p));
    TSL_TRY(tsl_scf_grid_parse(&grid, p->context, p->grid_text));
    warn_of_grid(p, &grid);
    TSL_TRY(copy_atoms(p, molecule));
    if (charges != NULL && charges->count > 0) {
        TSL_TRY(copy_charges(p, charges));
    }
    TSL_TRY(count_electrons(p));
    TSL_TRY(make_bases(p));
    TSL_TRY(tsl_scf_foresee(p));
    TSL_TRY(tsl_scf_tables_create(&p->tables, p->context));
    TSL_TRY(allocate_matrices(p));
    TSL_TRY(tsl_scf_restart_begin(p));
    TSL_TRY(repel(p));
    TSL_TRY(fill_matrices(p));
    if (p->electrons[0] > p->orthogonal) {
        status = tsl_fail(p->context, TSL_E_ARG,
                          "%d electrons of one spin in %lld orbitals: give a larger basis set",
                          p->electrons[0], (long long)p->orthogonal);
        goto done;
    }
    if (p->gpu == NULL) {
        TSL_TRY(make_coulomb(p));
    }
    TSL_TRY(make_grid(p));
done:
    return status;
}

tsl_status tsl_scf_plan_create(tsl_scf_plan **out, tsl_context *context,
                               const tsl_scf_molecule *molecule, const tsl_scf_charges *charges,
                               const tsl_scf_options *options)
{
    const tsl_scf_options defaults = TSL_SCF_OPTIONS_INIT;
    options = options != NULL ? options : &defaults;
    *out = NULL;
    tsl_status status = check_options(context, options);
    if (status != TSL_OK) {
        return status;
    }
    tsl_scf_plan *p = tsl_allocate_zeroed(1, sizeof *p);
    if (p == NULL) {
        return tsl_fail_memory(context, sizeof *p, "a plan");
    }
    p->device = p->context = context;
    if (context->ops->scf_matrices != NULL) {
        status = tsl_scf_host_create(&p->context, context);
    }
    if (status == TSL_OK) {
        status = tsl_scf_host_report(context, p->context, create(p, molecule, charges, options));
    }
    if (status != TSL_OK) {
        tsl_scf_plan_destroy(p);
        return status;
    }
    *out = p;
    return TSL_OK;
}

void tsl_scf_plan_destroy(tsl_scf_plan *p)
{
    if (p == NULL) {
        return;
    }
    double *const matrices[] = {
        p->overlap,   p->kinetic, p->nuclear, p->mm, p->dipole[0], p->dipole[1],
        p->dipole[2], p->x,       p->total,   p->j,  p->work[0],   p->work[1],
        p->work[2],   p->density, p->fock,    p->xc, p->orbitals,  p->orbital_energies,
        p->error};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        tsl_release(matrices[i]);
    }
    tsl_scf_gpu_destroy(p->gpu);
    tsl_xc_step_destroy(p->step);
    tsl_scf_grid_release(&p->grid);
    tsl_scf_coulomb_release(&p->coulomb);
    tsl_scf_basis_release(&p->basis);
    tsl_scf_basis_release(&p->auxiliary);
    for (int s = 0; s < p->sets; s++) {
        tsl_scf_set_release(&p->set[s]);
    }
    tsl_release(p->set);
    tsl_scf_atoms_release(&p->atoms);
    tsl_release(p->charges.charge);
    tsl_release(p->charges.position);
    tsl_release(p->tables);
    tsl_release(p->basis_text);
    tsl_release(p->auxiliary_text);
    tsl_release(p->functional);
    tsl_release(p->grid_text);
    tsl_release(p->restart);
    if (p->context != p->device) {
        tsl_scf_host_destroy(p->context);
    }
    tsl_release(p);
}

tsl_status tsl_scf_plan_describe(const tsl_scf_plan *p, tsl_scf_description *out)
{
    if (out->size != sizeof *out) {
        return tsl_fail(p->context, TSL_E_ARG, "a description of %zu bytes: set its size",
                        out->size);
    }
    const int64_t total = 8 * p->coulomb.products * p->coulomb.auxiliary;
    const int64_t stored = p->coulomb.row == NULL
                               ? 0
                               : 8 * p->coulomb.row[p->coulomb.kept].first * p->coulomb.auxiliary;
    *out = (tsl_scf_description){
        .size = sizeof *out,
        .functions = p->n,
        .auxiliary_functions = p->auxiliary.functions,
        .orthogonal = p->orthogonal,
        .grid_points = p->grid.points,
        .alpha = p->electrons[0],
        .beta = p->electrons[1],
        .unrestricted = p->spins == 2,
        .stored_bytes = stored,
        .total_bytes = total,
        .memory_bytes = p->fixed_bytes + stored,
        .auxiliary = p->options.fit == TSL_SCF_FIT_DENSITY ? p->auxiliary_text : NULL,
    };
    return TSL_OK;
}
