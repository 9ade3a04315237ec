/* `tesela completion`: scripts for shells, and the rows of all options for other programs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/completion/command.h"
#include "core/core.h"

/* ---- the tree of commands ----------------------------------------------------------------- */

typedef struct top {
    const char *name, *summary;
    const cli_command *command;
} top;

static const top commands[] = {
#define CLI_COMMAND(name, summary) {#name, summary, &cli_##name},
#include "cli/commands.def"
#undef CLI_COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

const char *completion_child(const completion_node *node, int place, const char **summary)
{
    const char *ignored;
    summary = summary != NULL ? summary : &ignored;
    if (node->command == NULL) {
        *summary = place < COMMANDS ? commands[place].summary : NULL;
        return place < COMMANDS ? commands[place].name : NULL;
    }
    if (node->command->children == NULL || node->command->children[place] == NULL) {
        return NULL;
    }
    *summary = node->command->children[place]->summary;
    return node->command->children[place]->name;
}

const char *completion_task(const completion_node *node, int place)
{
    const cli_task *task = node->command != NULL ? node->command->tasks : NULL;
    for (; task != NULL && (task->word != NULL || task->name != NULL); task++) {
        if (task->word != NULL && place-- == 0) {
            return task->word;
        }
    }
    return NULL;
}

typedef struct walk {
    void (*visit)(const completion_node *node, void *user);
    void *user;
} walk;

static bool visit_all(const walk *w, const char *path, const char *summary,
                      const cli_command *command)
{
    completion_node node = {.path = path, .summary = summary, .command = command};
    const size_t size = command->size > 0 ? command->size : sizeof(cli_common);
    char *defaults = tsl_allocate(size);
    if (defaults == NULL) {
        return false;
    }
    memset(defaults, 0, size);
    if (command->init != NULL) {
        command->init(command, defaults);
    }
    node.defaults = defaults;
    if (command->children == NULL) {
        cli_rows(node.rows, command);
    }
    w->visit(&node, w->user);
    tsl_release(defaults);
    for (const cli_command *const *child = command->children; child != NULL && *child != NULL;
         child++) {
        char whole[64];
        snprintf(whole, sizeof whole, "%s %s", path, (*child)->name);
        if (!visit_all(w, whole, (*child)->summary, *child)) {
            return false;
        }
    }
    return true;
}

bool completion_walk(void (*visit)(const completion_node *node, void *user), void *user)
{
    const walk w = {visit, user};
    const completion_node root = {.path = "tesela"};
    bool done = true;
    visit(&root, user);
    for (int i = 0; i < COMMANDS && done; i++) {
        char path[64];
        snprintf(path, sizeof path, "tesela %s", commands[i].name);
        done = visit_all(&w, path, commands[i].summary, commands[i].command);
    }
    return done;
}

/* ---- the command -------------------------------------------------------------------------- */

typedef struct completion_options {
    cli_common common;
    int task;
} completion_options;

enum { NOTHING, BASH, ZSH, JSON };

static const cli_task tasks[] = {[NOTHING] = {.name = "nothing"},
                                 [BASH] = {.word = "bash"},
                                 [ZSH] = {.word = "zsh"},
                                 [JSON] = {.word = "json"},
                                 {0}};

static error_t refuse_argument(void *options, const char *text)
{
    (void)options;
    cli_error("'%s': give bash, zsh or json (see tesela completion --help)", text);
    return EINVAL;
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    static bool (*const prints[])(FILE *) = {[BASH] = completion_print_bash,
                                             [ZSH] = completion_print_zsh,
                                             [JSON] = completion_print_json};
    completion_options options;
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    if (options.task == NOTHING) {
        cli_error("completion: say of what: bash, zsh or json (see tesela completion --help)");
        return CLI_USAGE;
    }
    if (!prints[options.task](stdout)) {
        cli_error("out of memory");
        return CLI_DEVICE;
    }
    return CLI_DONE;
}

const cli_command cli_completion = {
    .run = run_command,
    .doc = "Print a script with which bash or zsh completes command lines of tesela, or print the "
           "options of all commands as JSON: their values, ranges, defaults and help texts.\v"
           "Examples:\n"
           "  source <(tesela completion bash)\n"
           "  tesela completion zsh >~/.zfunc/_tesela\n"
           "  tesela completion json | jq '.commands[].options[].name'",
    .arguments = "bash|zsh|json",
    .size = sizeof(completion_options),
    .argument = refuse_argument,
    .tasks = tasks,
    CLI_TASK(completion_options, task),
    .lacks = CLI_NO_DEVICE | CLI_NO_THREADS | CLI_NO_PROFILE | CLI_NO_QUIET | CLI_NO_JSON};
