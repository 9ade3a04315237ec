/* Commands: finding the one that argv names, and the help of those that have children. */
#include <stdio.h>
#include <string.h>

#include "cli/shared/ranks.h"

/* Print a paragraph in lines of at most 100 columns. */
static void print_wrapped(FILE *stream, const char *text, size_t length)
{
    enum { COLUMNS = 100 };
    for (size_t column = 0, at = 0; at < length;) {
        size_t word = strcspn(text + at, " ");
        word = word < length - at ? word : length - at;
        if (column > 0 && column + 1 + word > COLUMNS) {
            fputc('\n', stream);
            column = 0;
        }
        fprintf(stream, "%s%.*s", column > 0 ? " " : "", (int)word, text + at);
        column += word + (column > 0);
        at += word + 1;
    }
    fputs("\n\n", stream);
}

static void print_help(FILE *stream, const cli_command *command, const char *name)
{
    const char *after = strchr(command->doc, '\v');
    fprintf(stream, "Usage: %s %s [OPTION...]\n", name, command->noun);
    print_wrapped(stream, command->doc,
                  after != NULL ? (size_t)(after - command->doc) : strlen(command->doc));
    for (const cli_command *const *child = command->children; *child != NULL; child++) {
        fprintf(stream, "  %-10s  %s\n", (*child)->name, (*child)->summary);
    }
    fprintf(stream, "\n%s %s --help explains one.\n%s%s%s", name, command->noun,
            after != NULL ? "\n" : "", after != NULL ? after + 1 : "", after != NULL ? "\n" : "");
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "-?") == 0;
}

/* The child of that name; NULL: there is none, and a message has been printed. */
static const cli_command *find_child(const cli_command *command, const char *word, const char *name)
{
    enum { MOST = 16 };
    const char *names[MOST + 1] = {NULL};
    for (int i = 0; i < MOST && command->children[i] != NULL; i++) {
        names[i] = command->children[i]->name;
        if (strcmp(names[i], word) == 0) {
            return command->children[i];
        }
    }
    const bool option = word[0] == '-';
    const char *near = cli_nearest(word, names);
    char noun[32] = "";
    for (size_t i = 0; command->noun[i] != '\0' && i + 1 < sizeof noun; i++) {
        noun[i] = (char)(command->noun[i] - 'A' + 'a');
    }
    cli_error("unknown %s '%s'%s%s%s (see %s --help)", option ? "option" : noun, word,
              near != NULL ? ": did you mean " : "", near != NULL ? near : "",
              near != NULL ? "?" : "", name);
    return NULL;
}

static int run_child(const cli_command *command, int argc, char **argv)
{
    static char name[64]; /* full name of the child that runs */
    if (argc < 2) {
        print_help(stderr, command, argv[0]);
        return CLI_USAGE;
    }
    if (is_help(argv[1])) {
        print_help(stdout, command, argv[0]);
        return CLI_DONE;
    }
    cli_be_silent(!cli_is_leader()); /* one speaks for all processes of a launch */
    const cli_command *child = find_child(command, argv[1], argv[0]);
    cli_be_silent(false);
    if (child == NULL) {
        return cli_refused(CLI_USAGE);
    }
    char whole[sizeof name];
    snprintf(whole, sizeof whole, "%s %s", argv[0], child->name);
    memcpy(name, whole, sizeof name);
    argv[1] = name;
    return cli_run(child, argc - 1, argv + 1);
}

int cli_run(const cli_command *command, int argc, char **argv)
{
    if (command->children != NULL) {
        return run_child(command, argc, argv);
    }
    if (command->places == CLI_ONE_DEVICE && !cli_is_alone(argv[0] + strlen("tesela "))) {
        return cli_refused(CLI_USAGE);
    }
    return command->run(command, argc, argv);
}
