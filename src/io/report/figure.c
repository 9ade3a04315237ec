#include "io/report/figure.h"

#include <math.h>
#include <string.h>

#include "core/config.h"

typedef enum file_kind { SVG, PNG, PDF, KINDS } file_kind;

static file_kind kind_of(const char *path)
{
    static const char *const endings[KINDS] = {[SVG] = ".svg", [PNG] = ".png", [PDF] = ".pdf"};
    const size_t length = strlen(path);
    for (int i = 0; i < KINDS; i++) {
        if (length >= 4 && strcmp(path + length - 4, endings[i]) == 0) {
            return (file_kind)i;
        }
    }
    return KINDS;
}

bool tsl_figure_knows(const char *path)
{
    return kind_of(path) != KINDS;
}

double tsl_nice_step(double range, int parts, double least)
{
    static const double digits[] = {1, 2, 5};
    const double wanted = fmax(range / parts, least);
    for (double power = pow(10, floor(log10(wanted)));; power *= 10) {
        for (int i = 0; i < 3; i++) {
            if (wanted <= digits[i] * power) {
                return digits[i] * power;
            }
        }
    }
}

#ifdef TSL_HAVE_CAIRO

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <stdio.h>

#include "io/file/output.h"

enum { PIXELS = 2 }; /* pixels of a PNG to a unit, enough for print */

/* A stream that leaves a number out of SVG. Cairo writes the number of a process's surface into its
 * ids; without it the same figure makes the same file, whatever was drawn before. */
typedef struct svg_file {
    FILE *stream;
    size_t matched; /* characters of `id` that end what was written so far */
} svg_file;

static cairo_status_t write_svg(void *file, const unsigned char *data, unsigned int bytes)
{
    static const char id[] = "\"surface";
    svg_file *svg = file;
    for (unsigned int i = 0; i < bytes; i++) {
        const char c = (char)data[i];
        if (svg->matched == sizeof id - 1) {
            if (c >= '0' && c <= '9') {
                continue;
            }
            svg->matched = 0;
        }
        svg->matched = c == id[svg->matched] ? svg->matched + 1 : c == id[0];
        putc(c, svg->stream);
    }
    return ferror(svg->stream) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static cairo_status_t write_bytes(void *stream, const unsigned char *data, unsigned int bytes)
{
    return fwrite(data, 1, bytes, stream) == bytes ? CAIRO_STATUS_SUCCESS
                                                   : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *open_surface(svg_file *file, file_kind kind, int width, int height)
{
    switch (kind) {
    case PNG:
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, PIXELS * width, PIXELS * height);
    case PDF:
        return cairo_pdf_surface_create_for_stream(write_bytes, file->stream, width, height);
    default:
        break;
    }
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(write_svg, file, width, height);
#if CAIRO_VERSION >= CAIRO_VERSION_ENCODE(1, 16, 0)
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
#endif
    return surface;
}

/* Draw a file. Returns Cairo's status. */
static cairo_status_t draw_all(FILE *stream, file_kind kind, int width, int height,
                               tsl_figure_draw *draw, const void *what)
{
    svg_file file = {.stream = stream};
    cairo_surface_t *surface = open_surface(&file, kind, width, height);
    cairo_t *cairo = cairo_create(surface);
    if (kind == PNG) {
        cairo_scale(cairo, PIXELS, PIXELS);
    }
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    draw(cairo, what);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (kind == PNG && status == CAIRO_STATUS_SUCCESS) {
        status = cairo_surface_write_to_png_stream(surface, write_bytes, stream);
    }
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) {
        status = cairo_surface_status(surface);
    }
    cairo_surface_destroy(surface);
    return status;
}

tsl_status tsl_figure_write(tsl_context *context, const char *path, int width, int height,
                            tsl_figure_draw *draw, const void *what)
{
    tsl_output *output = NULL;
    const tsl_status status = tsl_output_open(&output, context, path);
    if (status != TSL_OK) {
        return status;
    }
    const tsl_plain_numbers numbers = tsl_plain_numbers_enter();
    const cairo_status_t drawn =
        draw_all(tsl_output_stream(output), kind_of(path), width, height, draw, what);
    tsl_plain_numbers_leave(numbers);
    if (drawn == CAIRO_STATUS_SUCCESS || drawn == CAIRO_STATUS_WRITE_ERROR) {
        return tsl_output_commit(output); /* this has the reason of a write error */
    }
    tsl_output_discard(output);
    return tsl_fail(context, drawn == CAIRO_STATUS_NO_MEMORY ? TSL_E_NOMEM : TSL_E_INTERNAL,
                    "%s: cannot draw the figure: %s", path, cairo_status_to_string(drawn));
}

#else

tsl_status tsl_figure_write(tsl_context *context, const char *path, int width, int height,
                            tsl_figure_draw *draw, const void *what)
{
    (void)width;
    (void)height;
    (void)draw;
    (void)what;
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "%s: this build draws no figures; build tesela with Cairo", path);
}

#endif
