/* Structs of a learner's file: their sizes and alignments decide how copies of them are split. */
#ifndef TSL_LAB_STRUCTS_H
#define TSL_LAB_STRUCTS_H

#include "lab/tokens.h"

/* Add to `rows` a row {sizeof(S), alignof(S), number} for each struct S at namespace scope, outside
 * of #if. Edits give those whose members are plain the constructors by which copies go in pieces as
 * wide as the struct is aligned. Without arrays, a struct with __align__ or alignas has them
 * always, and any other unless TSL_LAB_PLAIN is defined. All others have them where the macro
 * TSL_LAB_IF_number is defined as its arguments; numbers go on from *numbers. */
void tsl_lab_structs(tsl_lab_source *source, tsl_lab_buffer *rows, int *numbers);

#endif
