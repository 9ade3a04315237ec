/* The iteration to self-consistency. */
#include <math.h>
#include <string.h>

#include "device/device.h"
#include "solvers/scf/gpu/gpu.h"
#include "solvers/scf/scf.h"

/* Remedies, in their order, when the energy keeps rising or the error stalls. */
typedef enum remedy { NONE, DAMPING, LEVEL_SHIFT, REMEDIES } remedy;

enum { RISES = 3, STALL = 8 };

typedef struct iteration {
    tsl_scf_plan *plan;
    const tsl_scf_engine *engine;
    tsl_scf_result *result;
    tsl_scf_diis diis;
    double *last; /* the Fock matrices of the iteration before [spins][n][n] */
    double damping, level_shift;
    remedy remedy;
    bool
        of_orbitals; /* the density is one; a sum of atoms' is not, and its energy may be too low */
    int rises;       /* of the energy, in a row */
    double best;     /* the least error so far */
    int best_at;     /* the iteration that had the least error */
    int limit;       /* the last iteration */
    double *first; /* orbitals of both spins when those of one energy were first occupied in part */
    bool has_first;
} iteration;

static size_t square_bytes(const tsl_scf_plan *p)
{
    return sizeof(double) * (size_t)(p->n * p->n);
}

static size_t orbital_bytes(const tsl_scf_plan *p)
{
    return sizeof(double) * (size_t)(p->spins * p->n * p->orthogonal);
}

/* ---- energy --------------------------------------------------------------------------------- */

/* Fock matrices and energies of plan->density. */
static tsl_status host_fock(tsl_scf_plan *p, tsl_scf_energies *r)
{
    const int64_t square = p->n * p->n;
    tsl_status status = TSL_OK;
    for (int64_t i = 0; i < square; i++) {
        p->total[i] = p->density[i] + (p->spins == 2 ? p->density[square + i] : 0);
    }
    r->kinetic = tsl_scf_trace(p->total, p->kinetic, square);
    r->nuclear_attraction = tsl_scf_trace(p->total, p->nuclear, square);
    r->mm_attraction = p->mm != NULL ? tsl_scf_trace(p->total, p->mm, square) : 0;
    TSL_TRY(tsl_scf_coulomb_apply(&p->coulomb, p->context, p->total, p->j, &r->coulomb));
    TSL_TRY(tsl_xc_step_run(p->step, p->density, p->xc, &r->xc));
    for (int spin = 0; spin < p->spins; spin++) {
        double *fock = p->fock + spin * square;
        const double *xc = p->xc + spin * square;
        for (int64_t i = 0; i < square; i++) {
            fock[i] =
                p->kinetic[i] + p->nuclear[i] + (p->mm != NULL ? p->mm[i] : 0) + p->j[i] + xc[i];
        }
    }
done:
    return status;
}

/* Fock matrices of the density, and all energies. */
static tsl_status make_fock(iteration *it)
{
    const tsl_scf_plan *p = it->plan;
    tsl_scf_result *r = it->result;
    tsl_scf_energies e;
    const tsl_status status = it->engine->make_fock(it->plan, &e);
    if (status != TSL_OK) {
        return status;
    }
    r->kinetic = e.kinetic;
    r->nuclear_attraction = e.nuclear_attraction;
    r->mm_attraction = e.mm_attraction;
    r->coulomb = e.coulomb;
    r->xc = e.xc.energy;
    r->electrons_on_grid[0] = e.xc.electrons[0] / (p->spins == 1 ? 2 : 1);
    r->electrons_on_grid[1] = e.xc.electrons[p->spins - 1] / (p->spins == 1 ? 2 : 1);
    r->nuclear_repulsion = p->nuclear_repulsion;
    r->nuclear_mm = p->nuclear_mm;
    r->exchange = 0;
    r->total = r->kinetic + r->nuclear_attraction + r->mm_attraction + r->coulomb + r->xc +
               r->nuclear_repulsion + r->nuclear_mm;
    return TSL_OK;
}

