/* The course: exercises as they lie in course/, a file each. course/README.md has the form of a
 * file. */
#ifndef TSL_LAB_COURSE_H
#define TSL_LAB_COURSE_H

#include <limits.h>

#include "core/core.h"
#include "lab/buffer.h"

/* Languages of texts and messages. */
enum { TSL_LAB_SPANISH, TSL_LAB_ENGLISH, TSL_LAB_LANGUAGES };
extern const char *const tsl_lab_language_names[TSL_LAB_LANGUAGES + 1]; /* "es", "en", NULL */

enum {
    TSL_LAB_MOST_HINTS = 4,
    TSL_LAB_MOST_WRONG = 6,
    TSL_LAB_MOST_LIMITS = 8,
    TSL_LAB_MOST_SIZES = 32,
    TSL_LAB_MOST_ANSWERS = 24,
    TSL_LAB_MOST_OUTPUTS = 12,
    TSL_LAB_MOST_FIGURES = 4
};

enum tsl_lab_kind { TSL_LAB_TO_WRITE, TSL_LAB_TO_REPAIR, TSL_LAB_TO_PREDICT };
extern const char *const tsl_lab_kind_names[];

/* What is written of an exercise, or of a module, in one language. */
typedef struct tsl_lab_words {
    const char *title;
    const char *task; /* Markdown; of a module its introduction */
    const char *hints[TSL_LAB_MOST_HINTS];
    int hint_count;
    const char *after; /* the explanation, for when it is solved */
} tsl_lab_words;

/* An answer that must be rejected: the solution with some of its lines exchanged. */
typedef struct tsl_lab_wrong {
    const char *reason; /* of tsl_lab_finding */
    const char *change; /* lines that begin with - and + */
} tsl_lab_wrong;

typedef struct tsl_lab_exercise {
    char *text;       /* the whole file; the parts below lie in it */
    char *path;       /* of the file */
    char id[8];       /* "3.2" */
    const char *name; /* "sequential" */
    int module;
    int number; /* in its module */
    enum tsl_lab_kind kind;
    const char *covers;                    /* words: "K4 C5" */
    const char *device;                    /* capability that is simulated; "9.0" */
    const char *kernels;                   /* words: each must be launched; "" */
    const char *required;                  /* words that the answer must have; "" */
    const char *forbidden;                 /* words that it must not have; "" */
    const char *sizes[TSL_LAB_MOST_SIZES]; /* "100", "33x17" */
    int size_count;
    const char *limits[TSL_LAB_MOST_LIMITS]; /* "conflicts <= 0" */
    int limit_count;
    const char *answers[TSL_LAB_MOST_ANSWERS]; /* "sectors_2 = read strided 1" */
    int answer_count;
    const char *outputs[TSL_LAB_MOST_OUTPUTS]; /* names: "y", or "la suma / the sum" */
    int output_count;
    const char *figures[TSL_LAB_MOST_FIGURES]; /* "banks 4 0" */
    int figure_count;
    struct {
        const char *size;    /* "33554432"; NULL: no speed is told */
        const char *against; /* "copy" or "read" */
        int bytes;           /* that the kernels must move for each element of the size */
    } speed;
    tsl_lab_words words[TSL_LAB_LANGUAGES];
    const char *solution; /* with its marks */
    const char *act;      /* CUDA: makes input, calls the answer */
    const char *judge;    /* C++: says what is right */
    const char *program;  /* CUDA: what predictions are compared with */
    tsl_lab_wrong wrong[TSL_LAB_MOST_WRONG];
    int wrong_count;
} tsl_lab_exercise;

typedef struct tsl_lab_module {
    char *text;
    int number;
    tsl_lab_words words[TSL_LAB_LANGUAGES];
} tsl_lab_module;

typedef struct tsl_lab_course {
    char folder[PATH_MAX];
    tsl_lab_exercise *exercises; /* by module and number */
    int count;
    tsl_lab_module *modules; /* by number */
    int module_count;
} tsl_lab_course;

/* Read all of `folder`; NULL: where TESELA_LAB_PATH says, where this build has it, or where it was
 * installed. TSL_E_FORMAT, with file and line, of what is not as it should be. Release whatever the
 * outcome. */
tsl_status tsl_lab_course_read(tsl_lab_course *out, tsl_context *context, const char *folder);
void tsl_lab_course_release(tsl_lab_course *course);

/* The exercise of an id ("3.2"), of a name, or of a file that begins with an id; -1: none. */
int tsl_lab_course_find(const tsl_lab_course *course, const char *what);
const tsl_lab_module *tsl_lab_course_module(const tsl_lab_course *course, int number);

/* file.c: read one file into a zeroed exercise, or a module's. */
tsl_status tsl_lab_exercise_read(tsl_lab_exercise *out, tsl_context *context, const char *path);
tsl_status tsl_lab_module_read(tsl_lab_module *out, tsl_context *context, const char *path);

/* answer.c: texts made of the solution; release each with tsl_lab_buffer_release(). */
/* The solution without its marks. */
tsl_status tsl_lab_solution(tsl_lab_buffer *out, tsl_context *context, const tsl_lab_exercise *e);
/* What a learner begins with. */
tsl_status tsl_lab_skeleton(tsl_lab_buffer *out, tsl_context *context, const tsl_lab_exercise *e,
                            int language);
/* Wrong answer `which`. TSL_E_FORMAT if a line that it takes away is not there. */
tsl_status tsl_lab_wrong_answer(tsl_lab_buffer *out, tsl_context *context,
                                const tsl_lab_exercise *e, int which);
/* "3.2-sequential.cu", or .txt of predictions. */
void tsl_lab_answer_name(char *out, size_t bytes, const tsl_lab_exercise *e);
/* The value of `name` in a text of predictions, without blanks; false: it has none. */
bool tsl_lab_prediction(char *out, size_t bytes, const char *text, const char *name);
/* Write a text to a file; TSL_E_IO. */
tsl_status tsl_lab_write_text(tsl_context *context, const char *path, const char *text,
                              size_t length);

#endif
