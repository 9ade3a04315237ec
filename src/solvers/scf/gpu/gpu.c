#include "solvers/scf/gpu/gpu.h"

#include <math.h>
#include <string.h>

#include "device/device.h"
#include "solvers/scf/coulomb_step/coulomb_step.h"
#include "solvers/scf/gpu/matrices.h"

/* Matrices on the device, each in a piece of memory of its own: of n^2 numbers, then of as many for
 * each spin, then others. */
enum {
    OVERLAP,
    KINETIC,
    NUCLEAR,
    MM,
    CORE, /* the sum of these three */
    X,
    TOTAL,
    J,
    WORK0,
    WORK1,
    WORK2,
    OF_SPINS,
    DENSITY = OF_SPINS,
    FOCK,
    XC,
    ORBITALS,
    ENERGIES,
    ERROR,
    LAST,
    OF_EXTRAPOLATION,
    FOCKS = OF_EXTRAPOLATION,
    DENSITIES,
    ERRORS,
    OTHERS,
    PARTS = OTHERS,
    SUMS,
    PIECES
};

struct tsl_scf_gpu {
    tsl_context *context;
    tsl_coulomb_step *coulomb;
    double *piece[PIECES];
    const double *total; /* TOTAL, or a closed shell's density */
};

/* ---- making it ------------------------------------------------------------------------------ */

static int64_t numbers_of(const tsl_scf_plan *p, int piece)
{
    const int64_t square = p->n * p->n;
    if (piece == PARTS || piece == SUMS) {
        return TSL_SCF_SUMS * (piece == PARTS ? TSL_SCF_PARTS : 1);
    }
    if (piece == MM && p->charges.count == 0) {
        return 0;
    }
    return piece < OF_SPINS           ? square
           : piece < OF_EXTRAPOLATION ? p->spins * square
                                      : TSL_SCF_DIIS * p->spins * square;
}

static tsl_status take_matrices(tsl_scf_plan *p)
{
    tsl_context *context = p->device;
    tsl_status status = TSL_OK;
    for (int i = 0; i < PIECES; i++) {
        void *memory = NULL;
        TSL_TRY(tsl_device_allocate(&memory, context, 8 * numbers_of(p, i) + 8,
                                    "matrices of basis functions"));
        p->gpu->piece[i] = memory;
    }
done:
    return status;
}

static tsl_coulomb_step_source coulomb_source(const tsl_scf_plan *p)
{
    return (tsl_coulomb_step_source){.host = p->context,
                                     .tables = p->tables,
                                     .basis = &p->basis,
                                     .auxiliary = &p->auxiliary,
                                     .partners = p->coulomb.partners,
                                     .metric = p->coulomb.metric,
                                     .inverse = p->coulomb.inverse,
                                     .screen = p->options.screen};
}

tsl_status tsl_scf_gpu_begin(tsl_scf_plan *p, int64_t *matrices, int64_t *coulomb)
{
    const double begun = tsl_seconds();
    tsl_coulomb_step_source source;
    tsl_coulomb_step_description about;
    tsl_status status = TSL_OK;
    p->gpu = tsl_allocate_zeroed(1, sizeof *p->gpu);
    if (p->gpu == NULL) {
        return tsl_fail_memory(p->device, sizeof *p->gpu, "the iteration's matrices");
    }
    p->gpu->context = p->device;
    TSL_TRY(tsl_scf_coulomb_create_partners(&p->coulomb, p->context, &p->auxiliary));
    source = coulomb_source(p);
    TSL_TRY(tsl_coulomb_step_create(&p->gpu->coulomb, p->device, &source));
    tsl_coulomb_step_describe(p->gpu->coulomb, &about);
    *coulomb = about.bytes;
    *matrices = 0;
    for (int i = 0; i < PIECES; i++) {
        *matrices = tsl_add_bytes(*matrices, 8 * numbers_of(p, i) + 8);
    }
    tsl_profile_add(p->device, "pairs of functions", begun, 0, 0);
done:
    return status;
}

