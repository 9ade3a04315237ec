/* The command line of `tesela fft`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fft/command.h"

enum { LONGEST = 1 << 24, MOST_BATCH = 1 << 30, BATCH_STEP = 4 };

const char *const fft_kind_names[] = {"c2c", "r2c", "c2r", NULL};
const char *const fft_precision_names[] = {"double", "single", NULL};
static const tsl_fft_kind kinds[] = {TSL_FFT_FORWARD, TSL_FFT_REAL_FORWARD, TSL_FFT_REAL_BACKWARD};
static const tsl_precision precisions[] = {TSL_DOUBLE, TSL_SINGLE};

/* Read values with commas between; the row says of which kind. */
static error_t set_list(const cli_option *row, const char *text, void *options)
{
    char word[32];
    fft_list *out = (fft_list *)(void *)((char *)options + row->field.offset);
    cli_option one = *row;
    one.kind = row->range.high > 0 ? CLI_INTEGER : CLI_CHOICE;
    one.field = (cli_field){0, sizeof(int)};
    out->count = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (out->count == FFT_LIST || length >= sizeof word) {
            return cli_refuse_value(row, text, "give at most %d values with commas between",
                                    FFT_LIST);
        }
        memcpy(word, at, length);
        word[length] = '\0';
        const error_t error = cli_set(&one, word, &out->value[out->count]);
        if (error != 0) {
            return error;
        }
        for (int i = 0; i < out->count; i++) {
            if (out->value[i] == out->value[out->count]) {
                return cli_refuse_value(row, text, "'%s' stands there twice", word);
            }
        }
        out->count++;
        at += length;
        if (*at == '\0') {
            return 0;
        }
    }
}

static const char *const stride_words[] = {"n", "n^2", NULL};
static const int strides_by_size[] = {FFT_STRIDE_N, FFT_STRIDE_N2};

static const cli_option rows[] = {
    {.heading = "What is measured, each in every combination:"},
    {"dimension", .value = "LIST", .kind = CLI_LIST, CLI_FIELD(fft_options, dimensions),
     .range = {1, 3}, .set = set_list, .help = "axes of a transform", .otherwise = "all"},
    {"sizes", .value = "LIST", .kind = CLI_LIST, CLI_FIELD(fft_options, sizes),
     .range = {2, LONGEST}, .set = set_list, .help = "lengths along each axis",
     .otherwise = "64,256,1024; in two dimensions 64,256, in three 16,32,64"},
    {"type", .value = "LIST", .kind = CLI_LIST, CLI_FIELD(fft_options, kinds),
     .words = fft_kind_names, .set = set_list, .help = "c2c, r2c and c2r", .otherwise = "all"},
    {"precision", .value = "LIST", .kind = CLI_LIST, CLI_FIELD(fft_options, precisions),
     .words = fft_precision_names, .set = set_list, .help = "double and single",
     .otherwise = "double"},
    {"batch", .value = "LIST", .kind = CLI_LIST, CLI_FIELD(fft_options, batches),
     .range = {1, MOST_BATCH}, .set = set_list, .help = "number of transforms in a call",
     .otherwise = "1, 4, 16, … while they fit --most"},
    {"stride", .value = "LIST", .kind = CLI_LIST, CLI_FIELD(fft_options, strides),
     .range = {1, INT32_MAX}, .words = stride_words, .values = strides_by_size, .set = set_list,
     .help = "distance between consecutive elements of a one-dimensional transform, in elements: "
             "numbers, n for the size, n^2 for its square",
     .otherwise = "1,n"},
    {"most", .value = "BYTES", .kind = CLI_BYTES, CLI_FIELD(fft_options, most),
     .range = {1, INT64_C(1) << 40}, .help = "largest array, @, e.g. 256M"},
    {.heading = cli_reporting},
    {"csv", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(fft_options, common.csv),
     .written = CLI_TABLE, .help = "write each measurement"},
    {"figure", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(fft_options, figure),
     .written = CLI_FIGURE, .help = "draw rates, and where to transpose first"},
    {0}};

