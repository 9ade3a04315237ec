/* Options of commands, a row for each. The parser, --help, the checks of ranges, the tasks that
 * take an option, the comparison of command lines in a launch, completion and man pages all come
 * from the rows. Defaults come from the function that initialises the command's struct of
 * options. */
#ifndef TSL_CLI_OPTION_H
#define TSL_CLI_OPTION_H

#include <argp.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- rows --------------------------------------------------------------------------------- */

typedef enum cli_kind {
    CLI_FLAG,    /* takes no value; stores 1, or values[0], in a bool or an int */
    CLI_INTEGER, /* int or int64_t */
    CLI_REAL,    /* double */
    CLI_BYTES,   /* "512M", powers of 1024, in an int64_t */
    CLI_CHOICE, /* one of `words`: stores its place, or what `values` has there, in a bool or an int
                 */
    CLI_TEXT,   /* const char *: the value as it is given */
    CLI_FILE,   /* const char *: the name of a file, not empty */
    CLI_FOLDER, /* const char *: the name of a folder, not empty */
    CLI_LIST    /* several values with commas between, which `set` reads */
} cli_kind;

/* Where a row stores: bytes from the beginning of the command's struct. */
typedef struct cli_field {
    size_t offset, size;
} cli_field;

#define CLI_FIELD(type, member) .field = {offsetof(type, member), sizeof(((type *)0)->member)}

/* The number that a macro stands for, as text. */
#define CLI_QUOTE_AS_IT_STANDS(number) #number
#define CLI_QUOTE(number) CLI_QUOTE_AS_IT_STANDS(number)

#define CLI_TASK(type, member) .task = {offsetof(type, member), sizeof(((type *)0)->member)}

/* Numbers that are accepted. If both ends are 0, all are. */
typedef struct cli_range {
    double low, high; /* high may be INFINITY */
    bool above;       /* the lower end itself is not accepted */
} cli_range;

/* Is the value among the parameters of a report? */
typedef enum cli_echo {
    CLI_UNTOLD,
    CLI_TOLD,     /* always */
    CLI_TOLD_SAID /* null where a number is outside of the range, such as 0 for "none" */
} cli_echo;

/* How a command uses the file of a row of kind CLI_FILE. */
typedef enum cli_written {
    CLI_READ,   /* a file that is read */
    CLI_RESULT, /* a file that is written */
    CLI_TABLE,  /* the table of --csv, which may go to standard output */
    CLI_FIGURE  /* a drawing, whose kind its name's end tells */
} cli_written;

typedef struct cli_option cli_option;

struct cli_option {
    const char *name;  /* "angle-step"; NULL: only the letter */
    char letter;       /* 'o'; 0: none */
    const char *value; /* name of its value: "DEGREES"; NULL of a flag, and of a heading */
    cli_kind kind;
    unsigned tasks : 31;    /* bits of the tasks that take it, by their places in the command's
                               `tasks`; 0: all do */
    unsigned of_a_rank : 1; /* each rank of a launch may have its own */
    cli_written written;    /* of a row of kind CLI_FILE */
    cli_echo echo;          /* is it a parameter in reports: cli_echo_options() */
    cli_field field;
    cli_range range;
    const char *const
        *words; /* words that the option takes, ended by NULL; a number may be given too */
    /* gives the words in place of `words`, such as names from the library */
    const char *(*word)(int place);
    const int *values; /* the numbers that words store, also where a number may be given; NULL:
                          their places */
    const char *const *notes; /* remarks of --help on each word; NULL: none */
    const char *noun;         /* noun for the value in messages; NULL: "a number" */
    /* Reads the value in place of cli_set(): 0, or EINVAL when a message is out. */
    error_t (*set)(const cli_option *row, const char *text, void *options);
    const char *user; /* the method that has this option; NULL: all have it */
    const char *help; /* '@' stands for the range, or the words; without '@' they follow the text */
    const char *otherwise; /* the default in words, where '@' stands for the field's value; "": no
                              default is told; NULL: the field's value */
    const char *heading;   /* heading of the rows from here on; such a row has no other members */
};

/* Headings that all commands' options have. A command's rows under them join those that all
 * have. */
extern const char cli_running[];
extern const char cli_reporting[];

/* ---- commands ----------------------------------------------------------------------------- */

/* A task that the first argument asks for. */
typedef struct cli_task {
    const char *word; /* "bench"; NULL: the task of any other argument */
    const char *name; /* name of the task in messages; NULL: the word */
} cli_task;

/* Options of all commands that a command lacks. */
enum {
    CLI_NO_DEVICE = 1,
    CLI_NO_THREADS = 2,
    CLI_NO_PROFILE = 4,
    CLI_NO_QUIET = 8,
    CLI_NO_JSON = 16
};

/* Where a command runs. */
typedef enum cli_places {
    CLI_ANYWHERE,   /* each process of a launcher runs it by itself */
    CLI_ONE_DEVICE, /* refused under a launcher of several processes */
    CLI_ONE_RANK,   /* --device takes a list, auto is one */
    CLI_ALL_RANKS   /* --device takes a list; auto is all GPUs */
} cli_places;

typedef struct cli_command cli_command;

