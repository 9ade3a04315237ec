/* The command line of `tesela fft`, and the cases it asks for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fft/command.h"

enum {
    KEY_DIMENSION = 0x300,
    KEY_SIZES,
    KEY_TYPE,
    KEY_PRECISION,
    KEY_BATCH,
    KEY_STRIDE,
    KEY_MOST,
    KEY_CSV,
    KEY_FIGURE
};
enum { LONGEST = 1 << 24, MOST_BATCH = 1 << 30, BATCH_STEP = 4 };

const char *const fft_kind_names[] = {"c2c", "r2c", "c2r", NULL};
const char *const fft_precision_names[] = {"double", "single", NULL};
static const tsl_fft_kind kinds[] = {TSL_FFT_FORWARD, TSL_FFT_REAL_FORWARD, TSL_FFT_REAL_BACKWARD};
static const tsl_precision precisions[] = {TSL_DOUBLE, TSL_SINGLE};

static const struct argp_option options_table[] = {
    {NULL, 0, NULL, 0, "What is measured, each in every combination:", 1},
    {"dimension", KEY_DIMENSION, "LIST", 0, "1, 2 and 3 (all)", 1},
    {"sizes", KEY_SIZES, "LIST", 0,
     "lengths along each axis (64,256,1024; in two dimensions 64,256, in three 16,32,64)", 1},
    {"type", KEY_TYPE, "LIST", 0, "c2c, r2c and c2r (all)", 1},
    {"precision", KEY_PRECISION, "LIST", 0, "double and single (double)", 1},
    {"batch", KEY_BATCH, "LIST", 0, "transforms a call (1, 4, 16, … while they fit --most)", 1},
    {"stride", KEY_STRIDE, "LIST", 0,
     "elements from one to the next of a transform, in one dimension: numbers, n for the size, n^2 "
     "for its square (1,n)",
     1},
    {"most", KEY_MOST, "BYTES", 0, "largest array, e.g. 256M (64M)", 1},
    {"csv", KEY_CSV, "FILE", 0,
     "write each measurement as comma-separated values; - is standard output", 91},
    {"figure", KEY_FIGURE, "FILE", 0,
     "draw rates, and where to transpose first: .svg, .png or .pdf", 91},
    {0}};

static const char command_doc[] =
    "Measure which Fourier transforms are fast on a device: FFTW's on the CPU, on one thread, "
    "cuFFT's on a GPU. For each size, type, precision, batch and stride: the time, and the memory "
    "the plan takes. Each transform measured is verified against sums.\n"
    "\n"
    "From these it fits rules for this device: memory of a plan over its data, how much data a "
    "batch needs to be fast, and, for transforms with a stride, whether to transpose, transform "
    "contiguous lines and transpose back.\n"
    "\n"
    "GB/s count each element read and written once; GFLOP/s are 5 N log2 N a complex transform of "
    "N cells, half of that a real one. A stride of s is that along a slower axis of an array whose "
    "faster axes have s elements; batches are some lines of such an array, or whole arrays. Give "
    "it "
    "an idle machine."
    "\v"
    "Examples:\n"
    "  tesela fft study\n"
    "  tesela fft study --dimension 3 --sizes 60,64,67 --type r2c --csv sizes.csv\n"
    "  tesela fft study --dimension 1 --sizes 128,256 --stride n,n^2 --most 512M --figure map.svg\n"
    "  tesela fft study --device cuda:0 --most 1G --precision single,double --json study.json";

/* ---- lists -------------------------------------------------------------------------------- */

/* Sets one value of a list from its word: 0 or EINVAL, when a message is out. */
typedef error_t set_word(const char *option, const char *word, int *out);

static error_t set_list(const char *option, const char *text, set_word *set, fft_list *out)
{
    char word[32];
    out->count = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (out->count == FFT_LIST || length >= sizeof word) {
            cli_error("%s '%s': give at most %d values with commas between", option, text,
                      FFT_LIST);
            return EINVAL;
        }
        memcpy(word, at, length);
        word[length] = '\0';
        const error_t error = set(option, word, &out->value[out->count]);
        if (error != 0) {
            return error;
        }
        for (int i = 0; i < out->count; i++) {
            if (out->value[i] == out->value[out->count]) {
                cli_error("%s '%s': '%s' stands there twice", option, text, word);
                return EINVAL;
            }
        }
        out->count++;
        at += length;
        if (*at == '\0') {
            return 0;
        }
    }
}

