/* A file of contact potentials: 18 lines of 18 numbers. Empty lines, and what follows a #, are
 * without meaning. */
#include <math.h>
#include <string.h>

#include "cli/dock/command.h"
#include "core/context.h"
#include "io/file/text.h"

enum { TYPES = TSL_CONTACT_TYPE_COUNT, LONGEST = 1 << 20 /* bytes */ };

/* The numbers of a line; how many there are, -1 for what is none. */
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

static bool read_lines(const tsl_text *text, dock_options *options)
{
    tsl_lines lines = tsl_lines_of(text->data, text->size);
    const char *line;
    size_t length;
    int row = 0;
    while (tsl_lines_next(&lines, &line, &length)) {
        double numbers[TYPES];
        const int count = read_numbers(line, length, numbers);
        if (count == 0) {
            continue;
        }
        if (count != TYPES || row == TYPES) {
            cli_error("%s:%lld: %s: give %d lines of %d numbers from -100 to 100",
                      options->contacts, (long long)lines.number,
                      row == TYPES ? "is one line too many" : "is no line of a table", TYPES,
                      TYPES);
            return false;
        }
        memcpy(options->table[row++], numbers, sizeof numbers);
    }
    if (row < TYPES) {
        cli_error("%s: ends after %d lines of numbers: give %d lines of %d", options->contacts, row,
                  TYPES, TYPES);
    }
    return row == TYPES;
}

bool dock_contacts_read(dock_options *options)
{
    tsl_context none = {0};
    tsl_text text;
    if (tsl_text_read_if(&text, &none, options->contacts, LONGEST, tsl_text_is) != TSL_OK) {
        cli_error("--contacts %s", tsl_last_error(&none));
        return false;
    }
    bool valid = read_lines(&text, options);
    tsl_text_release(&text);
    for (int i = 0; i < TYPES * TYPES && valid; i++) {
        const int row = i / TYPES, column = i % TYPES;
        if (fabs(options->table[row][column] - options->table[column][row]) > 1e-9) {
            cli_error("%s: row %d, column %d has %g, but the other way round it is %g: give a "
                      "symmetric table",
                      options->contacts, row + 1, column + 1, options->table[row][column],
                      options->table[column][row]);
            valid = false;
        }
    }
    options->dock.complementarity.table = &options->table[0][0];
    return valid;
}
