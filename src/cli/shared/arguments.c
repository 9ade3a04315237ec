/* Checks a command line before argp sees it: argp has no hints, and prints two lines for an
 * error. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/shared/cli.h"

/* ---- typing errors ------------------------------------------------------------------------ */

enum { LONGEST_WORD = 31 };

/* Letters to change, add or leave out to get from a to b (Levenshtein's distance). */
static int distance(const char *a, const char *b)
{
    int row[LONGEST_WORD + 1];
    const int length = (int)strlen(b);
    for (int j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (int i = 0; a[i] != '\0'; i++) {
        int corner = row[0];
        row[0] = i + 1;
        for (int j = 0; j < length; j++) {
            const int replaced = corner + (a[i] != b[j]);
            corner = row[j + 1];
            const int shorter = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            row[j + 1] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[length];
}

/* Letters by which both a and b begin. */
static size_t common_beginning(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] != '\0' && a[n] == b[n]) {
        n++;
    }
    return n;
}

const char *cli_nearest(const char *word, const char *const names[])
{
    if (strlen(word) > LONGEST_WORD) {
        return NULL;
    }
    const char *nearest = NULL;
    const char *alike = NULL;
    size_t most = 3;                       /* fewer letters in common may be chance */
    int least = 1 + (int)strlen(word) / 3; /* a word farther off is no typing error */
    for (int i = 0; names[i] != NULL; i++) {
        const int far = strlen(names[i]) <= LONGEST_WORD ? distance(word, names[i]) : INT_MAX;
        if (far < least || (far == least && nearest == NULL)) {
            least = far;
            nearest = names[i];
        }
        if (common_beginning(word, names[i]) > most) {
            most = common_beginning(word, names[i]);
            alike = names[i];
        }
    }
    return nearest != NULL ? nearest : alike;
}

/* ---- options ------------------------------------------------------------------------------ */

enum { MOST_OPTIONS = 64 };

/* All options of a parser and of its children. */
typedef struct option_list {
    const struct argp_option *at[MOST_OPTIONS];
    int count;
} option_list;

static void list_options(option_list *list, const struct argp *argp)
{
    const struct argp_option *option = argp->options;
    for (; option != NULL && (option->name != NULL || option->key != 0 || option->doc != NULL);
         option++) {
        if (list->count < MOST_OPTIONS && (option->name != NULL || option->key != 0)) {
            list->at[list->count++] = option;
        }
    }
    for (const struct argp_child *child = argp->children; child != NULL && child->argp != NULL;
         child++) {
        list_options(list, child->argp);
    }
}

/* The option whose name is the first `length` letters of `name`, or the only one that begins with
 * them; *matches counts those that begin with them. */
static const struct argp_option *find_long(const option_list *list, const char *name, size_t length,
                                           int *matches)
{
    const struct argp_option *found = NULL;
    *matches = 0;
    for (int i = 0; i < list->count; i++) {
        const char *candidate = list->at[i]->name;
        if (candidate != NULL && strncmp(candidate, name, length) == 0) {
            found = list->at[i];
            (*matches)++;
            if (candidate[length] == '\0') {
                *matches = 1;
                break;
            }
        }
    }
    return found;
}

static void report_unknown(const option_list *list, const char *name, size_t length,
                           const char *command)
{
    const char *names[MOST_OPTIONS + 1] = {NULL};
    char word[LONGEST_WORD + 1] = "";
    for (int i = 0, count = 0; i < list->count; i++) {
        if (list->at[i]->name != NULL) {
            names[count++] = list->at[i]->name;
        }
    }
    memcpy(word, name, length <= LONGEST_WORD ? length : 0);
    const char *near = word[0] != '\0' ? cli_nearest(word, names) : NULL;
    cli_error("unknown option '--%.*s'%s%s%s (see %s --help)", (int)length, name,
              near != NULL ? ": did you mean --" : "", near != NULL ? near : "",
              near != NULL ? "?" : "", command);
}

/* Is the value of an option that names a file or folder empty? */
static bool is_nameless(const struct argp_option *option, const char *value)
{
    return (option->flags & CLI_NAMES_A_FILE) != 0 && value[0] == '\0';
}

/* Check "--name" or "--name=value". `next` is the next argument, or NULL; *takes_next: it is the
 * value. */
static bool check_long(const option_list *list, const char *name, const char *next,
                       bool *takes_next, const char *command)
{
    const size_t length = strcspn(name, "=");
    int matches;
    const struct argp_option *option = find_long(list, name, length, &matches);
    if (matches == 0) {
        report_unknown(list, name, length, command);
    } else if (matches > 1) {
        cli_error("option '--%.*s' could be several: spell it out (see %s --help)", (int)length,
                  name, command);
    } else if (option->arg == NULL && name[length] == '=') {
        cli_error("option '--%s' takes no value (see %s --help)", option->name, command);
    } else if (option->arg != NULL && name[length] == '\0' && next == NULL) {
        cli_error("option '--%s' needs a value: --%s %s (see %s --help)", option->name,
                  option->name, option->arg, command);
    } else if (is_nameless(option, name[length] == '=' ? name + length + 1 : next)) {
        cli_error("--%s: the name is empty", option->name);
    } else {
        *takes_next = option->arg != NULL && name[length] == '\0';
        return true;
    }
    return false;
}

/* Check "-q", "-qo DIR" or "-oDIR". */
static bool check_short(const option_list *list, const char *letters, const char *next,
                        bool *takes_next, const char *command)
{
    for (; *letters != '\0'; letters++) {
        int i = 0;
        while (i < list->count && list->at[i]->key != *letters) {
            i++;
        }
        if (i == list->count) {
            cli_error("unknown option '-%c' (see %s --help)", *letters, command);
            return false;
        }
        if (list->at[i]->arg != NULL) {
            *takes_next = letters[1] == '\0';
            if (*takes_next && next == NULL) {
                cli_error("option '-%c' needs a value: -%c %s (see %s --help)", *letters, *letters,
                          list->at[i]->arg, command);
                return false;
            }
            if (*takes_next && is_nameless(list->at[i], next)) {
                cli_error("-%c: the name is empty", *letters);
                return false;
            }
            return true;
        }
    }
    return true;
}

static bool check_argument(const char *text, const char *command)
{
    if (text[0] == '\0') {
        cli_error("an argument is empty (see %s --help)", command);
    }
    return text[0] != '\0';
}

bool cli_check_arguments(const struct argp *argp, int argc, char **argv)
{
    static const struct argp_option of_argp[] = {{"help", '?', NULL, 0, NULL, 0},
                                                 {"usage", 0, NULL, 0, NULL, 0},
                                                 {"version", 'V', NULL, 0, NULL, 0}};
    option_list list = {.at = {&of_argp[0], &of_argp[1], &of_argp[2]}, .count = 3};
    list_options(&list, argp);
    bool options = true;
    for (int i = 1; i < argc; i++) {
        bool takes_next = false;
        bool valid = true;
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (!options || argv[i][0] != '-') {
            valid = check_argument(argv[i], argv[0]);
        } else if (strncmp(argv[i], "--", 2) == 0) {
            valid = check_long(&list, argv[i] + 2, argv[i + 1], &takes_next, argv[0]);
        } else { /* "-" alone is an argument */
            valid = check_short(&list, argv[i] + 1, argv[i + 1], &takes_next, argv[0]);
        }
        if (!valid) {
            return false;
        }
        i += takes_next;
    }
    return true;
}