/* plan->error := X^T (F D S - S D F) X of each spin; *largest: of its elements. */
static tsl_status host_error(tsl_scf_plan *p, double *largest)
{
    const int64_t n = p->n, m = p->orthogonal;
    const double scale = p->spins == 1 ? 0.5 : 1; /* of one spin's density */
    tsl_status status = TSL_OK;
    *largest = 0;
    for (int spin = 0; spin < p->spins; spin++) {
        const double *density = p->density + spin * n * n, *fock = p->fock + spin * n * n;
        double *error = p->error + spin * m * m;
        TSL_TRY(
            tsl_scf_multiply(p->context, p->work[0], density, false, p->overlap, false, n, n, n));
        TSL_TRY(tsl_scf_multiply(p->context, p->work[1], fock, false, p->work[0], false, n, n, n));
        TSL_TRY(tsl_scf_congruence(p->context, p->work[0], p->work[1], p->x, n, m, p->work[2]));
        for (int64_t i = 0; i < m; i++) {
            for (int64_t j = 0; j < m; j++) {
                error[i * m + j] = scale * (p->work[0][i * m + j] - p->work[0][j * m + i]);
                *largest = fmax(*largest, fabs(error[i * m + j]));
            }
        }
    }
done:
    return status;
}

/* ---- orbitals ------------------------------------------------------------------------------- */

/* Turn orbitals `first` to `last` - 1, of one energy, among each other, so that none but the first
 * of them has the function that they have most of. Do that with the others of them in turn. Where
 * only some of them are occupied, rounding does not choose which. */
static void settle_degenerate(double *orbitals, int64_t n, int64_t m, int64_t first, int64_t last)
{
    for (; first + 1 < last; first++) {
        int64_t most = 0;
        double size = 0;
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t j = first; j < last; j++) {
                sum += orbitals[i * m + j] * orbitals[i * m + j];
            }
            if (sum > 1.001 * size) { /* of equal ones the first */
                size = sum;
                most = i;
            }
        }
        for (int64_t j = first + 1; j < last; j++) {
            const double a = orbitals[most * m + first], b = orbitals[most * m + j];
            const double length = hypot(a, b);
            for (int64_t i = 0; i < n && length > 0; i++) {
                const double x = orbitals[i * m + first], y = orbitals[i * m + j];
                orbitals[i * m + first] = (a * x + b * y) / length;
                orbitals[i * m + j] = (a * y - b * x) / length;
            }
        }
    }
}

bool tsl_scf_note_choice(tsl_scf_plan *p, int spin, const double edge[2])
{
    const bool is_choice = edge[1] - edge[0] <= TSL_SCF_DEGENERATE;
    p->chosen[spin] = p->chosen[spin] || is_choice;
    return is_choice;
}

void tsl_scf_settle_orbitals(double *orbitals, const double *energies, int64_t n, int64_t m)
{
    int64_t first = 0;
    for (int64_t j = 1; j <= m; j++) {
        if (j == m || energies[j] - energies[j - 1] > TSL_SCF_DEGENERATE) {
            settle_degenerate(orbitals, n, m, first, j);
            first = j;
        }
    }
}

/* Orbitals of a spin from its Fock matrix. With a level shift: of F + shift (S - S D S), D of one
 * spin. */
