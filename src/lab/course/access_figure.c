/* Figures of a warp's access: lanes above, words of memory or banks below. */
#include <stdio.h>
#include <string.h>

#include "lab/course/messages.h"
#include "lab/course/site.h"

enum { LANES = 32, SECTOR_WORDS = 8, STEP = 22, LEFT = 20, LANE_Y = 30, MEMORY_Y = 150, BOX = 18 };

/* Sectors of 8 words that the words stride i + offset lie in, in ascending order. */
static int list_sectors(int sectors[LANES], int stride, int offset)
{
    int count = 0;
    for (int i = 0; i < LANES; i++) {
        const int sector = (i * stride + offset) / SECTOR_WORDS;
        if (count == 0 || sectors[count - 1] != sector) {
            sectors[count++] = sector;
        }
    }
    return count;
}

static void begin(tsl_lab_buffer *out, int height, const char *name, const char *title)
{
    tsl_lab_buffer_print(out,
                         "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-t\" "
                         "class=\"access\">\n<title id=\"%s-t\">%s</title>\n",
                         2 * LEFT + LANES * STEP, height, name, name, title);
    for (int i = 0; i < LANES; i++) {
        tsl_lab_buffer_print(out,
                             "<rect class=\"lane\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
                             "<text x=\"%d\" y=\"%d\">%d</text>\n",
                             LEFT + i * STEP, LANE_Y - BOX, BOX, BOX, LEFT + i * STEP + BOX / 2,
                             LANE_Y - 5, i);
    }
}

static void line(tsl_lab_buffer *out, int lane, double to, bool bad)
{
    tsl_lab_buffer_print(out, "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n",
                         bad ? "bad" : "good", LEFT + lane * STEP + BOX / 2, LANE_Y, to, MEMORY_Y);
}

/* All sectors side by side, each of the same width. */
static void draw_lanes(tsl_lab_buffer *out, int stride, int offset, int language, const char *name)
{
    int sectors[LANES];
    char title[512];
    const int count = list_sectors(sectors, stride, offset);
    const double width = (double)(LANES * STEP) / count;
    snprintf(title, sizeof title, tsl_lab_message(TSL_LAB_SAY_FIGURE_LANES, language), stride,
             offset, count);
    begin(out, MEMORY_Y + BOX + 24, name, title);
    for (int s = 0; s < count; s++) {
        const double x = LEFT + s * width;
        tsl_lab_buffer_print(out,
                             "<rect class=\"sector\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
                             "height=\"%d\"/>\n",
                             x, MEMORY_Y, width - 3, BOX);
        if (count <= 16 || s % 2 == 0) {
            tsl_lab_buffer_print(out, "<text x=\"%.1f\" y=\"%d\">%d</text>\n", x + width / 2,
                                 MEMORY_Y + BOX + 14, sectors[s] * SECTOR_WORDS * 4);
        }
    }
    int at = 0;
    for (int i = 0; i < LANES; i++) {
        const int word = i * stride + offset;
        while (sectors[at] != word / SECTOR_WORDS) {
            at++;
        }
        line(out, i, LEFT + at * width + (word % SECTOR_WORDS + 0.5) / SECTOR_WORDS * (width - 3),
             false);
    }
    tsl_lab_buffer_print(out, "</svg>\n<figcaption>%s</figcaption>\n", title);
}

static void draw_banks(tsl_lab_buffer *out, int stride, int offset, int language, const char *name)
{
    char title[512];
    int words[LANES] = {0}; /* different ones of each bank */
    int most = 0;
    for (int i = 0; i < LANES; i++) {
        bool known = false;
        for (int k = 0; k < i; k++) {
            known = known || k * stride == i * stride;
        }
        const int bank = (i * stride + offset) % LANES;
        words[bank] += !known;
        most = words[bank] > most ? words[bank] : most;
    }
    snprintf(title, sizeof title, tsl_lab_message(TSL_LAB_SAY_FIGURE_BANKS, language), stride,
             offset, most, most);
    begin(out, MEMORY_Y + BOX + 24, name, title);
    for (int b = 0; b < LANES; b++) {
        tsl_lab_buffer_print(out,
                             "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
                             "<text x=\"%d\" y=\"%d\">%d</text>\n",
                             words[b] > 1 ? "busy" : "sector", LEFT + b * STEP, MEMORY_Y, BOX, BOX,
                             LEFT + b * STEP + BOX / 2, MEMORY_Y + BOX + 14, b);
    }
    for (int i = 0; i < LANES; i++) {
        const int bank = (i * stride + offset) % LANES;
        line(out, i, LEFT + bank * STEP + BOX / 2, words[bank] > 1);
    }
    tsl_lab_buffer_print(out, "</svg>\n<figcaption>%s</figcaption>\n", title);
}

bool tsl_lab_access_figure(tsl_lab_buffer *out, const char *what, int language, const char *name)
{
    int stride;
    int offset;
    if (sscanf(what, "lanes %d %d", &stride, &offset) == 2 && stride >= 0 && stride <= 64 &&
        offset >= 0) {
        tsl_lab_buffer_print(out, "<figure>\n");
        draw_lanes(out, stride, offset, language, name);
    } else if (sscanf(what, "banks %d %d", &stride, &offset) == 2 && stride >= 0 && stride <= 64 &&
               offset >= 0) {
        tsl_lab_buffer_print(out, "<figure>\n");
        draw_banks(out, stride, offset, language, name);
    } else {
        return false;
    }
    tsl_lab_buffer_print(out, "</figure>\n");
    return true;
}
