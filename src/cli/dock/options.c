/* The command line of `tesela dock`. */
#include <errno.h>
#include <string.h>

#include "cli/dock/command.h"
#include "cli/dock/ladder.h"
#include "solvers/dock/ranges.h"

static const char *const electrostatics_names[] = {
    [TSL_ELECTROSTATICS_OFF] = "off",
    [TSL_ELECTROSTATICS_FTDOCK] = "ftdock",
    [TSL_ELECTROSTATICS_TRILINEAR] = "trilinear",
};

const char *dock_electrostatics_name(tsl_electrostatics electrostatics)
{
    return electrostatics_names[electrostatics];
}

static const char *const correlation_names[] = {
    [TSL_CORRELATION_LINES] = "lines",
    [TSL_CORRELATION_PLAIN] = "plain",
    [TSL_CORRELATION_STRIDED] = "strided",
    [TSL_CORRELATION_TRANSPOSED] = "transposed",
    NULL,
};

static const char *const score_names[] = {
    [TSL_SCORE_FTDOCK] = "ftdock",
    [TSL_SCORE_COMPLEMENTARITY] = "complementarity",
    NULL,
};

/* ---- values ------------------------------------------------------------------------------- */

static error_t set_grid(const cli_option *row, const char *text, void *parsed)
{
    dock_options *options = parsed;
    const error_t error = cli_set(row, text, options);
    if (error == 0 && options->dock.grid > 0 && options->dock.grid % 2 != 0) {
        return cli_refuse_value(row, text, "is odd: give an even number of cells, such as %d",
                                options->dock.grid + 1);
    }
    return error;
}

static error_t set_rotations(const cli_option *row, const char *text, void *parsed)
{
    dock_options *options = parsed;
    options->rotations_from = text;
    if (strncmp(text, "spiral:", 7) != 0) {
        return 0;
    }
    const int most = 10000000;
    if (!cli_parse_integer(text + 7, &options->spiral) || options->spiral < 1 ||
        options->spiral > most) {
        return cli_refuse_value(row, text, "give a count from 1 to %d, e.g. spiral:54000", most);
    }
    return 0;
}

/* Read "N" or "all", or two of them for receptor and ligand. */
static error_t set_models(const cli_option *row, const char *text, void *parsed)
{
    dock_options *options = parsed;
    char words[2][16] = {"", ""};
    const size_t first = strcspn(text, ",");
    bool valid = first < sizeof words[0] && strlen(text + first) < sizeof words[1];
    if (valid) {
        memcpy(words[0], text, first);
        strcpy(words[1], text[first] == ',' ? text + first + 1 : words[0]);
    }
    for (int i = 0; i < 2 && valid; i++) {
        if (strcmp(words[i], "all") == 0) {
            options->models[i] = TSL_MODEL_ALL;
        } else {
            valid = cli_parse_integer(words[i], &options->models[i]) && options->models[i] >= 1;
        }
    }
    if (!valid) {
        return cli_refuse_value(row, text,
                                "give the number of a model, 1 or more, or all; or two of them "
                                "with a comma between, of RECEPTOR and LIGAND: all,1");
    }
    return 0;
}

/* ---- rows --------------------------------------------------------------------------------- */

static const char *const grid_words[] = {"ftdock", NULL};
static const int grids[] = {TSL_GRID_FTDOCK};
static const char *const steps[] = {"9",  "10", "12", "15", "18",  "20", "30",
                                    "36", "45", "60", "90", "180", NULL};
static const int degrees[] = {9, 10, 12, 15, 18, 20, 30, 36, 45, 60, 90, 180};
static const char *const hetero_names[] = {"keep", "drop", NULL};
static const int heteros[] = {TSL_HETERO_KEEP, TSL_HETERO_DROP};
/* The default comes first. */
static const char *const electrostatics_words[] = {"ftdock", "trilinear", "off", NULL};
static const int electrostatics[] = {TSL_ELECTROSTATICS_FTDOCK, TSL_ELECTROSTATICS_TRILINEAR,
                                     TSL_ELECTROSTATICS_OFF};
