/* A command's options, one row each. Parser, --help, the checks of ranges, which task takes what,
 * the comparison of a launch's command lines, completion and man pages all come from the rows;
 * defaults come from the function that initialises the command's struct of options. */
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
    CLI_CHOICE,  /* one of `words`: its place, or what `values` has there, in a bool or an int */
    CLI_TEXT,    /* const char *: the value as it is given */
    CLI_FILE,    /* const char *: the name of a file, not empty */
    CLI_FOLDER,  /* const char *: the name of a folder, not empty */
    CLI_LIST     /* several values with commas between, which `set` reads */
} cli_kind;

/* Where a row stores: bytes from the beginning of the command's struct. */
typedef struct cli_field {
    size_t offset, size;
} cli_field;

#define CLI_FIELD(type, member) .field = {offsetof(type, member), sizeof(((type *)0)->member)}

/* The number that a macro stands for, in a text. */
#define CLI_QUOTE_AS_IT_STANDS(number) #number
#define CLI_QUOTE(number) CLI_QUOTE_AS_IT_STANDS(number)

#define CLI_TASK(type, member) .task = {offsetof(type, member), sizeof(((type *)0)->member)}

/* Numbers that are accepted. Both 0: all. */
typedef struct cli_range {
    double low, high; /* high may be INFINITY */
    bool above;       /* low itself is not */
} cli_range;

/* Is a row's value a member of a report's parameters? */
typedef enum cli_echo {
    CLI_UNTOLD,
    CLI_TOLD,     /* whatever it is */
    CLI_TOLD_SAID /* null where a number is outside of the range, as 0 for "none" */
} cli_echo;

/* What a row of kind CLI_FILE names. */
typedef enum cli_written {
    CLI_READ,   /* a file that is read */
    CLI_RESULT, /* one that is written */
    CLI_TABLE,  /* that of --csv, which may be standard output */
    CLI_FIGURE  /* a drawing, by its name's end */
} cli_written;

typedef struct cli_option cli_option;

struct cli_option {
    const char *name;  /* "angle-step"; NULL: only the letter */
    char letter;       /* 'o'; 0: none */
    const char *value; /* its value's name: "DEGREES"; NULL of a flag, and of a heading */
    cli_kind kind;
    unsigned tasks : 31;    /* bits by the places of the command's tasks that take it; 0: all do */
    unsigned of_a_rank : 1; /* each rank of a launch may have its own */
    cli_written written;    /* of a file */
    cli_echo echo;          /* among a report's parameters: cli_echo_options() */
    cli_field field;
    cli_range range;
    const char *const
        *words; /* words that the option takes, ended by NULL; a number may be given too */
    const char *(*word)(int place); /* gives the words in place of `words`: the library's names */
    const int *values;              /* what they store, in a number too; NULL: their places */
    const char *const *notes;       /* what --help says of each; NULL: nothing */
    const char *noun;               /* of what its value is, in messages; NULL: "a number" */
    /* Reads the value in place of cli_set(): 0, or EINVAL when a message is out. */
    error_t (*set)(const cli_option *row, const char *text, void *options);
    const char *user;      /* the method that has it; NULL: all do */
    const char *help;      /* '@' is the range, or the words; without '@' they follow */
    const char *otherwise; /* the default in words, '@' is the field's; "": none is said; NULL: the
                              field's */
    const char *heading;   /* of the rows from here on; such a row is nothing else */
};

/* Headings that the options of every command have; rows under them stand there. */
extern const char cli_running[];
extern const char cli_reporting[];

/* ---- commands ----------------------------------------------------------------------------- */

/* What a command can be asked to do by its first argument. */
typedef struct cli_task {
    const char *word; /* "bench"; NULL: any other argument */
    const char *name; /* of this in messages; NULL: the word */
} cli_task;

/* Options of every command, to be left out. */
enum {
    CLI_NO_DEVICE = 1,
    CLI_NO_THREADS = 2,
    CLI_NO_PROFILE = 4,
    CLI_NO_QUIET = 8,
    CLI_NO_JSON = 16
};

/* Where a command runs. */
typedef enum cli_places {
    CLI_ANYWHERE,   /* in each process of a launcher by itself */
    CLI_ONE_DEVICE, /* refused under a launcher of several processes */
    CLI_ONE_RANK,   /* --device takes a list, auto is one */
    CLI_ALL_RANKS   /* --device takes a list, auto is all GPUs */
} cli_places;

typedef struct cli_command cli_command;

