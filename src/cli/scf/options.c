/* Options of `tesela scf`. */
#include <errno.h>
#include <string.h>

#include "cli/scf/command.h"
#include "solvers/scf/ranges.h"

/* Add a basis set behind a comma. */
static error_t add_basis(const cli_option *row, const char *text, void *parsed)
{
    (void)row;
    scf_command *c = parsed;
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

/* Tolerances that --tight sets. */
#define TIGHT_ENERGY 1e-10
#define TIGHT_ERROR 1e-7

static error_t set_tight(const cli_option *row, const char *text, void *parsed)
{
    scf_command *c = parsed;
    c->scf.energy_tolerance = TIGHT_ENERGY;
    c->scf.error_tolerance = TIGHT_ERROR;
    return cli_set(row, text, parsed);
}

static const char *const units[] = {"angstrom", "bohr", NULL};
static const char *const fits[] = {[TSL_SCF_FIT_DENSITY] = "df", [TSL_SCF_FIT_NONE] = "none", NULL};
static const char *const fit_notes[] = {[TSL_SCF_FIT_DENSITY] = "the density is fitted",
                                        [TSL_SCF_FIT_NONE] =
                                            "all integrals, of at most 50 functions"};

static const cli_option rows[] = {
    {.heading = "The molecule:"},
    {"charge", .value = "E", .kind = CLI_INTEGER, CLI_FIELD(scf_command, scf.charge),
     .range = {-1000, 1000}, .echo = CLI_TOLD, .help = "charge of the molecule, e"},
    {"multiplicity", .value = "2S+1", .kind = CLI_INTEGER, CLI_FIELD(scf_command, scf.multiplicity),
     .range = {1, 1000}, .help = "spin multiplicity of the molecule",
     .otherwise = "1, or 2 for an odd number of electrons"},
    {"unrestricted", .kind = CLI_FLAG, CLI_FIELD(scf_command, scf.unrestricted),
     .help = "use separate orbitals for each spin, also for a closed shell"},
    {"unit", .value = "UNIT", .kind = CLI_CHOICE, CLI_FIELD(scf_command, bohr), .words = units,
     .help = "unit of the file's coordinates"},
    {"mm", .value = "CHARGES", .kind = CLI_FILE, CLI_FIELD(scf_command, charges), .echo = CLI_TOLD,
     .help = "file of point charges around the molecule, each line with charge, x, y, z"},
    {"mm-unit", .value = "UNIT", .kind = CLI_CHOICE, CLI_FIELD(scf_command, charges_in_bohr),
     .words = units, .help = "unit of the coordinates of the point charges"},
    {.heading = "The method:"},
    {"basis", 'b', "NAME|FILE", CLI_TEXT, CLI_FIELD(scf_command, scf.basis), .set = add_basis,
     .echo = CLI_TOLD,
     .help = "basis set, a name such as def2-svp or a file in Gaussian's or NWChem's format; "
             "H=NAME for one element"},
    {"aux", .value = "NAME|FILE", .kind = CLI_TEXT, CLI_FIELD(scf_command, scf.auxiliary),
     .help = "auxiliary basis set of the density fit, also a name or a file",
     .otherwise = TSL_SCF_USUAL_AUXILIARY},
    {"cartesian", .kind = CLI_FLAG, CLI_FIELD(scf_command, scf.cartesian), .echo = CLI_TOLD,
     .help =
         "use Cartesian functions (six d functions) in both basis sets; otherwise spherical ones"},
    {"fit", .value = "FIT", .kind = CLI_CHOICE, CLI_FIELD(scf_command, scf.fit), .words = fits,
     .notes = fit_notes, .help = "@"},
    {"xc", .value = "NAME", .kind = CLI_TEXT, CLI_FIELD(scf_command, scf.functional),
     .help = "functional, one of tesela xc list without exact exchange"},
    {"grid", .value = "GRID", .kind = CLI_TEXT, CLI_FIELD(scf_command, scf.grid), .echo = CLI_TOLD,
     .help = "integration grid: coarse, medium, fine, or radial by angular points, e.g. 99x590"},
    {.heading = "The iteration:"},
    {"tight", .kind = CLI_FLAG, CLI_FIELD(scf_command, tight), .set = set_tight,
     .help = "converge the energy to " CLI_QUOTE(TIGHT_ENERGY) " and the error to " CLI_QUOTE(
         TIGHT_ERROR)},
    {"energy-tolerance", .value = "HARTREE", .kind = CLI_REAL,
     CLI_FIELD(scf_command, scf.energy_tolerance), .range = {1e-14, 1}, .echo = CLI_TOLD,
     .help = "converged if the energy changes by less than this"},
    {"error-tolerance", .value = "HARTREE", .kind = CLI_REAL,
     CLI_FIELD(scf_command, scf.error_tolerance), .range = {1e-14, 1}, .echo = CLI_TOLD,
     .help = "converged if also no element of F D S - S D F is larger than this"},
    {"max-iterations", .value = "COUNT", .kind = CLI_INTEGER,
     CLI_FIELD(scf_command, scf.max_iterations), .range = {TSL_SCF_ITERATIONS_RANGE},
     .help = "largest number of iterations of a solution"},
    {"damping", .value = "PART", .kind = CLI_REAL, CLI_FIELD(scf_command, scf.damping),
     .range = {TSL_SCF_DAMPING_RANGE}, .help = "share of the previous Fock matrix that is kept"},
    {"level-shift", .value = "HARTREE", .kind = CLI_REAL, CLI_FIELD(scf_command, scf.level_shift),
     .range = {TSL_SCF_LEVEL_SHIFT_RANGE},
     .help = "raise the energies of unoccupied orbitals by this"},
    {"screen", .value = "BOUND", .kind = CLI_REAL, CLI_FIELD(scf_command, scf.screen),
     .range = {0, 1e-6}, .echo = CLI_TOLD,
     .help = "leave out pairs of primitive functions with an overlap below this"},
    {"memory", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(scf_command, scf.memory),
     .of_a_rank = true,
     .help = "largest memory of all data; integrals that don't fit are computed again in each "
             "iteration",
     .otherwise = "3/4 of what is free"},
    {"restart", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(scf_command, scf.restart),
     .written = CLI_RESULT, .echo = CLI_TOLD,
     .help = "keep the latest density in FILE, a NumPy archive; if FILE exists, begin with its "
             "density"},
    {0}};

static const char command_doc[] =
    "Compute the energy of a molecule by density-functional theory, in Gaussian basis functions "
    "with a fitted density (include/tesela/scf.h). Energies are in hartree.\v"
    "Examples:\n"
    "  tesela scf water.xyz --basis def2-svp --xc pbe\n"
    "  tesela scf oxygen.xyz --multiplicity 3 --xc r2scan --grid fine --json report.json";

static error_t set_molecule(void *parsed, const char *text)
{
    scf_command *c = parsed;
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

static bool check(void *options)
{
    const scf_command *const c = options;
    if (c->molecule == NULL) {
        cli_error("give a molecule: tesela scf MOLECULE.xyz");
        return false;
    }
    return cli_check_files(&c->common, &c->molecule, 1);
}

const cli_command cli_scf = {.run = scf_run,
                             .doc = command_doc,
                             .arguments = "MOLECULE.xyz",
                             .rows = rows,
                             .size = sizeof(scf_command),
                             .init = init,
                             .check = check,
                             .argument = set_molecule,
                             .places = CLI_ONE_DEVICE,
                             .device = "cpu"};