static tsl_status make_coulomb(tsl_scf_plan *p)
{
    const double begun = tsl_seconds();
    tsl_coulomb_step_source source;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_scf_coulomb_create_metric(&p->coulomb, p->context, p->device, p->tables,
                                          &p->auxiliary));
    source = coulomb_source(p);
    TSL_TRY(tsl_coulomb_step_place(p->gpu->coulomb, &source));
    tsl_profile_add(p->context, "metric of the fit", begun, 0, 0);
done:
    return status;
}

static tsl_status combine(const tsl_scf_plan *p, double *y, int64_t count, int terms,
                          const double *const *x, const double *weight)
{
    tsl_scf_combination task = {.count = count, .terms = terms, .y = y};
    for (int k = 0; k < terms; k++) {
        task.x[k] = x[k];
        task.weight[k] = weight[k];
    }
    return count > 0 ? p->device->ops->scf_matrices->combine(p->device, &task) : TSL_OK;
}

static tsl_status make_core(tsl_scf_plan *p)
{
    tsl_scf_gpu *g = p->gpu;
    tsl_context *context = p->device;
    const int64_t square = p->n * p->n;
    const double begun = tsl_seconds(), ones[3] = {1, 1, 1};
    const double *const parts[3] = {g->piece[KINETIC], g->piece[NUCLEAR], g->piece[MM]};
    tsl_status status = TSL_OK;
    TSL_TRY(context->ops->upload(context, g->piece[OVERLAP], p->overlap, 8 * square));
    TSL_TRY(context->ops->upload(context, g->piece[KINETIC], p->kinetic, 8 * square));
    TSL_TRY(tsl_coulomb_step_attract(g->coulomb, p->atoms.count, p->atoms.charge, p->atoms.position,
                                     g->piece[NUCLEAR]));
    if (p->charges.count > 0) {
        TSL_TRY(tsl_coulomb_step_attract(g->coulomb, p->charges.count, p->charges.charge,
                                         p->charges.position, g->piece[MM]));
    }
    TSL_TRY(combine(p, g->piece[CORE], square, p->charges.count > 0 ? 3 : 2, parts, ones));
    tsl_profile_add(context, "attraction", begun, 0, 0);
done:
    return status;
}

/* X of canonical orthogonalisation, as the host makes it. */
static tsl_status orthogonalise(tsl_scf_plan *p)
{
    tsl_scf_gpu *g = p->gpu;
    tsl_context *context = p->device;
    const int64_t n = p->n;
    const double begun = tsl_seconds();
    const double one = 1;
    const double *const overlap = g->piece[OVERLAP];
    double *values = p->work[1];
    tsl_scf_roots task = {
        .n = n, .vectors = g->piece[WORK0], .values = g->piece[WORK1], .x = g->piece[X]};
    tsl_status status = TSL_OK;
    p->orthogonal = n;
    if (n == 0) {
        return TSL_OK;
    }
    TSL_TRY(combine(p, g->piece[WORK0], n * n, 1, &overlap, &one));
    TSL_TRY(context->ops->dense->eigen(context, n, g->piece[WORK0], g->piece[WORK1]));
    TSL_TRY(context->ops->download(context, values, g->piece[WORK1], 8 * n));
    p->orthogonal = n - tsl_scf_count_dependent(p->device, n, values);
    task.orthogonal = p->orthogonal;
    if (p->orthogonal > 0) {
        TSL_TRY(context->ops->scf_matrices->divide_by_roots(context, &task));
    }
    tsl_profile_add(context, "orthogonal functions", begun, 0, 0);
done:
    return status;
}

tsl_status tsl_scf_gpu_create(tsl_scf_plan *p)
{
    tsl_status status = TSL_OK;
    TSL_TRY(take_matrices(p));
    TSL_TRY(make_coulomb(p));
    TSL_TRY(make_core(p));
    TSL_TRY(orthogonalise(p));
done:
    return status;
}