static const char command_doc[] =
    "Measure which Fourier transforms are fast on a device: those of FFTW on one thread of the "
    "CPU, or those of cuFFT on a GPU. For each size, type, precision, batch and stride, the table "
    "has the time and the memory of the plan. Each transform is verified against sums.\n"
    "\n"
    "From these measurements it fits rules for this device: memory of a plan relative to its data, "
    "how much data a batch needs to be fast, and, for transforms with a stride, whether it is "
    "faster to transpose, transform contiguous lines and transpose back.\n"
    "\n"
    "GB/s count each element as read once and written once. GFLOP/s count 5 N log2 N operations "
    "for a complex transform of N cells, and half of that for a real one. A stride of s is that of "
    "a slower axis of an array whose faster axes have s elements; a batch is some lines of such an "
    "array, or whole arrays. Run it on an idle machine.\v"
    "Examples:\n"
    "  tesela fft study\n"
    "  tesela fft study --dimension 3 --sizes 60,64,67 --type r2c --csv sizes.csv\n"
    "  tesela fft study --dimension 1 --sizes 128,256 --stride n,n^2 --most 512M --figure map.svg\n"
    "  tesela fft study --device cuda:0 --most 1G --precision single,double --json study.json";

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

/* The cases that were found so far. */
typedef struct case_list {
    tsl_fft_case *out; /* NULL: cases are only counted */
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

/* Add batches that are powers of BATCH_STEP; with a stride the powers below it, and its products
 * with the powers. */
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

/* Add all strides of a size. */
static void add_strides(case_list *list, tsl_fft_case *what)
{
    const fft_list *strides =
        what->dimension == 1 ? given(&list->options->strides, &usual_strides) : &one_stride;
    for (int s = 0; s < strides->count; s++) {
        const int64_t n = what->n;
        const int64_t stride = strides->value[s] == FFT_STRIDE_N    ? n
                               : strides->value[s] == FFT_STRIDE_N2 ? n * n
                                                                    : strides->value[s];
        what->stride = stride < INT32_MAX ? (int)stride : INT32_MAX; /* larger strides never fit */
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

/* Are any of the transforms one-dimensional? Only those have strides. */
static bool has_lines(const fft_options *options)
{
    const fft_list *dimensions = given(&options->dimensions, &usual_dimensions);
    bool found = false;
    for (int i = 0; i < dimensions->count; i++) {
        found = found || dimensions->value[i] == 1;
    }
    return found;
}

static bool goes_together(const fft_options *options)
{
    int left_out;
    if (!options->asked) {
        cli_error("fft: say what to do: tesela fft study (see tesela fft --help)");
    } else if (options->common.threads > 1) {
        cli_error("--threads %d: a transform is done by one thread: leave --threads out",
                  options->common.threads);
    } else if (options->strides.count > 0 && !has_lines(options)) {
        cli_error("--stride goes with one dimension: add 1 to --dimension, or leave --stride out");
    } else if (fft_cases(NULL, &left_out, options) == 0) {
        cli_error("nothing to measure: %d combination%s with arrays of more than --most or 2^31 "
                  "elements, or batches that are not whole groups of --stride lines",
                  left_out, left_out == 1 ? "" : "s");
    } else {
        return cli_check_files(&options->common, NULL, 0);
    }
    return false;
}

static error_t set_argument(void *options, const char *text)
{
    (void)options;
    cli_error("'%s': fft has one action, study (see tesela fft --help)", text);
    return EINVAL;
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(fft_options *)options = (fft_options){.most = INT64_C(64) << 20};
}

static bool check(void *options)
{
    fft_options *const out = options;
    qsort(out->batches.value, (size_t)out->batches.count, sizeof(int), ascending);
    out->common.threads = out->common.threads == 0 ? 1 : out->common.threads;
    return goes_together(out);
}

static const cli_task tasks[] = {{.name = "nothing"}, {.word = "study"}, {0}};

const cli_command cli_fft = {.run = fft_command,
                             .doc = command_doc,
                             .arguments = "study",
                             .rows = rows,
                             .size = sizeof(fft_options),
                             .init = init,
                             .check = check,
                             .argument = set_argument,
                             .tasks = tasks,
                             CLI_TASK(fft_options, asked),
                             .places = CLI_ONE_DEVICE};
