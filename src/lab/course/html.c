/* Markdown, as far as the course uses it, to HTML. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lab/course/site.h"

enum open_block { NOTHING, PARAGRAPH, LIST, NUMBERED, TABLE, CODE };

typedef struct writer {
    tsl_lab_buffer *out;
    tsl_lab_buffer pending; /* text of the paragraph or item that is open */
    enum open_block open;
    bool table_head;
} writer;

void tsl_lab_html_plain(tsl_lab_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char *escaped = text[i] == '<'   ? "&lt;"
                              : text[i] == '>' ? "&gt;"
                              : text[i] == '&' ? "&amp;"
                              : text[i] == '"' ? "&quot;"
                                               : NULL;
        if (escaped != NULL) {
            tsl_lab_buffer_add(out, escaped, strlen(escaped));
        } else {
            tsl_lab_buffer_add(out, text + i, 1);
        }
    }
}

/* [text](address) at `text`; its length, 0: there is no link. */
static size_t write_link(tsl_lab_buffer *out, const char *text, size_t length)
{
    const char *middle = memmem(text, length, "](", 2);
    const char *end = middle != NULL ? memchr(middle, ')', length - (size_t)(middle - text)) : NULL;
    if (end == NULL) {
        return 0;
    }
    tsl_lab_buffer_print(out, "<a href=\"");
    tsl_lab_html_plain(out, middle + 2, (size_t)(end - middle) - 2);
    tsl_lab_buffer_print(out, "\">");
    tsl_lab_html_plain(out, text + 1, (size_t)(middle - text) - 1);
    tsl_lab_buffer_print(out, "</a>");
    return (size_t)(end - text) + 1;
}

/* *word* at `text`; its length, 0: there is none. */
static size_t write_emphasis(tsl_lab_buffer *out, const char *text, size_t length)
{
    const char *close = length > 2 && text[1] != ' ' ? memchr(text + 1, '*', length - 1) : NULL;
    if (close == NULL || close[-1] == ' ') {
        return 0;
    }
    tsl_lab_buffer_print(out, "<em>");
    tsl_lab_html_plain(out, text + 1, (size_t)(close - text) - 1);
    tsl_lab_buffer_print(out, "</em>");
    return (size_t)(close - text) + 1;
}

static void write_inline(tsl_lab_buffer *out, const char *text, size_t length)
{
    bool bold = false;
    for (size_t i = 0; i < length; i++) {
        const char *close = text[i] == '`' ? memchr(text + i + 1, '`', length - i - 1) : NULL;
        if (close != NULL) {
            tsl_lab_buffer_print(out, "<code>");
            tsl_lab_html_plain(out, text + i + 1, (size_t)(close - text) - i - 1);
            tsl_lab_buffer_print(out, "</code>");
            i = (size_t)(close - text);
        } else if (text[i] == '*' && i + 1 < length && text[i + 1] == '*') {
            tsl_lab_buffer_print(out, bold ? "</strong>" : "<strong>");
            bold = !bold;
            i++;
        } else {
            const size_t taken = text[i] == '['   ? write_link(out, text + i, length - i)
                                 : text[i] == '*' ? write_emphasis(out, text + i, length - i)
                                                  : 0;
            if (taken > 0) {
                i += taken - 1;
            } else {
                tsl_lab_html_plain(out, text + i, 1);
            }
        }
    }
}

static void write_pending(writer *w)
{
    if (w->pending.length > 0) {
        write_inline(w->out, w->pending.data, w->pending.length);
    }
    w->out->failed = w->out->failed || w->pending.failed;
    tsl_lab_buffer_release(&w->pending);
}

static void close_block(writer *w)
{
    static const char *const ends[] = {
        "", "</p>\n", "</li></ul>\n", "</li></ol>\n", "</tbody></table>\n", "</code></pre>\n"};
    write_pending(w);
    tsl_lab_buffer_print(w->out, "%s", ends[w->open]);
    w->open = NOTHING;
}

static void write_row(writer *w, const char *line, size_t length)
{
    const char *tag = w->table_head ? "th" : "td";
    const char *end = line + length;
    const char *at = line + 1;
    tsl_lab_buffer_print(w->out, "<tr>");
    while (at < end) {
        const char *bar = memchr(at, '|', (size_t)(end - at));
        const char *stop = bar != NULL ? bar : end;
        if (bar == NULL && stop == at) {
            break;
        }
        tsl_lab_buffer_print(w->out, w->table_head ? "<%s scope=\"col\">" : "<%s>", tag);
        write_inline(w->out, at, (size_t)(stop - at));
        tsl_lab_buffer_print(w->out, "</%s>", tag);
        at = stop + 1;
    }
    tsl_lab_buffer_print(w->out, "</tr>\n");
}

static void write_table_line(writer *w, const char *line, size_t length)
{
    if (w->open != TABLE) {
        close_block(w);
        tsl_lab_buffer_print(w->out, "<table><thead>\n");
        w->open = TABLE;
        w->table_head = true;
    } else if (w->table_head && length > 2 && (line[1] == '-' || line[2] == '-')) {
        tsl_lab_buffer_print(w->out, "</thead><tbody>\n");
        w->table_head = false;
        return;
    }
    write_row(w, line, length);
}

static void write_item(writer *w, const char *text, size_t length, enum open_block kind)
{
    if (w->open != kind) {
        close_block(w);
        tsl_lab_buffer_print(w->out, kind == LIST ? "<ul>\n<li>" : "<ol>\n<li>");
        w->open = kind;
    } else {
        write_pending(w);
        tsl_lab_buffer_print(w->out, "</li>\n<li>");
    }
    tsl_lab_buffer_add(&w->pending, text, length);
}

static void write_line(writer *w, const char *line, size_t length)
{
    const bool fence = length >= 3 && strncmp(line, "```", 3) == 0;
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)line[digits])) {
        digits++;
    }
    if (w->open == CODE) {
        if (fence) {
            close_block(w);
        } else {
            tsl_lab_html_plain(w->out, line, length);
            tsl_lab_buffer_print(w->out, "\n");
        }
    } else if (fence) {
        close_block(w);
        tsl_lab_buffer_print(w->out, "<pre><code>");
        w->open = CODE;
    } else if (length == 0) {
        close_block(w);
    } else if (line[0] == '|') {
        write_table_line(w, line, length);
    } else if (length > 2 && strncmp(line, "- ", 2) == 0) {
        write_item(w, line + 2, length - 2, LIST);
    } else if (digits > 0 && digits + 2 < length && line[digits] == '.' &&
               line[digits + 1] == ' ') {
        write_item(w, line + digits + 2, length - digits - 2, NUMBERED);
    } else {
        if (w->open == NOTHING || w->open == TABLE) {
            close_block(w);
            tsl_lab_buffer_print(w->out, "<p>");
            w->open = PARAGRAPH;
        } else {
            tsl_lab_buffer_add(&w->pending, "\n", 1);
        }
        tsl_lab_buffer_add(&w->pending, line, length);
    }
}

void tsl_lab_html(tsl_lab_buffer *out, const char *markdown)
{
    writer w = {.out = out};
    for (const char *line = markdown; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        write_line(&w, line, length);
        line += length + (line[length] == '\n');
    }
    close_block(&w);
}
