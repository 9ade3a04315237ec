/* The scripts of `tesela completion`. */
#include <stdio.h>
#include <string.h>

#include "cli/completion/command.h"

static void print_words(FILE *stream, const cli_option *row)
{
    for (int i = 0; cli_word(row, i) != NULL; i++) {
        fprintf(stream, "%s%s", i > 0 ? " " : "", cli_word(row, i));
    }
}

/* ---- bash --------------------------------------------------------------------------------- */

/* Print an option's names as a pattern of `case`: "tesela dock --output". */
static void print_patterns(FILE *stream, const char *path, const cli_option *row)
{
    if (row->name != NULL) {
        fprintf(stream, "    \"%s --%s\"", path, row->name);
    }
    if (row->letter != '\0') {
        fprintf(stream, "%s\"%s -%c\"", row->name != NULL ? " | " : "    ", path, row->letter);
    }
    fputs(")", stream);
}

static void print_bash_values(const completion_node *node, void *user)
{
    FILE *stream = user;
    for (const cli_option *row = node->rows; !cli_is_end(row); row++) {
        if (row->value == NULL || !cli_takes(node->command, row)) {
            continue;
        }
        print_patterns(stream, node->path, row);
        if (row->kind == CLI_FILE || row->kind == CLI_FOLDER) {
            fprintf(stream, " kind=%s ;;\n", row->kind == CLI_FILE ? "file" : "directory");
        } else {
            fputs(" kind=words words='", stream);
            print_words(stream, row);
            fputs("' ;;\n", stream);
        }
    }
}

/* Print a command's part of bash's script: its options, its first arguments, and its children. */
static void print_bash_node(const completion_node *node, void *user)
{
    FILE *stream = user;
    const char *name;
    fprintf(stream, "    \"%s\")\n        options='--help", node->path);
    for (const cli_option *row = node->rows; !cli_is_end(row); row++) {
        if (row->heading == NULL && cli_takes(node->command, row)) {
            char text[CLI_SPELLED];
            fprintf(stream, " %s", cli_spell(text, row));
        }
    }
    fputs("'\n        first='", stream);
    for (int i = 0; (name = completion_child(node, i, NULL)) != NULL; i++) {
        fprintf(stream, "%s%s", i > 0 ? " " : "", name);
    }
    for (int i = 0; (name = completion_task(node, i)) != NULL; i++) {
        fprintf(stream, "%s%s", i > 0 ? " " : "", name);
    }
    fprintf(stream, "' arguments=%s ;;\n",
            completion_child(node, 0, NULL) != NULL ? "words" : "file");
}

static void print_bash_path(const completion_node *node, void *user)
{
    if (node->command != NULL) {
        fprintf(user, "        \"%s\") path=\"$path $word\" ;;\n", node->path);
    }
}

bool completion_print_bash(FILE *stream)
{
    fputs(
        "# Completion of tesela's command lines for bash, made by `tesela completion bash`.\n"
        "_tesela()\n{\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} path=tesela option kind='' words='' word at\n"
        "    local options='' first='' arguments=file\n"
        "    COMPREPLY=()\n"
        "    for ((at = 1; at < COMP_CWORD; at++)); do\n"
        "        word=${COMP_WORDS[at]}\n"
        "        case \"$path $word\" in\n",
        stream);
    bool done = completion_walk(print_bash_path, stream);
    fputs("        *) break ;;\n"
          "        esac\n"
          "    done\n"
          "    option=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    if [[ $current == = ]]; then # --name=\n"
          "        current=''\n"
          "    elif [[ $option == = ]]; then # --name=value\n"
          "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    case \"$path $option\" in\n",
          stream);
    done = done && completion_walk(print_bash_values, stream);
    fputs("    esac\n"
          "    case $path in\n",
          stream);
    done = done && completion_walk(print_bash_node, stream);
    fputs("    esac\n"
          "    if [[ -z $kind && $current == -* ]]; then\n"
          "        words=$options\n"
          "    elif [[ -z $kind ]]; then\n"
          "        kind=$arguments\n"
          "        [[ $at -ne $COMP_CWORD ]] || words=$first\n"
          "    fi\n"
          "    if [[ -n $words ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
          "    fi\n"
          "    if [[ $kind == file || $kind == directory ]]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -A \"$kind\" -- "
          "\"$current\")\n"
          "    fi\n"
          "}\n"
          "complete -F _tesela tesela\n",
          stream);
    return done;
}

/* ---- zsh ---------------------------------------------------------------------------------- */

/* Print in single quotes, with the characters escaped that _arguments and _describe use. */
static void print_escaped(FILE *stream, const char *text, size_t length)
{
    for (size_t i = 0; i < length && text[i] != '\0'; i++) {
        if (text[i] == '\'') {
            fputs("'\\''", stream);
        } else {
            fprintf(stream, "%s%c", strchr("[]:\\", text[i]) != NULL ? "\\" : "", text[i]);
        }
    }
}

