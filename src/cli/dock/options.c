/* The command line of `tesela dock`. */
#include <errno.h>
#include <string.h>

#include "cli/dock/command.h"
#include "cli/dock/ladder.h"

static const struct argp_option options_table[] = {
    {NULL, 0, NULL, 0, "Results:", 1},
    {"output", 'o', "DIR", 0,
     "folder for the results; made if it is not there (required, but not by ladder)", 1},
    {"top", DOCK_TOP, "COUNT", 0, "length of the list of poses (10000; with --rescore: all)", 1},
    {"poses", DOCK_POSES, "COUNT", 0, "complexes to write as PDB files (10); 0: none", 1},
    {NULL, 0, NULL, 0, "Molecules:", 2},
    {"receptor-chains", DOCK_RECEPTOR_CHAINS, "A,B", 0, "chains to take from RECEPTOR (all)", 2},
    {"ligand-chains", DOCK_LIGAND_CHAINS, "A,B", 0, "chains to take from LIGAND (all)", 2},
    {"hetero", DOCK_HETERO, "keep|drop", 0,
     "what to do with ligands, ions and solvent in the files (drop); waters are always dropped", 2},
    {"model", DOCK_MODEL, "N|all", 0,
     "model to take of files that hold several, by its number there; all: all of them as one "
     "molecule, as a biological assembly is meant, chains that come again renamed; two with a "
     "comma "
     "between are RECEPTOR's and LIGAND's (the first)",
     2},
    {NULL, 0, NULL, 0, "Grid:", 3},
    {"grid", DOCK_GRID, "N|ftdock", 0,
     "cells along an edge, an even number from 8 to 1024; ftdock: the size FTDock takes "
     "(that size, rounded up to an even product of 2, 3, 5 and 7)",
     3},
    {"spacing", DOCK_SPACING, "ANGSTROM", 0, "edge of a cell (what the pair needs, divided by N)",
     3},
    {NULL, 0, NULL, 0, "Rotations of the ligand:", 4},
    {"angle-step", DOCK_ANGLE_STEP, "DEGREES", 0,
     "FTDock's rotations at this step (12): a divisor of 180, at least 9", 4},
    {"rotations", DOCK_ROTATIONS, "spiral:COUNT|FILE", 0,
     "COUNT rotations spread evenly (super-Fibonacci spirals), or those of FILE: a line holds "
     "three "
     "angles in degrees (twist theta phi: about z, then y, then z) or a unit quaternion (w x y z)",
     4},
    {NULL, 0, NULL, 0, "Scores:", 5},
    {"score", DOCK_SCORE, "ftdock|complementarity", 0,
     "what poses are ranked by: FTDock's shape score, or pairs, clash, electrostatics and contact "
     "potentials together, on cells of 1.2 angstrom (ftdock)",
     5},
    {"weights", DOCK_WEIGHTS, "C,E,D", 0,
     "of complementarity: weights of clash, electrostatics and contacts (0.5,3,2)", 5},
    {"contacts", DOCK_CONTACTS, "FILE", 0,
     "of complementarity: contact potentials of 18 types of atoms, 18 lines of 18 numbers", 5},
    {"surface", DOCK_SURFACE, "ANGSTROM", 0, "thickness of the receptor's surface layer (1.3)", 5},
    {"core", DOCK_CORE, "VALUE", 0, "value of a cell in the receptor's core (-15)", 5},
    {"electrostatics", DOCK_ELECTROSTATICS, "ftdock|trilinear|off", 0,
     "a pose qualifies if its energy is negative: charges spread with FTDock's weights, "
     "with true trilinear ones, or always (ftdock)",
     5},
    {"no-electrostatics", DOCK_NO_ELECTROSTATICS, NULL, 0, "the same as --electrostatics off", 5},
    {"block", DOCK_BLOCK, "receptor:LIST|ligand:LIST", 0,
     "with complementarity: residues that are to stay free, e.g. receptor:A:10-20,A:45", 5},
    {"restrain", DOCK_RESTRAIN, "LIST within D of LIST", 0,
     "with complementarity: an atom of these residues of RECEPTOR has to be within D angstrom of "
     "one of LIGAND's; * is all of a chain: 'A:45,A:57 within 8 of B:*'",
     5},
    {"cluster", DOCK_CLUSTER, "ANGSTROM", 0,
     "keep the first pose of those whose ligands are within this of it (no clusters)", 5},
    {"keep", DOCK_KEEP, "COUNT", 0, "poses to keep of each rotation (3; 1 with complementarity)",
     5},
    {"rescore", DOCK_RESCORE, "FILE", 0,
     "no search: score the poses of FILE, a list in FTDock's form, with its grid, surface, core "
     "and electrostatics unless they are given, or in ZDOCK's, with its grid",
     5},
    {NULL, 0, NULL, 0, "Many pairs, long runs:", 6},
    {"list", DOCK_LIST, "FILE", 0,
     "dock many pairs: a line of FILE holds receptor, ligand and a name, separated by tabs; "
     "results "
     "go to DIR/name; a pair that fails, as by a missing file, leaves the others and exit status 1",
     6},
    {"resume", DOCK_RESUME, NULL, 0, "go on where an interrupted run stopped", 6},
    {"memory", DOCK_MEMORY, "BYTES", 0, "take no more than this, each rank, e.g. 512M or 4G", 6},
    {"batch", DOCK_BATCH, "COUNT", 0, "rotations in flight (what suits the device)", 6},
    {"correlation", DOCK_CORRELATION, "WAY", 0,
     "how translations are scored, all with the same results: lines of the grid, the zero ones "
     "left "
     "out; plain: whole transforms of FFTW or cuFFT, which is slower; strided or transposed: lines "
     "on the CPU, of whose two ways lines takes the one it measures to be faster (lines)",
     6},
    {NULL, 0, NULL, 0, "The ladder:", 7},
    {"variant", DOCK_VARIANT, "LIST", 0,
     "only these, by name or number there: fft-on-gpu-only or V1, …, one-device, all-devices; and "
     "one-core and all-cores, which speed-ups refer to",
     7},
    {"repeat", DOCK_REPEAT, "COUNT", 0, "runs of each version (5)", 7},
    {"csv", DOCK_CSV, "FILE", 0, "write its table as comma-separated values; - is standard output",
     91},
    {0}};

