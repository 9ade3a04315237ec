/* The course as static pages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file/output.h"
#include "lab/course/messages.h"
#include "lab/course/site.h"

static const char style[] =
    ":root{--ink:#1a1a1a;--paper:#fdfdfb;--soft:#eef0ee;--line:#8a8f8a;--accent:#005a8c;"
    "--warn:#a33b00}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e4;--paper:#171917;--soft:#262926;"
    "--line:#7c827c;--accent:#7cc4f0;--warn:#ffab7a}}\n"
    "body{margin:0 auto;max-width:48rem;padding:1rem;font:1.05rem/1.55 system-ui,sans-serif;"
    "color:var(--ink);background:var(--paper)}\n"
    "a{color:var(--accent)}a:focus-visible,summary:focus-visible{outline:3px solid var(--accent);"
    "outline-offset:2px}\n"
    ".skip{position:absolute;left:-99rem}.skip:focus{left:1rem}\n"
    "nav{display:flex;gap:1rem;flex-wrap:wrap;padding:.4rem 0;border-bottom:1px solid "
    "var(--line)}\n"
    "h1{line-height:1.25}pre{background:var(--soft);padding:.8rem;overflow-x:auto;font-size:.9rem}"
    "\n"
    "code{font-family:ui-monospace,monospace;background:var(--soft)}\n"
    "table{border-collapse:collapse;font-size:.9rem;display:block;overflow-x:auto}"
    "th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}"
    ".counts th,.counts td{text-align:right}"
    "caption{text-align:left;font-weight:600;padding:.4rem 0}\n"
    "details{margin:.6rem 0;border-left:3px solid var(--line);padding-left:.8rem}"
    "summary{cursor:pointer;font-weight:600}\n"
    "figure{margin:1rem 0}figcaption{font-size:.9rem}svg{width:100%;height:auto}"
    ".access text{font-size:9px;text-anchor:middle;fill:var(--ink)}"
    ".access .lane{fill:none;stroke:var(--ink)}.access .sector{fill:var(--soft);"
    "stroke:var(--line)}.access .busy{fill:none;stroke:var(--warn);stroke-width:2}"
    ".access .good{stroke:var(--accent)}.access .bad{stroke:var(--warn);stroke-dasharray:4 2}\n"
    "footer{margin-top:2rem;border-top:1px solid var(--line);font-size:.9rem}\n";

typedef struct site {
    tsl_context *context;
    const tsl_lab_course *course;
    const char *folder;
    const tsl_lab_grade_options *options;
    int language;
} site;

static const char *say(const site *s, enum tsl_lab_said what)
{
    return tsl_lab_message(what, s->language);
}

static void add_plain(tsl_lab_buffer *out, const char *text)
{
    tsl_lab_html_plain(out, text, strlen(text));
}

static void page_name(char *out, size_t bytes, const tsl_lab_exercise *e)
{
    snprintf(out, bytes, "%s-%s.html", e->id, e->name);
}

/* `other`: the same page in the other language. */
static void begin_page(const site *s, tsl_lab_buffer *out, const char *title, const char *other)
{
    const int elsewhere = 1 - s->language;
    tsl_lab_buffer_print(out,
                         "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                         "<title>",
                         tsl_lab_language_names[s->language]);
    add_plain(out, title);
    tsl_lab_buffer_print(out,
                         "</title>\n<link rel=\"stylesheet\" href=\"../style.css\">\n"
                         "<link rel=\"alternate\" hreflang=\"%s\" href=\"../%s/%s\">\n</head>\n"
                         "<body>\n<a class=\"skip\" href=\"#content\">%s</a>\n"
                         "<nav aria-label=\"%s\">\n<a href=\"index.html\">%s</a>\n"
                         "<a href=\"../%s/%s\" lang=\"%s\" hreflang=\"%s\">%s</a>\n",
                         tsl_lab_language_names[elsewhere], tsl_lab_language_names[elsewhere],
                         other, say(s, TSL_LAB_SAY_SKIP), say(s, TSL_LAB_SAY_CONTENTS),
                         say(s, TSL_LAB_SAY_CONTENTS), tsl_lab_language_names[elsewhere], other,
                         tsl_lab_language_names[elsewhere], tsl_lab_language_names[elsewhere],
                         say(s, TSL_LAB_SAY_OTHER_LANGUAGE));
}

