/* Densities in files: NumPy archives with the molecule and the basis functions that they are of.
 *
 *     tesela_scf                number of the form, 1
 *     elements [atoms]          atomic numbers, negative of ghosts
 *     positions [atoms 3]       bohr
 *     shells [shells 4]         atom, l, functions, primitives
 *     exponents, coefficients   of all primitives, those of normalised functions
 *     electrons [2]             of each spin
 *     density [spins n n]       of both spins, or of each
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/file/output.h"
#include "io/file/zip.h"
#include "io/grid/npy.h"
#include "io/grid/npz.h"
#include "solvers/scf/gpu/gpu.h"
#include "solvers/scf/scf.h"

enum { FORM = 1, OF_SHELL = 4 };
static const double BETWEEN = 1;         /* seconds from one writing to the next at least */
static const double SAME_PLACE = 1e-5;   /* bohr */
static const double SAME_NUMBER = 1e-10; /* relative, of exponents and coefficients */

/* Whole numbers of a plan that its file has. */
typedef struct labels {
    int64_t *elements, *shells, electrons[2];
} labels;

static tsl_status make_labels(labels *out, const tsl_scf_plan *p)
{
    const size_t atoms = (size_t)p->atoms.count, shells = (size_t)p->basis.shells;
    out->elements = tsl_allocate(sizeof(int64_t) * (atoms + OF_SHELL * shells + 1));
    if (out->elements == NULL) {
        return tsl_fail_memory(p->context, (int64_t)(8 * (atoms + OF_SHELL * shells)),
                               "what a density is of");
    }
    out->shells = out->elements + atoms;
    for (size_t a = 0; a < atoms; a++) {
        out->elements[a] = p->atoms.charge[a] > 0 ? p->atoms.element[a] : -p->atoms.element[a];
    }
    for (size_t s = 0; s < shells; s++) {
        const tsl_scf_shell *shell = &p->basis.shell[s];
        const int64_t numbers[OF_SHELL] = {shell->atom, shell->l, shell->functions,
                                           shell->primitives};
        memcpy(out->shells + OF_SHELL * s, numbers, sizeof numbers);
    }
    for (int spin = 0; spin < 2; spin++) {
        out->electrons[spin] = p->electrons[spin];
    }
    return TSL_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

static tsl_status write_density(const tsl_scf_plan *p)
{
    const int64_t form = FORM, square = p->n * p->n;
    labels l;
    tsl_status status = make_labels(&l, p);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_npz_member members[] = {
        {"tesela_scf", "<i8", 8, 1, &form},
        {"elements", "<i8", 8, p->atoms.count, l.elements},
        {"positions", "<f8", 8, 3 * (int64_t)p->atoms.count, p->atoms.position},
        {"shells", "<i8", 8, OF_SHELL * (int64_t)p->basis.shells, l.shells},
        {"exponents", "<f8", 8, p->basis.primitives, p->basis.exponent},
        {"coefficients", "<f8", 8, p->basis.primitives, p->basis.coefficient},
        {"electrons", "<i8", 8, 2, l.electrons},
        {"density", "<f8", 8, p->spins * square, p->density},
    };
    status = tsl_npz_write(p->context, p->restart, members, sizeof members / sizeof *members);
    tsl_release(l.elements);
    return status;
}

tsl_status tsl_scf_restart_keep(tsl_scf_plan *p, bool last)
{
    const double now = tsl_seconds();
    if (p->restart == NULL || (!last && p->restart_kept > 0 && now - p->restart_kept < BETWEEN)) {
        return TSL_OK;
    }
    tsl_status status = p->gpu != NULL ? tsl_scf_gpu_bring(p) : TSL_OK;
    if (status == TSL_OK) {
        status = write_density(p);
    }
    p->restart_kept = tsl_seconds();
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct archive {
    tsl_context *context;
    const char *path;
    tsl_zip zip;
} archive;

/* A member's numbers; tsl_release() them. */
static tsl_status read_numbers(double **out, int64_t *count, const archive *a, const char *name)
{
    char member[32], title[TSL_ERROR_TEXT];
    tsl_text text = {.data = NULL};
    tsl_npy header;
    tsl_status status = TSL_OK;
    *out = NULL;
    snprintf(member, sizeof member, "%s.npy", name);
    snprintf(title, sizeof title, "%s: %s", a->path, member);
    TSL_TRY(tsl_zip_read(&text, a->context, &a->zip, member));
    TSL_TRY(tsl_npy_parse(&header, a->context, title, text.data, text.size));
    if ((int64_t)text.size - header.offset != header.count * header.item ||
        !tsl_npy_has_numbers(&header)) {
        status = tsl_fail(a->context, TSL_E_FORMAT, "%s: is cut short, or holds no numbers", title);
        goto done;
    }
    *count = header.count;
    *out = tsl_allocate(sizeof **out * ((size_t)header.count + 1));
    if (*out == NULL) {
        status = tsl_fail_memory(a->context, 8 * header.count, "a density");
        goto done;
    }
    for (int64_t i = 0; i < header.count; i++) {
        double imaginary;
        (*out)[i] = tsl_npy_number(&header, text.data + header.offset, i, &imaginary);
        if (!isfinite((*out)[i])) {
            status = tsl_fail(a->context, TSL_E_FORMAT, "%s: number %lld is not finite", title,
                              (long long)i);
            goto done;
        }
    }
done:
    tsl_text_release(&text);
    if (status != TSL_OK) {
        tsl_release(*out);
        *out = NULL;
    }
    return status;
}

/* What a member must hold: whole numbers or others, and of what it then is. */
typedef struct wanted {
    const char *name, *of;
    int64_t count;
    const int64_t *whole; /* NULL: `real` */
    const double *real;
    double absolute, relative; /* how far off numbers may be */
} wanted;

static tsl_status compare(const archive *a, const wanted *w)
{
    double *there = NULL;
    int64_t count = 0;
    tsl_status status = read_numbers(&there, &count, a, w->name);
    if (status == TSL_OK && count != w->count) {
        status = tsl_fail(a->context, TSL_E_ARG,
                          "%s: is of another %s: it has %lld %s, and here are %lld: name another "
                          "file, or remove this one",
                          a->path, w->of, (long long)count, w->name, (long long)w->count);
    }
    for (int64_t i = 0; i < w->count && status == TSL_OK; i++) {
        const double here = w->whole != NULL ? (double)w->whole[i] : w->real[i];
        if (fabs(there[i] - here) > w->absolute + w->relative * fabs(here)) {
            status = tsl_fail(a->context, TSL_E_ARG,
                              "%s: is of another %s: %s[%lld] is %.10g there and %.10g here: name "
                              "another file, or remove this one",
                              a->path, w->of, w->name, (long long)i, there[i], here);
        }
    }
    tsl_release(there);
    return status;
}

/* plan->density := one of as many spins or, halved or summed, of the other number. */
static void take_density(tsl_scf_plan *p, const double *from, int spins)
{
    const int64_t square = p->n * p->n;
    for (int64_t i = 0; i < p->n; i++) {
        for (int64_t j = 0; j <= i; j++) { /* the same bits on both sides */
            const int64_t at = i * p->n + j, across = j * p->n + i;
            for (int spin = 0; spin < p->spins; spin++) {
                const double d = spins == p->spins ? from[spin * square + at]
                                 : spins == 1      ? from[at] / 2
                                                   : from[at] + from[square + at];
                p->density[spin * square + at] = p->density[spin * square + across] = d;
            }
        }
    }
}

static tsl_status check(const archive *a, const tsl_scf_plan *p, const labels *l)
{
    static const int64_t form = FORM;
    const tsl_scf_basis *b = &p->basis;
    const wanted all[] = {
        {"tesela_scf", "form", 1, &form, NULL, 0, 0},
        {"elements", "molecule", p->atoms.count, l->elements, NULL, 0, 0},
        {"positions", "molecule", 3 * (int64_t)p->atoms.count, NULL, p->atoms.position, SAME_PLACE,
         0},
        {"electrons", "charge or multiplicity", 2, l->electrons, NULL, 0, 0},
        {"shells", "basis set", OF_SHELL * (int64_t)b->shells, l->shells, NULL, 0, 0},
        {"exponents", "basis set", b->primitives, NULL, b->exponent, 0, SAME_NUMBER},
        {"coefficients", "basis set", b->primitives, NULL, b->coefficient, 0, SAME_NUMBER},
    };
    tsl_status status = TSL_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == TSL_OK; i++) {
        status = compare(a, &all[i]);
    }
    return status;
}

static tsl_status read_density(tsl_scf_plan *p, const archive *a, const labels *l)
{
    const int64_t square = p->n * p->n;
    double *density = NULL;
    int64_t count = 0;
    tsl_status status = TSL_OK;
    TSL_TRY(check(a, p, l));
    TSL_TRY(read_numbers(&density, &count, a, "density"));
    if (count != square && count != 2 * square) {
        status = tsl_fail(p->context, TSL_E_FORMAT,
                          "%s: its density has %lld numbers: there should be %lld, or twice that",
                          p->restart, (long long)count, (long long)square);
        goto done;
    }
    take_density(p, density, count == square ? 1 : 2);
    p->guessed = true;
    tsl_message(p->context, TSL_MESSAGE_NOTE, "%s: the iteration begins with its density",
                p->restart);
done:
    tsl_release(density);
    return status;
}

/* A path where nothing can be written is refused before anything is computed. */
static tsl_status try_to_write(const tsl_scf_plan *p)
{
    tsl_output *output;
    const tsl_status status = tsl_output_open(&output, p->context, p->restart);
    if (status == TSL_OK) {
        tsl_output_discard(output);
    }
    return status;
}

tsl_status tsl_scf_restart_begin(tsl_scf_plan *p)
{
    archive a = {.context = p->context, .path = p->restart};
    tsl_source source = {.file = -1};
    labels l = {.elements = NULL};
    bool is_open = false;
    tsl_status status = TSL_OK;
    if (p->restart == NULL) {
        return TSL_OK;
    }
    if (access(p->restart, F_OK) != 0 && errno == ENOENT) {
        return try_to_write(p);
    }
    TSL_TRY(tsl_source_open(&source, p->context, p->restart, NULL));
    is_open = true;
    TSL_TRY(tsl_zip_open(&a.zip, p->context, &source));
    status = make_labels(&l, p);
    if (status == TSL_OK) {
        status = read_density(p, &a, &l);
    }
    tsl_zip_close(&a.zip);
    TSL_TRY(status);
    TSL_TRY(try_to_write(p));
done:
    if (status == TSL_E_FORMAT) {
        tsl_fail(p->context, status, "%s: name another file, or remove this one to begin anew",
                 tsl_last_error(p->context));
    }
    tsl_release(l.elements);
    if (is_open) {
        tsl_source_close(&source);
    }
    return status;
}
