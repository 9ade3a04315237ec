/* Reader of mmCIF: the syntax of CIF 1.1, and of its content the category `_atom_site`. */
#include <string.h>

#include "core/context.h"
#include "io/file/text.h"
#include "io/molecule/builder.h"

/* ---- tokens ------------------------------------------------------------------------------- */

typedef enum token_kind {
    TOKEN_END,
    TOKEN_DATA, /* data_NAME, global_ */
    TOKEN_LOOP,
    TOKEN_SAVE,
    TOKEN_TAG,
    TOKEN_VALUE
} token_kind;

typedef struct cif_token {
    token_kind kind;
    const char *text;
    size_t length;
    bool bare; /* without quotes and no text field: '?' and '.' stand for no value */
    int64_t line;
} cif_token;

typedef struct cif_lexer {
    tsl_builder *builder;
    const char *begin, *next, *end;
    int64_t line;
    cif_token token; /* the token that was read last */
} cif_lexer;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Does `text` begin with `word`, which is in lower case? */
static bool begins(const char *text, size_t length, const char *word)
{
    size_t i = 0;
    while (word[i] != '\0' && i < length && lower(text[i]) == word[i]) {
        i++;
    }
    return word[i] == '\0';
}

static bool is_line_begin(const cif_lexer *lexer, const char *p)
{
    return p == lexer->begin || is_line_end(p[-1]);
}

/* Step over one character. LF, CR LF and CR each end one line. */
static const char *step(cif_lexer *lexer, const char *p)
{
    if (*p == '\n' || (*p == '\r' && (p + 1 == lexer->end || p[1] != '\n'))) {
        lexer->line++;
    }
    return p + 1;
}

static void skip_blanks(cif_lexer *lexer)
{
    const char *p = lexer->next;
    while (p < lexer->end && (is_blank(*p) || *p == '#')) {
        if (*p == '#') {
            while (p < lexer->end && !is_line_end(*p)) {
                p++;
            }
        } else {
            p = step(lexer, p);
        }
    }
    lexer->next = p;
}

static tsl_status fail(const cif_lexer *lexer, int64_t line, const char *why)
{
    return tsl_fail(lexer->builder->context, TSL_E_FORMAT, "%s:%lld: %s", lexer->builder->name,
                    (long long)line, why);
}

/* Read from a ';' that begins a line to the next one that does; the line's end before that is no
 * part of the field. */
static tsl_status read_text_field(cif_lexer *lexer)
{
    cif_token *token = &lexer->token;
    const char *p = lexer->next + 1;
    token->text = p;
    for (; p < lexer->end; p = step(lexer, p)) {
        if (*p == ';' && is_line_begin(lexer, p)) {
            token->length = (size_t)(p - token->text) - 1;
            token->length -= p[-1] == '\n' && token->length > 0 && p[-2] == '\r';
            lexer->next = p + 1;
            return TSL_OK;
        }
    }
    return fail(lexer, token->line, "a text field begins with ';' here and does not end");
}

/* Read a quoted value. A quote ends it only before a blank: 'O5'' is O5'. */
static tsl_status read_quoted(cif_lexer *lexer)
{
    cif_token *token = &lexer->token;
    const char quote = *lexer->next;
    const char *p = lexer->next + 1;
    token->text = p;
    for (; p < lexer->end && !is_line_end(*p); p++) {
        if (*p == quote && (p + 1 == lexer->end || is_blank(p[1]))) {
            token->length = (size_t)(p - token->text);
            lexer->next = p + 1;
            return TSL_OK;
        }
    }
    return fail(lexer, token->line, "a quoted value does not end on its line");
}