/* The name of a command's function: "_tesela_pairs_distance". */
static void print_function(FILE *stream, const char *path)
{
    fputc('_', stream);
    for (; *path != '\0'; path++) {
        fputc(*path == ' ' ? '_' : *path, stream);
    }
}

/* Print what a value can be: words, a file, or what its name says. */
static void print_value(FILE *stream, const cli_option *row)
{
    fputc(':', stream);
    print_escaped(stream, row->value, strlen(row->value));
    fputc(':', stream);
    if (row->kind == CLI_FILE || row->kind == CLI_FOLDER) {
        fputs(row->kind == CLI_FILE ? "_files" : "_files -/", stream);
    } else if (cli_word(row, 0) != NULL) {
        fputc('(', stream);
        print_words(stream, row);
        fputc(')', stream);
    } else {
        fputc(' ', stream);
    }
}

static void print_zsh_option(FILE *stream, const completion_node *node, const cli_option *row)
{
    char help[CLI_HELP], letter[4] = "", name[CLI_SPELLED + 4] = "";
    cli_option_help(help, row, node->defaults);
    if (row->letter != '\0') {
        snprintf(letter, sizeof letter, "-%c%s", row->letter, row->value != NULL ? "+" : "");
    }
    if (row->name != NULL) {
        snprintf(name, sizeof name, "--%s%s", row->name, row->value != NULL ? "=" : "");
    }
    fputs(" \\\n        ", stream);
    if (row->name != NULL && row->letter != '\0') {
        fprintf(stream, "'(-%c --%s)'{%s,%s}'[", row->letter, row->name, letter, name);
    } else {
        fprintf(stream, "'%s%s[", letter, name);
    }
    print_escaped(stream, help, strcspn(help, ";"));
    fputc(']', stream);
    if (row->value != NULL) {
        print_value(stream, row);
    }
    fputc('\'', stream);
}

/* Print the function of a command that has children: it completes the child's name, then calls the
 * child's function. */
static void print_zsh_parent(const completion_node *node, FILE *stream)
{
    const char *name, *summary;
    fputs("    local -a commands=(", stream);
    for (int i = 0; (name = completion_child(node, i, &summary)) != NULL; i++) {
        fprintf(stream, "\n        '%s:", name);
        print_escaped(stream, summary, strlen(summary));
        fputc('\'', stream);
    }
    fputs(")\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe -t commands command commands\n"
          "        return\n"
          "    fi\n"
          "    local name=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    (( ! $+functions[",
          stream);
    print_function(stream, node->path);
    fputs("_$name] )) || ", stream);
    print_function(stream, node->path);
    fputs("_$name\n", stream);
}

/* Print the function that completes a first argument: a task, or a file. */
static void print_zsh_first(const completion_node *node, FILE *stream)
{
    const char *word;
    if (completion_task(node, 0) == NULL) {
        return;
    }
    fputc('\n', stream);
    print_function(stream, node->path);
    fputs("_first()\n{\n    _alternative 'tasks:task:(", stream);
    for (int i = 0; (word = completion_task(node, i)) != NULL; i++) {
        fprintf(stream, "%s%s", i > 0 ? " " : "", word);
    }
    fputs(")' 'files:file:_files'\n}\n", stream);
}

static void print_zsh_leaf(const completion_node *node, FILE *stream)
{
    fputs("    _arguments -s -S '(- *)--help[give the list of options]'", stream);
    for (const cli_option *row = node->rows; !cli_is_end(row); row++) {
        if (row->heading == NULL && cli_takes(node->command, row)) {
            print_zsh_option(stream, node, row);
        }
    }
    if (completion_task(node, 0) != NULL) {
        fputs(" \\\n        '1: :", stream);
        print_function(stream, node->path);
        fputs("_first'", stream);
    }
    fputs(" \\\n        '*:file:_files'\n", stream);
}

static void print_zsh_node(const completion_node *node, void *user)
{
    FILE *stream = user;
    print_zsh_first(node, stream);
    fputc('\n', stream);
    print_function(stream, node->path);
    fputs("()\n{\n", stream);
    if (completion_child(node, 0, NULL) != NULL) {
        print_zsh_parent(node, stream);
    } else {
        print_zsh_leaf(node, stream);
    }
    fputs("}\n", stream);
}

bool completion_print_zsh(FILE *stream)
{
    fputs("#compdef tesela\n"
          "# Completion of tesela's command lines for zsh, made by `tesela completion zsh`.\n",
          stream);
    const bool done = completion_walk(print_zsh_node, stream);
    fputs("\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
          "    _tesela \"$@\"\n"
          "else\n"
          "    compdef _tesela tesela\n"
          "fi\n",
          stream);
    return done;
}
