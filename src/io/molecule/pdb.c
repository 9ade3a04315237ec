/* Reader of PDB files (format 3.3: fixed columns, numbered from 1) and of FTDock's `.parsed`, which
 * are ATOM records with a residue code of one letter in column 81 and its number in 83 and 84. */
#include <string.h>
#include <strings.h>

#include "io/file/text.h"
#include "io/molecule/builder.h"

typedef struct pdb_line {
    const char *text;
    size_t length;
    int64_t number;
    bool is_odd; /* an atom's record that begins with blanks, or in lower case */
} pdb_line;

enum { LAST_COORDINATE_COLUMN = 54 };

/* Columns `first` to `last` as far as the line has them, without blanks around. */
static const char *field(const pdb_line *line, size_t first, size_t last, size_t *length)
{
    const char *text = line->text + first - 1;
    *length = 0;
    if (line->length < first) {
        return line->text;
    }
    *length = (line->length < last ? line->length : last) - first + 1;
    tsl_trim(&text, length);
    return text;
}

static char column(const pdb_line *line, size_t number)
{
    return line->length >= number ? line->text[number - 1] : ' ';
}

/* Copy a name; what no name holds becomes '?', for names are shown in messages. */
static void copy_name(const pdb_line *line, size_t first, size_t last, char out[8])
{
    char quoted[TSL_QUOTE_TEXT];
    size_t length;
    const char *text = field(line, first, last, &length);
    tsl_quote(quoted, text, length);
    memcpy(out, quoted, length + 1);
}

static bool starts_with(const pdb_line *line, const char *prefix)
{
    const size_t length = strlen(prefix);
    return line->length >= length && memcmp(line->text, prefix, length) == 0;
}

/* Is the line a record of this name? The name fills six columns, or the line. */
static bool is_record(const pdb_line *line, const char *name)
{
    size_t length;
    const char *text = field(line, 1, 6, &length);
    return text == line->text && length == strlen(name) && memcmp(text, name, length) == 0;
}

/* VMD writes residue numbers beyond 9999 in hexadecimal: "271a" is 10010. */
static bool parse_hexadecimal(const char *text, size_t length, int32_t *out)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    int32_t value = 0;
    for (size_t i = 0; i < length; i++) {
        const char *digit = text[i] != '\0' ? strchr(digits, text[i]) : NULL;
        if (digit == NULL) {
            return false;
        }
        value = 16 * value + (int32_t)((digit - digits) % 16);
    }
    *out = value;
    return length == 4 && text[0] <= '9';
}

/* Other programs write a leading letter (hybrid-36): "A000" is 10000. */
static bool parse_hybrid(const char *text, size_t length, int32_t *out)
{
    if (length != 4 || text[0] < 'A' || (text[0] > 'Z' && text[0] < 'a') || text[0] > 'z') {
        return false;
    }
    const bool lower = text[0] >= 'a';
    int32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        const char c = text[i];
        const char letter = lower ? 'a' : 'A';
        if (c >= '0' && c <= '9') {
            value = 36 * value + (c - '0');
        } else if (c >= letter && c <= letter + 25) {
            value = 36 * value + (c - letter + 10);
        } else {
            return false;
        }
    }
    /* Upper case follows 9999, lower case follows "ZZZZ". */
    *out = value - 10 * 36 * 36 * 36 + 10000 + (lower ? 26 * 36 * 36 * 36 : 0);
    return true;
}

static bool is_asterisks(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '*') {
            return false;
        }
    }
    return length == 4;
}

/* Turn the names of a record in lower case into upper case. */
static void raise_name(const pdb_line *line, char name[8])
{
    for (char *p = name; line->text[0] >= 'a' && line->text[0] <= 'z' && *p != '\0'; p++) {
        *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    }
}

static tsl_status parse_names(tsl_builder *builder, const pdb_line *line, tsl_record *record)
{
    tsl_atom *atom = &record->atom;
    copy_name(line, 13, 16, atom->name);
    copy_name(line, 18, 21, atom->residue); /* some programs write four letters */
    raise_name(line, atom->name);
    raise_name(line, atom->residue);
    copy_name(line, 22, 22, atom->chain);
    char insertion[8];
    copy_name(line, 27, 27, insertion);
    atom->insertion = insertion[0] != '\0' ? insertion[0] : ' ';
    size_t length;
    const char *text = field(line, 7, 11, &length);
    tsl_parse_integer(text, length, &atom->serial);
    if (atom->name[0] == '\0') {
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s:%lld: the atom has no name in columns 13 to 16", builder->name,
                        (long long)line->number);
    }
    text = field(line, 23, 26, &length);
    record->no_number = is_asterisks(text, length);
    if (!record->no_number && !tsl_parse_integer(text, length, &atom->number) &&
        !parse_hybrid(text, length, &atom->number) &&
        !parse_hexadecimal(text, length, &atom->number)) {
        char quoted[TSL_QUOTE_TEXT];
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s:%lld: the residue number of atom %s of %s, \"%s\", is not a number",
                        builder->name, (long long)line->number, atom->name, atom->residue,
                        tsl_quote(quoted, text, length));
    }
    return TSL_OK;
}

