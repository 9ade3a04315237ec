/* `tesela completion json`: the rows of all commands. */
#include <stdio.h>
#include <string.h>

#include "cli/completion/command.h"

static const char *const kinds[] = {
    [CLI_FLAG] = "flag",   [CLI_INTEGER] = "integer", [CLI_REAL] = "real",
    [CLI_BYTES] = "bytes", [CLI_CHOICE] = "choice",   [CLI_TEXT] = "text",
    [CLI_FILE] = "file",   [CLI_FOLDER] = "folder",   [CLI_LIST] = "list"};

static void write_range(tsl_json *json, const cli_option *row)
{
    const cli_range *range = &row->range;
    const bool ranged = range->low != 0 || range->high != 0;
    tsl_json_known_number(json, "low", range->low, ranged);
    tsl_json_known_number(json, "high", range->high, ranged); /* an infinity is null too */
    tsl_json_bool(json, "above", range->above);
}

static void write_words(tsl_json *json, const cli_option *row)
{
    tsl_json_open_array(json, "words");
    for (int i = 0; cli_word(row, i) != NULL; i++) {
        tsl_json_string(json, NULL, cli_word(row, i));
    }
    tsl_json_close_array(json);
}

/* Write the words of the tasks that take an option, null for the task without a word. The array is
 * empty where the command has no tasks. */
static void write_tasks(tsl_json *json, const char *name, const cli_command *command, unsigned bits)
{
    const cli_task *task = command->only == 0 ? command->tasks : NULL;
    tsl_json_open_array(json, name);
    for (int i = 0; task != NULL && (task[i].word != NULL || task[i].name != NULL); i++) {
        if (bits == 0 || (bits & 1U << i) != 0) {
            tsl_json_string(json, NULL, task[i].word);
        }
    }
    tsl_json_close_array(json);
}

static void write_row(tsl_json *json, const completion_node *node, const cli_option *row)
{
    char text[CLI_HELP];
    const char letter[2] = {row->letter, '\0'};
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "name", row->name);
    tsl_json_string(json, "letter", row->letter != '\0' ? letter : NULL);
    tsl_json_string(json, "value", row->value);
    tsl_json_string(json, "kind", kinds[row->kind]);
    write_range(json, row);
    write_words(json, row);
    cli_default_text(text, row, node->defaults);
    tsl_json_string(json, "default", text[0] != '\0' ? text : NULL);
    tsl_json_bool(json, "rule", row->otherwise != NULL); /* the default is said in words */
    write_tasks(json, "tasks", node->command, row->tasks);
    tsl_json_bool(json, "of_a_rank", row->of_a_rank);
    cli_option_help(text, row, node->defaults);
    tsl_json_string(json, "help", text);
    tsl_json_close_object(json);
}

static void write_node(const completion_node *node, void *user)
{
    tsl_json *json = user;
    const char *name;
    if (node->command == NULL) {
        return;
    }
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "name", node->path);
    tsl_json_string(json, "summary", node->summary);
    tsl_json_open_array(json, "children");
    for (int i = 0; (name = completion_child(node, i, NULL)) != NULL; i++) {
        tsl_json_string(json, NULL, name);
    }
    tsl_json_close_array(json);
    write_tasks(json, "tasks", node->command, 0);
    tsl_json_open_array(json, "options");
    for (const cli_option *row = node->rows; !cli_is_end(row); row++) {
        if (row->heading == NULL && cli_takes(node->command, row)) {
            write_row(json, node, row);
        }
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

bool completion_print_json(FILE *stream)
{
    tsl_json json;
    tsl_json_begin(&json, stream);
    tsl_json_open_object(&json, NULL);
    tsl_json_open_array(&json, "commands");
    const bool done = completion_walk(write_node, &json);
    tsl_json_close_array(&json);
    tsl_json_close_object(&json);
    tsl_json_end(&json);
    return done;
}