static tsl_status end_page(const site *s, tsl_lab_buffer *out, const char *name)
{
    char path[PATH_MAX];
    tsl_lab_buffer_print(out, "</main>\n</body>\n</html>\n");
    snprintf(path, sizeof path, "%s/%s/%s", s->folder, tsl_lab_language_names[s->language], name);
    const tsl_status status = out->failed
                                  ? tsl_fail_memory(s->context, (int64_t)out->length, "a page")
                                  : tsl_lab_write_text(s->context, path, out->data, out->length);
    tsl_lab_buffer_release(out);
    return status;
}

static void add_neighbour(const site *s, tsl_lab_buffer *out, int at, const char *relation,
                          enum tsl_lab_said what)
{
    char name[160];
    if (at < 0 || at >= s->course->count) {
        return;
    }
    const tsl_lab_exercise *e = &s->course->exercises[at];
    page_name(name, sizeof name, e);
    tsl_lab_buffer_print(out, "<a rel=\"%s\" href=\"%s\">%s: %s ", relation, name, say(s, what),
                         e->id);
    add_plain(out, e->words[s->language].title);
    tsl_lab_buffer_print(out, "</a>\n");
}

/* ---- what is counted ------------------------------------------------------------------------- */

static void add_count(const site *s, tsl_lab_buffer *out, const tsl_lab_count *c)
{
    static const enum tsl_lab_said spaces[] = {TSL_LAB_SAY_GLOBAL, TSL_LAB_SAY_SHARED,
                                               TSL_LAB_SAY_CONSTANT};
    const enum tsl_lab_said access = (c->kind & TSL_LAB_ATOMIC) != 0  ? TSL_LAB_SAY_ATOMIC
                                     : (c->kind & TSL_LAB_WRITE) != 0 ? TSL_LAB_SAY_WRITE
                                                                      : TSL_LAB_SAY_READ;
    tsl_lab_buffer_print(out, "<tr><td>%d</td><td>%s</td><td>%s</td><td>%lld</td><td>%.1f</td>",
                         c->line, say(s, spaces[c->space]), say(s, access), (long long)c->requests,
                         (double)c->lanes / (double)c->requests);
    const int64_t values[] = {c->sectors, c->least_sectors, c->wavefronts, c->conflicts};
    for (int i = 0; i < 4; i++) {
        if (i < 2 ? c->space == 0 : c->space == 1) {
            tsl_lab_buffer_print(out, "<td>%lld</td>", (long long)values[i]);
        } else {
            tsl_lab_buffer_print(out, "<td></td>");
        }
    }
    tsl_lab_buffer_print(out, "</tr>\n");
}

/* Lines of the last launch of each kernel would repeat those of all sizes: the last launch alone.
 */