static tsl_status host_diagonalise(tsl_scf_plan *p, int spin, double shift)
{
    const int64_t n = p->n, m = p->orthogonal;
    const double *fock = p->fock + spin * n * n, *density = p->density + spin * n * n;
    double *f = p->work[0], *energies = p->orbital_energies + spin * m;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_scf_congruence(p->context, f, fock, p->x, n, m, p->work[1]));
    if (shift > 0) {
        TSL_TRY(
            tsl_scf_multiply(p->context, p->work[1], density, false, p->overlap, false, n, n, n));
        TSL_TRY(tsl_scf_multiply(p->context, p->work[2], p->overlap, false, p->work[1], false, n, n,
                                 n));
        TSL_TRY(tsl_scf_congruence(p->context, p->j, p->work[2], p->x, n, m, p->work[1]));
        for (int64_t i = 0; i < m; i++) {
            for (int64_t j = 0; j < m; j++) {
                f[i * m + j] += shift * ((i == j) - p->j[i * m + j] / (p->spins == 1 ? 2 : 1));
            }
        }
    }
    TSL_TRY(p->context->ops->dense->eigen(p->context, m, f, energies));
    TSL_TRY(
        tsl_scf_multiply(p->context, p->orbitals + spin * n * m, p->x, false, f, true, n, m, m));
    if (p->electrons[spin] > 0 && p->electrons[spin] < m) {
        tsl_scf_note_choice(p, spin, energies + p->electrons[spin] - 1);
    }
    tsl_scf_settle_orbitals(p->orbitals + spin * n * m, energies, n, m);
done:
    return status;
}

/* The density of the lowest orbitals. */
static tsl_status host_occupy(tsl_scf_plan *p, int spin)
{
    const int64_t n = p->n, m = p->orthogonal, occupied = p->electrons[spin];
    const double *orbitals = p->orbitals + spin * n * m;
    double *density = p->density + spin * n * n, *part = p->work[0];
    if (occupied == 0) {
        memset(density, 0, square_bytes(p));
        return TSL_OK;
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(part + i * occupied, orbitals + i * m, sizeof *part * (size_t)occupied);
    }
    const tsl_status status =
        tsl_scf_multiply(p->context, density, part, false, part, true, n, n, occupied);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) { /* the same bits on both sides */
            const double d = (p->spins == 1 ? 2 : 1) * density[i * n + j];
            density[i * n + j] = density[j * n + i] = d;
        }
    }
    return status;
}

/* ---- remedies ------------------------------------------------------------------------------- */

static void take_remedy(iteration *it, const char *reason)
{
    tsl_context *context = it->plan->context;
    if (it->remedy + 1 >= REMEDIES) {
        return;
    }
    it->remedy++;
    tsl_scf_diis_forget(&it->diis);
    if (it->remedy == DAMPING) {
        it->damping = 0.7;
        tsl_message(context, TSL_MESSAGE_NOTE,
                    "iteration %d: %s: from here on 0.7 of the last Fock matrix is kept",
                    it->result->iterations, reason);
    } else {
        it->damping = 0;
        it->level_shift = fmax(it->level_shift, 0.3);
        tsl_message(context, TSL_MESSAGE_NOTE,
                    "iteration %d: %s: from here on empty orbitals are raised by %g hartree",
                    it->result->iterations, reason, it->level_shift);
    }
}

/* What converges with a level shift may occupy orbitals that are not the lowest: it is a solution
 * if it stays without. */
static void drop_level_shift(iteration *it)
{
    it->result->converged = 0;
    it->level_shift = 0;
    tsl_scf_diis_forget(&it->diis);
    tsl_message(it->plan->context, TSL_MESSAGE_NOTE,
                "iteration %d: converged with raised orbitals: goes on without raising them",
                it->result->iterations);
}

static void watch(iteration *it)
{
    const tsl_scf_result *r = it->result;
    it->rises = r->energy_change > 1e-7 ? it->rises + 1 : 0;
    if (r->error < 0.9 * it->best) {
        it->best = r->error;
        it->best_at = r->iterations;
    }
    if (it->rises >= RISES && r->iterations > 5) {
        take_remedy(it, "the energy rises");
        it->rises = 0;
        it->best_at = r->iterations;
    } else if (r->iterations - it->best_at >= STALL) {
        take_remedy(it, "the error stalls");
        it->best_at = r->iterations;
        it->best = HUGE_VAL;
    }
}