static const char *const electrostatics_notes[] = {"charges spread with FTDock's weights",
                                                   "charges spread with trilinear weights",
                                                   "no such condition"};
/* The default comes first. */
static const char *const score_words[] = {"complementarity", "ftdock", NULL};
static const int scores[] = {TSL_SCORE_COMPLEMENTARITY, TSL_SCORE_FTDOCK};
static const int electrostatics_off[] = {TSL_ELECTROSTATICS_OFF};

#define OF_A_RUN (1U << DOCK_A_RUN)
#define OF_THE_LADDER (1U << DOCK_LADDER)
#define OF_QUALITY (1U << DOCK_QUALITY)

static const cli_option rows[] = {
    {.heading = "Results:"},
    {"output", 'o', "DIR", CLI_FOLDER, CLI_FIELD(dock_options, folder),
     .help =
         "folder for the results; it is made if it does not exist (required, except by ladder)"},
    {"top", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(dock_options, top),
     .range = {1, 1000000000}, .help = "length of the list of poses",
     .otherwise = "@; with --rescore: all"},
    {"poses", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(dock_options, poses),
     .range = {0, 1000000}, .echo = CLI_TOLD,
     .help = "number of complexes to write as PDB files, @; 0: none"},
    {.heading = "Molecules:"},
    {"receptor-chains", .value = "A,B", .kind = CLI_TEXT, CLI_FIELD(dock_options, receptor_chains),
     .help = "chains to take from RECEPTOR", .otherwise = "all"},
    {"ligand-chains", .value = "A,B", .kind = CLI_TEXT, CLI_FIELD(dock_options, ligand_chains),
     .help = "chains to take from LIGAND", .otherwise = "all"},
    {"hetero", .value = "keep|drop", .kind = CLI_CHOICE, CLI_FIELD(dock_options, hetero),
     .words = hetero_names, .values = heteros, .echo = CLI_TOLD,
     .help =
         "what to do with ligands, ions and solvent in the files: @; waters are always dropped"},
    {"model", .value = "N|all", .kind = CLI_LIST, CLI_FIELD(dock_options, models),
     .set = set_models,
     .help = "number of the model to take from a file that holds several; all: all models as one "
             "molecule, for biological assemblies, with repeated chain names changed; two values "
             "with a comma between them are for RECEPTOR and LIGAND",
     .otherwise = "the first"},
    {.heading = "Grid:"},
    {"grid", .value = "N|ftdock", .kind = CLI_INTEGER, CLI_FIELD(dock_options, dock.grid),
     .range = {TSL_GRID_SMALLEST, TSL_GRID_LARGEST}, .words = grid_words, .values = grids,
     .noun = "an even number of cells", .set = set_grid,
     .help =
         "cells along an edge of the grid, an even number, @; ftdock: the size that FTDock takes",
     .otherwise = "that size, rounded up to an even product of 2, 3, 5 and 7"},
    {"spacing", .value = "ANGSTROM", .kind = CLI_REAL, CLI_FIELD(dock_options, dock.spacing),
     .range = {TSL_DOCK_SPACING_RANGE}, .noun = "a length in angstrom,", .help = "edge of a cell",
     .otherwise = "what the pair needs, divided by N"},
    {.heading = "Rotations of the ligand:"},
    {"angle-step", .value = "DEGREES", .kind = CLI_CHOICE, CLI_FIELD(dock_options, angle_step),
     .words = steps, .values = degrees, .noun = "a divisor of 180 that is at least 9",
     .help = "FTDock's rotations at this step, a divisor of 180"},
    {"rotations", .value = "spiral:COUNT|FILE", .kind = CLI_FILE,
     CLI_FIELD(dock_options, rotations_from), .set = set_rotations,
     .help = "COUNT rotations spread evenly (super-Fibonacci spirals), or the rotations of FILE: "
             "each line holds three angles in degrees (twist theta phi: about z, then y, then z) "
             "or a unit quaternion (w x y z)"},
    {.heading = "Scores:"},
    {"score", .value = "WAY", .kind = CLI_CHOICE, CLI_FIELD(dock_options, dock.score),
     .words = score_words, .values = scores, .tasks = OF_A_RUN, .echo = CLI_TOLD,
     .help = "score that ranks poses, @; complementarity: pairs, clash, electrostatics and contact "
             "potentials together, on cells of 1.2 angstrom; ftdock: FTDock's shape score, which "
             "ranks poorly"},
    {"clash-weight", .value = "WEIGHT", .kind = CLI_REAL,
     CLI_FIELD(dock_options, dock.complementarity.clash), .range = {0, 100}, .tasks = OF_A_RUN,
     .echo = CLI_TOLD, .help = "complementarity: weight of the clash"},
    {"charge-weight", .value = "WEIGHT", .kind = CLI_REAL,
     CLI_FIELD(dock_options, dock.complementarity.electrostatics), .range = {0, 100},
     .tasks = OF_A_RUN, .echo = CLI_TOLD,
     .help = "complementarity: weight of electrostatics, 1 / (kcal/mol)"},
    {"contact-weight", .value = "WEIGHT", .kind = CLI_REAL,
     CLI_FIELD(dock_options, dock.complementarity.contacts), .range = {0, 100}, .tasks = OF_A_RUN,
     .echo = CLI_TOLD, .help = "complementarity: weight of contact potentials"},
    {"contacts", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(dock_options, contacts),
     .tasks = OF_A_RUN, .echo = CLI_TOLD,
     .help = "complementarity: file of contact potentials between 18 types of atoms, 18 lines of "
             "18 numbers"},
    {"block", .value = "receptor:LIST|ligand:LIST", .kind = CLI_TEXT,
     CLI_FIELD(dock_options, block), .tasks = OF_A_RUN, .echo = CLI_TOLD,
     .help =
         "complementarity: residues that the partner must not touch, e.g. receptor:A:10-20,A:45"},
    {"restrain", .value = "LIST within D of LIST", .kind = CLI_TEXT,
     CLI_FIELD(dock_options, restrain), .tasks = OF_A_RUN, .echo = CLI_TOLD,
     .help = "complementarity: keep only poses in which an atom of the first residues, of "
             "RECEPTOR, is within D angstrom of an atom of the second, of LIGAND; * means a whole "
             "chain: 'A:45,A:57 within 8 of B:*'"},
    {"rerank", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(dock_options, rerank),
     .range = {1, 10000000}, .tasks = OF_A_RUN, .echo = CLI_TOLD_SAID,
     .help = "complementarity: rank the first COUNT poses, e.g. 2000, again, by their score and "
             "potentials of pairs of atoms together; the list has only these poses",
     .otherwise = "none"},
    {"potentials", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(dock_options, potentials),
     .tasks = OF_A_RUN, .echo = CLI_TOLD,
     .help = "with --rerank: file of potentials between 18 types of atoms; for each bin of "
             "distances a line with its outer end in angstrom, then 18 lines of 18 numbers",
     .otherwise = "the program's own"},
    {"cluster", .value = "ANGSTROM", .kind = CLI_REAL, CLI_FIELD(dock_options, cluster),
     .range = {0.01, 100}, .noun = "a length in angstrom,", .tasks = OF_A_RUN,
     .echo = CLI_TOLD_SAID,
     .help = "group poses whose ligands are within this RMSD of the first pose of the group, and "
             "keep only that pose",
     .otherwise = "no clusters"},
    {"surface", .value = "ANGSTROM", .kind = CLI_REAL, CLI_FIELD(dock_options, dock.surface),
     .range = {TSL_DOCK_SURFACE_RANGE, .above = true}, .noun = "a length in angstrom,",
     .help = "ftdock: thickness of the receptor's surface layer"},
    {"core", .value = "VALUE", .kind = CLI_INTEGER, CLI_FIELD(dock_options, dock.core),
     .range = {TSL_DOCK_CORE_RANGE}, .help = "ftdock: value of a cell in the receptor's core"},
    {"electrostatics", .value = "ftdock|trilinear|off", .kind = CLI_CHOICE,
     CLI_FIELD(dock_options, dock.electrostatics), .words = electrostatics_words,
     .values = electrostatics, .notes = electrostatics_notes,
     .help =
         "ftdock: form of the electrostatic energy, which must be negative for a pose to be kept"},
    {"no-electrostatics", .kind = CLI_FLAG, CLI_FIELD(dock_options, dock.electrostatics),
     .values = electrostatics_off, .help = "the same as --electrostatics off"},
    {"keep", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(dock_options, dock.keep),
     .range = {TSL_DOCK_KEEP_RANGE}, .help = "poses to keep of each rotation",
     .otherwise = "@; 3 with ftdock"},
    {"rescore", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(dock_options, rescore),
     .tasks = OF_A_RUN, .echo = CLI_TOLD,
     .help = "do not search, but score the poses of FILE, a list in FTDock's or ZDOCK's format. "
             "The grid is that of FILE; so are surface, core and electrostatics of FTDock's "
             "format, unless they are given"},
    {.heading = "Many pairs, long runs:"},
    {"list", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(dock_options, list), .tasks = OF_A_RUN,
     .echo = CLI_TOLD,
     .help = "dock many pairs: each line of FILE holds receptor, ligand and a name, separated by "
             "tabs; results go to DIR/name. If a pair fails, for example because a file is "
             "missing, the others go on, and the exit status is 1"},
    {"resume", .kind = CLI_FLAG, CLI_FIELD(dock_options, resume), .tasks = OF_A_RUN,
     .echo = CLI_TOLD, .help = "continue where an interrupted run stopped"},
    {"memory", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(dock_options, dock.memory),
     .of_a_rank = true, .echo = CLI_TOLD_SAID,
     .help = "largest memory of each rank, e.g. 512M or 4G"},
    {"batch", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(dock_options, dock.batch),
     .range = {TSL_DOCK_BATCH_RANGE}, .help = "rotations computed at a time",
     .otherwise = "what suits the device"},
    {"correlation", .value = "WAY", .kind = CLI_CHOICE, CLI_FIELD(dock_options, dock.correlation),
     .words = correlation_names, .echo = CLI_TOLD,
     .help = "how translations are scored, always with the same results: @; lines: line by line, "
             "without the lines that are zero; plain: complete transforms of FFTW or cuFFT, which "
             "is slower; strided and transposed: the two ways to transform lines on the CPU; lines "
             "measures which is faster"},
    {.heading = "The ladder:"},
    {"variant", .value = "LIST", .kind = CLI_TEXT, CLI_FIELD(dock_options, variants),
     .tasks = OF_THE_LADDER,
     .help = "versions to run, by name or number: fft-on-gpu-only or V1, …, one-device, "
             "all-devices; and one-core and all-cores, the bases of speed-ups"},
    {"repeat", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(dock_options, repeat),
     .range = {1, DOCK_MOST_REPEATS}, .tasks = OF_THE_LADDER, .help = "runs of each version"},
    {.heading = "Quality:"},
    {"native", .value = "COMPLEX", .kind = CLI_FILE, CLI_FIELD(dock_options, native),
     .tasks = OF_QUALITY,
     .help = "the known complex, a PDB or mmCIF file, with which poses are compared (required)"},
    {"native-receptor-chains", .value = "A,B", .kind = CLI_TEXT,
     CLI_FIELD(dock_options, native_chains[0]), .tasks = OF_QUALITY,
     .help = "chains of COMPLEX that correspond to RECEPTOR (required)"},
    {"native-ligand-chains", .value = "A,B", .kind = CLI_TEXT,
     CLI_FIELD(dock_options, native_chains[1]), .tasks = OF_QUALITY,
     .help = "chains of COMPLEX that correspond to LIGAND (required)"},
    {.heading = cli_reporting},
    {"csv", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(dock_options, common.csv),
     .written = CLI_TABLE, .tasks = OF_THE_LADDER | OF_QUALITY, .help = "write its table"},
    {0}};

