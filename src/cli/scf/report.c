/* Summary and report of `tesela scf`. */
#include <math.h>
#include <string.h>

#include "cli/scf/command.h"
#include "solvers/scf/basis/set.h"

/* A part of the energy. */
typedef struct part {
    const char *name, *title;
    size_t place; /* offset of it in tsl_scf_result */
} part;

#define PART(member, title)                                                                        \
    {                                                                                              \
#member, title, offsetof(tsl_scf_result, member)                                           \
    }

static const part parts[] = {
    PART(total, "total energy"),
    PART(kinetic, "kinetic"),
    PART(nuclear_attraction, "attraction by nuclei"),
    PART(mm_attraction, "attraction by charges"),
    PART(coulomb, "Coulomb"),
    PART(exchange, "exact exchange"),
    PART(xc, "exchange-correlation"),
    PART(nuclear_repulsion, "nuclei, repulsion"),
    PART(nuclear_mm, "nuclei and charges"),
};

static double value_of(const scf_outcome *o, const part *p)
{
    double value;
    memcpy(&value, (const char *)&o->result + p->place, sizeof value);
    return value;
}

static bool is_told(const scf_outcome *o, const part *p)
{
    const bool mm = p->place == offsetof(tsl_scf_result, mm_attraction) ||
                    p->place == offsetof(tsl_scf_result, nuclear_mm);
    return (o->charges != NULL || !mm) && p->place != offsetof(tsl_scf_result, exchange);
}

static void print_orbitals(FILE *stream, const scf_outcome *o)
{
    for (int spin = 0; spin <= o->about.unrestricted; spin++) {
        const double *energies = tsl_scf_orbital_energies(o->plan, spin);
        const int occupied = spin == 0 ? o->about.alpha : o->about.beta;
        const char *name = o->about.unrestricted ? (spin == 0 ? ", alpha" : ", beta") : "";
        if (occupied > 0) {
            fprintf(stream, "highest occupied orbital%-7s %14.6f hartree\n", name,
                    energies[occupied - 1]);
        }
        if (occupied < o->about.orthogonal) {
            fprintf(stream, "lowest empty orbital%-11s %14.6f hartree\n", name, energies[occupied]);
        }
    }
}

void scf_print(FILE *stream, const scf_outcome *o)
{
    const tsl_scf_result *r = &o->result;
    const tsl_scf_options *s = &o->command->scf;
    fprintf(stream,
            "%s: %lld atoms, %d + %d electrons, %s, %s functions, 1 bohr = %.12g angstrom\n",
            o->command->molecule, (long long)tsl_scf_molecule_count(o->molecule), o->about.alpha,
            o->about.beta, o->about.unrestricted ? "open shell" : "closed shell",
            s->cartesian ? "Cartesian" : "spherical", TSL_SCF_BOHR);
    fprintf(stream, "%s, basis %s (%lld functions), ", s->functional, s->basis,
            (long long)o->about.functions);
    if (o->about.auxiliary != NULL) {
        fprintf(stream, "fit %s (%lld), ", o->about.auxiliary,
                (long long)o->about.auxiliary_functions);
    } else {
        fprintf(stream, "no fit, ");
    }
    fprintf(stream, "grid %s (%lld points)\n", s->grid, (long long)o->about.grid_points);
    if (o->charges != NULL) {
        fprintf(stream,
                "%lld point charges, in sum %.6g e, the nearest %.4g angstrom from a nucleus\n",
                (long long)tsl_scf_charges_count(o->charges), tsl_scf_charges_total(o->charges),
                TSL_SCF_BOHR * tsl_scf_charges_nearest(o->charges, o->molecule));
    }
    if (o->about.total_bytes > 0) {
        fprintf(stream, "integrals of three functions: %.1f of %.1f MiB kept\n",
                (double)o->about.stored_bytes / 1048576, (double)o->about.total_bytes / 1048576);
    }
    fprintf(stream, "%s after %d iterations, error %.1e hartree, %.2f s\n\n",
            r->converged ? "converged" : "NOT CONVERGED", r->iterations, r->error, o->total);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (is_told(o, &parts[i])) {
            fprintf(stream, "%-31s %14.8f hartree%s\n", parts[i].title, value_of(o, &parts[i]),
                    i == 0 && !r->converged ? " (not converged)" : "");
        }
    }
    print_orbitals(stream, o);
    fprintf(stream, "dipole moment %.5f %.5f %.5f, %.5f debye\n", r->dipole[0], r->dipole[1],
            r->dipole[2], hypot(hypot(r->dipole[0], r->dipole[1]), r->dipole[2]));
    fprintf(stream, "<S^2> %.6f, electrons on the grid %.8f\n", r->s_squared,
            r->electrons_on_grid[0] + r->electrons_on_grid[1]);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void write_parameters(tsl_json *json, const scf_outcome *o)
{
    const scf_command *c = o->command;
    const tsl_scf_options *s = &c->scf;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "molecule", c->molecule);
    cli_echo_options(json, &cli_scf, c);
    tsl_json_string(json, "auxiliary", o->about.auxiliary);
    tsl_json_string(json, "functional", s->functional);
    tsl_json_integer(json, "multiplicity", o->about.alpha - o->about.beta + 1);
    tsl_json_bool(json, "unrestricted", o->about.unrestricted != 0);
    tsl_json_number(json, "bohr_in_angstrom", TSL_SCF_BOHR);
    tsl_json_close_object(json);
}