/* Mix in the last iteration's Fock matrices, and keep what comes out. */
static tsl_status host_mix(tsl_scf_plan *p, double kept, bool mixes, double *last)
{
    const int64_t numbers = p->spins * p->n * p->n;
    for (int64_t i = 0; i < numbers && mixes; i++) {
        p->fock[i] = (1 - kept) * p->fock[i] + kept * last[i];
    }
    memcpy(last, p->fock, sizeof(double) * (size_t)numbers);
    return TSL_OK;
}

static tsl_status host_extrapolate(tsl_scf_plan *p, tsl_scf_diis *diis, double largest)
{
    tsl_scf_diis_extrapolate(diis, p->fock, p->density, p->error, largest);
    return TSL_OK;
}

/* The orbitals are here already. */
static tsl_status host_move(tsl_scf_plan *p)
{
    (void)p;
    return TSL_OK;
}

static const tsl_scf_engine host_engine = {.make_fock = host_fock,
                                           .make_error = host_error,
                                           .mix = host_mix,
                                           .extrapolate = host_extrapolate,
                                           .diagonalise = host_diagonalise,
                                           .occupy = host_occupy,
                                           .bring_orbitals = host_move,
                                           .send_orbitals = host_move};

/* Where it is chosen which of some orbitals are occupied, the first of them are kept. */
static tsl_status keep_first(iteration *it)
{
    tsl_scf_plan *p = it->plan;
    if (it->has_first || it->first == NULL || !(p->chosen[0] || p->chosen[1])) {
        return TSL_OK;
    }
    const tsl_status status = it->engine->bring_orbitals(p);
    if (status == TSL_OK) {
        memcpy(it->first, p->orbitals, orbital_bytes(p));
        it->has_first = true;
    }
    return status;
}

/* ---- iterations ----------------------------------------------------------------------------- */

static tsl_status iterate(iteration *it)
{
    tsl_scf_plan *p = it->plan;
    tsl_scf_result *r = it->result;
    const tsl_scf_engine *engine = it->engine;
    const tsl_scf_options *o = &p->options;
    const int first = r->iterations + 1;
    double before = 0;
    tsl_status status = TSL_OK;
    while (!r->converged && r->iterations < it->limit) {
        r->iterations++;
        TSL_TRY(make_fock(it));
        TSL_TRY(engine->make_error(p, &r->error));
        r->energy_change = r->total - before;
        before = r->total;
        if (!isfinite(r->total)) {
            break;
        }
        r->converged = it->of_orbitals && r->error < o->error_tolerance &&
                       fabs(r->energy_change) < o->energy_tolerance;
        if (r->converged && it->level_shift > 0) {
            drop_level_shift(it);
        }
        if (r->converged) {
            break;
        }
        if (r->iterations > first) {
            watch(it);
        }
        TSL_TRY(engine->mix(p, it->damping,
                            it->damping > 0 && r->iterations > first && r->error > 1e-3, it->last));
        const double begun = tsl_seconds();
        if (it->of_orbitals) {
            TSL_TRY(engine->extrapolate(p, &it->diis, r->error));
        }
        it->of_orbitals = true;
        for (int spin = 0; spin < p->spins; spin++) {
            TSL_TRY(engine->diagonalise(p, spin, it->level_shift));
            TSL_TRY(engine->occupy(p, spin));
        }
        TSL_TRY(keep_first(it));
        tsl_profile_add(p->device, "orbitals", begun, 0, 0);
        TSL_TRY(tsl_scf_restart_keep(p, false));
    }
    for (int spin = 0; spin < p->spins; spin++) { /* of the last Fock matrix, as it is */
        TSL_TRY(engine->diagonalise(p, spin, 0));
    }
    if (isfinite(r->total)) {
        TSL_TRY(tsl_scf_restart_keep(p, true));
    }
done:
    return status;
}

/* ---- orbitals of one energy, occupied in part ----------------------------------------------- */

/* Orbitals of one energy may be turned among each other. On a grid the energy depends on their
 * orientation, by 1e-8 to 1e-5 hartree, and has several minima within a right angle. */