/* A command, or a child of one. Its struct of options begins with a cli_common. */
struct cli_command {
    const char *name;    /* of a child: "distance" */
    const char *summary; /* of a child, in one line */
    /* Runs the command; argv[0] is its full name, "tesela pairs distance". Returns the exit status.
     */
    int (*run)(const cli_command *self, int argc, char **argv);
    const void *data; /* for `run` */
    /* Children, of which argv[1] names one, ended by NULL; the members below are then not used. */
    const cli_command *const *children;
    const char *noun; /* noun for the children: "TASK" */
    const char *doc;  /* text of --help before the options and, behind '\v', after them */

    const char *arguments;  /* other arguments, as --help shows them; NULL: there are none */
    const cli_option *rows; /* ended by a row of zeros; NULL: the command has none of its own */
    size_t size;            /* of the struct of options */
    /* sets defaults in a struct of zeros; NULL: zeros are the defaults */
    void (*init)(const cli_command *self, void *options);
    /* Takes an argument: 0, or EINVAL when a message has been printed. NULL: there are none. */
    error_t (*argument)(void *options, const char *text);
    /* Completes the options once all are parsed, and checks them against each other. False when a
     * message has been printed. NULL: nothing to check. */
    bool (*check)(void *options);
    const cli_task *tasks; /* ended by zeros; NULL: a single task, without a name */
    cli_field task;        /* where the place of the task is stored, a bool or an enumeration */
    unsigned only; /* of children that share rows: the bit of this child's task, so that rows of
                      other tasks are refused and not shown; 0: the first argument tells the task */
    cli_places places;
    unsigned lacks;     /* bits of the options of all commands that it lacks */
    const char *device; /* help of --device; NULL: the usual one */
};

/* Runs a command, or the child that argv[1] names. Returns the exit status. (command.c) */
int cli_run(const cli_command *command, int argc, char **argv);

/* ---- parsing (parse.c) -------------------------------------------------------------------- */

/* Initialises a command's struct of options, parses its arguments into it and calls the command's
 * `check`. Options that the task does not take, and two options that set one thing, are refused.
 * True to go on; if false *exit_status is set and a message has been printed, by the leader alone
 * where the processes of a launch are the command's ranks. */
bool cli_parse_options(const cli_command *command, void *options, int argc, char **argv,
                       int *exit_status);

/* The bit of the task that was asked for; 0: the command has no tasks. */
unsigned cli_task_bit(const cli_command *command, const void *options);

struct cli_common;

/* Was the option that stores in this field on the command line? The struct that begins with
 * `common` must be the one that was parsed, or a copy of it. */
bool cli_given(const struct cli_common *common, const void *field);
/* Name of the option that stores in this field, with its dashes: "--keep". */
const char *cli_spelled(const struct cli_common *common, const void *field);

/* Checks that the files of a command line can be written, that none of them is also read, and none
 * is written twice. `inputs`: files that arguments name; NULLs are passed over. If a check fails,
 * prints one line and returns false. (paths.c) */
bool cli_check_files(const struct cli_common *common, const char *const inputs[], size_t count);

struct tsl_json;

/* Writes members of an object: the values of the rows that are told, in their order, named as the
 * options with '_' for '-'. Values in `options` may have been settled since they were parsed. */
void cli_echo_options(struct tsl_json *json, const cli_command *command, const void *options);

/* ---- values and texts (option.c) ---------------------------------------------------------- */

/* A flag of argp's options: the value is the name of a file or folder, and must not be empty. */
enum { CLI_NAMES_A_FILE = 0x1000 };

/* The endings of figures' names. */
#define CLI_FIGURE_ENDINGS ".svg, .png or .pdf"

enum { CLI_SPELLED = 32, CLI_HELP = 1024, CLI_MOST_ROWS = 64 };

/* Stores a value as the row says: 0, or EINVAL when a message has been printed. */
error_t cli_set(const cli_option *row, const char *text, void *options);
/* Prints an error that begins with the option and the value that is refused; returns EINVAL. */
error_t cli_refuse_value(const cli_option *row, const char *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes "--name", or "-o" of an option that has only a letter. */
const char *cli_spell(char text[CLI_SPELLED], const cli_option *row);

/* Is this row the end of the rows? */
bool cli_is_end(const cli_option *row);
/* The help of an option, with words, range and default in it. `defaults` is an initialised struct
 * of options. */
void cli_option_help(char text[CLI_HELP], const cli_option *row, const void *defaults);
/* The word at a place; NULL: there are no more words. */
const char *cli_word(const cli_option *row, int place);
/* Writes "1 to 64", "above 0"; "" if all numbers, or all from 0 up, are accepted. */
void cli_range_text(char text[64], const cli_option *row);
/* The default alone; "": there is none. */
void cli_default_text(char text[CLI_HELP], const cli_option *row, const void *defaults);

/* Lists all rows of a command: its own, and those of all commands that it does not lack. `out` must
 * have room for CLI_MOST_ROWS. (parse.c) */
void cli_rows(cli_option *out, const cli_command *command);
/* Does the command take this row, or only other children that share it? */
bool cli_takes(const cli_command *command, const cli_option *row);

#endif
