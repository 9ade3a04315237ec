/* A writer of JSON, which keeps the nesting, so that commas and brackets are always right. Nothing
 * in tesela reads JSON. */
#ifndef TSL_IO_JSON_H
#define TSL_IO_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct tsl_json {
    FILE *stream;
    int depth;
    bool first[32]; /* no member written yet at this depth */
} tsl_json;

/* Starts writing to `stream`, which stays the caller's. */
void tsl_json_begin(tsl_json *json, FILE *stream);
/* Ends: writes the final newline. All objects and arrays must be closed. */
void tsl_json_end(tsl_json *json);

/* `name` is NULL for elements of an array and for the outermost value. */
void tsl_json_open_object(tsl_json *json, const char *name);
void tsl_json_close_object(tsl_json *json);
void tsl_json_open_array(tsl_json *json, const char *name);
void tsl_json_close_array(tsl_json *json);
void tsl_json_string(tsl_json *json, const char *name, const char *value); /* NULL writes null */
void tsl_json_integer(tsl_json *json, const char *name, int64_t value);
/* Writes the shortest decimal form that reads back as the same double; null for not-a-number and
 * infinities. */
void tsl_json_number(tsl_json *json, const char *name, double value);
void tsl_json_bool(tsl_json *json, const char *name, bool value);
void tsl_json_null(tsl_json *json, const char *name);
/* Writes the value, or null unless it is known. */
void tsl_json_known_integer(tsl_json *json, const char *name, int64_t value, bool known);
void tsl_json_known_number(tsl_json *json, const char *name, double value, bool known);

#endif