static void read_bare(cif_lexer *lexer)
{
    cif_token *token = &lexer->token;
    const char *p = lexer->next;
    token->text = p;
    while (p < lexer->end && !is_blank(*p)) {
        p++;
    }
    lexer->next = p;
    token->length = (size_t)(p - token->text);
    token->bare = true;
    if (token->text[0] == '_') {
        token->kind = TOKEN_TAG;
    } else if (begins(token->text, token->length, "data_") ||
               (token->length == 7 && begins(token->text, token->length, "global_"))) {
        token->kind = TOKEN_DATA;
    } else if (token->length == 5 && begins(token->text, token->length, "loop_")) {
        token->kind = TOKEN_LOOP;
    } else if (begins(token->text, token->length, "save_")) {
        token->kind = TOKEN_SAVE;
    }
}

static tsl_status read_token(cif_lexer *lexer)
{
    skip_blanks(lexer);
    const char *p = lexer->next;
    lexer->token = (cif_token){.kind = TOKEN_VALUE, .line = lexer->line};
    if (p == lexer->end) {
        lexer->token.kind = TOKEN_END;
        return TSL_OK;
    }
    if (*p == ';' && is_line_begin(lexer, p)) {
        return read_text_field(lexer);
    }
    if (*p == '\'' || *p == '"') {
        return read_quoted(lexer);
    }
    read_bare(lexer);
    return TSL_OK;
}

/* ---- rows of _atom_site ------------------------------------------------------------------- */

enum {
    GROUP,
    SERIAL,
    ELEMENT,
    AUTHOR_ATOM,
    LABEL_ATOM,
    ALTERNATE,
    AUTHOR_RESIDUE,
    LABEL_RESIDUE,
    AUTHOR_CHAIN,
    LABEL_CHAIN,
    AUTHOR_NUMBER,
    LABEL_NUMBER,
    INSERTION,
    X,
    Y,
    Z,
    OCCUPANCY,
    TEMPERATURE,
    MODEL,
    FIELDS
};

static const char category[] = "_atom_site.";

static const char *const field_names[FIELDS] = {
    "group_pdb",    "id",           "type_symbol",       "auth_atom_id",      "label_atom_id",
    "label_alt_id", "auth_comp_id", "label_comp_id",     "auth_asym_id",      "label_asym_id",
    "auth_seq_id",  "label_seq_id", "pdbx_pdb_ins_code", "cartn_x",           "cartn_y",
    "cartn_z",      "occupancy",    "b_iso_or_equiv",    "pdbx_pdb_model_num"};

enum { MAX_COLUMNS = 1024 }; /* the dictionary defines fewer than 200 */

typedef struct atom_table {
    bool present[FIELDS]; /* the category has this column */
    cif_token row[FIELDS];
    int64_t atoms;
} atom_table;

/* The field that a tag names; FIELDS if it is none that is read, -1 if it is of another
 * category. */
static int find_field(const cif_token *tag)
{
    const size_t prefix = sizeof category - 1;
    if (!begins(tag->text, tag->length, category)) {
        return -1;
    }
    int i = 0;
    while (i < FIELDS && (strlen(field_names[i]) != tag->length - prefix ||
                          !begins(tag->text + prefix, tag->length - prefix, field_names[i]))) {
        i++;
    }
    return i;
}

static bool has_value(const cif_token *value)
{
    return value->length > 0 &&
           !(value->bare && value->length == 1 && (value->text[0] == '?' || value->text[0] == '.'));
}

/* The author's value or, where there is none, the label. */
static const cif_token *choose(const atom_table *table, int author, int label)
{
    return has_value(&table->row[author]) ? &table->row[author] : &table->row[label];
}

/* Copy a name of at most `limit` characters. */
static tsl_status copy_name(const cif_lexer *lexer, const cif_token *value, const char *what,
                            size_t limit, char *out)
{
    char quoted[TSL_QUOTE_TEXT];
    if (!has_value(value)) {
        out[0] = '\0';
        return TSL_OK;
    }
    tsl_quote(quoted, value->text, value->length);
    if (value->length > limit) {
        return tsl_fail(lexer->builder->context, TSL_E_FORMAT,
                        "%s:%lld: the %s \"%s\" is longer than %d character%s",
                        lexer->builder->name, (long long)value->line, what, quoted, (int)limit,
                        limit > 1 ? "s" : "");
    }
    memcpy(out, quoted, value->length + 1);
    return TSL_OK;
}