static const char arguments_doc[] = "RECEPTOR LIGAND -o DIR\n"
                                    "RECEPTOR LIGAND --rescore FILE -o DIR\n"
                                    "--list PAIRS.tsv -o DIR\n"
                                    "ladder RECEPTOR LIGAND";

static const char command_doc[] =
    "Dock two proteins as rigid bodies, by the method of FTDock 2.0: for each rotation of LIGAND, "
    "score all its translations on a grid around RECEPTOR by FFT, and keep the best.\n"
    "\n"
    "RECEPTOR and LIGAND are PDB or mmCIF files, or FTDock's .parsed, gzipped or not. "
    "Defaults are given in parentheses."
    "\v"
    "DIR receives ftdock_global.dat (the list of poses, in FTDock's form), zdock.out (in ZDOCK's), "
    "poses/complex.0001.pdb and so on, figure.svg, and run.json (parameters, digests of the input, "
    "times). Results are the same on every device and for any number of threads and ranks: "
    "each device of a list and each process of mpirun is a rank.\n"
    "\n"
    "ladder measures the steps by which docking came to GPUs beside one core and all cores: the "
    "FFT "
    "alone on the GPU, everything there, results written at the end, rotations split among devices "
    "in equal parts and by measured speed; and how it is done here. All give the same files, which "
    "-o DIR keeps.\n"
    "\n"
    "Examples:\n"
    "  tesela dock trypsin.pdb bpti.pdb -o results\n"
    "  tesela dock 2sic.cif.gz --receptor-chains E 2sic.cif.gz --ligand-chains I \\\n"
    "      --rotations spiral:54000 --poses 100 -o results\n"
    "  tesela dock --list pairs.tsv --angle-step 15 --resume -o screen\n"
    "  mpirun -n 4 tesela dock trypsin.pdb bpti.pdb -o results\n"
    "  tesela dock ladder trypsin.pdb bpti.pdb --device cuda:0-3 --csv ladder.csv";

