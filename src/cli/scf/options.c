/* Options of `tesela scf`. */
#include <errno.h>
#include <string.h>

#include "cli/scf/command.h"

enum {
    KEY_AUX = 0x300,
    KEY_FIT,
    KEY_XC,
    KEY_CHARGE,
    KEY_MULTIPLICITY,
    KEY_UNRESTRICTED,
    KEY_UNIT,
    KEY_MM,
    KEY_MM_UNIT,
    KEY_GRID,
    KEY_CARTESIAN,
    KEY_TIGHT,
    KEY_ENERGY,
    KEY_ERROR,
    KEY_ITERATIONS,
    KEY_DAMPING,
    KEY_SHIFT,
    KEY_SCREEN,
    KEY_MEMORY
};

static const struct argp_option options_table[] = {
    {NULL, 0, NULL, 0, "The molecule:", 1},
    {"charge", KEY_CHARGE, "E", 0, "of the molecule (0)", 1},
    {"multiplicity", KEY_MULTIPLICITY, "2S+1", 0,
     "of its spin (1, of an odd number of electrons 2)", 1},
    {"unrestricted", KEY_UNRESTRICTED, NULL, 0, "orbitals of each spin for a closed shell too", 1},
    {"unit", KEY_UNIT, "UNIT", 0, "of the file's coordinates: angstrom or bohr (angstrom)", 1},
    {"mm", KEY_MM, "CHARGES", 0, "point charges around: a line each of charge, x, y, z", 1},
    {"mm-unit", KEY_MM_UNIT, "UNIT", 0, "of their coordinates: angstrom or bohr (angstrom)", 1},
    {NULL, 0, NULL, 0, "The method:", 2},
    {"basis", 'b', "NAME|FILE", 0,
     "basis set, a name as def2-svp or a file of Gaussian's or NWChem's form; H=NAME for one "
     "element (def2-svp)",
     2},
    {"aux", KEY_AUX, "NAME|FILE", 0,
     "auxiliary functions of the fit, likewise (def2-universal-jfit)", 2},
    {"cartesian", KEY_CARTESIAN, NULL, 0,
     "Cartesian functions, six of d, for both; else spherical ones", 2},
    {"fit", KEY_FIT, "FIT", 0,
     "df: the density is fitted; none: all integrals, of at most 50 functions (df)", 2},
    {"xc", KEY_XC, "NAME", 0,
     "functional, as tesela xc list has them, without exact exchange (pbe)", 2},
    {"grid", KEY_GRID, "GRID", 0,
     "coarse, medium, fine, or radial by angular points, 99x590 (medium)", 2},
    {NULL, 0, NULL, 0, "The iteration:", 3},
    {"tight", KEY_TIGHT, NULL, 0,
     "converge the energy to 1e-10 and the error to 1e-7, not 1e-8 and 1e-5", 3},
    {"energy-tolerance", KEY_ENERGY, "HARTREE", 0, "converged when the energy changes less (1e-8)",
     3},
    {"error-tolerance", KEY_ERROR, "HARTREE", 0, "and no element of F D S - S D F is larger (1e-5)",
     3},
    {"max-iterations", KEY_ITERATIONS, "COUNT", 0, "at most (100)", 3},
    {"damping", KEY_DAMPING, "PART", 0, "part of the last Fock matrix that is kept, 0 to 0.95 (0)",
     3},
    {"level-shift", KEY_SHIFT, "HARTREE", 0, "raise empty orbitals by so much (0)", 3},
    {"screen", KEY_SCREEN, "BOUND", 0,
     "leave out pairs of primitives whose overlap is less (1e-14)", 3},
    {"memory", KEY_MEMORY, "BYTES", 0,
     "for integrals that are kept; others are worked out in each iteration (3/4 of what is free)",
     3},
    {0}};

static const char *const units[] = {"angstrom", "bohr", NULL};
static const char *const fits[] = {"df", "none", NULL};

static error_t set_number(const char *option, const char *text, double low, double high,
                          double *out)
{
    if (!cli_parse_real(text, out) || !(*out >= low && *out <= high)) {
        cli_error("%s: '%s' is no number from %g to %g", option, text, low, high);
        return EINVAL;
    }
    return 0;
}

static error_t set_flag(const char *option, const char *text, const char *const names[], bool *out)
{
    int place = 0;
    const error_t error = cli_set_choice(option, text, names, &place);
    *out = place == 1;
    return error;
}