/* A number without the standard uncertainty that CIF allows after it: 1.234(5). */
static size_t number_length(const cif_token *value)
{
    size_t length = has_value(value) ? value->length : 0;
    if (length > 3 && value->text[length - 1] == ')') {
        size_t open = length - 2;
        while (open > 0 && value->text[open] >= '0' && value->text[open] <= '9') {
            open--;
        }
        length = value->text[open] == '(' && open < length - 2 ? open : length;
    }
    return length;
}

static tsl_status parse_names(const cif_lexer *lexer, const atom_table *table, tsl_record *record)
{
    const struct {
        const cif_token *value;
        const char *what;
        size_t limit;
        char *out;
    } names[] = {
        {choose(table, AUTHOR_ATOM, LABEL_ATOM), "atom name", 7, record->atom.name},
        {choose(table, AUTHOR_RESIDUE, LABEL_RESIDUE), "residue name", 7, record->atom.residue},
        {choose(table, AUTHOR_CHAIN, LABEL_CHAIN), "chain identifier", 7, record->atom.chain}};
    const size_t count = sizeof names / sizeof *names;
    tsl_status status = TSL_OK;
    for (size_t i = 0; i < count && status == TSL_OK; i++) {
        status = copy_name(lexer, names[i].value, names[i].what, names[i].limit, names[i].out);
    }
    char insertion[TSL_QUOTE_TEXT] = "";
    char alternate[TSL_QUOTE_TEXT] = "";
    if (status == TSL_OK) {
        status = copy_name(lexer, &table->row[INSERTION], "insertion code", 1, insertion);
    }
    if (status == TSL_OK) {
        status = copy_name(lexer, &table->row[ALTERNATE], "alternate location", 1, alternate);
    }
    record->atom.insertion = insertion[0] != '\0' ? insertion[0] : ' ';
    record->alternate = alternate[0] != '\0' ? alternate[0] : ' ';
    if (status == TSL_OK && record->atom.name[0] == '\0') {
        status = fail(lexer, table->row[X].line, "an atom has no name");
    }
    return status;
}

static tsl_status parse_numbers(const cif_lexer *lexer, const atom_table *table, tsl_record *record)
{
    tsl_builder *builder = lexer->builder;
    tsl_atom *atom = &record->atom;
    const cif_token *number = choose(table, AUTHOR_NUMBER, LABEL_NUMBER);
    if (has_value(number) && !tsl_parse_integer(number->text, number->length, &atom->number)) {
        char quoted[TSL_QUOTE_TEXT];
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s:%lld: the residue number of atom %s of %s, \"%s\", is not a number",
                        builder->name, (long long)number->line, atom->name, atom->residue,
                        tsl_quote(quoted, number->text, number->length));
    }
    tsl_status status = TSL_OK;
    for (int axis = 0; axis < 3 && status == TSL_OK; axis++) {
        const cif_token *value = &table->row[X + axis];
        status = tsl_builder_coordinate(builder, value->line, atom, "xyz"[axis], value -> text,
                                        number_length(value), &record -> position[axis]);
    }
    const cif_token *occupancy = &table->row[OCCUPANCY];
    tsl_builder_occupancy(record, occupancy->text, number_length(occupancy));
    const cif_token *temperature = &table->row[TEMPERATURE];
    tsl_builder_temperature(atom, temperature->text, number_length(temperature));
    return status;
}

