#include "io/molecule/residues.h"

#include <string.h>

typedef struct family {
    tsl_residue_kind kind;
    const char *parent;  /* NULL: each name is its own parent */
    const char *members; /* separated by single blanks, the parent among them */
} family;

/* Modified residues by the parent that the Protein Data Bank's component dictionary gives, D amino
 * acids by their mirror image, and the names of protonation states in force fields. */
static const family families[] = {
    {TSL_RESIDUE_AMINO_ACID, "ALA", "ALA DAL AIB ABA"},
    {TSL_RESIDUE_AMINO_ACID, "ARG", "ARG DAR AGM CIR 2MR DA2 MMO ARN"},
    {TSL_RESIDUE_AMINO_ACID, "ASN", "ASN DSG MEN AHB ASX"},
    {TSL_RESIDUE_AMINO_ACID, "ASP", "ASP DAS ASH PHD BFD IAS BHD"},
    {TSL_RESIDUE_AMINO_ACID, "CYS",
     "CYS CYX CYM CSO CME OCS CSD CSS CSX CSW CAS CAF CSP CSR SCH SMC SNC SCY YCM OCY CMH CYG QCS "
     "R1A P1L CCS DCY SEC CSE"},
    {TSL_RESIDUE_AMINO_ACID, "GLN", "GLN DGN MEQ PCA GLX"},
    {TSL_RESIDUE_AMINO_ACID, "GLU", "GLU DGL GLH CGU GMA"},
    {TSL_RESIDUE_AMINO_ACID, "GLY", "GLY SAR"},
    {TSL_RESIDUE_AMINO_ACID, "HIS", "HIS HID HIE HIP HSD HSE HSP DHI HIC NEP MHS"},
    {TSL_RESIDUE_AMINO_ACID, "ILE", "ILE DIL IIL"},
    {TSL_RESIDUE_AMINO_ACID, "LEU", "LEU DLE MLE NLE"},
    {TSL_RESIDUE_AMINO_ACID, "LYS", "LYS DLY LYN MLY M3L MLZ ALY KCX LLP LYR LYZ KPI BTK PYL"},
    {TSL_RESIDUE_AMINO_ACID, "MET", "MET MSE MED FME MHO OMT MME SME CXM"},
    {TSL_RESIDUE_AMINO_ACID, "PHE", "PHE DPN MEA PHI PFF"},
    {TSL_RESIDUE_AMINO_ACID, "PRO", "PRO HYP DPR HZP"},
    {TSL_RESIDUE_AMINO_ACID, "SER", "SER SEP DSN SAC DHA OSE"},
    {TSL_RESIDUE_AMINO_ACID, "THR", "THR TPO DTH BMT"},
    {TSL_RESIDUE_AMINO_ACID, "TRP", "TRP DTR FTR TRQ TRO HTR BTR TRN"},
    {TSL_RESIDUE_AMINO_ACID, "TYR", "TYR PTR TYS IYR PAQ OMY TYI TYQ DTY"},
    {TSL_RESIDUE_AMINO_ACID, "VAL", "VAL DVA MVA"},

    {TSL_RESIDUE_NUCLEOTIDE, "A", "A RA RA3 RA5 ADE 1MA MIA A2M 6MZ"},
    {TSL_RESIDUE_NUCLEOTIDE, "C", "C RC RC3 RC5 CYT 5MC OMC CCC 4AC"},
    {TSL_RESIDUE_NUCLEOTIDE, "G", "G RG RG3 RG5 GUA 2MG M2G 7MG 1MG OMG G7M YYG YG QUO"},
    {TSL_RESIDUE_NUCLEOTIDE, "U", "U RU RU3 RU5 URA PSU 5MU H2U OMU 4SU 5BU UR3 70U"},
    {TSL_RESIDUE_NUCLEOTIDE, NULL, "I N"},
    {TSL_RESIDUE_NUCLEOTIDE, "DA", "DA DA3 DA5 6MA"},
    {TSL_RESIDUE_NUCLEOTIDE, "DC", "DC DC3 DC5 5CM"},
    {TSL_RESIDUE_NUCLEOTIDE, "DG", "DG DG3 DG5 8OG"},
    {TSL_RESIDUE_NUCLEOTIDE, "DT", "DT DT3 DT5 T THY"},
    {TSL_RESIDUE_NUCLEOTIDE, "DU", "DU BRU"},
    {TSL_RESIDUE_NUCLEOTIDE, NULL, "DI DN"},

    {TSL_RESIDUE_WATER, NULL,
     "HOH WAT DOD H2O D2O OH2 HHO OHH SOL SPC TIP TIP2 TIP3 TIP4 TIP5 TP3 TP4 TP5 T3P T4P"},
};

