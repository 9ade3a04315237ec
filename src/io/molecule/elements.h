/* The chemical elements, by number and symbol. */
#ifndef TSL_IO_ELEMENTS_H
#define TSL_IO_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { TSL_ELEMENTS = 118 };

/* The symbol of an element: "H" of 1 and so on; "X" of a number that is no element's. */
const char *tsl_element_symbol(int32_t number);

/* The number of an element's symbol in the customary spelling; 0 if there is none. */
int32_t tsl_element_number(const char *symbol);

/* The number of the element whose symbol, in upper or lower case, is a text of `length` characters;
 * 0 if there is none. */
int32_t tsl_element_find(const char *text, size_t length);

#endif