enum { TURNS = 4, TURNED_ITERATIONS = 40 };
static const double TURN = M_PI / 16;    /* radians */
static const double TURNED_ERROR = 1e-6; /* a larger error does not tell orientations apart */

bool tsl_scf_seeks_lowest(const tsl_scf_plan *p)
{
    return p->options.error_tolerance <= TURNED_ERROR;
}

/* 1 or -1: the sign of a column's largest coefficient, of equal ones the first. */
static double sign_of(const double *column, int64_t n, int64_t stride)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        const double here = column[i * stride];
        largest = fabs(here) > 1.001 * fabs(largest) ? here : largest;
    }
    return largest < 0 ? -1 : 1;
}

/* Turn the last occupied orbital of a spin towards the first empty one. */
static void turn_edge(tsl_scf_plan *p, int spin, double angle)
{
    const int64_t n = p->n, m = p->orthogonal;
    double *last = p->orbitals + spin * n * m + p->electrons[spin] - 1, *first = last + 1;
    const double c = cos(angle) * sign_of(last, n, m), s = sin(angle) * sign_of(first, n, m);
    for (int64_t i = 0; i < n; i++) {
        const double x = last[i * m], y = first[i * m];
        last[i * m] = c * x + s * y;
        first[i * m] = c * y - s * x;
    }
}

/* Iterate from plan->orbitals, as if from the start. */
static tsl_status iterate_again(iteration *it, int iterations)
{
    tsl_scf_plan *p = it->plan;
    tsl_scf_result *r = it->result;
    tsl_status status = TSL_OK;
    it->damping = p->options.damping;
    it->level_shift = p->options.level_shift;
    it->remedy = NONE;
    it->rises = 0;
    it->best = HUGE_VAL;
    it->best_at = r->iterations;
    it->limit = r->iterations + iterations;
    r->converged = 0;
    tsl_scf_diis_forget(&it->diis);
    TSL_TRY(it->engine->send_orbitals(p));
    for (int spin = 0; spin < p->spins; spin++) {
        TSL_TRY(it->engine->occupy(p, spin));
    }
    TSL_TRY(iterate(it));
    TSL_TRY(it->engine->bring_orbitals(p));
done:
    return status;
}

/* Solve from turned orbitals too, and end at the solution of least energy, whose orbitals `lowest`
 * holds. */
static tsl_status try_turns(iteration *it, double *lowest)
{
    tsl_scf_plan *p = it->plan;
    tsl_scf_result *r = it->result;
    const double begun = r->total;
    double least = begun;
    bool is_there = false; /* the plan holds the solution of least energy */
    tsl_status status = TSL_OK;
    TSL_TRY(it->engine->bring_orbitals(p));
    memcpy(lowest, p->orbitals, orbital_bytes(p));
    for (int turn = 1; turn <= TURNS; turn++) {
        memcpy(p->orbitals, it->first, orbital_bytes(p));
        for (int spin = 0; spin < p->spins; spin++) {
            if (p->chosen[spin]) {
                turn_edge(p, spin, turn * TURN);
            }
        }
        TSL_TRY(iterate_again(it, TURNED_ITERATIONS));
        is_there = r->converged && r->total < least;
        if (is_there) {
            least = r->total;
            memcpy(lowest, p->orbitals, orbital_bytes(p));
        }
    }
    if (!is_there) {
        memcpy(p->orbitals, lowest, orbital_bytes(p));
        TSL_TRY(iterate_again(it, p->options.max_iterations));
    }
    tsl_message(p->context, TSL_MESSAGE_NOTE,
                "orbitals of one energy are occupied in part: of %d orientations that were tried, "
                "the lowest energy is %.1e hartree below the first",
                TURNS + 1, fmax(begun - r->total, 0));
done:
    return status;
}

static tsl_status seek_lowest(iteration *it)
{
    const tsl_scf_plan *p = it->plan;
    if (!it->result->converged || !it->has_first) {
        return TSL_OK;
    }
    double *lowest = tsl_allocate(orbital_bytes(p) + 1);
    if (lowest == NULL) {
        return tsl_fail_memory(p->context, (int64_t)orbital_bytes(p), "orbitals");
    }
    const tsl_status status = try_turns(it, lowest);
    tsl_release(lowest);
    return status;
}