static const char arguments_doc[] = "RECEPTOR LIGAND -o DIR\n"
                                    "RECEPTOR LIGAND --rescore FILE -o DIR\n"
                                    "--list PAIRS.tsv -o DIR\n"
                                    "quality LIST RECEPTOR LIGAND --native COMPLEX\n"
                                    "ladder RECEPTOR LIGAND";

static const char command_doc[] =
    "Dock two proteins as rigid bodies: for each rotation of LIGAND, score all its translations on "
    "a grid around RECEPTOR by FFT, and keep the best. Poses are ranked by how well the molecules "
    "complement each other, in shape, charges and contacts; --score ftdock is the method of FTDock "
    "2.0.\n"
    "\n"
    "RECEPTOR and LIGAND are PDB or mmCIF files, or FTDock's .parsed, gzipped or not. Defaults are "
    "given in parentheses.\v"
    "DIR receives ftdock_global.dat (the list of poses, in FTDock's form), zdock.out (in ZDOCK's), "
    "poses/complex.0001.pdb and so on, figure.svg, and run.json (parameters, digests of the input, "
    "times). Results are the same on every device and for any number of threads and ranks: each "
    "device of a list and each process of mpirun is a rank.\n"
    "\n"
    "quality compares the poses of LIST, in FTDock's form, with a known COMPLEX: L-RMSD, I-RMSD, "
    "fnat and DockQ, each pose's in --csv.\n"
    "\n"
    "ladder measures versions of docking on GPUs, one step at a time, beside one core and all "
    "cores: only the FFT on the GPU; everything on the GPU; results written at the end; rotations "
    "divided among devices in equal parts, and by measured speed; and the version of this program. "
    "All give the same files, which -o DIR keeps.\n"
    "\n"
    "Examples:\n"
    "  tesela dock trypsin.pdb bpti.pdb -o results\n"
    "  tesela dock trypsin.pdb bpti.pdb --restrain 'E:189 within 8 of I:15' --cluster 5 -o "
    "results\n"
    "  tesela dock 2sic.cif.gz --receptor-chains E 2sic.cif.gz --ligand-chains I \\\n"
    "      --rotations spiral:54000 --poses 100 -o results\n"
    "  tesela dock quality results/ftdock_global.dat trypsin.pdb bpti.pdb --native 2ptc.cif \\\n"
    "      --native-receptor-chains E --native-ligand-chains I\n"
    "  tesela dock --list pairs.tsv --angle-step 15 --resume -o screen\n"
    "  mpirun -n 4 tesela dock trypsin.pdb bpti.pdb -o results\n"
    "  tesela dock ladder trypsin.pdb bpti.pdb --device cuda:0-3 --csv ladder.csv";

