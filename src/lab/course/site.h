/* The course as static pages. */
#ifndef TSL_LAB_SITE_H
#define TSL_LAB_SITE_H

#include "lab/course/grade.h"

/* Write pages in both languages to `folder`, which is made: index.html, style.css, and a folder a
 * language. Solutions are run for what is counted of them. TSL_E_FORMAT if one does not pass. */
tsl_status tsl_lab_site_write(tsl_context *context, const tsl_lab_course *course,
                              const char *folder, const tsl_lab_grade_options *options);

/* html.c: a Markdown text (paragraphs, lists, tables, fenced code, `code`, **bold**, [links](…)) as
 * HTML. */
void tsl_lab_html(tsl_lab_buffer *out, const char *markdown);
/* Text with <, > and & escaped. */
void tsl_lab_html_plain(tsl_lab_buffer *out, const char *text, size_t length);

/* access_figure.c: "lanes STRIDE OFFSET" or "banks STRIDE OFFSET" as SVG; false: neither. `name`
 * makes its title's and description's ids unique in the page. */
bool tsl_lab_access_figure(tsl_lab_buffer *out, const char *what, int language, const char *name);

#endif
