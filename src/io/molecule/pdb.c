/* Reader of PDB files (format 3.3: fixed columns, numbered from 1) and of FTDock's `.parsed`, which
 * are ATOM records with a residue code of one letter in column 81 and its number in 83 and 84. */
#include <string.h>

#include "io/file/text.h"
#include "io/molecule/builder.h"

typedef struct pdb_line {
    const char *text;
    size_t length;
    int64_t number;
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

/* A record of this name, which fills six columns or the line. */
static bool is_record(const pdb_line *line, const char *name)
{
    size_t length;
    const char *text = field(line, 1, 6, &length);
    return text == line->text && length == strlen(name) && memcmp(text, name, length) == 0;
}

/* Residue numbers beyond 9999 are written with a leading letter (hybrid-36: "A000" is 10000). */
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

static tsl_status parse_names(tsl_builder *builder, const pdb_line *line, tsl_atom *atom)
{
    copy_name(line, 13, 16, atom->name);
    copy_name(line, 18, 21, atom->residue); /* some programs write four letters */
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
    if (!tsl_parse_integer(text, length, &atom->number) &&
        !parse_hybrid(text, length, &atom->number)) {
        char quoted[TSL_QUOTE_TEXT];
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s:%lld: the residue number of atom %s of %s, \"%s\", is not a number",
                        builder->name, (long long)line->number, atom->name, atom->residue,
                        tsl_quote(quoted, text, length));
    }
    return TSL_OK;
}

/* Occupancy, temperature factor and element are often missing. */
static tsl_status parse_rest(tsl_builder *builder, const pdb_line *line, tsl_atom *atom)
{
    size_t length;
    const char *text = field(line, 55, 60, &length);
    const tsl_status status = tsl_builder_occupancy(builder, line->number, atom, text, length);
    text = field(line, 61, 66, &length);
    tsl_builder_temperature(atom, text, length);
    /* Old files number their lines here: what is no symbol is taken for none. */
    text = field(line, 77, 78, &length);
    if (!tsl_element_parse(text, length, atom->element)) {
        atom->element[0] = '\0';
    }
    return status;
}

static tsl_status parse_atom(tsl_builder *builder, const pdb_line *line, bool hetero)
{
    tsl_record record = {.atom.hetero = hetero, .alternate = column(line, 17)};
    tsl_status status = TSL_OK;
    if (line->length < LAST_COORDINATE_COLUMN) {
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s:%lld: the %s record ends in column %d; the coordinates reach to column "
                        "%d: is the file cut short?",
                        builder->name, (long long)line->number, hetero ? "HETATM" : "ATOM",
                        (int)line->length, LAST_COORDINATE_COLUMN);
    }
    memcpy(record.columns, line->text + 12, 4);
    status = parse_names(builder, line, &record.atom);
    for (int axis = 0; axis < 3 && status == TSL_OK; axis++) {
        size_t length;
        const size_t first = 31 + 8 * (size_t)axis;
        const char *text = field(line, first, first + 7, &length);
        status = tsl_builder_coordinate(builder, line->number, &record.atom, "xyz"[axis], text,
                                        length, &record.position[axis]);
    }
    if (status == TSL_OK) {
        status = parse_rest(builder, line, &record.atom);
    }
    return status == TSL_OK ? tsl_builder_add(builder, &record) : status;
}

/* Whether an atom's record is one of FTDock's preprocessed files. */
static bool is_parsed(const pdb_line *line)
{
    int32_t code = 0;
    return line->length >= 84 && column(line, 81) >= 'A' && column(line, 81) <= 'Z' &&
           column(line, 82) == ' ' && tsl_parse_integer(line->text + 82, 2, &code) && code >= 0;
}

tsl_status tsl_pdb_read(tsl_builder *builder, const char *data, size_t size)
{
    tsl_lines lines = tsl_lines_of(data, size);
    pdb_line line = {0};
    int64_t atoms = 0;
    tsl_status status = TSL_OK;
    bool ended = false;
    while (status == TSL_OK && tsl_lines_next(&lines, &line.text, &line.length)) {
        line.number = lines.number;
        const bool hetero = starts_with(&line, "HETATM");
        if (hetero || starts_with(&line, "ATOM ") || is_record(&line, "ATOM")) {
            if (ended) {
                tsl_message(builder->context, TSL_MESSAGE_WARNING,
                            "%s:%lld: what follows the END record is left out", builder->name,
                            (long long)line.number);
                break;
            }
            builder->as_it_is = atoms == 0 ? is_parsed(&line) : builder->as_it_is;
            status = parse_atom(builder, &line, hetero);
            atoms++;
        } else if (atoms > 0 && (is_record(&line, "ENDMDL") || is_record(&line, "MODEL"))) {
            break; /* the first model is read */
        } else if (atoms > 0 && is_record(&line, "END")) {
            ended = !builder->as_it_is; /* FTDock reads on */
        }
    }
    return status;
}
