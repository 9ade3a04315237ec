/* The command line of `tesela transpose`. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "cli/transpose/command.h"

/* Length of an axis for measurements. */
#define USUAL_LENGTH 256
#define USUAL_ELEMENT 8

static error_t set_shape(const cli_option *row, const char *text, void *parsed)
{
    transpose_options *options = parsed;
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        int64_t length = 0;
        const char *first = at;
        while (*at >= '0' && *at <= '9' && length < INT64_MAX / 100) {
            length = 10 * length + (*at++ - '0');
        }
        if (at == first || length < 1 || *at != (i < 2 ? ',' : '\0')) {
            return cli_refuse_value(row, text, "give three whole numbers, e.g. 640,480,3");
        }
        options->transpose.shape[i] = length;
        at++;
    }
    int64_t bytes;
    if (!tsl_transpose_bytes(&bytes, options->transpose.shape, 16)) {
        return cli_refuse_value(row, text, "more elements than any memory holds: give fewer");
    }
    return 0;
}

static const char *permutation_name(int place)
{
    return tsl_permutation_name((tsl_permutation)place);
}

static const char *const element_names[] = {"4", "8", "16", NULL};
static const int elements[] = {4, 8, 16};

static const cli_option rows[] = {
    {.heading = "What to transpose:"},
    {"shape", .value = "NX,NY,NZ", .kind = CLI_LIST, CLI_FIELD(transpose_options, transpose.shape),
     .set = set_shape, .help = "lengths of the axes, the fastest first",
     .otherwise = "the file's; " CLI_QUOTE(USUAL_LENGTH) " each for measurements"},
    {"permute", .value = "ORDER", .kind = CLI_CHOICE,
     CLI_FIELD(transpose_options, transpose.permutation), .word = permutation_name,
     .help = "axes of the result, the fastest first", .otherwise = "for measurements: all"},
    {"element", .value = "BYTES", .kind = CLI_CHOICE,
     CLI_FIELD(transpose_options, transpose.element), .words = element_names, .values = elements,
     .help = "size of an element",
     .otherwise = "the file's; " CLI_QUOTE(USUAL_ELEMENT) " for measurements"},
    {"output", 'o', "OUT.npy", CLI_FILE, CLI_FIELD(transpose_options, output),
     .written = CLI_RESULT, .help = "file for the transposed array"},
    {.heading = "How:"},
    {"in-place", .kind = CLI_FLAG, CLI_FIELD(transpose_options, transpose.in_place),
     .help = "transpose in place on the device"},
    {"auxiliary", .value = "BYTES", .kind = CLI_BYTES,
     CLI_FIELD(transpose_options, transpose.auxiliary),
     .help = "with --in-place: additional device memory that may be used, e.g. 16M",
     .otherwise = "32M, or 1 % of the array"},
    {"study", .kind = CLI_FLAG, CLI_FIELD(transpose_options, study),
     .help = "measure all tile sizes and numbers of elements for each thread"},
    {0}};

static const char arguments_doc[] = "[--shape NX,NY,NZ]\n"
                                    "--permute ORDER IN.npy -o OUT.npy";

static const char command_doc[] =
    "Transpose an array of three axes: A(x, y, z), x fastest, into the order of axes asked for, "
    "out of place or in place.\n"
    "\n"
    "IN.npy is a NumPy file with elements of any type, gzipped or not; - is standard input. Its "
    "array is transposed. In a file of C order x is the last axis, in one of Fortran order the "
    "first; the result has the same order. Without a file, all permutations of a generated array "
    "are measured, and a copy of the same array for comparison. Every element of each result is "
    "checked.\v"
    "Examples:\n"
    "  tesela transpose --permute zyx field.npy -o turned.npy\n"
    "  tesela transpose --shape 512,512,512 --device cuda:0\n"
    "  tesela transpose --shape 640,480,3 --permute zxy --in-place\n"
    "  tesela transpose --study --json study.json";

static error_t set_argument(void *parsed, const char *text)
{
    transpose_options *options = parsed;
    if (options->input != NULL) {
        cli_error("'%s' is one argument too many: give one file, IN.npy", text);
        return EINVAL;
    }
    options->input = text;
    return 0;
}

static bool is_npy(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".npy") == 0;
}

static bool goes_together(const transpose_options *options)
{
    if ((options->input == NULL) != (options->output == NULL)) {
        cli_error("%s: tesela transpose --permute ORDER IN.npy -o OUT.npy",
                  options->input == NULL ? "-o needs a file to transpose"
                                         : "-o OUT.npy is missing");
    } else if (options->output != NULL && !is_npy(options->output)) {
        cli_error("-o %s: give a name that ends in .npy", options->output);
    } else if (options->input != NULL &&
               !cli_given(&options->common, &options->transpose.permutation)) {
        cli_error("--permute is missing: say in which order the axes shall be, e.g. --permute yxz");
    } else if (options->study && options->input != NULL) {
        cli_error("--study does not go with a file: leave one of them out");
    } else if (options->study && options->transpose.in_place) {
        cli_error("--study does not go with --in-place: tiles are chosen for moves out of place");
    } else if (options->transpose.auxiliary > 0 && !options->transpose.in_place) {
        cli_error("--auxiliary needs --in-place: out of place nothing is taken");
    } else {
        return cli_check_files(&options->common, &options->input, 1);
    }
    return false;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    transpose_options *out = options;
    *out = (transpose_options){.transpose = TSL_TRANSPOSE_OPTIONS_INIT};
    out->transpose.element = 0;
}

static bool check(void *options)
{
    transpose_options *const out = options;
    if (!goes_together(out)) {
        return false;
    }
    if (out->input == NULL) {
        for (int i = 0; i < 3 && out->transpose.shape[i] == 0; i++) {
            out->transpose.shape[i] = USUAL_LENGTH;
        }
        out->transpose.element =
            out->transpose.element == 0 ? USUAL_ELEMENT : out->transpose.element;
    }
    return true;
}

const cli_command cli_transpose = {.run = transpose_command,
                                   .doc = command_doc,
                                   .arguments = arguments_doc,
                                   .rows = rows,
                                   .size = sizeof(transpose_options),
                                   .init = init,
                                   .check = check,
                                   .argument = set_argument,
                                   .places = CLI_ONE_DEVICE};
