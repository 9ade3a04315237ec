/* The command line of `tesela transpose`. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "cli/transpose/command.h"

enum { KEY_SHAPE = 0x300, KEY_PERMUTE, KEY_IN_PLACE, KEY_ELEMENT, KEY_AUXILIARY, KEY_STUDY };

static const struct argp_option options_table[] = {
    {NULL, 0, NULL, 0, "What to transpose:", 1},
    {"shape", KEY_SHAPE, "NX,NY,NZ", 0,
     "lengths of the axes, the fastest first (the file's; 256,256,256 for measurements)", 1},
    {"permute", KEY_PERMUTE, "ORDER", 0,
     "axes of the result, the fastest first: xyz, yxz, zyx, xzy, yzx or zxy (for measurements: "
     "all)",
     1},
    {"element", KEY_ELEMENT, "BYTES", 0,
     "size of an element: 4, 8 or 16 (the file's; 8 for measurements)", 1},
    {"output", 'o', "OUT.npy", 0, "where the transposed file goes", 1},
    {NULL, 0, NULL, 0, "How:", 2},
    {"in-place", KEY_IN_PLACE, NULL, 0, "let the result take the array's place on the device", 2},
    {"auxiliary", KEY_AUXILIARY, "BYTES", 0,
     "with --in-place: device memory it may take besides, e.g. 16M (32M, or 1 % of the array)", 2},
    {"study", KEY_STUDY, NULL, 0, "measure every side of tiles and number of elements a thread", 2},
    {0}};

static const char arguments_doc[] = "[--shape NX,NY,NZ]\n"
                                    "--permute ORDER IN.npy -o OUT.npy";

static const char command_doc[] =
    "Transpose an array of three axes: A(x, y, z), x fastest, into the order of axes asked for, "
    "out of place or in place.\n"
    "\n"
    "With IN.npy, a NumPy file, gzipped or not, of elements of any type, its array is transposed; "
    "- "
    "is standard input. In a file "
    "of C order x is the last axis, in one of Fortran order the first; the result has the same "
    "order. Without a file all permutations are measured on made-up elements, beside a copy of "
    "the same array, and every element of each result is checked."
    "\v"
    "Examples:\n"
    "  tesela transpose --permute zyx field.npy -o turned.npy\n"
    "  tesela transpose --shape 512,512,512 --device cuda:0\n"
    "  tesela transpose --shape 640,480,3 --permute zxy --in-place\n"
    "  tesela transpose --study --json study.json";

static error_t set_shape(transpose_options *options, const char *text)
{
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        int64_t length = 0;
        const char *first = at;
        while (*at >= '0' && *at <= '9' && length < INT64_MAX / 100) {
            length = 10 * length + (*at++ - '0');
        }
        if (at == first || length < 1 || *at != (i < 2 ? ',' : '\0')) {
            cli_error("--shape '%s': give three whole numbers, e.g. 640,480,3", text);
            return EINVAL;
        }
        options->transpose.shape[i] = length;
        at++;
    }
    int64_t bytes;
    if (!tsl_transpose_bytes(&bytes, options->transpose.shape, 16)) {
        cli_error("--shape '%s': more elements than any memory holds: give fewer", text);
        return EINVAL;
    }
    return 0;
}

static error_t set_permutation(transpose_options *options, const char *text)
{
    if (tsl_permutation_parse(&options->transpose.permutation, text) != TSL_OK) {
        cli_error("--permute '%s': give xyz, yxz, zyx, xzy, yzx or zxy", text);
        return EINVAL;
    }
    options->has_permutation = true;
    return 0;
}

static error_t set_element(transpose_options *options, const char *text)
{
    int element;
    if (!cli_parse_integer(text, &element) || (element != 4 && element != 8 && element != 16)) {
        cli_error("--element '%s': give 4, 8 or 16", text);
        return EINVAL;
    }
    options->transpose.element = element;
    return 0;
}

static error_t set_argument(transpose_options *options, const char *text)
{
    if (options->input != NULL) {
        cli_error("'%s' is one argument too many: give one file, IN.npy", text);
        return EINVAL;
    }
    options->input = text;
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    transpose_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        return set_argument(options, text);
    case KEY_SHAPE:
        return set_shape(options, text);
    case KEY_PERMUTE:
        return set_permutation(options, text);
    case KEY_ELEMENT:
        return set_element(options, text);
    case KEY_IN_PLACE:
        options->transpose.in_place = 1;
        return 0;
    case KEY_AUXILIARY:
        return cli_set_bytes("--auxiliary", text, "16M", &options->transpose.auxiliary);
    case KEY_STUDY:
        options->study = true;
        return 0;
    case 'o':
        options->output = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool is_npy(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".npy") == 0;
}

static bool check(const transpose_options *options)
{
    if ((options->input == NULL) != (options->output == NULL)) {
        cli_error("%s: tesela transpose --permute ORDER IN.npy -o OUT.npy",
                  options->input == NULL ? "-o needs a file to transpose"
                                         : "-o OUT.npy is missing");
    } else if (options->output != NULL && !is_npy(options->output)) {
        cli_error("-o %s: give a name that ends in .npy", options->output);
    } else if (options->input != NULL && !options->has_permutation) {
        cli_error("--permute is missing: say in which order the axes shall be, e.g. --permute yxz");
    } else if (options->study && options->input != NULL) {
        cli_error("--study does not go with a file: leave one of them out");
    } else if (options->study && options->transpose.in_place) {
        cli_error("--study does not go with --in-place: tiles are chosen for moves out of place");
    } else if (options->transpose.auxiliary > 0 && !options->transpose.in_place) {
        cli_error("--auxiliary needs --in-place: out of place nothing is taken");
    } else {
        const cli_file files[] = {{NULL, options->input}, {"-o", options->output}};
        return (options->output == NULL || cli_can_write("-o", options->output, false)) &&
               cli_are_apart(files, sizeof files / sizeof *files, options->common.json);
    }
    return false;
}

bool transpose_options_parse(transpose_options *out, int argc, char **argv, int *exit_status)
{
    static const struct argp argp = {.options = options_table,
                                     .parser = parse_option,
                                     .args_doc = arguments_doc,
                                     .doc = command_doc};
    *out = (transpose_options){.transpose = TSL_TRANSPOSE_OPTIONS_INIT};
    out->transpose.element = 0;
    if (!cli_parse(&argp, out, &out->common, argc, argv, exit_status) || !check(out)) {
        return false;
    }
    if (out->input == NULL) {
        for (int i = 0; i < 3 && out->transpose.shape[i] == 0; i++) {
            out->transpose.shape[i] = 256;
        }
        out->transpose.element = out->transpose.element == 0 ? 8 : out->transpose.element;
    }
    return true;
}