/* Read one atom, if its model is wanted. */
static tsl_status take_row(const cif_lexer *lexer, atom_table *table)
{
    const cif_token *model = &table->row[MODEL];
    int32_t number = 0;
    if (!has_value(model) || !tsl_parse_integer(model->text, model->length, &number) ||
        number < 1) {
        number = 1;
    }
    table->atoms++;
    tsl_status status = tsl_builder_go_to_model(lexer->builder, number);
    if (status != TSL_OK) {
        return status;
    }
    if (!tsl_builder_wants_model(lexer->builder)) {
        tsl_builder_skip(lexer->builder);
        return TSL_OK;
    }
    tsl_record record = {.alternate = ' ', .line = table->row[X].line};
    const cif_token *group = &table->row[GROUP];
    record.atom.hetero = group->length == 6 && begins(group->text, group->length, "hetatm");
    const cif_token *serial = &table->row[SERIAL];
    status = parse_names(lexer, table, &record);
    if (status == TSL_OK) {
        status = parse_numbers(lexer, table, &record);
    }
    if (status != TSL_OK) {
        return status;
    }
    tsl_parse_integer(serial->text, serial->length, &record.atom.serial);
    const cif_token *element = &table->row[ELEMENT];
    if (!has_value(element) ||
        !tsl_element_parse(element->text, element->length, record.atom.element)) {
        record.atom.element[0] = '\0';
    }
    return tsl_builder_add(lexer->builder, &record);
}

/* The columns without which no atom can be read. */
static tsl_status check_columns(const cif_lexer *lexer, const atom_table *table, int64_t line)
{
    static const struct {
        int author, label;
        const char *name;
    } needed[] = {{X, X, "Cartn_x"},
                  {Y, Y, "Cartn_y"},
                  {Z, Z, "Cartn_z"},
                  {AUTHOR_ATOM, LABEL_ATOM, "label_atom_id"},
                  {AUTHOR_RESIDUE, LABEL_RESIDUE, "label_comp_id"},
                  {AUTHOR_NUMBER, LABEL_NUMBER, "auth_seq_id"}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!table->present[needed[i].author] && !table->present[needed[i].label]) {
            return tsl_fail(lexer->builder->context, TSL_E_FORMAT,
                            "%s:%lld: _atom_site has no column %s", lexer->builder->name,
                            (long long)line, needed[i].name);
        }
    }
    return TSL_OK;
}

static tsl_status mark_column(const cif_lexer *lexer, atom_table *table, int column)
{
    if (column >= 0 && column < FIELDS) {
        if (table->present[column]) {
            return fail(lexer, lexer->token.line, "this item of _atom_site is given twice");
        }
        table->present[column] = true;
    }
    return TSL_OK;
}

/* ---- loops and items ---------------------------------------------------------------------- */

/* Read the tags of a loop; `columns` receives the fields if it is the loop of atoms. */
static tsl_status read_loop_tags(cif_lexer *lexer, atom_table *table, signed char *columns,
                                 int *count, bool *of_atoms)
{
    tsl_status status;
    const int64_t line = lexer->token.line;
    *count = 0;
    *of_atoms = false;
    while ((status = read_token(lexer)) == TSL_OK && lexer->token.kind == TOKEN_TAG) {
        const int column = find_field(&lexer->token);
        if (*count == MAX_COLUMNS) {
            return fail(lexer, lexer->token.line, "a loop has more than 1024 columns");
        }
        *of_atoms = *of_atoms || column >= 0;
        status = mark_column(lexer, table, column);
        if (status != TSL_OK) {
            return status;
        }
        columns[(*count)++] = (signed char)column;
    }
    if (status == TSL_OK && *count == 0) {
        fail(lexer, line, "a loop_ has no columns");
        return TSL_E_FORMAT;
    }
    return status == TSL_OK && *of_atoms ? check_columns(lexer, table, line) : status;
}

/* Read a loop, and the token after it. */
static tsl_status read_loop(cif_lexer *lexer, atom_table *table)
{
    signed char columns[MAX_COLUMNS];
    int count;
    bool of_atoms;
    const int64_t line = lexer->token.line;
    tsl_status status = read_loop_tags(lexer, table, columns, &count, &of_atoms);
    int column = 0;
    while (status == TSL_OK && lexer->token.kind == TOKEN_VALUE) {
        if (columns[column] >= 0 && columns[column] < FIELDS) {
            table->row[columns[column]] = lexer->token;
        }
        if (++column == count) {
            column = 0;
            status = of_atoms ? take_row(lexer, table) : TSL_OK;
        }
        if (status == TSL_OK) {
            status = read_token(lexer);
        }
    }
    if (status == TSL_OK && column != 0) {
        return tsl_fail(lexer->builder->context, TSL_E_FORMAT,
                        "%s:%lld: the loop of line %lld ends within a row: is the file cut short?",
                        lexer->builder->name, (long long)lexer->token.line, (long long)line);
    }
    return status;
}