static void add_counts(const site *s, tsl_lab_buffer *out, const tsl_lab_session *session)
{
    const int64_t last = session->launch_count - 1;
    if (last < 0) {
        return;
    }
    const tsl_lab_launched *l = &session->launches[last];
    tsl_lab_buffer_print(out,
                         "<table class=\"counts\"><caption>%s: ", say(s, TSL_LAB_SAY_COUNTS_TITLE));
    add_plain(out, l->kernel);
    tsl_lab_buffer_print(out,
                         "&lt;&lt;&lt;(%u,%u,%u), (%u,%u,%u)&gt;&gt;&gt;</caption>\n<thead><tr>",
                         l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    for (const char *at = say(s, TSL_LAB_SAY_COUNTS_HEAD); *at != '\0';) {
        const size_t length = strcspn(at, "|");
        tsl_lab_buffer_print(out, "<th scope=\"col\">%.*s</th>", (int)length, at);
        at += length + (at[length] == '|');
    }
    tsl_lab_buffer_print(out, "</tr></thead><tbody>\n");
    for (int64_t i = 0; i < session->count_count; i++) {
        if (session->counts[i].launch == last && session->counts[i].requests > 0) {
            add_count(s, out, &session->counts[i]);
        }
    }
    tsl_lab_buffer_print(out, "</tbody></table>\n");
}

/* ---- pages ----------------------------------------------------------------------------------- */

static tsl_status add_code(const site *s, tsl_lab_buffer *out, const tsl_lab_exercise *e,
                           bool solution)
{
    tsl_lab_buffer text;
    const tsl_status status = solution ? tsl_lab_solution(&text, s->context, e)
                                       : tsl_lab_skeleton(&text, s->context, e, s->language);
    if (status == TSL_OK) {
        tsl_lab_buffer_print(out, "<pre tabindex=\"0\"><code>");
        tsl_lab_html_plain(out, text.data, text.length);
        tsl_lab_buffer_print(out, "</code></pre>\n");
    }
    tsl_lab_buffer_release(&text);
    return status;
}

static void add_details(tsl_lab_buffer *out, const char *title, const char *markdown)
{
    tsl_lab_buffer_print(out, "<details><summary>%s</summary>\n", title);
    tsl_lab_html(out, markdown);
    tsl_lab_buffer_print(out, "</details>\n");
}

static tsl_status add_figures(const site *s, tsl_lab_buffer *out, const tsl_lab_exercise *e)
{
    for (int i = 0; i < e->figure_count; i++) {
        char id[32];
        snprintf(id, sizeof id, "figure%d", i);
        if (!tsl_lab_access_figure(out, e->figures[i], s->language, id)) {
            return tsl_fail(s->context, TSL_E_FORMAT,
                            "%s: figure: %s: give lanes or banks, a stride and an offset", e->path,
                            e->figures[i]);
        }
    }
    return TSL_OK;
}

static tsl_status write_exercise(const site *s, int at, const tsl_lab_session *session)
{
    const tsl_lab_exercise *e = &s->course->exercises[at];
    const tsl_lab_words *w = &e->words[s->language];
    char name[160];
    char title[256];
    tsl_lab_buffer out = {.data = NULL};
    tsl_status status;
    page_name(name, sizeof name, e);
    snprintf(title, sizeof title, "%s %s", e->id, w->title);
    begin_page(s, &out, title, name);
    add_neighbour(s, &out, at - 1, "prev", TSL_LAB_SAY_EARLIER);
    add_neighbour(s, &out, at + 1, "next", TSL_LAB_SAY_LATER);
    tsl_lab_buffer_print(&out, "</nav>\n<main id=\"content\">\n<h1>");
    add_plain(&out, title);
    tsl_lab_buffer_print(&out, "</h1>\n");
    tsl_lab_html(&out, w->task);
    if (e->kind != TSL_LAB_TO_PREDICT) { /* there they would tell the answer */
        TSL_TRY(add_figures(s, &out, e));
    }
    tsl_lab_buffer_print(&out, "<h2>%s</h2>\n", say(s, TSL_LAB_SAY_START_TITLE));
    TSL_TRY(add_code(s, &out, e, false));
    for (int i = 0; i < w->hint_count; i++) {
        char hint[64];
        snprintf(hint, sizeof hint, "%s %d", say(s, TSL_LAB_SAY_HINT_TITLE), i + 1);
        add_details(&out, hint, w->hints[i]);
    }
    tsl_lab_buffer_print(&out, "<details><summary>%s</summary>\n",
                         say(s, TSL_LAB_SAY_SOLUTION_TITLE));
    TSL_TRY(add_code(s, &out, e, true));
    tsl_lab_html(&out, w->after);
    if (e->kind == TSL_LAB_TO_PREDICT) {
        TSL_TRY(add_figures(s, &out, e));
    }
    add_counts(s, &out, session);
    tsl_lab_buffer_print(&out, "</details>\n<footer><p>%s: %s</p></footer>\n",
                         say(s, TSL_LAB_SAY_COVERS), e->covers);
    return end_page(s, &out, name);
done:
    tsl_lab_buffer_release(&out);
    return status;
}

static tsl_status write_index(const site *s)
{
    tsl_lab_buffer out = {.data = NULL};
    const char *title = say(s, TSL_LAB_SAY_COURSE_TITLE);
    begin_page(s, &out, title, "index.html");
    tsl_lab_buffer_print(&out, "</nav>\n<main id=\"content\">\n<h1>%s</h1>\n", title);
    for (int i = 0; i < s->course->module_count; i++) {
        const tsl_lab_module *m = &s->course->modules[i];
        tsl_lab_buffer_print(&out, "<section aria-labelledby=\"m%d\"><h2 id=\"m%d\">%d. ",
                             m->number, m->number, m->number);
        add_plain(&out, m->words[s->language].title);
        tsl_lab_buffer_print(&out, "</h2>\n");
        tsl_lab_html(&out, m->words[s->language].task);
        tsl_lab_buffer_print(&out, "<ul>\n");
        for (int k = 0; k < s->course->count; k++) {
            char name[160];
            const tsl_lab_exercise *e = &s->course->exercises[k];
            if (e->module == m->number) {
                page_name(name, sizeof name, e);
                tsl_lab_buffer_print(&out, "<li><a href=\"%s\">%s ", name, e->id);
                add_plain(&out, e->words[s->language].title);
                tsl_lab_buffer_print(&out, "</a></li>\n");
            }
        }
        tsl_lab_buffer_print(&out, "</ul></section>\n");
    }
    return end_page(s, &out, "index.html");
}

static tsl_status write_root(const site *s)
{
    static const char root[] =
        "<!DOCTYPE html>\n<html lang=\"es\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<title>tesela lab</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n</head>\n<body>\n"
        "<main>\n<h1>tesela lab</h1>\n<p><a href=\"es/index.html\" "
        "hreflang=\"es\">Español</a></p>\n"
        "<p lang=\"en\"><a href=\"en/index.html\" "
        "hreflang=\"en\">English</a></p>\n</main>\n</body>\n"
        "</html>\n";
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/style.css", s->folder);
    tsl_status status = tsl_lab_write_text(s->context, path, style, sizeof style - 1);
    snprintf(path, sizeof path, "%s/index.html", s->folder);
    return status == TSL_OK ? tsl_lab_write_text(s->context, path, root, sizeof root - 1) : status;
}

/* Run the solution once; its counts are on the pages of both languages. */
static tsl_status write_both(site *s, int at)
{
    const tsl_lab_exercise *e = &s->course->exercises[at];
    char path[PATH_MAX];
    char folder[PATH_MAX - 64] = "";
    tsl_lab_buffer text = {.data = NULL};
    tsl_lab_verdict verdict = {.passed = false};
    tsl_status status;
    TSL_TRY(tsl_lab_make_temporary(folder, s->context, getenv("TMPDIR")));
    snprintf(path, sizeof path, "%s/solution.cu", folder);
    TSL_TRY(tsl_lab_solution(&text, s->context, e));
    TSL_TRY(tsl_lab_write_text(s->context, path, text.data, text.length));
    TSL_TRY(tsl_lab_grade(&verdict, s->context, e, path, s->options));
    if (!verdict.passed) {
        status = tsl_fail(s->context, TSL_E_FORMAT, "%s: its solution does not pass: %s", e->path,
                          verdict.findings[0].text);
        goto done;
    }
    for (s->language = 0; s->language < TSL_LAB_LANGUAGES; s->language++) {
        TSL_TRY(write_exercise(s, at, &verdict.session));
    }
done:
    if (folder[0] != '\0') {
        unlink(path);
        rmdir(folder);
    }
    tsl_lab_verdict_release(&verdict);
    tsl_lab_buffer_release(&text);
    return status;
}

tsl_status tsl_lab_site_write(tsl_context *context, const tsl_lab_course *course,
                              const char *folder, const tsl_lab_grade_options *options)
{
    site s = {.context = context, .course = course, .folder = folder, .options = options};
    tsl_status status = TSL_OK;
    for (s.language = 0; s.language < TSL_LAB_LANGUAGES && status == TSL_OK; s.language++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, tsl_lab_language_names[s.language]);
        status = tsl_make_folder(context, path);
        status = status == TSL_OK ? write_index(&s) : status;
    }
    if (status == TSL_OK) {
        status = write_root(&s);
    }
    for (int at = 0; at < course->count && status == TSL_OK; at++) {
        if (options->stop != NULL && options->stop()) {
            return tsl_fail(context, TSL_E_CANCELLED, "stopped");
        }
        status = write_both(&s, at);
    }
    return status;
}
