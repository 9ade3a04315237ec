/* Lines of fixed columns, as PDB files have them, filled field by field: several times as fast as
 * printf. */
#ifndef TSL_IO_COLUMNS_H
#define TSL_IO_COLUMNS_H

/* Writes text into `width` columns from column `first` on (a line begins with column 1), from the
 * left, cut to fit. The rest of the field is left as it is. */
void tsl_columns_text(char *line, int first, int width, const char *text);

/* Writes the number as "%*.*f" prints it, digit for digit; decimals <= 6. What does not fit is cut
 * on the right. */
void tsl_columns_number(char *line, int first, int width, int decimals, double value);

#endif
