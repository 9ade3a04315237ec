/* Files of contact potentials, 18 lines of 18 numbers, and of pair potentials, 18 such lines for
 * each bin of distances after a line with the bin's outer end. Empty lines, and text behind a #,
 * have no meaning. */
#include <math.h>
#include <string.h>

#include "cli/dock/command.h"
#include "core/context.h"
#include "io/file/text.h"

enum { TYPES = TSL_CONTACT_TYPE_COUNT, LONGEST = 1 << 20 /* bytes */ };

/* Read the numbers of a line. Returns their count, -1 if a word is no number. */
static int read_numbers(const char *line, size_t length, double numbers[TYPES])
{
    const char *comment = memchr(line, '#', length);
    const char *end = comment != NULL ? comment : line + length;
    int count = 0;
    for (const char *word = line; word < end; word++) {
        if (*word == ' ' || *word == '\t') {
            continue;
        }
        const char *begin = word;
        double number;
        while (word < end && *word != ' ' && *word != '\t') {
            word++;
        }
        if (!tsl_parse_decimal(begin, (size_t)(word - begin), &number) || fabs(number) > 100) {
            return -1;
        }
        if (count < TYPES) {
            numbers[count] = number;
        }
        count++;
    }
    return count;
}

/* A file that is being read. */
typedef struct table_file {
    const char *path;
    tsl_text text;
    tsl_lines lines;
} table_file;

/* Go on to the next line with numbers. Returns their count, 0 at the end, -1 for a line that cannot
 * be one of a table's. */
static int next_numbers(table_file *from, double numbers[TYPES])
{
    const char *line;
    size_t length;
    while (tsl_lines_next(&from->lines, &line, &length)) {
        const int count = read_numbers(line, length, numbers);
        if (count != 0) {
            return count;
        }
    }
    return 0;
}

static bool is_symmetric(const char *path, double table[TYPES][TYPES])
{
    for (int i = 0; i < TYPES * TYPES; i++) {
        const int row = i / TYPES, column = i % TYPES;
        if (fabs(table[row][column] - table[column][row]) > 1e-9) {
            cli_error("%s: row %d, column %d has %g, but the other way round it is %g: give a "
                      "symmetric table",
                      path, row + 1, column + 1, table[row][column], table[column][row]);
            return false;
        }
    }
    return true;
}

/* Read the lines of a table. */
static bool read_table(table_file *from, double table[TYPES][TYPES])
{
    for (int row = 0; row < TYPES; row++) {
        double numbers[TYPES];
        const int count = next_numbers(from, numbers);
        if (count == 0) {
            cli_error("%s: ends after %d lines of numbers: give %d lines of %d", from->path, row,
                      TYPES, TYPES);
            return false;
        }
        if (count != TYPES) {
            cli_error(
                "%s:%lld: is no line of a table: give %d lines of %d numbers from -100 to 100",
                from->path, (long long)from->lines.number, TYPES, TYPES);
            return false;
        }
        memcpy(table[row], numbers, sizeof numbers);
    }
    return is_symmetric(from->path, table);
}

static bool open_table(table_file *out, const char *option, const char *path)
{
    tsl_context none = {0};
    *out = (table_file){.path = path};
    if (tsl_text_read_if(&out->text, &none, path, LONGEST, tsl_text_is) != TSL_OK) {
        cli_error("%s %s", option, tsl_last_error(&none));
        return false;
    }
    out->lines = tsl_lines_of(out->text.data, out->text.size);
    return true;
}

bool dock_contacts_read(dock_options *options)
{
    table_file from;
    double numbers[TYPES];
    if (!open_table(&from, "--contacts", options->contacts)) {
        return false;
    }
    bool valid = read_table(&from, options->table);
    if (valid && next_numbers(&from, numbers) != 0) {
        cli_error("%s:%lld: is one line too many: give %d lines of %d numbers from -100 to 100",
                  from.path, (long long)from.lines.number, TYPES, TYPES);
        valid = false;
    }
    tsl_text_release(&from.text);
    options->dock.complementarity.table = &options->table[0][0];
    return valid;
}

/* Read a bin's end and its table. */
static bool read_bin(table_file *from, dock_options *options, int bin, int count, double edge)
{
    const double least = bin > 0 ? options->pair_edges[bin - 1] : 2;
    if (bin == TSL_PAIR_BINS || count != 1 || !(edge >= least) || (bin > 0 && edge == least) ||
        edge > TSL_PAIR_LONGEST) {
        cli_error(
            "%s:%lld: is no end of a bin: give at most %d bins, each the distance in angstrom "
            "that it ends at, ascending from 2 to %d, and %d lines of %d numbers",
            from->path, (long long)from->lines.number, TSL_PAIR_BINS, TSL_PAIR_LONGEST, TYPES,
            TYPES);
        return false;
    }
    options->pair_edges[bin] = edge;
    return read_table(from, options->pair_values[bin]);
}

bool dock_potentials_read(dock_options *options)
{
    table_file from;
    double numbers[TYPES] = {0};
    int bins = 0;
    if (!open_table(&from, "--potentials", options->potentials)) {
        return false;
    }
    bool valid = true;
    for (int count; valid && (count = next_numbers(&from, numbers)) != 0;) {
        valid = read_bin(&from, options, bins, count, numbers[0]);
        bins += valid;
    }
    tsl_text_release(&from.text);
    if (valid && bins == 0) {
        cli_error("%s: holds no numbers: give for each bin the distance that it ends at, and %d "
                  "lines of %d numbers",
                  from.path, TYPES, TYPES);
        valid = false;
    }
    options->pairs.bins = bins;
    options->pairs.edges = options->pair_edges;
    options->pairs.values = &options->pair_values[0][0][0];
    return valid;
}