bool dock_is_given(const dock_options *options, enum dock_key key)
{
    return options->given[key - DOCK_FIRST_KEY];
}

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

const char *dock_correlation_name(tsl_correlation correlation)
{
    return correlation_names[correlation];
}

static const char *const score_names[] = {
    [TSL_SCORE_FTDOCK] = "ftdock",
    [TSL_SCORE_COMPLEMENTARITY] = "complementarity",
    NULL,
};

const char *dock_score_name(tsl_dock_score score)
{
    return score_names[score];
}

/* ---- values ------------------------------------------------------------------------------- */

static error_t set_length(const char *option, const char *text, double *out)
{
    if (!cli_parse_real(text, out) || *out < 0.01 || *out > 20) {
        cli_error("%s '%s': give a length in angstrom, from 0.01 to 20", option, text);
        return EINVAL;
    }
    return 0;
}

static error_t set_grid(dock_options *options, const char *text)
{
    int n;
    if (strcmp(text, "ftdock") == 0) {
        options->dock.grid = TSL_GRID_FTDOCK;
        return 0;
    }
    if (!cli_parse_integer(text, &n) || n < 8 || n > 1024) {
        cli_error("--grid '%s': give an even number of cells from 8 to 1024, or ftdock", text);
        return EINVAL;
    }
    if (n % 2 != 0) {
        cli_error("--grid '%s': is odd: give an even number of cells, such as %d", text, n + 1);
        return EINVAL;
    }
    options->dock.grid = n;
    return 0;
}

static error_t set_angle_step(dock_options *options, const char *text)
{
    int step;
    if (!cli_parse_integer(text, &step) || step < 9 || step > 180 || 180 % step != 0) {
        cli_error("--angle-step '%s': give a divisor of 180 that is at least 9: 9, 10, 12, 15, 18, "
                  "20, 30, 36, 45, 60, 90 or 180",
                  text);
        return EINVAL;
    }
    options->angle_step = step;
    return 0;
}

static error_t set_rotations(dock_options *options, const char *text)
{
    options->rotations_from = text;
    if (strncmp(text, "spiral:", 7) != 0) {
        return 0;
    }
    if (!cli_parse_integer(text + 7, &options->spiral) || options->spiral < 1 ||
        options->spiral > 10000000) {
        cli_error("--rotations '%s': give a count from 1 to 10000000, e.g. spiral:54000", text);
        return EINVAL;
    }
    return 0;
}

static error_t set_electrostatics(dock_options *options, const char *text)
{
    /* the usual one first */
    static const tsl_electrostatics order[] = {
        TSL_ELECTROSTATICS_FTDOCK, TSL_ELECTROSTATICS_TRILINEAR, TSL_ELECTROSTATICS_OFF};
    const char *names[4] = {NULL};
    int chosen = 0;
    for (int i = 0; i < 3; i++) {
        names[i] = electrostatics_names[order[i]];
    }
    const error_t error = cli_set_choice("--electrostatics", text, names, &chosen);
    options->dock.electrostatics = order[chosen];
    return error;
}

static error_t set_correlation(dock_options *options, const char *text)
{
    int chosen = 0;
    const error_t error = cli_set_choice("--correlation", text, correlation_names, &chosen);
    options->dock.correlation = (tsl_correlation)chosen;
    return error;
}

static error_t set_score(dock_options *options, const char *text)
{
    int chosen = 0;
    const error_t error = cli_set_choice("--score", text, score_names, &chosen);
    options->dock.score = (tsl_dock_score)chosen;
    return error;
}

/* Three numbers with commas between. */
static error_t set_weights(dock_options *options, const char *text)
{
    tsl_complementarity *c = &options->dock.complementarity;
    double *const weights[] = {&c->clash, &c->electrostatics, &c->contacts};
    const char *at = text;
    bool valid = true;
    for (int i = 0; i < 3 && valid; i++) {
        char word[32];
        const size_t length = strcspn(at, ",");
        valid = length < sizeof word && (at[length] == ',') == (i < 2);
        if (valid) {
            memcpy(word, at, length);
            word[length] = '\0';
            valid = cli_parse_real(word, weights[i]) && *weights[i] >= 0 && *weights[i] <= 100;
            at += length + 1;
        }
    }
    if (!valid) {
        cli_error("--weights '%s': give three numbers from 0 to 100 with commas between, of clash, "
                  "electrostatics and contacts: 0.5,3,2",
                  text);
        return EINVAL;
    }
    return 0;
}

