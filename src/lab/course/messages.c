/* Sentences of the course in both languages. */
#include <stdio.h>
#include <string.h>

#include "lab/course/course.h"
#include "lab/course/messages.h"

static const char *const sentences[TSL_LAB_SAID][TSL_LAB_LANGUAGES] = {
#define TSL_LAB_SAY(name, spanish, english) {spanish, english},
#include "lab/course/messages.def"
#undef TSL_LAB_SAY
};

const char *tsl_lab_message(enum tsl_lab_said what, int language)
{
    return sentences[what][language];
}

static const struct {
    const char *kind;
    const char *meaning[TSL_LAB_LANGUAGES];
} meanings[] = {
    {"race",
     {"carrera: dos hilos acceden a la misma palabra, uno la escribe y nada los ordena",
      "race: two threads access the same word, one of them writes it, and nothing orders them"}},
    {"unwritten",
     {"se lee memoria que nadie ha escrito", "a read of memory that nobody has written"}},
    {"bounds", {"acceso fuera de los límites", "access out of bounds"}},
    {"misaligned",
     {"la dirección no es múltiplo del tamaño del acceso",
      "the address is not a multiple of the size of the access"}},
    {"constant", {"se escribe en memoria constante", "a write to constant memory"}},
    {"barrier",
     {"no todos los hilos llegan a la misma barrera", "not all threads reach the same barrier"}},
    {"mask",
     {"la máscara no corresponde a los hilos que están ahí",
      "the mask does not match the lanes that are there"}},
    {"deadlock",
     {"hay hilos que esperan a otros que no llegan nunca",
      "threads wait for others that never arrive"}},
    {"trap", {"un assert() o __trap() del kernel", "an assert() or __trap() of the kernel"}},
    {"launch",
     {"el lanzamiento no es posible con esa configuración",
      "the kernel cannot be launched with that configuration"}},
    {"copy",
     {"la copia se sale de su memoria o va en la dirección equivocada",
      "the copy runs past its memory or goes in the wrong direction"}},
    {"free",
     {"se libera dos veces o algo que no se había pedido", "freed twice, or never allocated"}},
    {"host",
     {"el host toca memoria del dispositivo: cópiala antes con cudaMemcpy()",
      "the host touches memory of the device: copy it with cudaMemcpy() first"}},
    {"call",
     {"el kernel llama a una función de la biblioteca de C, que solo corre en el host",
      "the kernel calls a function of the C library, which runs on the host only"}},
    {"fault",
     {"se accede a memoria que no es de nadie", "an access to memory that belongs to nobody"}},
    {"texture",
     {"la textura no es válida, o se lee como una de otra clase",
      "the texture is not valid, or is read as one of another kind"}},
    {"stack",
     {"las variables locales de un hilo ocupan demasiado",
      "a thread's local variables take too much memory"}},
    {"time", {"no termina a tiempo", "the program does not end in time"}},
    {"refused",
     {"el programa intenta algo que aquí no se permite (archivos, procesos, red)",
      "the program tries something that is not allowed here (files, processes, network)"}},
    {"killed", {"una señal termina el programa", "a signal ended the program"}},
    {"ended", {"el programa termina antes de tiempo", "the program ends itself too early"}},
    {"fatal", {"el programa no puede seguir", "the program cannot go on"}},
};

const char *tsl_lab_report_meaning(const char *kind, int language)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (strcmp(meanings[i].kind, kind) == 0) {
            return meanings[i].meaning[language];
        }
    }
    return NULL;
}

/* ---- details of reports ---------------------------------------------------------------------- */

enum { MOST_PARTS = 6, PART_BYTES = 320 };

static const struct {
    const char *english;
    const char *spanish;
} details[] = {
#define TSL_LAB_DETAIL(english, spanish) {english, spanish},
#include "lab/course/details.def"
#undef TSL_LAB_DETAIL
};

/* Is `text` the pattern, with the shortest parts that stand for each {}, the last up to the end? */
static bool matches(const char *pattern, const char *text, char parts[MOST_PARTS][PART_BYTES])
{
    for (int i = 0; *pattern != '\0'; i++) {
        const char *hole = strstr(pattern, "{}");
        const size_t plain = hole != NULL ? (size_t)(hole - pattern) : strlen(pattern);
        if (strncmp(pattern, text, plain) != 0) {
            return false;
        }
        text += plain;
        if (hole == NULL) {
            return *text == '\0';
        }
        if (i == MOST_PARTS) {
            return false;
        }
        char next[160]; /* what stands up to the next {} */
        pattern = hole + 2;
        snprintf(next, sizeof next, "%.*s",
                 (int)(strstr(pattern, "{}") != NULL ? strstr(pattern, "{}") - pattern
                                                     : (long)strlen(pattern)),
                 pattern);
        const char *end = next[0] != '\0' ? strstr(text, next) : text + strlen(text);
        if (end == NULL || end == text) {
            return false;
        }
        snprintf(parts[i], PART_BYTES, "%.*s", (int)(end - text), text);
        text = end;
    }
    return *text == '\0';
}

/* Parts are words of details.def too, or names and numbers, which stay: two levels are all that
 * there are. */
static bool translate(char *out, size_t bytes, const char *text, int depth)
{
    for (size_t d = 0; d < sizeof details / sizeof *details; d++) {
        char parts[MOST_PARTS][PART_BYTES];
        if (!matches(details[d].english, text, parts)) {
            continue;
        }
        size_t length = 0;
        int at = 0;
        out[0] = '\0';
        for (const char *from = details[d].spanish; *from != '\0' && length < bytes;) {
            const char *hole = strstr(from, "{}");
            const int plain = hole != NULL ? (int)(hole - from) : (int)strlen(from);
            length += (size_t)snprintf(out + length, bytes - length, "%.*s", plain, from);
            from += plain;
            if (hole != NULL && length < bytes) {
                char part[PART_BYTES];
                const bool known = depth > 0 && translate(part, sizeof part, parts[at], depth - 1);
                length +=
                    (size_t)snprintf(out + length, bytes - length, "%s", known ? part : parts[at]);
                at++;
                from += 2;
            }
        }
        return true;
    }
    return false;
}

bool tsl_lab_detail(char *out, size_t bytes, const char *text, int language)
{
    out[0] = '\0';
    if (language == TSL_LAB_ENGLISH) {
        snprintf(out, bytes, "%s", text);
        return true;
    }
    return translate(out, bytes, text, 1);
}