/* ---- the whole line ------------------------------------------------------------------------ */

static error_t set_argument(void *parsed, const char *text)
{
    dock_options *options = parsed;
    if (options->task == DOCK_QUALITY && options->judged == NULL) {
        options->judged = text;
    } else if (options->receptor == NULL) {
        options->receptor = text;
    } else if (options->ligand == NULL) {
        options->ligand = text;
    } else {
        cli_error("'%s' is one argument too many: give RECEPTOR and LIGAND, or --list FILE", text);
        return EINVAL;
    }
    return 0;
}

/* ---- what does not go together ------------------------------------------------------------ */

static bool refuse(const char *option, const char *other, const char *remedy)
{
    cli_error("%s does not go with %s: %s", option, other, remedy);
    return false;
}

/* Are the residues of --block and --restrain spelled as they should be? */
static bool check_residues(const dock_options *options)
{
    static const char *const words[] = {"receptor:", "ligand:"};
    dock_restraint restraint;
    bool valid = options->block == NULL;
    for (int role = 0; role < 2 && !valid; role++) {
        const size_t length = strlen(words[role]);
        valid = strncmp(options->block, words[role], length) == 0 &&
                dock_residues_valid(options->block + length);
    }
    if (!valid) {
        cli_error("--block '%s': give receptor: or ligand: and residues as CHAIN:NUMBER, "
                  "CHAIN:FIRST-LAST or CHAIN:*, with commas between: receptor:A:10-20,A:45",
                  options->block);
        return false;
    }
    if (options->restrain != NULL && !dock_restraint_parse(&restraint, options->restrain)) {
        cli_error("--restrain '%s': give residues of RECEPTOR, a distance up to 100 and residues "
                  "of LIGAND: 'A:45,A:57 within 8 of B:*'",
                  options->restrain);
        return false;
    }
    return true;
}

