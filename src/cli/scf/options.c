/* Options of `tesela scf`. */
#include <errno.h>
#include <string.h>

#include "cli/scf/command.h"

static const char *const units[] = {"angstrom", "bohr", NULL};
static const char *const fits[] = {"df", "none", NULL};

/* Adds a value of --basis to those before, with a comma between. */
static error_t add_basis(const cli_option *row, const char *text, void *options)
{
    scf_command *c = options;
    const size_t before = c->basis != NULL ? strlen(c->basis) + 1 : 0, more = strlen(text) + 1;
    if (more == 1) {
        return cli_refuse_value(row, text, "give a basis set");
    }
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

static const cli_option rows[] = {
    {.heading = "The molecule:"},
    {"charge", .value = "E", .kind = CLI_INTEGER, CLI_FIELD(scf_command, scf.charge),
     .range = {-1000, 1000}, .help = "of the molecule"},
    {"multiplicity", .value = "2S+1", .kind = CLI_INTEGER, CLI_FIELD(scf_command, scf.multiplicity),
     .range = {1, 1000}, .help = "of its spin", .otherwise = "1, of an odd number of electrons 2"},
    {"unrestricted", .kind = CLI_FLAG, CLI_FIELD(scf_command, scf.unrestricted),
     .help = "orbitals of each spin for a closed shell too"},
    {"unit", .value = "UNIT", .kind = CLI_CHOICE, CLI_FIELD(scf_command, bohr), .words = units,
     .help = "of the file's coordinates: @"},
    {"mm", .value = "CHARGES", .kind = CLI_FILE, CLI_FIELD(scf_command, charges),
     .help = "point charges around: a line each of charge, x, y, z"},
    {"mm-unit", .value = "UNIT", .kind = CLI_CHOICE, CLI_FIELD(scf_command, charges_in_bohr),
     .words = units, .help = "of their coordinates: @"},
    {.heading = "The method:"},
    {"basis", 'b', "NAME|FILE", CLI_LIST, CLI_FIELD(scf_command, basis), .set = add_basis,
     .help = "basis set: a name, as def2-svp, or a file of Gaussian's or NWChem's form; H=NAME for "
             "one element, after a comma or with --basis again",
     .otherwise = "def2-svp"},
    {"aux", .value = "NAME|FILE", .kind = CLI_TEXT, CLI_FIELD(scf_command, scf.auxiliary),
     .help = "auxiliary functions of the fit, in the same way", .otherwise = "def2-universal-jfit"},
    {"cartesian", .kind = CLI_FLAG, CLI_FIELD(scf_command, scf.cartesian),
     .help = "Cartesian functions, six of d, for both; else spherical ones"},
    {"fit", .value = "FIT", .kind = CLI_CHOICE, CLI_FIELD(scf_command, scf.fit), .words = fits,
     .help = "@: the density is fitted, or all integrals are computed, of at most 50 functions"},
    {"xc", .value = "NAME", .kind = CLI_TEXT, CLI_FIELD(scf_command, scf.functional),
     .help = "functional, as tesela xc list has them, without exact exchange"},
    {"grid", .value = "GRID", .kind = CLI_TEXT, CLI_FIELD(scf_command, scf.grid),
     .help = "coarse, medium, fine, or radial by angular points, 99x590"},
    {.heading = "The iteration:"},
    {"tight", .kind = CLI_FLAG, CLI_FIELD(scf_command, tight),
     .help = "converge the energy to 1e-10 hartree and the error to 1e-7"},
    {"energy-tolerance", .value = "HARTREE", .kind = CLI_REAL,
     CLI_FIELD(scf_command, scf.energy_tolerance), .range = {1e-14, 1},
     .help = "converged when the energy changes less"},
    {"error-tolerance", .value = "HARTREE", .kind = CLI_REAL,
     CLI_FIELD(scf_command, scf.error_tolerance), .range = {1e-14, 1},
     .help = "and no element of F D S - S D F is larger"},
    {"max-iterations", .value = "COUNT", .kind = CLI_INTEGER,
     CLI_FIELD(scf_command, scf.max_iterations), .range = {1, 10000}, .help = "at most"},
    {"damping", .value = "PART", .kind = CLI_REAL, CLI_FIELD(scf_command, scf.damping),
     .range = {0, 0.95}, .help = "part of the last Fock matrix that is kept"},
    {"level-shift", .value = "HARTREE", .kind = CLI_REAL, CLI_FIELD(scf_command, scf.level_shift),
     .range = {0, 100}, .help = "raise empty orbitals by so much"},
    {"screen", .value = "BOUND", .kind = CLI_REAL, CLI_FIELD(scf_command, scf.screen),
     .range = {0, 1e-6}, .help = "leave out pairs of primitives whose overlap is less"},
    {"memory", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(scf_command, scf.memory),
     .help = "for integrals that are kept; others are worked out in each iteration",
     .otherwise = "3/4 of what is free"},
    {0}};

static error_t set_molecule(void *options, const char *text)
{
    scf_command *c = options;
    if (c->molecule != NULL) {
        cli_error("'%s': there is a molecule already, %s: give one", text, c->molecule);
        return EINVAL;
    }
    c->molecule = text;
    return 0;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(scf_command *)options = (scf_command){.scf = TSL_SCF_OPTIONS_INIT};
}

static int run(const cli_command *self, int argc, char **argv)
{
    scf_command c;
    int exit_status;
    if (!cli_parse_options(self, &c, argc, argv, &exit_status)) {
        tsl_release(c.basis);
        return exit_status;
    }
    const cli_file files[] = {{NULL, c.molecule}, {NULL, c.charges}};
    if (c.molecule == NULL) {
        cli_error("give a molecule: tesela scf MOLECULE.xyz");
        exit_status = CLI_USAGE;
    } else if (!cli_are_apart(files, 2, c.common.json)) {
        exit_status = CLI_USAGE;
    } else {
        if (c.tight) {
            c.scf.energy_tolerance = 1e-10;
            c.scf.error_tolerance = 1e-7;
        }
        c.bounded = c.scf.memory > 0;
        exit_status = scf_run(&c);
    }
    tsl_release(c.basis);
    return exit_status;
}

const cli_command cli_scf = {
    .doc = "The energy of a molecule's electrons by density-functional theory, in Gaussian basis "
           "functions with a fitted density (include/tesela/scf.h)."
           "\v"
           "Examples:\n"
           "  tesela scf water.xyz --basis def2-svp --xc pbe\n"
           "  tesela scf oxygen.xyz --multiplicity 3 --xc r2scan --grid fine --json report.json",
    .arguments = "MOLECULE.xyz",
    .rows = rows,
    .size = sizeof(scf_command),
    .init = init,
    .run = run,
    .argument = set_molecule,
    .places = CLI_ONE_DEVICE,
    .device = "cpu, the only one"};
