#include "io/molecule/residues.h"

#include <string.h>

enum { NAMED_ALIKE = 0, MODIFIED = 1, NEUTRAL = 2 };

typedef struct family {
    tsl_residue_kind kind;
    int traits;
    const char *parent;  /* NULL: each name is its own parent */
    const char *members; /* separated by single blanks, the parent among them */
} family;

/* Modified residues by the parent that the Protein Data Bank's component dictionary gives, D amino
 * acids by their mirror image, and the names of protonation states in force fields: of AMBER (HID,
 * ASH), CHARMM (HSD, ASPP), GROMOS and OPLS as GROMACS writes them (LYSH, CYS2, HISE), CYANA (LYS+)
 * and BIOVIA (LYP). What GROMOS calls LYS and CYANA LYS has no charge there; a file cannot tell,
 * and most others mean the charged one. */
static const family families[] = {
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "ALA", "ALA DAL"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "ALA", "AIB ABA"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "ARG", "ARG DAR ARG+ ARGP"},
    {TSL_RESIDUE_AMINO_ACID, NEUTRAL, "ARG", "ARN ARGN AR0"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "ARG", "AGM 2MR DA2 MMO"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED | NEUTRAL, "ARG", "CIR"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "ASN", "ASN DSG ASX"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "ASN", "MEN AHB"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "ASP", "ASP DAS ASP- AS4"},
    {TSL_RESIDUE_AMINO_ACID, NEUTRAL, "ASP", "ASH ASPH ASPP"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "ASP", "PHD BFD IAS BHD"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "CYS", "CYS CYX CYM CYS1 CYS2 CYSH CYSS CYD DCY"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "CYS",
     "CSO CME OCS CSD CSS CSX CSW CAS CAF CSP CSR SCH SMC SNC SCY YCM OCY CMH CYG QCS R1A P1L CCS "
     "SEC CSE"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "GLN", "GLN DGN GLX"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "GLN", "MEQ PCA"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "GLU", "GLU DGL GLU- GL4"},
    {TSL_RESIDUE_AMINO_ACID, NEUTRAL, "GLU", "GLH GLUH GLUP"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "GLU", "CGU GMA"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "GLY", "GLY"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "GLY", "SAR"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "HIS",
     "HIS HID HIE HIP HSD HSE HSP HISA HISB HISD HISE HISH HISP HIS1 HIS2 HIST HIS+ DHI"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "HIS", "HIC NEP MHS"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "ILE", "ILE DIL"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "ILE", "IIL"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "LEU", "LEU DLE"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "LEU", "MLE NLE"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "LYS", "LYS DLY LYSH LYSP LYS+ LYP"},
    {TSL_RESIDUE_AMINO_ACID, NEUTRAL, "LYS", "LYN LSN LYSN"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "LYS", "MLY M3L MLZ LYR LYZ"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED | NEUTRAL, "LYS", "ALY KCX LLP KPI BTK PYL"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "MET", "MET MED"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "MET", "MSE FME MHO OMT MME SME CXM"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "PHE", "PHE DPN"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "PHE", "MEA PHI PFF"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "PRO", "PRO DPR CPRO"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "PRO", "HYP HZP"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "SER", "SER DSN"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "SER", "SEP SAC DHA OSE"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "THR", "THR DTH"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "THR", "TPO BMT"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "TRP", "TRP DTR"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "TRP", "FTR TRQ TRO HTR BTR TRN"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "TYR", "TYR DTY TYM"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "TYR", "PTR TYS IYR PAQ OMY TYI TYQ"},
    {TSL_RESIDUE_AMINO_ACID, NAMED_ALIKE, "VAL", "VAL DVA"},
    {TSL_RESIDUE_AMINO_ACID, MODIFIED, "VAL", "MVA"},

    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, "A", "A A3 A5 RA RA3 RA5 RADE ADE"},
    {TSL_RESIDUE_NUCLEOTIDE, MODIFIED, "A", "1MA MIA A2M 6MZ"},
    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, "C", "C C3 C5 RC RC3 RC5 RCYT CYT"},
    {TSL_RESIDUE_NUCLEOTIDE, MODIFIED, "C", "5MC OMC CCC 4AC"},
    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, "G", "G G3 G5 RG RG3 RG5 RGUA GUA"},
    {TSL_RESIDUE_NUCLEOTIDE, MODIFIED, "G", "2MG M2G 7MG 1MG OMG G7M YYG YG QUO"},
    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, "U", "U U3 U5 RU RU3 RU5 RURA URA URI"},
    {TSL_RESIDUE_NUCLEOTIDE, MODIFIED, "U", "PSU 5MU H2U OMU 4SU 5BU UR3 70U"},
    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, NULL, "I N"},
    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, "DA", "DA DA3 DA5 DAN DADE"},
    {TSL_RESIDUE_NUCLEOTIDE, MODIFIED, "DA", "6MA"},
    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, "DC", "DC DC3 DC5 DCN DCYT"},
    {TSL_RESIDUE_NUCLEOTIDE, MODIFIED, "DC", "5CM"},
    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, "DG", "DG DG3 DG5 DGN DGUA"},
    {TSL_RESIDUE_NUCLEOTIDE, MODIFIED, "DG", "8OG"},
    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, "DT", "DT DT3 DT5 DTN DTHY T THY"},
    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, "DU", "DU"},
    {TSL_RESIDUE_NUCLEOTIDE, MODIFIED, "DU", "BRU"},
    {TSL_RESIDUE_NUCLEOTIDE, NAMED_ALIKE, NULL, "DI DN"},

    /* The Protein Data Bank's names, then those of AMBER, CHARMM, GROMACS, GROMOS, Desmond, Tinker,
     * MARTINI and SIRAH, where residues are called by the model of water. */
    {TSL_RESIDUE_WATER, NAMED_ALIKE, NULL,
     "HOH WAT DOD H2O D2O HOD DIS WTR OH2 HHO OHH HO4 MTO TIP TIP2 TIP3 TIP4 TIP5 TIP6 TIP7 TIPS "
     "TP2 TP3 TP4 TP5 TP6 TP7 TP3F TP3M TP4E TP5E T2P T3P T4P T5P T6P T7P T3H T4E T4D T5E SOL SOLV "
     "SPC SPCE SPCF SPE SPF SPG SPH SPW HSPC PL3 POL3 F3P FB3 FB4 OPC OPC3 OP3 OP4 WT1 WT2 WT3 WT4 "
     "WT5 WLS SWM SWM4 SWM6 ST2 W WN WF PW"},

    /* The names of CHARMM and old AMBER. tsl_residue_is_ion() knows ions that are called by their
     * elements. */
    {TSL_RESIDUE_ION, NAMED_ALIKE, NULL,
     "SOD POT CLA CAL CES LIT RUB BAR CAD CAD2 IOD CIO CIP CIM IB ION IM IP C0 NIO"},

    /* Solvents of simulations, and substances that crystals are grown and frozen with. */
    {TSL_RESIDUE_SOLVENT, NAMED_ALIKE, NULL,
     "SO4 SUL PO4 PI 2HP HPO4 NO3 NIT CO3 BCT ACT ACY ACET FMT NH4 AMM AZI SCN CAC CIT FLC TAR TLA "
     "MLI MLA SIN OXL PER PEO O2 OXY NO2 NH3 GOL EDO EGL MPD MRD PEG PGE PG4 PG0 P6G 1PE 2PE PE4 "
     "12P 15P 7PE P33 XPE PGO PGR BU1 BU3 BUD HEZ IPA IPH POL DIO DOX DMS DMSO DMF DMFA ACN ACNT "
     "CCN MOH MEOH EOH ETOH ETO ETHA TFE TBU URE UREA GDM GAI GND TRS TRIS MES EPE HEPE BTB "
     "IMD BME MTL DTT DTV DTU CL3 CHCL CCL4 BNZ BENZ CHX HEX OCT TOL THF"},
};