void tsl_scf_gpu_destroy(tsl_scf_gpu *g)
{
    if (g == NULL) {
        return;
    }
    tsl_coulomb_step_destroy(g->coulomb);
    for (int i = 0; i < PIECES; i++) {
        tsl_device_release(g->context, g->piece[i]);
    }
    tsl_release(g);
}

/* ---- to the device and back ----------------------------------------------------------------- */

tsl_status tsl_scf_gpu_send(tsl_scf_plan *p)
{
    return p->device->ops->upload(p->device, p->gpu->piece[DENSITY], p->density,
                                  8 * p->spins * p->n * p->n);
}

tsl_status tsl_scf_gpu_bring(tsl_scf_plan *p)
{
    tsl_context *context = p->device;
    const int64_t square = p->n * p->n;
    tsl_status status = TSL_OK;
    TSL_TRY(
        context->ops->download(context, p->density, p->gpu->piece[DENSITY], 8 * p->spins * square));
    TSL_TRY(context->ops->download(context, p->orbital_energies, p->gpu->piece[ENERGIES],
                                   8 * p->spins * p->orthogonal));
    for (int64_t i = 0; i < square; i++) {
        p->total[i] = p->density[i] + (p->spins == 2 ? p->density[square + i] : 0);
    }
done:
    return status;
}

/* S^(1/2) = S X V, where X are the eigenvectors V, a row each, over the roots of their values. What
 * is left out of X has no part in the density. */
