/* What the course says, in both languages: messages.def has each sentence once. */
#ifndef TSL_LAB_MESSAGES_H
#define TSL_LAB_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

enum tsl_lab_said {
#define TSL_LAB_SAY(name, spanish, english) TSL_LAB_SAY_##name,
#include "lab/course/messages.def"
#undef TSL_LAB_SAY
    TSL_LAB_SAID
};

/* A sentence, or the format of one: formats take the same values in both languages. */
const char *tsl_lab_message(enum tsl_lab_said what, int language);

/* What a kind of report of a run means ("race", "bounds"); NULL: no such kind. */
const char *tsl_lab_report_meaning(const char *kind, int language);

/* What a report says beyond its kind (the runtime's English: threads, bytes), in a language, as
 * details.def has it. False: there is no translation, and *out is empty. */
bool tsl_lab_detail(char *out, size_t bytes, const char *text, int language);

#endif
