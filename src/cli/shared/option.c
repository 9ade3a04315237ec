/* Rows of options: how values are stored, and the texts that rows give. */
#include "cli/shared/option.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/shared/cli.h"

bool cli_is_end(const cli_option *row)
{
    return row->name == NULL && row->letter == '\0' && row->heading == NULL;
}

const char *cli_spell(char text[CLI_SPELLED], const cli_option *row)
{
    if (row->name != NULL) {
        snprintf(text, CLI_SPELLED, "--%s", row->name);
    } else {
        snprintf(text, CLI_SPELLED, "-%c", row->letter);
    }
    return text;
}

/* ---- fields ------------------------------------------------------------------------------- */

static void store_integer(const cli_option *row, void *options, int64_t value)
{
    char *at = (char *)options + row->field.offset;
    switch (row->field.size) {
    case sizeof(bool):
        *(bool *)at = value != 0;
        break;
    case sizeof(int):
        *(int *)(void *)at = (int)value;
        break;
    default:
        *(int64_t *)(void *)at = value;
    }
}

static int64_t integer_of(const cli_option *row, const void *options)
{
    const char *at = (const char *)options + row->field.offset;
    return row->field.size == sizeof(bool)  ? *(const bool *)at
           : row->field.size == sizeof(int) ? *(const int *)(const void *)at
                                            : *(const int64_t *)(const void *)at;
}

static double *real_of(const cli_option *row, void *options)
{
    return (double *)(void *)((char *)options + row->field.offset);
}

static const char **text_of(const cli_option *row, void *options)
{
    return (const char **)(void *)((char *)options + row->field.offset);
}

static bool is_ranged(const cli_option *row)
{
    return row->range.low != 0 || row->range.high != 0;
}

static bool is_inside(const cli_option *row, double value)
{
    const cli_range *range = &row->range;
    return !is_ranged(row) ||
           ((range->above ? value > range->low : value >= range->low) && value <= range->high);
}

const char *cli_word(const cli_option *row, int place)
{
    return row->word != NULL ? row->word(place) : row->words != NULL ? row->words[place] : NULL;
}

/* Place of the word that stores this value; -1: none does. */
static int place_of(const cli_option *row, int64_t value)
{
    for (int i = 0; cli_word(row, i) != NULL; i++) {
        if (value == (row->values != NULL ? row->values[i] : i)) {
            return i;
        }
    }
    return -1;
}