tsl_status tsl_scf_gpu_lowdin(const tsl_scf_plan *p, double *out)
{
    tsl_scf_gpu *g = p->gpu;
    tsl_context *context = p->device;
    const int64_t n = p->n, m = p->orthogonal;
    const double one = 1;
    const double *const overlap = g->piece[OVERLAP];
    double *const *w = g->piece + WORK0;
    tsl_status status = TSL_OK;
    TSL_TRY(combine(p, w[0], n * n, 1, &overlap, &one));
    TSL_TRY(context->ops->dense->eigen(context, n, w[0], w[1]));
    TSL_TRY(
        tsl_scf_multiply(context, w[2], g->piece[X], false, w[0] + (n - m) * n, false, n, n, m));
    TSL_TRY(tsl_scf_multiply(context, w[1], overlap, false, w[2], false, n, n, n));
    TSL_TRY(context->ops->upload(context, w[0], p->total, 8 * n * n));
    TSL_TRY(tsl_scf_multiply(context, w[2], w[0], false, w[1], true, n, n, n));
    TSL_TRY(tsl_scf_multiply(context, w[0], w[1], false, w[2], false, n, n, n));
    TSL_TRY(context->ops->download(context, out, w[0], 8 * n * n));
done:
    return status;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static void list_product(tsl_scf_products *list, const double *a, const double *b, int64_t count)
{
    list->a[list->number] = a;
    list->b[list->number] = b;
    list->count[list->number++] = count;
}

/* Waits for the sums. */
static tsl_status sum_products(const tsl_scf_plan *p, tsl_scf_products *list, double *sums)
{
    tsl_context *context = p->device;
    list->parts = p->gpu->piece[PARTS];
    list->sums = p->gpu->piece[SUMS];
    const tsl_status status = context->ops->scf_matrices->sum_products(context, list);
    return status == TSL_OK
               ? context->ops->download(context, sums, p->gpu->piece[SUMS], 8 * list->number)
               : status;
}

/* ---- energy --------------------------------------------------------------------------------- */

/* The density of both spins. */
static tsl_status find_total(tsl_scf_plan *p)
{
    tsl_scf_gpu *g = p->gpu;
    const int64_t square = p->n * p->n;
    const double ones[2] = {1, 1};
    const double *const both[2] = {g->piece[DENSITY], g->piece[DENSITY] + square};
    g->total = p->spins == 1 ? g->piece[DENSITY] : g->piece[TOTAL];
    return p->spins == 1 ? TSL_OK : combine(p, g->piece[TOTAL], square, 2, both, ones);
}

static tsl_status add_fock(tsl_scf_plan *p)
{
    tsl_scf_gpu *g = p->gpu;
    const int64_t square = p->n * p->n;
    const double ones[3] = {1, 1, 1};
    tsl_status status = TSL_OK;
    for (int spin = 0; spin < p->spins && status == TSL_OK; spin++) {
        const double *const parts[3] = {g->piece[CORE], g->piece[J], g->piece[XC] + spin * square};
        status = combine(p, g->piece[FOCK] + spin * square, square, 3, parts, ones);
    }
    return status;
}

static tsl_status gpu_fock(tsl_scf_plan *p, tsl_scf_energies *out)
{
    tsl_scf_gpu *g = p->gpu;
    const int64_t square = p->n * p->n, a = p->auxiliary.functions;
    tsl_scf_products list = {.number = 0};
    double sums[4] = {0};
    tsl_status status = TSL_OK;
    TSL_TRY(find_total(p));
    TSL_TRY(tsl_coulomb_step_run(g->coulomb, g->total, g->piece[J]));
    TSL_TRY(tsl_xc_step_run(p->step, g->piece[DENSITY], g->piece[XC], &out->xc));
    list_product(&list, g->total, g->piece[KINETIC], square);
    list_product(&list, g->total, g->piece[NUCLEAR], square);
    list_product(&list, tsl_coulomb_step_projection(g->coulomb),
                 tsl_coulomb_step_coefficients(g->coulomb), a);
    if (p->charges.count > 0) {
        list_product(&list, g->total, g->piece[MM], square);
    }
    TSL_TRY(sum_products(p, &list, sums));
    out->kinetic = sums[0];
    out->nuclear_attraction = sums[1];
    out->coulomb = 0.5 * sums[2];
    out->mm_attraction = sums[3];
    TSL_TRY(add_fock(p));
done:
    return status;
}

static tsl_status gpu_error(tsl_scf_plan *p, double *largest)
{
    tsl_scf_gpu *g = p->gpu;
    tsl_context *context = p->device;
    const int64_t n = p->n, m = p->orthogonal;
    double *const *w = g->piece + WORK0;
    tsl_status status = TSL_OK;
    *largest = 0;
    if (m == 0) {
        return TSL_OK;
    }
    TSL_TRY(context->ops->fill(context, g->piece[SUMS], 0, 8));
    for (int spin = 0; spin < p->spins; spin++) {
        const double *density = g->piece[DENSITY] + spin * n * n;
        const double *fock = g->piece[FOCK] + spin * n * n;
        const tsl_scf_square task = {m, w[0], g->piece[ERROR] + spin * m * m,
                                     p->spins == 1 ? 0.5 : 1, g->piece[SUMS]};
        TSL_TRY(tsl_scf_multiply(context, w[0], density, false, g->piece[OVERLAP], false, n, n, n));
        TSL_TRY(tsl_scf_multiply(context, w[1], fock, false, w[0], false, n, n, n));
        TSL_TRY(tsl_scf_congruence(context, w[0], w[1], g->piece[X], n, m, w[2]));
        TSL_TRY(context->ops->scf_matrices->antisymmetrise(context, &task));
    }
    TSL_TRY(context->ops->download(context, largest, g->piece[SUMS], 8));
done:
    return status;
}

/* ---- extrapolation -------------------------------------------------------------------------- */

static tsl_status gpu_mix(tsl_scf_plan *p, double kept, bool mixes, double *last)
{
    tsl_scf_gpu *g = p->gpu;
    const int64_t numbers = p->spins * p->n * p->n;
    const double weights[2] = {1 - kept, kept}, one = 1;
    const double *const both[2] = {g->piece[FOCK], g->piece[LAST]};
    (void)last;
    const tsl_status status =
        mixes ? combine(p, g->piece[FOCK], numbers, 2, both, weights) : TSL_OK;
    return status == TSL_OK ? combine(p, g->piece[LAST], numbers, 1, both, &one) : status;
}

static tsl_status keep(tsl_scf_plan *p, tsl_scf_diis *d)
{
    tsl_scf_gpu *g = p->gpu;
    const int64_t fock = p->spins * p->n * p->n;
    const int64_t error = p->spins * p->orthogonal * p->orthogonal;
    const double one = 1;
    const double *const from[3] = {g->piece[FOCK], g->piece[DENSITY], g->piece[ERROR]};
    const int64_t numbers[3] = {fock, fock, error};
    tsl_scf_products list = {.number = 0};
    double sums[TSL_SCF_SUMS];
    tsl_status status = TSL_OK;
    const int slot = tsl_scf_diis_take_slot(d);
    for (int k = 0; k < 3; k++) {
        TSL_TRY(combine(p, g->piece[FOCKS + k] + slot * numbers[k], numbers[k], 1, &from[k], &one));
    }
    for (int i = 0; i < d->count; i++) {
        list_product(&list, from[2], g->piece[ERRORS] + i * error, error);
        list_product(&list, from[1], g->piece[FOCKS] + i * fock, fock);
        list_product(&list, g->piece[DENSITIES] + i * fock, from[0], fock);
    }
    TSL_TRY(sum_products(p, &list, sums));
    for (int i = 0; i < d->count; i++) {
        d->product[slot][i] = d->product[i][slot] = sums[3 * i];
        d->energy[slot][i] = sums[3 * i + 1];
        d->energy[i][slot] = sums[3 * i + 2];
    }
done:
    return status;
}

static tsl_status gpu_extrapolate(tsl_scf_plan *p, tsl_scf_diis *d, double largest)
{
    tsl_scf_gpu *g = p->gpu;
    const int64_t fock = p->spins * p->n * p->n;
    const double *x[TSL_SCF_DIIS];
    double weight[TSL_SCF_DIIS], used[TSL_SCF_DIIS];
    int terms = 0;
    const int last = d->next;
    const tsl_status status = keep(p, d);
    if (status != TSL_OK || !tsl_scf_diis_weigh(d, last, largest, weight)) {
        return status;
    }
    for (int i = 0; i < d->count; i++) {
        if (weight[i] != 0) {
            x[terms] = g->piece[FOCKS] + i * fock;
            used[terms++] = weight[i];
        }
    }
    return combine(p, g->piece[FOCK], fock, terms, x, used);
}

/* ---- orbitals ------------------------------------------------------------------------------- */

/* Where orbitals of one energy are occupied in part, choose among them as the host does. */
static tsl_status settle(tsl_scf_plan *p, int spin)
{
    tsl_scf_gpu *g = p->gpu;
    tsl_context *context = p->device;
    const int64_t n = p->n, m = p->orthogonal, occupied = p->electrons[spin];
    double *energies = p->orbital_energies + spin * m, *orbitals = p->orbitals + spin * n * m;
    double *here = g->piece[ORBITALS] + spin * n * m;
    const double *at = g->piece[ENERGIES] + spin * m;
    double edge[2];
    tsl_status status = TSL_OK;
    if (occupied == 0 || occupied == m) {
        return TSL_OK;
    }
    TSL_TRY(context->ops->download(context, edge, at + occupied - 1, sizeof edge));
    if (!tsl_scf_note_choice(p, spin, edge)) {
        return TSL_OK;
    }
    TSL_TRY(context->ops->download(context, energies, at, 8 * m));
    TSL_TRY(context->ops->download(context, orbitals, here, 8 * n * m));
    tsl_scf_settle_orbitals(orbitals, energies, n, m);
    TSL_TRY(context->ops->upload(context, here, orbitals, 8 * n * m));
done:
    return status;
}

/* f += shift (1 - X^T S D S X), D of one spin. */
static tsl_status add_level_shift(tsl_scf_plan *p, double *f, const double *density, double shift)
{
    tsl_scf_gpu *g = p->gpu;
    tsl_context *context = p->device;
    const int64_t n = p->n, m = p->orthogonal;
    const double *const overlap = g->piece[OVERLAP];
    double *const *w = g->piece + WORK0;
    const double weights[2] = {1, p->spins == 1 ? -0.5 * shift : -shift};
    const double *const both[2] = {f, g->piece[J]};
    const tsl_scf_square diagonal = {.n = m, .to = f, .scale = shift};
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_scf_multiply(context, w[1], density, false, overlap, false, n, n, n));
    TSL_TRY(tsl_scf_multiply(context, w[2], overlap, false, w[1], false, n, n, n));
    TSL_TRY(tsl_scf_congruence(context, g->piece[J], w[2], g->piece[X], n, m, w[1]));
    TSL_TRY(combine(p, f, m * m, 2, both, weights));
    TSL_TRY(context->ops->scf_matrices->add_diagonal(context, &diagonal));
done:
    return status;
}