static const char symbols[] =
    " H D HE LI BE B C N O F NE NA MG AL SI P S CL AR K CA SC TI V CR MN FE CO NI CU ZN GA GE AS "
    "SE "
    "BR KR RB SR Y ZR NB MO TC RU RH PD AG CD IN SN SB TE I XE CS BA LA CE PR ND PM SM EU GD TB DY "
    "HO ER TM YB LU HF TA W RE OS IR PT AU HG TL PB BI PO AT RN FR RA AC TH PA U NP PU AM CM BK CF "
    "ES FM MD NO LR RF DB SG BH HS MT DS RG CN NH FL MC LV TS OG ";

/* Does `list`, of words with blanks between, hold `word`? */
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

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_letter(char c)
{
    return upper(c) >= 'A' && upper(c) <= 'Z';
}

/* The family of a residue's name; with TSL_RESIDUE_UNKNOWN of any kind. */
static const family *find_family(const char *name, tsl_residue_kind kind)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if ((kind == TSL_RESIDUE_UNKNOWN || families[i].kind == kind) &&
            list_has(families[i].members, name)) {
            return &families[i];
        }
    }
    return NULL;
}

tsl_residue tsl_residue_find(const char *name)
{
    return tsl_residue_find_as(name, TSL_RESIDUE_UNKNOWN);
}