/* Place of a word; -1: it is not among the words. */
static int find_word(const cli_option *row, const char *text)
{
    for (int i = 0; cli_word(row, i) != NULL; i++) {
        if (strcmp(cli_word(row, i), text) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- texts -------------------------------------------------------------------------------- */

enum { WORDS = 512 };

/* Append `more`, as far as there is room. */
static void append(char *text, size_t bytes, const char *more)
{
    const size_t length = strlen(text);
    snprintf(text + length, bytes - length, "%s", more);
}

/* Write "cg, cg-single (one reduction an iteration) or gmres"; with `notes` as --help has it. */
static void list_words(char text[WORDS], const cli_option *row, bool notes)
{
    text[0] = '\0';
    for (int i = 0; cli_word(row, i) != NULL; i++) {
        const bool last = cli_word(row, i + 1) == NULL;
        append(text, WORDS, i == 0 ? "" : last ? " or " : ", ");
        append(text, WORDS, cli_word(row, i));
        if (notes && row->notes != NULL && row->notes[i] != NULL) {
            append(text, WORDS, " (");
            append(text, WORDS, row->notes[i]);
            append(text, WORDS, ")");
        }
    }
}

/* Write "1e-8", where C writes 1e-08. */
static void print_real(char text[32], double value)
{
    char raw[32];
    snprintf(raw, sizeof raw, "%g", value);
    const char *exponent = strchr(raw, 'e');
    if (exponent == NULL) {
        memcpy(text, raw, sizeof raw);
        return;
    }
    const char *digits = exponent + 2;
    snprintf(text, 32, "%.*se%s%s", (int)(exponent - raw), raw, exponent[1] == '-' ? "-" : "",
             digits + strspn(digits, "0"));
}

/* Write a number of the row's kind. */
static void print_number(char text[32], const cli_option *row, double value)
{
    static const char suffixes[] = "\0KMGT";
    int power = 0;
    if (row->kind == CLI_BYTES) {
        while (power < 4 && value >= 1024 && fmod(value, 1024) == 0) {
            value /= 1024;
            power++;
        }
        snprintf(text, 32, "%.0f%.1s", value, suffixes + power);
    } else if (row->kind == CLI_REAL) {
        print_real(text, value);
    } else {
        snprintf(text, 32, "%.0f", value);
    }
}

/* Write a range; `from` is the word before a range with two ends. */
static void print_range(char text[64], const cli_option *row, const char *from)
{
    char low[32], high[32];
    const cli_range *range = &row->range;
    text[0] = '\0';
    if (!is_ranged(row)) {
        return;
    }
    print_number(low, row, range->low);
    print_number(high, row, range->high);
    if (isinf(range->high)) {
        snprintf(text, 64, range->above ? "above %s" : "from %s up", low);
    } else if (range->above) {
        snprintf(text, 64, "above %s, up to %s", low, high);
    } else {
        snprintf(text, 64, "%s%s to %s", from, low, high);
    }
}

void cli_range_text(char text[64], const cli_option *row)
{
    cli_option open = *row;
    /* no upper end: it is the largest int */
    if (row->kind == CLI_INTEGER && row->range.high >= INT_MAX) {
        open.range.high = row->range.low != 0 ? INFINITY : 0;
    }
    print_range(text, &open, "");
}

/* Write the value of a field; "" if it says nothing. */
static void print_field(char text[WORDS], const cli_option *row, const void *defaults)
{
    void *fields = (void *)(uintptr_t)defaults; /* the fields are only read */
    char number[32] = "";
    const char *found = NULL;
    int place = -1;
    switch (row->kind) {
    case CLI_CHOICE:
        place = place_of(row, integer_of(row, defaults));
        break;
    case CLI_TEXT:
    case CLI_FILE:
    case CLI_FOLDER:
        found = *text_of(row, fields);
        break;
    case CLI_INTEGER:
    case CLI_BYTES:
    case CLI_REAL: {
        const bool real = row->kind == CLI_REAL;
        const int64_t whole = real ? 0 : integer_of(row, defaults);
        const double value = real ? *real_of(row, fields) : (double)whole;
        place = real || row->values == NULL ? -1 : place_of(row, whole);
        if (place < 0 && is_inside(row, value) && (is_ranged(row) || value != 0)) {
            print_number(number, row, value);
        }
        break;
    }
    default:
        break;
    }
    found = place >= 0 ? cli_word(row, place) : found;
    snprintf(text, WORDS, "%s", found != NULL ? found : number);
}

/* Copy a text with '@' replaced. True if there was one. */
static bool replace(char *text, size_t bytes, const char *with_marks, const char *value)
{
    const char *mark = strchr(with_marks, '@');
    if (mark == NULL) {
        snprintf(text, bytes, "%s", with_marks);
        return false;
    }
    snprintf(text, bytes, "%.*s%s%s", (int)(mark - with_marks), with_marks, value, mark + 1);
    return true;
}

void cli_default_text(char text[CLI_HELP], const cli_option *row, const void *defaults)
{
    char value[WORDS];
    print_field(value, row, defaults);
    replace(text, CLI_HELP, row->otherwise != NULL ? row->otherwise : "@", value);
}

void cli_option_help(char text[CLI_HELP], const cli_option *row, const void *defaults)
{
    char value[CLI_HELP], takes[WORDS];
    const char *user = row->user != NULL ? row->user : "";
    const size_t before = (size_t)snprintf(text, CLI_HELP, "%s%s", user, *user != '\0' ? ": " : "");
    const bool choice = row->kind == CLI_CHOICE;
    if (choice) {
        list_words(takes, row, true);
    } else {
        cli_range_text(takes, row);
    }
    if (!replace(text + before, CLI_HELP - before, row->help, takes) && takes[0] != '\0') {
        append(text, CLI_HELP, choice ? ": " : ", ");
        append(text, CLI_HELP, takes);
    }
    append(text, CLI_HELP,
           row->written == CLI_FIGURE  ? ": " CLI_FIGURE_ENDINGS
           : row->written == CLI_TABLE ? " as comma-separated values; - is standard output"
                                       : "");
    cli_default_text(value, row, defaults);
    if (value[0] != '\0') {
        append(text, CLI_HELP, " (");
        append(text, CLI_HELP, value);
        append(text, CLI_HELP, ")");
    }
}

/* ---- values ------------------------------------------------------------------------------- */

error_t cli_refuse_value(const cli_option *row, const char *text, const char *format, ...)
{
    char message[WORDS], name[CLI_SPELLED];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    cli_error("%s '%s': %s", cli_spell(name, row), text, message);
    return EINVAL;
}

/* Add the words that may stand in a number's place: ", or ftdock". */
static void add_words(char *text, size_t bytes, const cli_option *row)
{
    char words[WORDS];
    list_words(words, row, false);
    if (words[0] != '\0') {
        append(text, bytes, ", or ");
        append(text, bytes, words);
    }
}

static error_t refuse_number(const cli_option *row, const char *text)
{
    char range[64], words[WORDS] = "";
    print_range(range, row, "from ");
    add_words(words, sizeof words, row);
    const char *noun = row->noun != NULL       ? row->noun
                       : row->kind == CLI_REAL ? "a number"
                                               : "a whole number";
    return cli_refuse_value(row, text, "give %s%s%s%s", noun, range[0] != '\0' ? " " : "", range,
                            words);
}

static error_t set_bytes(const cli_option *row, const char *text, void *options)
{
    char bound[32];
    int64_t bytes = 0;
    const bool none = strcmp(text, "0") == 0 && is_ranged(row) && is_inside(row, 0);
    if (!none && !cli_parse_bytes(text, &bytes)) {
        return cli_refuse_value(row, text,
                                "give a number of bytes, with K, M, G or T if you like: "
                                "8K, 64M or 4G");
    }
    if (!is_inside(row, (double)bytes)) {
        const bool more = (double)bytes > row->range.high;
        print_number(bound, row, more ? row->range.high : row->range.low);
        return cli_refuse_value(row, text, "give at %s %s bytes", more ? "most" : "least", bound);
    }
    store_integer(row, options, bytes);
    return 0;
}

static error_t set_choice(const cli_option *row, const char *text)
{
    enum { MOST = 64 };
    const char *names[MOST + 1] = {NULL};
    char words[WORDS];
    list_words(words, row, false);
    for (int i = 0; i < MOST && cli_word(row, i) != NULL; i++) {
        names[i] = cli_word(row, i);
    }
    const char *near = cli_nearest(text, names);
    return cli_refuse_value(row, text, "give %s%s%s%s%s%s", row->noun != NULL ? row->noun : "",
                            row->noun != NULL ? ": " : "", words,
                            near != NULL ? "; did you mean " : "", near != NULL ? near : "",
                            near != NULL ? "?" : "");
}

static error_t set_number(const cli_option *row, const char *text, void *options)
{
    int whole = 0;
    double real = 0;
    const bool is_real = row->kind == CLI_REAL;
    const bool read = is_real ? cli_parse_real(text, &real) : cli_parse_integer(text, &whole);
    if (!read || !is_inside(row, is_real ? real : whole)) {
        return refuse_number(row, text);
    }
    if (is_real) {
        *real_of(row, options) = real;
    } else {
        store_integer(row, options, whole);
    }
    return 0;
}

error_t cli_set(const cli_option *row, const char *text, void *options)
{
    const int place = row->kind != CLI_FLAG ? find_word(row, text) : -1;
    switch (row->kind) {
    case CLI_FLAG:
        store_integer(row, options, row->values != NULL ? row->values[0] : 1);
        return 0;
    case CLI_BYTES:
        return set_bytes(row, text, options);
    case CLI_CHOICE:
    case CLI_INTEGER:
    case CLI_REAL:
        if (place >= 0) {
            store_integer(row, options, row->values != NULL ? row->values[place] : place);
            return 0;
        }
        return row->kind == CLI_CHOICE ? set_choice(row, text) : set_number(row, text, options);
    default:
        *text_of(row, options) = text;
        return 0;
    }
}

/* ---- reports ------------------------------------------------------------------------------ */

static void echo(tsl_json *json, const char *name, const cli_option *row, const void *options)
{
    void *fields = (void *)(uintptr_t)options; /* the fields are only read */
    const bool whole = row->kind == CLI_INTEGER || row->kind == CLI_BYTES;
    const bool words = row->kind == CLI_CHOICE;
    const int64_t value = whole || words || row->kind == CLI_FLAG ? integer_of(row, options) : 0;
    const bool all = row->echo == CLI_TOLD;
    if (row->kind == CLI_FLAG) {
        tsl_json_bool(json, name, value != 0);
    } else if (words) {
        const int place = place_of(row, value);
        tsl_json_string(json, name, place >= 0 ? cli_word(row, place) : NULL);
    } else if (whole) {
        const bool said = row->values != NULL && place_of(row, value) >= 0 ? false
                          : is_ranged(row) ? is_inside(row, (double)value)
                                           : value != 0;
        tsl_json_known_integer(json, name, value, all || said);
    } else if (row->kind == CLI_REAL) {
        const double real = *real_of(row, fields);
        tsl_json_known_number(json, name, real,
                              all || (is_ranged(row) ? is_inside(row, real) : real != 0));
    } else {
        tsl_json_string(json, name, *text_of(row, fields));
    }
}

void cli_echo_options(tsl_json *json, const cli_command *command, const void *options)
{
    cli_option rows[CLI_MOST_ROWS];
    cli_rows(rows, command);
    for (const cli_option *row = rows; !cli_is_end(row); row++) {
        char name[CLI_SPELLED];
        if (row->echo != CLI_UNTOLD &&
            (row->tasks == 0 || (row->tasks & cli_task_bit(command, options)) != 0)) {
            snprintf(name, sizeof name, "%s", row->name);
            for (char *dash = strchr(name, '-'); dash != NULL; dash = strchr(dash, '-')) {
                *dash = '_';
            }
            echo(json, name, row, options);
        }
    }
}