static error_t set_block(dock_options *options, const char *text)
{
    static const char *const words[] = {"receptor:", "ligand:"};
    options->block = text;
    for (int role = 0; role < 2; role++) {
        const size_t length = strlen(words[role]);
        if (strncmp(text, words[role], length) == 0 && dock_residues_valid(text + length)) {
            return 0;
        }
    }
    cli_error("--block '%s': give receptor: or ligand: and residues as CHAIN:NUMBER, "
              "CHAIN:FIRST-LAST or CHAIN:*, with commas between: receptor:A:10-20,A:45",
              text);
    return EINVAL;
}

static error_t set_restraint(dock_options *options, const char *text)
{
    dock_restraint restraint;
    options->restrain = text;
    if (!dock_restraint_parse(&restraint, text)) {
        cli_error("--restrain '%s': give residues of RECEPTOR, a distance up to 100 and residues "
                  "of LIGAND: 'A:45,A:57 within 8 of B:*'",
                  text);
        return EINVAL;
    }
    return 0;
}

static error_t set_hetero(dock_options *options, const char *text)
{
    static const char *const names[] = {"keep", "drop", NULL};
    int chosen = 0;
    const error_t error = cli_set_choice("--hetero", text, names, &chosen);
    options->hetero = chosen == 0 ? TSL_HETERO_KEEP : TSL_HETERO_DROP;
    return error;
}

/* "N" or "all", or two of them: of receptor and ligand. */
static error_t set_models(dock_options *options, const char *text)
{
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
        cli_error(
            "--model '%s': give the number of a model, 1 or more, or all; or two of them with "
            "a comma between, of RECEPTOR and LIGAND: all,1",
            text);
        return EINVAL;
    }
    return 0;
}

/* ---- argp --------------------------------------------------------------------------------- */