/* Refuse an option that belongs to another score than the one in use, which may be the default. */
static bool refuse_score(const dock_options *options, const void *field, tsl_dock_score score)
{
    const char *option = cli_spelled(&options->common, field);
    if (options->task == DOCK_A_RUN && !cli_given(&options->common, &options->dock.score)) {
        cli_error("%s is for --score %s: add that, or leave %s out", option, score_names[score],
                  option);
    } else {
        cli_error("%s is for --score %s, not for %s: leave one of them out", option,
                  score_names[score], score_names[options->dock.score]);
    }
    return false;
}

/* Refuse options of one score with the other. */
static bool check_score(const dock_options *options)
{
    const tsl_dock_options *dock = &options->dock;
    const struct {
        const void *field;
        tsl_dock_score score;
    } of_a_score[] = {{&dock->surface, TSL_SCORE_FTDOCK},
                      {&dock->core, TSL_SCORE_FTDOCK},
                      {&dock->electrostatics, TSL_SCORE_FTDOCK},
                      {&dock->complementarity.clash, TSL_SCORE_COMPLEMENTARITY},
                      {&dock->complementarity.electrostatics, TSL_SCORE_COMPLEMENTARITY},
                      {&dock->complementarity.contacts, TSL_SCORE_COMPLEMENTARITY},
                      {&options->contacts, TSL_SCORE_COMPLEMENTARITY},
                      {&options->rerank, TSL_SCORE_COMPLEMENTARITY},
                      {&options->potentials, TSL_SCORE_COMPLEMENTARITY},
                      {&options->block, TSL_SCORE_COMPLEMENTARITY},
                      {&options->restrain, TSL_SCORE_COMPLEMENTARITY}};
    for (size_t i = 0; i < sizeof of_a_score / sizeof *of_a_score; i++) {
        if (cli_given(&options->common, of_a_score[i].field) &&
            of_a_score[i].score != dock->score) {
            return refuse_score(options, of_a_score[i].field, of_a_score[i].score);
        }
    }
    return true;
}