/* A command, or one of its children. The struct of options begins with a cli_common. */
struct cli_command {
    const char *name;    /* of a child: "distance" */
    const char *summary; /* of a child, in one line */
    /* Runs it; argv[0] is the full name, "tesela pairs distance". Returns the exit status. */
    int (*run)(const cli_command *self, int argc, char **argv);
    const void *data; /* for `run` */
    /* In place of what stands below: commands of which argv[1] names one, ended by NULL. */
    const cli_command *const *children;
    const char *noun; /* what they are: "TASK" */
    const char *doc;  /* before the options; after '\v' behind them */

    const char *arguments;  /* beside options, as --help shows them; NULL: none */
    const cli_option *rows; /* ended by a row of zeros; NULL: none of its own */
    size_t size;            /* of the struct of options */
    void (*init)(const cli_command *self, void *options); /* defaults, after zeros; NULL: zeros */
    /* Takes an argument: 0, or EINVAL when a message is out. NULL: there are none. */
    error_t (*argument)(void *options, const char *text);
    const cli_task *tasks; /* ended by zeros; NULL: one, without a name */
    cli_field task;        /* where the place of the task goes, a bool or an enumeration */
    unsigned only;         /* of children that share rows: the bit of their task, by which rows of
                              others are refused, and not shown; 0: the first argument tells */
    cli_places places;
    unsigned lacks;     /* of the options of every command */
    const char *device; /* what --help says of --device; NULL: the usual */
};

/* Run a command or the child that argv[1] names. Returns the exit status. (command.c) */
int cli_run(const cli_command *command, int argc, char **argv);

/* ---- parsing (parse.c) -------------------------------------------------------------------- */

/* Initialise a command's struct of options and parse its arguments into it. Options that the task
 * does not take, and two that set one thing, are refused. Returns true to go on; else *exit_status
 * is set and a message is out. */
bool cli_parse_options(const cli_command *command, void *options, int argc, char **argv,
                       int *exit_status);

/* The bit of the task that was asked for; 0: the command has no tasks. */
unsigned cli_task_bit(const cli_command *command, const void *options);

struct cli_common;

/* Was the option that stores in this field on the command line? The struct that begins with
 * `common` must be the one that was parsed, or a copy. */
bool cli_given(const struct cli_common *common, const void *field);
/* That option's name with its dashes, "--keep". */
const char *cli_spelled(const struct cli_common *common, const void *field);

/* Can the files that a command line names be written, and is none of them read too, or written
 * twice? `inputs`: files that arguments name, NULL among them. If not, says so in one line and
 * returns false. (paths.c) */
bool cli_check_files(const struct cli_common *common, const char *const inputs[], size_t count);

struct tsl_json;

/* Members of an object with the values of the rows that are told, in their order, named as the
 * options with '_' for '-'. `options` may hold values that were settled since. */
void cli_echo_options(struct tsl_json *json, const cli_command *command, const void *options);

/* ---- values and texts (option.c) ---------------------------------------------------------- */

/* Of argp's options: the value is the name of a file, and must not be empty. */
enum { CLI_NAMES_A_FILE = 0x1000 };

/* What the names of figures end in. */
#define CLI_FIGURE_ENDINGS ".svg, .png or .pdf"

enum { CLI_SPELLED = 32, CLI_HELP = 1024, CLI_MOST_ROWS = 64 };

/* Store a value as the row says: 0, or EINVAL when a message is out. */
error_t cli_set(const cli_option *row, const char *text, void *options);
/* Print an error that begins with the option and the value refused; returns EINVAL. */
error_t cli_refuse_value(const cli_option *row, const char *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "--name", or "-o" of one that has only a letter. */
const char *cli_spell(char text[CLI_SPELLED], const cli_option *row);

/* Is this the end of the rows? */
bool cli_is_end(const cli_option *row);
/* What --help says: words, range and default among it. `defaults`: an initialised struct. */
void cli_option_help(char text[CLI_HELP], const cli_option *row, const void *defaults);
/* The word at a place; NULL: there are no more. */
const char *cli_word(const cli_option *row, int place);
/* "1 to 64", "above 0"; "": all numbers, or all from 0 up. */
void cli_range_text(char text[64], const cli_option *row);
/* The default by itself; "": there is none. */
void cli_default_text(char text[CLI_HELP], const cli_option *row, const void *defaults);

/* All rows of a command: its own, and those of every command that it does not lack. `out` must hold
 * CLI_MOST_ROWS. (parse.c) */
void cli_rows(cli_option *out, const cli_command *command);
/* Is this a row of the command, not only of children beside it? */
bool cli_takes(const cli_command *command, const cli_option *row);

#endif