tsl_residue tsl_residue_find_as(const char *name, tsl_residue_kind kind)
{
    tsl_residue residue = {.kind = TSL_RESIDUE_UNKNOWN};
    char key[8] = "";
    for (size_t i = 0; i < 7 && name[i] != '\0'; i++) {
        key[i] = upper(name[i]);
    }
    const family *found = find_family(key, kind);
    const bool any = kind == TSL_RESIDUE_UNKNOWN || kind == TSL_RESIDUE_AMINO_ACID;
    if (found == NULL && any && strlen(key) == 4 && (key[0] == 'N' || key[0] == 'C')) {
        /* AMBER's residues at the ends of a chain: NALA, CHIE. */
        found = find_family(key + 1, TSL_RESIDUE_AMINO_ACID);
    }
    if (found != NULL) {
        residue.kind = found->kind;
        residue.modified = (found->traits & MODIFIED) != 0;
        residue.neutral = (found->traits & NEUTRAL) != 0;
    }
    const char *parent = found != NULL && found->parent != NULL ? found->parent : name;
    memcpy(residue.parent, parent, strnlen(parent, 7));
    return residue;
}

/* The symbol in a name that has nothing else but digits and a charge; "" if there is none. */
static void symbol_of(const char *name, char symbol[4])
{
    static const char others[] = "H D B C N O P S SE"; /* their ions have other names */
    size_t letters = 0;
    memset(symbol, 0, 4);
    for (const char *p = name; *p != '\0'; p++) {
        if (is_letter(*p) && letters < 3) {
            symbol[letters++] = upper(*p);
        } else if (strchr("0123456789+-", *p) == NULL) {
            symbol[0] = '\0';
            return;
        }
    }
    if (letters > 2 || !list_has(symbols, symbol) || list_has(others, symbol)) {
        symbol[0] = '\0';
    }
}

bool tsl_residue_is_ion(const char *residue, const char *atom, char element[4])
{
    char own[4];
    symbol_of(residue, own);
    symbol_of(atom, element);
    return own[0] != '\0' && strcmp(own, element) == 0;
}

bool tsl_atom_is_virtual(const char *name, bool polymer)
{
    static const char *const beginnings[] = {"EP", "LP", "MW", "VS"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (strncmp(name, beginnings[i], 2) == 0) {
            return true;
        }
    }
    /* No atom of a polymer begins with one of these letters. A and X stand for an atom that is not
     * known. */
    return polymer && (strchr("ELMQV", name[0]) != NULL || strcmp(name, "CEN") == 0);
}

bool tsl_amino_acid_has(const char *atom)
{
    static const char names[] =
        "N CA C O OXT OT OT1 OT2 O1 O2 OC1 OC2 O' O'' CB CG CG1 CG2 OG OG1 SG CD CD1 CD2 SD OD1 "
        "OD2 ND1 ND2 AD1 AD2 CE CE1 CE2 CE3 NE NE1 NE2 OE1 OE2 AE1 AE2 CZ CZ2 CZ3 NZ NH1 NH2 CH2 "
        "OH";
    return list_has(names, atom);
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

/* Does the name of an atom outside polymers begin with a symbol of two letters? */
static bool has_two_letters(const char *name, const char *columns, const char *residue,
                            const char symbol[3])
{
    if (!is_letter(symbol[1]) || !list_has(symbols, symbol)) {
        return false;
    }
    const bool whole = name[2] == '\0';
    if (whole && strncmp(residue, symbol, 2) == 0) {
        return true; /* an ion: HG of residue HG, ZN of residue ZN */
    }
    if (symbol[0] == 'H' || symbol[0] == 'D') {
        /* "HG11" and "HE2 " are hydrogens; "HG  " is mercury, where its place says so. */
        return whole && strcmp(symbol, "HG") == 0 && columns != NULL && columns[0] != ' ';
    }
    if (columns != NULL) { /* a name of four characters fills all columns, whatever the element */
        return columns[0] != ' ' && columns[3] == ' ';
    }
    return strcmp(symbol, "CL") == 0 || strcmp(symbol, "BR") == 0 || strcmp(symbol, "SE") == 0;
}

void tsl_element_guess(const char *name, const char *columns, const char *residue, bool polymer,
                       char out[4])
{
    const char *p = name;
    while (*p != '\0' && !is_letter(*p)) { /* digits before the element: "1HB" */
        p++;
    }
    char symbol[3] = {upper(p[0]), p[0] != '\0' ? upper(p[1]) : '\0', '\0'};
    const bool two = polymer ? strcmp(name, "SE") == 0
                             : p == name && has_two_letters(name, columns, residue, symbol);
    symbol[1] = two ? symbol[1] : '\0';
    const bool virtual = polymer && tsl_atom_is_virtual(name, true);
    strcpy(out, !virtual && list_has(symbols, symbol) ? symbol : "");
}

bool tsl_element_is_hydrogen(const char *element)
{
    return strcmp(element, "H") == 0 || strcmp(element, "D") == 0;
}