static bool check_together(const dock_options *options)
{
    const cli_common *common = &options->common;
    const void *const of_a_search[] = {&options->angle_step, &options->rotations_from,
                                       &options->dock.keep,  &options->dock.batch,
                                       &options->resume,     &options->list};
    for (size_t i = 0; i < sizeof of_a_search / sizeof *of_a_search; i++) {
        if (options->rescore != NULL && cli_given(common, of_a_search[i])) {
            return refuse(cli_spelled(common, of_a_search[i]),
                          cli_spelled(common, &options->rescore),
                          "no search is made, so leave it out");
        }
    }
    if (cli_given(common, &options->angle_step) && cli_given(common, &options->rotations_from)) {
        return refuse(cli_spelled(common, &options->angle_step),
                      cli_spelled(common, &options->rotations_from), "leave one of them out");
    }
    if (options->rescore != NULL && options->restrain != NULL) {
        return refuse("--restrain", "--rescore", "no search is made, so leave it out");
    }
    if (options->list != NULL && (options->block != NULL || options->restrain != NULL)) {
        return refuse("--list", options->block != NULL ? "--block" : "--restrain",
                      "residues are those of one pair, so dock it by itself");
    }
    if (options->list != NULL && options->receptor != NULL) {
        return refuse(cli_spelled(common, &options->list), "RECEPTOR and LIGAND",
                      "the list names the molecules");
    }
    if (options->potentials != NULL && options->rerank == 0) {
        cli_error("%s is for --rerank: say how many poses are ranked by it, e.g. --rerank 2000",
                  cli_spelled(common, &options->potentials));
        return false;
    }
    bool asked[DOCK_VERSIONS];
    return check_score(options) && check_residues(options) &&
           dock_ladder_choose(asked, options->variants);
}

