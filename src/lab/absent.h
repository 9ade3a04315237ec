/* What CUDA has and the simulated device has not, by the headers and names of it. */
#ifndef TSL_LAB_ABSENT_H
#define TSL_LAB_ABSENT_H

#include "lab/tokens.h"

/* What a header, of `length` characters, would bring; NULL for all others. */
const char *tsl_lab_absent_header(const char *name, size_t length);
/* What the word at `at` names, which is in a function or not; NULL for all others. */
const char *tsl_lab_absent_word(const tsl_lab_source *source, size_t at, bool in_function);

#endif
