/* Lines of fixed columns, filled field by field: what a PDB file has, several times as fast as
 * printf. */
#ifndef TSL_IO_COLUMNS_H
#define TSL_IO_COLUMNS_H

/* Text into columns first … first + width - 1 (the first column is 1), from the left, cut to fit;
 * the rest of the field is left as it is. */
void tsl_columns_text(char *line, int first, int width, const char *text);

/* The number as "%*.*f" prints it, digit for digit; decimals <= 6. What does not fit is cut on the
 * right. */
void tsl_columns_number(char *line, int first, int width, int decimals, double value);

#endif