/* Is the list that is read also one that would be written? */
static bool is_own_list(const dock_options *options)
{
    static const char *const names[] = {"ftdock_global.dat", "zdock.out"};
    char path[DOCK_PATH];
    for (size_t i = 0; options->rescore != NULL && i < sizeof names / sizeof *names; i++) {
        if (cli_same_file(options->rescore, dock_path(path, options->folder, names[i]))) {
            return true;
        }
    }
    return false;
}

static bool check_native(const dock_options *options)
{
    const char *missing = options->native == NULL             ? "--native"
                          : options->native_chains[0] == NULL ? "--native-receptor-chains"
                          : options->native_chains[1] == NULL ? "--native-ligand-chains"
                                                              : NULL;
    if (missing != NULL) {
        cli_error("%s is missing: say %s", missing,
                  options->native == NULL ? "with which complex to compare, e.g. --native 2sic.cif"
                                          : "which chains of the complex are the molecule's");
    }
    return missing == NULL;
}

static bool check_settings(const dock_options *options)
{
    if (!check_together(options)) {
        return false;
    }
    if (options->list == NULL && options->ligand == NULL) {
        cli_error("%s missing: tesela dock %s (see tesela dock --help)",
                  options->receptor == NULL ? "RECEPTOR and LIGAND are" : "LIGAND is",
                  options->task == DOCK_LADDER    ? "ladder RECEPTOR LIGAND"
                  : options->task == DOCK_QUALITY ? "quality LIST RECEPTOR LIGAND --native COMPLEX"
                                                  : "RECEPTOR LIGAND -o DIR");
        return false;
    }
    const char *const read[] = {options->receptor, options->ligand, options->judged};
    if (!cli_check_files(&options->common, read, 3)) {
        return false;
    }
    if (options->task == DOCK_QUALITY) {
        return check_native(options);
    }
    if (options->folder == NULL && options->task == DOCK_LADDER) {
        return true;
    }
    if (options->folder == NULL) {
        cli_error("-o DIR is missing: say where the results go, e.g. -o results");
        return false;
    }
    if (strlen(options->folder) > DOCK_FOLDER_LENGTH) {
        cli_error("-o: the name is too long: give one of at most %d bytes", DOCK_FOLDER_LENGTH);
        return false;
    }
    if (is_own_list(options)) {
        cli_error("--rescore '%s': is in the folder of -o, where the new list would replace it: "
                  "choose another folder",
                  options->rescore);
        return false;
    }
    return cli_can_write("-o", options->folder, true);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(dock_options *)options = (dock_options){.dock = TSL_DOCK_OPTIONS_INIT,
                                              .pairs = TSL_PAIR_POTENTIALS_INIT,
                                              .angle_step = 12,
                                              .top = 10000,
                                              .poses = 10,
                                              .hetero = TSL_HETERO_DROP,
                                              .repeat = 5};
}

static bool check(void *options)
{
    dock_options *const out = options;
    const tsl_dock_options ftdock = TSL_DOCK_OPTIONS_FTDOCK;
    if (cli_given(&out->common, &out->rotations_from)) {
        out->angle_step = 0;
    }
    if (out->task == DOCK_LADDER) {
        out->dock.score = ftdock.score; /* the ladder's versions follow FTDock's score */
    }
    if (out->dock.score == ftdock.score && !cli_given(&out->common, &out->dock.keep)) {
        out->dock.keep = ftdock.keep;
    }
    return check_settings(out) && (out->contacts == NULL || dock_contacts_read(out)) &&
           (out->potentials == NULL || dock_potentials_read(out));
}

static const cli_task tasks[] = {[DOCK_A_RUN] = {.name = "a docking"},
                                 [DOCK_LADDER] = {"ladder", "tesela dock ladder"},
                                 [DOCK_QUALITY] = {"quality", "tesela dock quality"},
                                 {0}};

const cli_command cli_dock = {.run = dock_command,
                              .doc = command_doc,
                              .arguments = arguments_doc,
                              .rows = rows,
                              .size = sizeof(dock_options),
                              .init = init,
                              .check = check,
                              .argument = set_argument,
                              .tasks = tasks,
                              CLI_TASK(dock_options, task),
                              .places = CLI_ALL_RANKS};