static tsl_status gpu_diagonalise(tsl_scf_plan *p, int spin, double shift)
{
    tsl_scf_gpu *g = p->gpu;
    tsl_context *context = p->device;
    const int64_t n = p->n, m = p->orthogonal;
    double *f = g->piece[WORK0];
    tsl_status status = TSL_OK;
    if (m == 0) {
        return TSL_OK;
    }
    TSL_TRY(tsl_scf_congruence(context, f, g->piece[FOCK] + spin * n * n, g->piece[X], n, m,
                               g->piece[WORK1]));
    if (shift > 0) {
        TSL_TRY(add_level_shift(p, f, g->piece[DENSITY] + spin * n * n, shift));
    }
    TSL_TRY(context->ops->dense->eigen(context, m, f, g->piece[ENERGIES] + spin * m));
    TSL_TRY(tsl_scf_multiply(context, g->piece[ORBITALS] + spin * n * m, g->piece[X], false, f,
                             true, n, m, m));
    TSL_TRY(settle(p, spin));
done:
    return status;
}

static tsl_status gpu_occupy(tsl_scf_plan *p, int spin)
{
    tsl_scf_gpu *g = p->gpu;
    tsl_context *context = p->device;
    const int64_t n = p->n, m = p->orthogonal, occupied = p->electrons[spin];
    const double *orbitals = g->piece[ORBITALS] + spin * n * m;
    double *density = g->piece[DENSITY] + spin * n * n;
    const tsl_product product = {.transpose_b = true,
                                 .m = n,
                                 .n = n,
                                 .k = occupied,
                                 .alpha = 1,
                                 .a = orbitals,
                                 .lda = m,
                                 .b = orbitals,
                                 .ldb = m,
                                 .c = g->piece[WORK0],
                                 .ldc = n};
    const tsl_scf_square task = {
        .n = n, .from = g->piece[WORK0], .to = density, .scale = p->spins == 1 ? 2 : 1};
    if (occupied == 0) {
        return context->ops->fill(context, density, 0, 8 * n * n);
    }
    const tsl_status status = context->ops->dense->multiply(context, &product);
    return status == TSL_OK ? context->ops->scf_matrices->symmetrise(context, &task) : status;
}

static tsl_status bring_orbitals(tsl_scf_plan *p)
{
    return p->device->ops->download(p->device, p->orbitals, p->gpu->piece[ORBITALS],
                                    8 * p->spins * p->n * p->orthogonal);
}

static tsl_status send_orbitals(tsl_scf_plan *p)
{
    return p->device->ops->upload(p->device, p->gpu->piece[ORBITALS], p->orbitals,
                                  8 * p->spins * p->n * p->orthogonal);
}

const tsl_scf_engine tsl_scf_gpu_engine = {.make_fock = gpu_fock,
                                           .make_error = gpu_error,
                                           .mix = gpu_mix,
                                           .extrapolate = gpu_extrapolate,
                                           .diagonalise = gpu_diagonalise,
                                           .occupy = gpu_occupy,
                                           .bring_orbitals = bring_orbitals,
                                           .send_orbitals = send_orbitals};