static error_t set_dimension(const char *option, const char *word, int *out)
{
    return cli_set_integer(option, word, 1, 3, out);
}

static error_t set_size(const char *option, const char *word, int *out)
{
    return cli_set_integer(option, word, 2, LONGEST, out);
}

static error_t set_batch(const char *option, const char *word, int *out)
{
    return cli_set_integer(option, word, 1, MOST_BATCH, out);
}

static error_t set_kind(const char *option, const char *word, int *out)
{
    return cli_set_choice(option, word, fft_kind_names, out);
}

static error_t set_precision(const char *option, const char *word, int *out)
{
    return cli_set_choice(option, word, fft_precision_names, out);
}

static error_t set_stride(const char *option, const char *word, int *out)
{
    const bool by_size = strcmp(word, "n") == 0;
    if (by_size || strcmp(word, "n^2") == 0) {
        *out = by_size ? FFT_STRIDE_N : FFT_STRIDE_N2;
        return 0;
    }
    if (!cli_parse_integer(word, out) || *out < 1) {
        cli_error("%s '%s': give a whole number from 1, n or n^2", option, word);
        return EINVAL;
    }
    return 0;
}

static error_t set_most(fft_options *options, const char *text)
{
    const error_t error = cli_set_bytes("--most", text, "256M", &options->most);
    if (error == 0 && options->most > INT64_C(1) << 40) {
        cli_error("--most '%s': give at most 1T", text);
        return EINVAL;
    }
    return error;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    fft_options *options = state->input;
    switch (key) {
    case KEY_DIMENSION:
        return set_list("--dimension", text, set_dimension, &options->dimensions);
    case KEY_SIZES:
        return set_list("--sizes", text, set_size, &options->sizes);
    case KEY_TYPE:
        return set_list("--type", text, set_kind, &options->kinds);
    case KEY_PRECISION:
        return set_list("--precision", text, set_precision, &options->precisions);
    case KEY_BATCH:
        return set_list("--batch", text, set_batch, &options->batches);
    case KEY_STRIDE:
        return set_list("--stride", text, set_stride, &options->strides);
    case KEY_MOST:
        return set_most(options, text);
    case KEY_CSV:
        options->common.csv = text;
        return 0;
    case KEY_FIGURE:
        options->figure = text;
        return 0;
    case ARGP_KEY_ARG:
        if (options->asked || strcmp(text, "study") != 0) {
            cli_error("'%s': fft has one action, study (see tesela fft --help)", text);
            return EINVAL;
        }
        options->asked = true;
        return 0;
    case ARGP_KEY_END:
        if (!options->asked) {
            cli_error("fft: say what to do: tesela fft study (see tesela fft --help)");
            return EINVAL;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- cases -------------------------------------------------------------------------------- */

static const fft_list usual_dimensions = {3, {1, 2, 3}};
static const fft_list usual_sizes[] = {{3, {64, 256, 1024}}, {2, {64, 256}}, {3, {16, 32, 64}}};
static const fft_list usual_kinds = {3, {0, 1, 2}};
static const fft_list usual_precisions = {1, {0}};
static const fft_list usual_strides = {2, {1, FFT_STRIDE_N}};
static const fft_list one_stride = {1, {1}};

static const fft_list *given(const fft_list *list, const fft_list *usual)
{
    return list->count > 0 ? list : usual;
}

/* The cases as they are found. */
typedef struct case_list {
    tsl_fft_case *out; /* NULL: they are only counted */
    int count, left_out;
    const fft_options *options;
} case_list;

static bool add(case_list *list, const tsl_fft_case *what)
{
    if (!tsl_fft_case_fits(what, list->options->most)) {
        return false;
    }
    if (list->out != NULL) {
        list->out[list->count] = *what;
    }
    list->count++;
    return true;
}

/* Powers of BATCH_STEP, and with a stride those below it and its products with them. */
static void add_usual_batches(case_list *list, tsl_fft_case *what)
{
    int64_t batch = 1;
    bool any = false;
    while (what->batch = (int)batch, add(list, what)) {
        any = true;
        const int64_t next = batch * BATCH_STEP;
        batch = batch < what->stride && next > what->stride ? what->stride : next;
        if (batch > MOST_BATCH) {
            break;
        }
    }
    list->left_out += !any;
}

static void add_series(case_list *list, tsl_fft_case *what)
{
    const fft_list *batches = &list->options->batches;
    for (int b = 0; b < batches->count; b++) {
        what->batch = batches->value[b];
        list->left_out += !add(list, what);
    }
    if (batches->count == 0) {
        add_usual_batches(list, what);
    }
}

/* All strides of a size. */
static void add_strides(case_list *list, tsl_fft_case *what)
{
    const fft_list *strides =
        what->dimension == 1 ? given(&list->options->strides, &usual_strides) : &one_stride;
    for (int s = 0; s < strides->count; s++) {
        const int64_t n = what->n;
        const int64_t stride = strides->value[s] == FFT_STRIDE_N    ? n
                               : strides->value[s] == FFT_STRIDE_N2 ? n * n
                                                                    : strides->value[s];
        what->stride = stride < INT32_MAX ? (int)stride : INT32_MAX; /* which never fits */
        add_series(list, what);
    }
}

int fft_cases(tsl_fft_case *out, int *left_out, const fft_options *options)
{
    case_list list = {.out = out, .options = options};
    const fft_list *dimensions = given(&options->dimensions, &usual_dimensions);
    const fft_list *types = given(&options->kinds, &usual_kinds);
    const fft_list *words = given(&options->precisions, &usual_precisions);
    for (int d = 0; d < dimensions->count; d++) {
        const int dimension = dimensions->value[d];
        const fft_list *sizes = given(&options->sizes, &usual_sizes[dimension - 1]);
        for (int p = 0; p < words->count; p++) {
            for (int k = 0; k < types->count; k++) {
                for (int i = 0; i < sizes->count; i++) {
                    tsl_fft_case what = {.kind = kinds[types->value[k]],
                                         .precision = precisions[words->value[p]],
                                         .dimension = dimension,
                                         .n = sizes->value[i]};
                    add_strides(&list, &what);
                }
            }
        }
    }
    *left_out = list.left_out;
    return list.count;
}

/* ---- the whole line ----------------------------------------------------------------------- */

static int ascending(const void *left, const void *right)
{
    const int a = *(const int *)left;
    const int b = *(const int *)right;
    return (a > b) - (a < b);
}

/* Only transforms of one dimension have strides. */
static bool has_lines(const fft_options *options)
{
    const fft_list *dimensions = given(&options->dimensions, &usual_dimensions);
    bool found = false;
    for (int i = 0; i < dimensions->count; i++) {
        found = found || dimensions->value[i] == 1;
    }
    return found;
}

static bool check(const fft_options *options)
{
    int left_out;
    if (options->common.threads > 1) {
        cli_error("--threads %d: a transform is done by one thread: leave --threads out",
                  options->common.threads);
    } else if (options->strides.count > 0 && !has_lines(options)) {
        cli_error("--stride goes with one dimension: add 1 to --dimension, or leave --stride out");
    } else if (fft_cases(NULL, &left_out, options) == 0) {
        cli_error("nothing to measure: %d combination%s with arrays of more than --most or 2^31 "
                  "elements, or batches that are not whole groups of --stride lines",
                  left_out, left_out == 1 ? "" : "s");
    } else {
        const cli_file files[] = {{"--csv", options->common.csv}, {"--figure", options->figure}};
        return cli_can_write_csv(&options->common) &&
               cli_can_write_figure("--figure", options->figure) &&
               cli_are_apart(files, sizeof files / sizeof *files, options->common.json);
    }
    return false;
}

bool fft_options_parse(fft_options *out, int argc, char **argv, int *exit_status)
{
    static const struct argp argp = {
        .options = options_table, .parser = parse_option, .args_doc = "study", .doc = command_doc};
    *out = (fft_options){.most = INT64_C(64) << 20};
    if (!cli_parse(&argp, out, &out->common, argc, argv, exit_status)) {
        return false;
    }
    qsort(out->batches.value, (size_t)out->batches.count, sizeof(int), ascending);
    out->common.threads = out->common.threads == 0 ? 1 : out->common.threads;
    *exit_status = CLI_USAGE;
    return check(out);
}