/* Read occupancy, temperature factor and element, which are often missing. */
static void parse_rest(const pdb_line *line, tsl_record *record)
{
    size_t length;
    const char *text = field(line, 55, 60, &length);
    tsl_builder_occupancy(record, text, length);
    text = field(line, 61, 66, &length);
    tsl_builder_temperature(&record->atom, text, length);
    /* Old files number their lines here, so what is no symbol counts as missing. */
    text = field(line, 77, 78, &length);
    if (!tsl_element_parse(text, length, record->atom.element)) {
        record->atom.element[0] = '\0';
    }
}

static tsl_status parse_atom(tsl_builder *builder, const pdb_line *line, bool hetero)
{
    tsl_record record = {.atom.hetero = hetero,
                         .alternate = column(line, 17),
                         .line = line->number,
                         .is_odd = line->is_odd};
    tsl_status status = TSL_OK;
    if (line->length < LAST_COORDINATE_COLUMN) {
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s:%lld: the %s record ends in column %d; the coordinates reach to column "
                        "%d: is the file cut short?",
                        builder->name, (long long)line->number, hetero ? "HETATM" : "ATOM",
                        (int)line->length, LAST_COORDINATE_COLUMN);
    }
    memcpy(record.columns, line->text + 12, 4);
    status = parse_names(builder, line, &record);
    for (int axis = 0; axis < 3 && status == TSL_OK; axis++) {
        size_t length;
        const size_t first = 31 + 8 * (size_t)axis;
        const char *text = field(line, first, first + 7, &length);
        status = tsl_builder_coordinate(builder, line->number, &record.atom, "xyz"[axis], text,
                                        length, &record.position[axis]);
    }
    if (status != TSL_OK) {
        return status;
    }
    parse_rest(line, &record);
    return tsl_builder_add(builder, &record);
}

/* Is the record of an atom from one of FTDock's preprocessed files? */
static bool is_parsed(const pdb_line *line)
{
    int32_t code = 0;
    return line->length >= 84 && column(line, 81) >= 'A' && column(line, 81) <= 'Z' &&
           column(line, 82) == ' ' && tsl_parse_integer(line->text + 82, 2, &code) && code >= 0;
}

typedef enum record_kind { OTHER, ATOM, HETATM } record_kind;

/* Do the points of three coordinates stand where they belong, `shift` columns to the right? */
static bool has_points(const pdb_line *line, size_t shift)
{
    return line->length >= LAST_COORDINATE_COLUMN + shift && line->text[34 + shift] == '.' &&
           line->text[42 + shift] == '.' && line->text[50 + shift] == '.';
}

/* The kind of a record. A record of an atom may be indented (the line, or the name alone), in lower
 * case, or have a serial number that runs into the name, if the coordinates stand where an atom's
 * do. */
static record_kind kind_of(pdb_line *line)
{
    line->is_odd = false;
    if (starts_with(line, "HETATM")) {
        return HETATM;
    }
    if (starts_with(line, "ATOM ") || is_record(line, "ATOM")) {
        return ATOM;
    }
    size_t blanks = 0;
    while (blanks < line->length && (line->text[blanks] == ' ' || line->text[blanks] == '\t')) {
        blanks++;
    }
    const char *name = line->text + blanks;
    const size_t left = line->length - blanks;
    const record_kind kind =
        left >= 6 && strncasecmp(name, "HETATM", 6) == 0 ? HETATM
        : left >= 5 && strncasecmp(name, "ATOM", 4) == 0 && strchr(" 0123456789", name[4]) != NULL
            ? ATOM
            : OTHER;
    if (kind == OTHER || !(has_points(line, blanks) || has_points(line, 0))) {
        return OTHER;
    }
    if (has_points(line, blanks)) {
        line->text += blanks;
        line->length -= blanks;
    }
    line->is_odd = true;
    return kind;
}

/* The number of a MODEL record; 0 if it has none. */
static int32_t model_number(const pdb_line *line)
{
    size_t length;
    int32_t number = 0;
    const char *text = field(line, 7, 20, &length);
    tsl_parse_integer(text, length, &number);
    return number;
}

/* How far a file has been read. */
typedef struct place {
    bool between;  /* between models: the next atom begins another */
    int32_t model; /* number of the model; 0: none */
    bool any;      /* an atom has been read */
} place;

static tsl_status read_atom(tsl_builder *builder, const pdb_line *line, bool hetero, place *at)
{
    tsl_status status = TSL_OK;
    if (!at->any) {
        builder->as_it_is = is_parsed(line);
    }
    if (at->between) {
        status = tsl_builder_begin_model(builder, at->model);
    }
    *at = (place){.any = true};
    if (status == TSL_OK && !tsl_builder_wants_model(builder)) {
        tsl_builder_skip(builder);
        return TSL_OK;
    }
    return status == TSL_OK ? parse_atom(builder, line, hetero) : status;
}

tsl_status tsl_pdb_read(tsl_builder *builder, const char *data, size_t size)
{
    tsl_lines lines = tsl_lines_of(data, size);
    pdb_line line = {0};
    place at = {.between = true};
    tsl_status status = TSL_OK;
    while (status == TSL_OK && tsl_lines_next(&lines, &line.text, &line.length)) {
        line.number = lines.number;
        const record_kind kind = kind_of(&line);
        if (kind != OTHER) {
            status = read_atom(builder, &line, kind == HETATM, &at);
        } else if (is_record(&line, "MODEL")) {
            at.between = true;
            at.model = model_number(&line);
        } else if (is_record(&line, "ENDMDL") ||
                   (is_record(&line, "END") && !builder->as_it_is)) { /* FTDock reads on */
            at.between = true;
        }
    }
    return status;
}