static const char symbols[] =
    " H D HE LI BE B C N O F NE NA MG AL SI P S CL AR K CA SC TI V CR MN FE CO NI CU ZN GA GE AS "
    "SE "
    "BR KR RB SR Y ZR NB MO TC RU RH PD AG CD IN SN SB TE I XE CS BA LA CE PR ND PM SM EU GD TB DY "
    "HO ER TM YB LU HF TA W RE OS IR PT AU HG TL PB BI PO AT RN FR RA AC TH PA U NP PU AM CM BK CF "
    "ES FM MD NO LR RF DB SG BH HS MT DS RG CN NH FL MC LV TS OG ";

/* Whether `list`, of words between blanks, holds `word`. */
static bool list_has(const char *list, const char *word)
{
    const size_t length = strlen(word);
    if (length == 0 || strchr(word, ' ') != NULL) {
        return false;
    }
    for (const char *p = list; *p != '\0';) {
        const size_t item = strcspn(p, " ");
        if (item == length && memcmp(p, word, length) == 0) {
            return true;
        }
        p += item;
        p += *p == ' ';
    }
    return false;
}

tsl_residue_kind tsl_residue_find(const char *name, char parent[8])
{
    tsl_residue_kind kind = TSL_RESIDUE_UNKNOWN;
    const char *found = name;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (list_has(families[i].members, name)) {
            kind = families[i].kind;
            found = families[i].parent != NULL ? families[i].parent : name;
            break;
        }
    }
    const size_t length = strnlen(found, 7);
    memmove(parent, found, length);
    parent[length] = '\0';
    return kind;
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_letter(char c)
{
    return upper(c) >= 'A' && upper(c) <= 'Z';
}

bool tsl_element_parse(const char *field, size_t length, char out[4])
{
    while (length > 0 && *field == ' ') {
        field++;
        length--;
    }
    char symbol[3] = "";
    size_t letters = 0;
    for (; letters < length && is_letter(field[letters]); letters++) {
        if (letters == 2) {
            return false;
        }
        symbol[letters] = upper(field[letters]);
    }
    if (!list_has(symbols, symbol)) {
        return false;
    }
    memcpy(out, symbol, letters + 1);
    return true;
}

/* Whether the name of an atom outside polymers begins with a symbol of two letters. */
static bool has_two_letters(const char *name, const char *columns, const char *residue,
                            const char symbol[3])
{
    if (!is_letter(symbol[1]) || !list_has(symbols, symbol)) {
        return false;
    }
    const bool whole = name[2] == '\0';
    if (whole && strncmp(residue, symbol, 2) == 0) {
        return true; /* an ion: HG of HG, ZN of ZN */
    }
    if (symbol[0] == 'H' || symbol[0] == 'D') {
        /* "HG11" and "HE2 " are hydrogens; "HG  " is mercury, where its place says so. */
        return whole && strcmp(symbol, "HG") == 0 && columns != NULL && columns[0] != ' ';
    }
    if (columns != NULL) { /* four characters fill all columns, whatever the element */
        return columns[0] != ' ' && columns[3] == ' ';
    }
    return strcmp(symbol, "CL") == 0 || strcmp(symbol, "BR") == 0 || strcmp(symbol, "SE") == 0;
}

void tsl_element_guess(const char *name, const char *columns, const char *residue, bool polymer,
                       char out[4])
{
    const char *p = name;
    while (*p != '\0' && !is_letter(*p)) { /* "1HB" */
        p++;
    }
    char symbol[3] = {upper(p[0]), p[0] != '\0' ? upper(p[1]) : '\0', '\0'};
    const bool two = polymer ? strcmp(name, "SE") == 0
                             : p == name && has_two_letters(name, columns, residue, symbol);
    symbol[1] = two ? symbol[1] : '\0';
    strcpy(out, list_has(symbols, symbol) ? symbol : "");
}

bool tsl_element_is_hydrogen(const char *element)
{
    return strcmp(element, "H") == 0 || strcmp(element, "D") == 0;
}