/* Read a tag and its value, and the token after them. */
static tsl_status read_item(cif_lexer *lexer, atom_table *table, bool *single)
{
    const int column = find_field(&lexer->token);
    const int64_t line = lexer->token.line;
    tsl_status status = mark_column(lexer, table, column);
    if (status == TSL_OK) {
        status = read_token(lexer);
    }
    if (status != TSL_OK) {
        return status;
    }
    if (lexer->token.kind != TOKEN_VALUE) {
        return fail(lexer, line, "an item has no value: is the file cut short?");
    }
    *single = *single || column >= 0;
    if (column >= 0 && column < FIELDS) {
        table->row[column] = lexer->token;
    }
    return read_token(lexer);
}

/* Read one block, up to the next or the end. A single atom may be written as items outside a
 * loop. */
static tsl_status read_block(cif_lexer *lexer, atom_table *table)
{
    bool single = false;
    const int64_t line = lexer->token.line;
    tsl_status status = read_token(lexer);
    while (status == TSL_OK && lexer->token.kind != TOKEN_END && lexer->token.kind != TOKEN_DATA) {
        switch (lexer->token.kind) {
        case TOKEN_LOOP:
            status = read_loop(lexer, table);
            break;
        case TOKEN_TAG:
            status = read_item(lexer, table, &single);
            break;
        case TOKEN_SAVE:
            status = read_token(lexer);
            break;
        default:
            status = fail(lexer, lexer->token.line, "a value belongs to no item and no loop");
        }
    }
    if (status == TSL_OK && single) {
        status = check_columns(lexer, table, line);
        if (status == TSL_OK) {
            status = take_row(lexer, table);
        }
    }
    return status;
}

/* Count the data blocks from here on that hold atoms. Errors in their text do not matter. */
static int64_t count_blocks(cif_lexer *lexer)
{
    tsl_context silent = {0}; /* takes the errors of that text */
    tsl_builder *const builder = lexer->builder;
    tsl_builder quiet = {.context = &silent, .name = builder->name};
    int64_t blocks = 0;
    bool counted = true;
    lexer->builder = &quiet;
    do {
        if (lexer->token.kind == TOKEN_DATA) {
            counted = false;
        } else if (!counted && lexer->token.kind == TOKEN_TAG && find_field(&lexer->token) == X) {
            counted = true;
            blocks++;
        }
    } while (read_token(lexer) == TSL_OK && lexer->token.kind != TOKEN_END);
    lexer->builder = builder;
    return blocks;
}

tsl_status tsl_mmcif_read(tsl_builder *builder, const char *data, size_t size)
{
    cif_lexer lexer = {
        .builder = builder, .begin = data, .next = data, .end = data + size, .line = 1};
    atom_table table = {0};
    tsl_status status = read_token(&lexer);
    if (status == TSL_OK && lexer.token.kind != TOKEN_DATA) {
        status = fail(&lexer, lexer.token.line, "not an mmCIF file: data_ must come first");
    }
    /* The first block that has atoms is the molecule. */
    while (status == TSL_OK && lexer.token.kind == TOKEN_DATA && table.atoms == 0) {
        table = (atom_table){0};
        for (int i = 0; i < FIELDS; i++) {
            table.row[i].text = "";
        }
        status = read_block(&lexer, &table);
    }
    if (status == TSL_OK && lexer.token.kind == TOKEN_DATA) {
        builder->account.blocks = count_blocks(&lexer);
    }
    return status;
}