/* ---- the solution --------------------------------------------------------------------------- */

/* What the host keeps of iterations before. */
static tsl_status take_memory(iteration *it)
{
    const tsl_scf_plan *p = it->plan;
    const int64_t square = p->n * p->n, orthogonal = p->orthogonal * p->orthogonal;
    const int64_t spins = p->gpu != NULL ? 0 : p->spins;
    it->last = tsl_allocate_zeroed((size_t)(spins * square) + 1, sizeof *it->last);
    if (tsl_scf_seeks_lowest(p)) {
        it->first = tsl_allocate(orbital_bytes(p) + 1);
        if (it->first == NULL) {
            return tsl_fail_memory(p->context, (int64_t)orbital_bytes(p), "orbitals");
        }
    }
    return it->last == NULL
               ? tsl_fail_memory(p->context, 8 * spins * square, "Fock matrices")
               : tsl_scf_diis_create(&it->diis, p->context, spins * square, spins * orthogonal);
}

static tsl_status solve(iteration *it)
{
    tsl_scf_plan *p = it->plan;
    tsl_status status = TSL_OK;
    TSL_TRY(take_memory(it));
    if (!p->guessed) {
        const double begun = tsl_seconds();
        TSL_TRY(tsl_scf_guess(p));
        it->of_orbitals = false;
        p->guessed = true;
        tsl_scf_host_forget(p->device, p->context);
        tsl_profile_add(p->device, "guess", begun, 0, 0);
    }
    if (p->gpu != NULL) {
        TSL_TRY(tsl_scf_gpu_send(p));
    }
    p->chosen[0] = p->chosen[1] = false;
    TSL_TRY(iterate(it));
    TSL_TRY(seek_lowest(it));
    if (p->gpu != NULL) {
        TSL_TRY(tsl_scf_gpu_bring(p));
    }
    p->solved = true;
    TSL_TRY(tsl_scf_find_spin(p, &it->result->s_squared));
    tsl_scf_find_dipole(p, it->result->dipole);
    if (!it->result->converged) {
        status = tsl_fail(p->context, TSL_E_NOCONV,
                          "not converged after %d iterations: the energy still changes by %.1e "
                          "hartree, the error "
                          "is %.1e: allow more, damping or a level shift",
                          it->result->iterations, it->result->energy_change, it->result->error);
    }
done:
    return status;
}

tsl_status tsl_scf_solve(tsl_scf_plan *plan, tsl_scf_result *result)
{
    if (result->size != sizeof *result) {
        return tsl_fail(plan->device, TSL_E_ARG, "a result of %zu bytes: set its size",
                        result->size);
    }
    memset(result, 0, sizeof *result);
    result->size = sizeof *result;
    iteration it = {.plan = plan,
                    .engine = plan->gpu != NULL ? &tsl_scf_gpu_engine : &host_engine,
                    .result = result,
                    .damping = plan->options.damping,
                    .level_shift = plan->options.level_shift,
                    .of_orbitals = true,
                    .best = HUGE_VAL,
                    .limit = plan->options.max_iterations};
    const tsl_status status = tsl_scf_host_report(plan->device, plan->context, solve(&it));
    tsl_release(it.last);
    tsl_release(it.first);
    tsl_scf_diis_release(&it.diis);
    return status;
}

const double *tsl_scf_orbital_energies(const tsl_scf_plan *plan, int spin)
{
    const int which = plan->spins == 2 && spin == 1;
    return plan->solved ? plan->orbital_energies + which * plan->orthogonal : NULL;
}

const double *tsl_scf_density(const tsl_scf_plan *plan, int spin)
{
    const int which = plan->spins == 2 && spin == 1;
    return plan->solved ? plan->density + which * plan->n * plan->n : NULL;
}
