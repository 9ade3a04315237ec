#include "io/molecule/elements.h"

#include <string.h>
#include <strings.h>

static const char symbols[TSL_ELEMENTS + 1][3] = {
    "X",  "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si",
    "P",  "S",  "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu",
    "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru",
    "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr",
    "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W",
    "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn", "Fr", "Ra", "Ac",
    "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr", "Rf",
    "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

const char *tsl_element_symbol(int32_t number)
{
    return symbols[number >= 1 && number <= TSL_ELEMENTS ? number : 0];
}

int32_t tsl_element_number(const char *symbol)
{
    for (int32_t number = 1; number <= TSL_ELEMENTS; number++) {
        if (strcmp(symbols[number], symbol) == 0) {
            return number;
        }
    }
    return 0;
}

int32_t tsl_element_find(const char *text, size_t length)
{
    for (int32_t number = 1; number <= TSL_ELEMENTS; number++) {
        if (strlen(symbols[number]) == length && strncasecmp(symbols[number], text, length) == 0) {
            return number;
        }
    }
    return 0;
}
