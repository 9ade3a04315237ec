/* Names and extents of the program's variables, from its own symbol table; which of its memory is
 * read-only, from its segments. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/run/memory.h"

static const unsigned char *image; /* the program's file */
static size_t image_bytes;

static const Elf64_Ehdr *header(void)
{
    struct stat about;
    if (image == NULL) {
        const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        if (file < 0 || fstat(file, &about) != 0) {
            tsl_fatal("cannot read the program's own file");
        }
        image_bytes = (size_t)about.st_size;
        image = mmap(NULL, image_bytes, PROT_READ, MAP_PRIVATE, file, 0);
        close(file);
        if (image == MAP_FAILED) {
            tsl_fatal("cannot map the program's own file");
        }
    }
    return (const Elf64_Ehdr *)(const void *)image;
}

static const Elf64_Sym *symbols(size_t *count, const char **names)
{
    const Elf64_Ehdr *h = header();
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(image + h->e_shoff);
    for (int i = 0; i < h->e_shnum; i++) {
        if (sections[i].sh_type == SHT_SYMTAB) {
            *count = sections[i].sh_size / sizeof(Elf64_Sym);
            *names = (const char *)image + sections[sections[i].sh_link].sh_offset;
            return (const Elf64_Sym *)(const void *)(image + sections[i].sh_offset);
        }
    }
    *count = 0;
    return NULL;
}

void tsl_symbols_read(void (*found)(void *user, uintptr_t address, size_t bytes), void *user)
{
    size_t count;
    const char *names;
    const Elf64_Sym *symbol = symbols(&count, &names);
    for (size_t i = 0; i < count; i++) {
        if (ELF64_ST_TYPE(symbol[i].st_info) == STT_OBJECT && symbol[i].st_size > 0) {
            found(user, symbol[i].st_value, symbol[i].st_size);
        }
    }
}

/* "_ZZ3sumPfS_E4part" is part; "_ZL5count" is count; "part" stays. */
static void plain_name(char *out, size_t bytes, const char *symbol)
{
    const char *end = strrchr(symbol, 'E');
    const char *at = strncmp(symbol, "_ZZ", 3) == 0 && end != NULL ? end + 1
                     : strncmp(symbol, "_ZL", 3) == 0              ? symbol + 3
                     : strncmp(symbol, "_Z", 2) == 0               ? symbol + 2
                                                                   : NULL;
    char *after;
    const unsigned long length = at != NULL ? strtoul(at, &after, 10) : 0;
    if (length > 0 && length < strlen(at)) {
        snprintf(out, bytes, "%.*s", (int)length, after);
    } else {
        snprintf(out, bytes, "%.*s", (int)strcspn(symbol, "."), symbol);
    }
}

bool tsl_symbol_at(uintptr_t address, char *name, size_t bytes, uintptr_t *begin, size_t *size)
{
    size_t count;
    const char *names;
    const Elf64_Sym *symbol = symbols(&count, &names);
    const Elf64_Sym *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const bool object = ELF64_ST_TYPE(symbol[i].st_info) == STT_OBJECT;
        const bool near =
            symbol[i].st_value <= address && address < symbol[i].st_value + symbol[i].st_size + 256;
        if (object && near && symbol[i].st_size > 0 &&
            (best == NULL || symbol[i].st_value > best->st_value)) {
            best = &symbol[i];
        }
    }
    if (best != NULL) {
        plain_name(name, bytes, names + best->st_name);
        *begin = best->st_value;
        *size = best->st_size;
    }
    return best != NULL;
}

bool tsl_is_read_only(uintptr_t address)
{
    const Elf64_Ehdr *h = header();
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(const void *)(image + h->e_phoff);
    for (int i = 0; i < h->e_phnum; i++) {
        const bool constant = segment[i].p_type == PT_GNU_RELRO ||
                              (segment[i].p_type == PT_LOAD && (segment[i].p_flags & PF_W) == 0);
        if (constant && address - segment[i].p_vaddr < segment[i].p_memsz) {
            return true;
        }
    }
    return false;
}

/* Functions of the C library that the runtime stands on. A program that defines one of them anew
 * would be asked in its place. */
static const char *const own[] = {
    "_exit",    "clock_gettime", "close",     "fstat",       "ftruncate", "getenv",
    "madvise",  "memfd_create",  "mmap",      "mprotect",    "munmap",    "open",
    "prctl",    "setvbuf",       "sigaction", "sigaltstack", "snprintf",  "strtol",
    "unsetenv", "vsnprintf",     "wait",      "write"};

void tsl_symbols_own(void)
{
    size_t count;
    const char *names;
    const Elf64_Sym *symbol = symbols(&count, &names);
    for (size_t i = 0; i < count; i++) {
        const bool defined = ELF64_ST_BIND(symbol[i].st_info) != STB_LOCAL &&
                             symbol[i].st_shndx != SHN_UNDEF &&
                             ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC;
        for (size_t k = 0; defined && k < sizeof own / sizeof *own; k++) {
            if (strcmp(names + symbol[i].st_name, own[k]) == 0) {
                tsl_fatal("the program defines %s() anew, which the runtime needs: give it another "
                          "name",
                          own[k]);
            }
        }
    }
}
