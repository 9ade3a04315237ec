/* A file of contact potentials: 18 lines of 18 numbers. Empty lines, and what follows a #, are
 * without meaning. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/dock/command.h"

enum { TYPES = TSL_CONTACT_TYPE_COUNT, LINE = 1024 };

/* The numbers of a line; how many there are, -1 for what is none. */
static int read_numbers(char *line, double numbers[TYPES])
{
    int count = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *rest, *word = strtok_r(line, " \t\r\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        double number;
        if (!cli_parse_real(word, &number) || fabs(number) > 100) {
            return -1;
        }
        if (count < TYPES) {
            numbers[count] = number;
        }
        count++;
    }
    return count;
}

static bool read_lines(FILE *file, dock_options *options)
{
    char line[LINE];
    int row = 0;
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        double numbers[TYPES];
        const int count = read_numbers(line, numbers);
        if (count == 0) {
            continue;
        }
        if (count != TYPES || row == TYPES) {
            cli_error("%s:%d: %s: give %d lines of %d numbers from -100 to 100", options->contacts,
                      number, row == TYPES ? "is one line too many" : "is no line of a table",
                      TYPES, TYPES);
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
    FILE *file = fopen(options->contacts, "r");
    if (file == NULL) {
        cli_error("--contacts '%s': cannot be opened: check the name", options->contacts);
        return false;
    }
    bool valid = read_lines(file, options);
    fclose(file);
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
