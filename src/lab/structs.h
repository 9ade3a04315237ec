/* Structs of a learner's file: their sizes and alignments decide how copies of them are split. */
#ifndef TSL_LAB_STRUCTS_H
#define TSL_LAB_STRUCTS_H

#include "lab/tokens.h"

/* Add to `rows` a row {sizeof(S), alignof(S), number} for each struct S at namespace scope, outside
 * of #if. Of those with __align__ or alignas whose members are plain, edits make copies go whole;
 * of other plain ones where TSL_LAB_IF_number is defined so, numbers from *numbers. */
void tsl_lab_structs(tsl_lab_source *source, tsl_lab_buffer *rows, int *numbers);

#endif