static error_t set_numbers(int key, const char *text, dock_options *options)
{
    switch (key) {
    case DOCK_SPACING:
        return set_length("--spacing", text, &options->dock.spacing);
    case DOCK_SURFACE:
        return set_length("--surface", text, &options->dock.surface);
    case DOCK_CLUSTER:
        return set_length("--cluster", text, &options->cluster);
    case DOCK_CORE:
        return cli_set_integer("--core", text, -1000, -1, &options->dock.core);
    case DOCK_KEEP:
        return cli_set_integer("--keep", text, 1, 64, &options->dock.keep);
    case DOCK_BATCH:
        return cli_set_integer("--batch", text, 1, 4096, &options->dock.batch);
    case DOCK_TOP:
        return cli_set_integer("--top", text, 1, 1000000000, &options->top);
    case DOCK_REPEAT:
        return cli_set_integer("--repeat", text, 1, DOCK_MOST_REPEATS, &options->repeat);
    case DOCK_POSES:
        return cli_set_integer("--poses", text, 0, 1000000, &options->poses);
    case DOCK_MEMORY:
        return cli_set_bytes("--memory", text, "4G", &options->dock.memory);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t set_words(int key, const char *text, dock_options *options)
{
    switch (key) {
    case DOCK_GRID:
        return set_grid(options, text);
    case DOCK_ANGLE_STEP:
        return set_angle_step(options, text);
    case DOCK_ROTATIONS:
        return set_rotations(options, text);
    case DOCK_ELECTROSTATICS:
        return set_electrostatics(options, text);
    case DOCK_CORRELATION:
        return set_correlation(options, text);
    case DOCK_HETERO:
        return set_hetero(options, text);
    case DOCK_MODEL:
        return set_models(options, text);
    case DOCK_NO_ELECTROSTATICS:
        options->dock.electrostatics = TSL_ELECTROSTATICS_OFF;
        return 0;
    case DOCK_SCORE:
        return set_score(options, text);
    case DOCK_WEIGHTS:
        return set_weights(options, text);
    case DOCK_CONTACTS:
        options->contacts = text;
        return 0;
    case DOCK_BLOCK:
        return set_block(options, text);
    case DOCK_RESTRAIN:
        return set_restraint(options, text);
    case DOCK_RESCORE:
        options->rescore = text;
        return 0;
    case DOCK_RECEPTOR_CHAINS:
        options->receptor_chains = text;
        return 0;
    case DOCK_LIGAND_CHAINS:
        options->ligand_chains = text;
        return 0;
    case DOCK_LIST:
        options->list = text;
        return 0;
    case DOCK_RESUME:
        options->resume = true;
        return 0;
    case DOCK_VARIANT:
        options->variants = text;
        return 0;
    case DOCK_CSV:
        options->common.csv = text;
        return 0;
    default:
        return set_numbers(key, text, options);
    }
}

static error_t set_argument(dock_options *options, const char *text)
{
    if (options->receptor == NULL && !options->ladder && strcmp(text, "ladder") == 0) {
        options->ladder = true;
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

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    dock_options *options = state->input;
    if (key >= DOCK_FIRST_KEY && key < DOCK_END_KEY) {
        options->given[key - DOCK_FIRST_KEY] = true;
    }
    switch (key) {
    case ARGP_KEY_ARG:
        return set_argument(options, text);
    case 'o':
        options->folder = text;
        return 0;
    default:
        return set_words(key, text, options);
    }
}

/* ---- what does not go together ------------------------------------------------------------ */

static bool refuse(const char *option, const char *other, const char *remedy)
{
    cli_error("%s does not go with %s: %s", option, other, remedy);
    return false;
}

static bool check_ladder(const dock_options *options)
{
    static const struct {
        enum dock_key key;
        const char *name;
    } of_a_run[] = {{DOCK_RESCORE, "--rescore"}, {DOCK_LIST, "--list"}, {DOCK_RESUME, "--resume"}},
      of_the_ladder[] = {
          {DOCK_VARIANT, "--variant"}, {DOCK_REPEAT, "--repeat"}, {DOCK_CSV, "--csv"}};
    for (size_t i = 0; i < sizeof of_a_run / sizeof *of_a_run; i++) {
        if (options->ladder && dock_is_given(options, of_a_run[i].key)) {
            return refuse(of_a_run[i].name, "ladder", "it docks a pair from the beginning");
        }
    }
    for (size_t i = 0; i < sizeof of_the_ladder / sizeof *of_the_ladder; i++) {
        if (!options->ladder && dock_is_given(options, of_the_ladder[i].key)) {
            cli_error("%s is for the ladder: tesela dock ladder RECEPTOR LIGAND",
                      of_the_ladder[i].name);
            return false;
        }
    }
    bool asked[DOCK_VERSIONS];
    return dock_ladder_choose(asked, options->variants);
}

/* Options of one score are refused with the other. */
static bool check_score(const dock_options *options)
{
    static const struct {
        enum dock_key key;
        tsl_dock_score score;
        const char *name;
    } of_a_score[] = {{DOCK_SURFACE, TSL_SCORE_FTDOCK, "--surface"},
                      {DOCK_CORE, TSL_SCORE_FTDOCK, "--core"},
                      {DOCK_ELECTROSTATICS, TSL_SCORE_FTDOCK, "--electrostatics"},
                      {DOCK_NO_ELECTROSTATICS, TSL_SCORE_FTDOCK, "--no-electrostatics"},
                      {DOCK_WEIGHTS, TSL_SCORE_COMPLEMENTARITY, "--weights"},
                      {DOCK_CONTACTS, TSL_SCORE_COMPLEMENTARITY, "--contacts"},
                      {DOCK_BLOCK, TSL_SCORE_COMPLEMENTARITY, "--block"},
                      {DOCK_RESTRAIN, TSL_SCORE_COMPLEMENTARITY, "--restrain"}};
    for (size_t i = 0; i < sizeof of_a_score / sizeof *of_a_score; i++) {
        if (dock_is_given(options, of_a_score[i].key) &&
            of_a_score[i].score != options->dock.score) {
            cli_error("%s is for --score %s, not for %s: leave one of them out", of_a_score[i].name,
                      dock_score_name(of_a_score[i].score), dock_score_name(options->dock.score));
            return false;
        }
    }
    return true;
}

static bool check_together(const dock_options *options)
{
    static const struct {
        enum dock_key key;
        const char *name;
    } of_a_search[] = {
        {DOCK_ANGLE_STEP, "--angle-step"}, {DOCK_ROTATIONS, "--rotations"}, {DOCK_KEEP, "--keep"},
        {DOCK_BATCH, "--batch"},           {DOCK_RESUME, "--resume"},       {DOCK_LIST, "--list"}};
    for (size_t i = 0; i < sizeof of_a_search / sizeof *of_a_search; i++) {
        if (options->rescore != NULL && dock_is_given(options, of_a_search[i].key)) {
            return refuse(of_a_search[i].name, "--rescore", "no search is made, so leave it out");
        }
    }
    if (dock_is_given(options, DOCK_ANGLE_STEP) && dock_is_given(options, DOCK_ROTATIONS)) {
        return refuse("--angle-step", "--rotations", "leave one of them out");
    }
    if (dock_is_given(options, DOCK_NO_ELECTROSTATICS) &&
        dock_is_given(options, DOCK_ELECTROSTATICS)) {
        return refuse("--no-electrostatics", "--electrostatics", "leave one of them out");
    }
    if (options->rescore != NULL && options->restrain != NULL) {
        return refuse("--restrain", "--rescore", "no search is made, so leave it out");
    }
    if (options->list != NULL && (options->block != NULL || options->restrain != NULL)) {
        return refuse("--list", options->block != NULL ? "--block" : "--restrain",
                      "residues are those of one pair, so dock it by itself");
    }
    if (options->list != NULL && options->receptor != NULL) {
        return refuse("--list", "RECEPTOR and LIGAND", "the list names the molecules");
    }
    if (options->ladder && options->dock.score != TSL_SCORE_FTDOCK) {
        return refuse("--score", "ladder", "it measures versions of FTDock's score");
    }
    return check_score(options) && check_ladder(options);
}

/* Would the list that is to be read be replaced? */
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

static bool are_apart(const dock_options *options)
{
    const cli_file files[] = {{NULL, options->receptor},
                              {NULL, options->ligand},
                              {NULL, options->list},
                              {NULL, options->rescore},
                              {NULL, options->contacts},
                              {"--csv", options->common.csv},
                              {NULL, options->spiral == 0 ? options->rotations_from : NULL}};
    return cli_are_apart(files, sizeof files / sizeof *files, options->common.json);
}

static bool check(const dock_options *options)
{
    if (!check_together(options)) {
        return false;
    }
    if (options->list == NULL && options->ligand == NULL) {
        cli_error("%s missing: tesela dock %s (see tesela dock --help)",
                  options->receptor == NULL ? "RECEPTOR and LIGAND are" : "LIGAND is",
                  options->ladder ? "ladder RECEPTOR LIGAND" : "RECEPTOR LIGAND -o DIR");
        return false;
    }
    if (!cli_can_write_csv(&options->common)) {
        return false;
    }
    if (!are_apart(options)) {
        return false;
    }
    if (options->folder == NULL && options->ladder) {
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

bool dock_options_parse(dock_options *out, int argc, char **argv, int *exit_status)
{
    static const struct argp argp = {.options = options_table,
                                     .parser = parse_option,
                                     .args_doc = arguments_doc,
                                     .doc = command_doc};
    *out = (dock_options){
        .dock = TSL_DOCK_OPTIONS_INIT, .angle_step = 12, .top = 10000, .poses = 10, .repeat = 5};
    if (!cli_parse(&argp, out, &out->common, argc, argv, exit_status)) {
        return false;
    }
    if (dock_is_given(out, DOCK_ROTATIONS)) {
        out->angle_step = 0;
    }
    if (out->dock.score == TSL_SCORE_COMPLEMENTARITY && !dock_is_given(out, DOCK_KEEP)) {
        out->dock.keep = 1; /* the best pose of a rotation is worth most */
    }
    if (!check(out)) {
        return false;
    }
    return out->contacts == NULL || dock_contacts_read(out);
}