static void write_numbers(tsl_json *json, const char *name, const double *values, int64_t count)
{
    tsl_json_open_array(json, name);
    for (int64_t i = 0; i < count; i++) {
        tsl_json_number(json, NULL, values[i]);
    }
    tsl_json_close_array(json);
}

static void write_orbitals(tsl_json *json, const scf_outcome *o)
{
    tsl_json_open_array(json, "orbitals");
    for (int spin = 0; spin <= o->about.unrestricted; spin++) {
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "spin",
                        o->about.unrestricted ? (spin == 0 ? "alpha" : "beta") : "both");
        tsl_json_integer(json, "occupied", spin == 0 ? o->about.alpha : o->about.beta);
        write_numbers(json, "energies", tsl_scf_orbital_energies(o->plan, spin),
                      o->about.orthogonal);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_body(tsl_json *json, const void *work)
{
    const scf_outcome *o = work;
    const tsl_scf_result *r = &o->result;
    const int64_t atoms = tsl_scf_molecule_count(o->molecule);
    write_parameters(json, o);
    tsl_json_open_object(json, "results");
    tsl_json_open_object(json, "energy");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        tsl_json_number(json, parts[i].name, value_of(o, &parts[i]));
    }
    tsl_json_close_object(json);
    tsl_json_bool(json, "converged", r->converged != 0);
    tsl_json_integer(json, "iterations", r->iterations);
    tsl_json_number(json, "energy_change", r->energy_change);
    tsl_json_number(json, "error", r->error);
    tsl_json_integer(json, "functions", o->about.functions);
    tsl_json_integer(json, "auxiliary_functions", o->about.auxiliary_functions);
    tsl_json_integer(json, "orthogonal_functions", o->about.orthogonal);
    tsl_json_integer(json, "grid_points", o->about.grid_points);
    tsl_json_integer(json, "memory_bytes", o->about.memory_bytes);
    tsl_json_integer(json, "stored_bytes", o->about.stored_bytes);
    tsl_json_integer(json, "total_bytes", o->about.total_bytes);
    write_numbers(json, "electrons_on_grid", r->electrons_on_grid, 2);
    tsl_json_number(json, "s_squared", r->s_squared);
    write_numbers(json, "dipole_debye", r->dipole, 3);
    write_orbitals(json, o);
    write_numbers(json, "mulliken", o->mulliken, atoms);
    write_numbers(json, "lowdin", o->lowdin, atoms);
    tsl_json_close_object(json);
}

tsl_status scf_write_report(tsl_context *context, const char *path, const scf_outcome *o)
{
    const cli_report report = {.command = "scf",
                               .device = o->device,
                               .verified = -1,
                               .total = o->total,
                               .setup = o->setup,
                               .compute = o->total - o->setup};
    return cli_report_write(context, path, &report, write_body, o);
}