static error_t add_basis(scf_command *c, const char *text)
{
    const size_t before = c->basis != NULL ? strlen(c->basis) + 1 : 0, more = strlen(text) + 1;
    char *joined = tsl_reallocate(c->basis, before, before + more);
    if (joined == NULL) {
        cli_error("out of memory");
        return ENOMEM;
    }
    if (before > 0) {
        joined[before - 1] = ',';
    }
    memcpy(joined + before, text, more);
    c->scf.basis = c->basis = joined;
    return 0;
}

static error_t set_molecule(scf_command *c, const char *text)
{
    if (c->molecule != NULL) {
        cli_error("'%s': there is a molecule already, %s: give one", text, c->molecule);
        return EINVAL;
    }
    c->molecule = text;
    return 0;
}

static error_t parse_method(int key, char *text, scf_command *c)
{
    bool none = false;
    error_t error = 0;
    switch (key) {
    case 'b':
        return add_basis(c, text);
    case KEY_AUX:
        c->scf.auxiliary = text;
        return 0;
    case KEY_CARTESIAN:
        c->scf.cartesian = 1;
        return 0;
    case KEY_FIT:
        error = set_flag("--fit", text, fits, &none);
        c->scf.fit = none ? TSL_SCF_FIT_NONE : TSL_SCF_FIT_DENSITY;
        return error;
    case KEY_XC:
        c->scf.functional = text;
        return 0;
    case KEY_GRID:
        c->scf.grid = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_iteration(int key, char *text, scf_command *c)
{
    switch (key) {
    case KEY_TIGHT:
        c->scf.energy_tolerance = 1e-10;
        c->scf.error_tolerance = 1e-7;
        return 0;
    case KEY_ENERGY:
        return set_number("--energy-tolerance", text, 1e-14, 1, &c->scf.energy_tolerance);
    case KEY_ERROR:
        return set_number("--error-tolerance", text, 1e-14, 1, &c->scf.error_tolerance);
    case KEY_ITERATIONS:
        return cli_set_integer("--max-iterations", text, 1, 10000, &c->scf.max_iterations);
    case KEY_DAMPING:
        return set_number("--damping", text, 0, 0.95, &c->scf.damping);
    case KEY_SHIFT:
        return set_number("--level-shift", text, 0, 100, &c->scf.level_shift);
    case KEY_SCREEN:
        return set_number("--screen", text, 0, 1e-6, &c->scf.screen);
    case KEY_MEMORY:
        c->bounded = true;
        return cli_set_bytes("--memory", text, "4G", &c->scf.memory);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    scf_command *c = state->input;
    switch (key) {
    case KEY_CHARGE:
        return cli_set_integer("--charge", text, -1000, 1000, &c->scf.charge);
    case KEY_MULTIPLICITY:
        return cli_set_integer("--multiplicity", text, 1, 1000, &c->scf.multiplicity);
    case KEY_UNRESTRICTED:
        c->scf.unrestricted = 1;
        return 0;
    case KEY_UNIT:
        return set_flag("--unit", text, units, &c->bohr);
    case KEY_MM:
        c->charges = text;
        return 0;
    case KEY_MM_UNIT:
        return set_flag("--mm-unit", text, units, &c->charges_in_bohr);
    case ARGP_KEY_ARG:
        return set_molecule(c, text);
    default: {
        const error_t error = parse_method(key, text, c);
        return error == ARGP_ERR_UNKNOWN ? parse_iteration(key, text, c) : error;
    }
    }
}

bool scf_parse(scf_command *c, int argc, char **argv, int *exit_status)
{
    const struct argp argp = {
        .options = options_table,
        .parser = parse_option,
        .args_doc = "MOLECULE.xyz",
        .doc =
            "The energy of a molecule's electrons by density-functional theory, in Gaussian basis "
            "functions "
            "with a fitted density (include/tesela/scf.h)."
            "\v"
            "Examples:\n"
            "  tesela scf water.xyz --basis def2-svp --xc pbe\n"
            "  tesela scf oxygen.xyz --multiplicity 3 --xc r2scan --grid fine --json report.json"};
    const tsl_scf_options defaults = TSL_SCF_OPTIONS_INIT;
    *c = (scf_command){.scf = defaults};
    if (!cli_parse(&argp, c, &c->common, argc, argv, exit_status)) {
        return false;
    }
    *exit_status = CLI_USAGE;
    if (c->molecule == NULL) {
        cli_error("give a molecule: tesela scf MOLECULE.xyz");
        return false;
    }
    const cli_file files[] = {{NULL, c->molecule}, {NULL, c->charges}};
    return cli_are_apart(files, 2, c->common.json);
}
