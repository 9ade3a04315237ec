/* What the files of `tesela completion` share. */
#ifndef TSL_CLI_COMPLETION_COMMAND_H
#define TSL_CLI_COMPLETION_COMMAND_H

#include "cli/shared/cli.h"

/* A command of the tree, or the root, `tesela` itself. */
typedef struct completion_node {
    const char *path; /* "tesela pairs distance" */
    const char *summary;
    const cli_command *command; /* NULL of the root */
    cli_option rows[CLI_MOST_ROWS];
    const char *defaults; /* its initialised struct of options; NULL: it has none */
} completion_node;

/* Call `visit` for a command and all commands below it, a command before its children; NULL: from
 * the root. False when memory has run out. */
bool completion_walk(void (*visit)(const completion_node *node, void *user), void *user);

/* The word of a node's child by its place, from 0; NULL: there are no more. *summary may be
 * NULL. */
const char *completion_child(const completion_node *node, int place, const char **summary);
/* The word of a node's task by its place; tasks without a word are passed over. */
const char *completion_task(const completion_node *node, int place);

/* Print the script of a shell. False when memory has run out. */
bool completion_print_bash(FILE *stream);
bool completion_print_zsh(FILE *stream);
bool completion_print_json(FILE *stream);

#endif
