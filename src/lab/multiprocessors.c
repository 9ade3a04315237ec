/* What the multiprocessors of each compute capability have.
 *
 * Sources, by the names that the rows use:
 *   guide         NVIDIA, CUDA C++ Programming Guide, table of technical specifications per compute
 *                 capability: versions 2.3.1 (1.x), 5.0 (1.x to 3.0), 8.0 (2.x to 6.2), 13.0 (7.5
 * up) spreadsheet   NVIDIA, CUDA Occupancy Calculator, CUDA_Occupancy_calculator.xls (1.0 to 8.6)
 *   header        NVIDIA, cuda_occupancy.h of CUDA 13.0 (3.x to 12.1); units, partitions,
 * carve-outs, blocks and barriers of a multiprocessor are constants there header 7.0    the same of
 * CUDA 7.0 (1.x to 5.2) course        J. Fernandez Peinador, Programacion de GPUs, Universidad de
 * Murcia 2010: table of limits of 1.0 to 2.0
 */
#include "tesela/occupancy.h"

#define KIB 1024
/* Registers of a thread whose warps 2.x gives units of 128. */
#define BIT(r) (UINT64_C(1) << (r))
#define WIDE_2X (BIT(21) | BIT(22) | BIT(29) | BIT(30) | BIT(37) | BIT(38) | BIT(45) | BIT(46))

/* Members that generations share. */
#define OF_1X                                                                                      \
    .size = sizeof(tsl_multiprocessor), .major = 1, .blocks = 8, .block_threads = 512,             \
    .thread_registers = 124, .launch_warps = 2, .shared = 16 * KIB, .block_shared = 16 * KIB,      \
    .block_shared_opt_in = 16 * KIB, .shared_unit = 512, .reserved_shared = 16
#define OF_1X_SMALL                                                                                \
    OF_1X, .warps = 24, .registers = 8192, .block_registers = 8192, .register_unit = 256
#define OF_1X_LARGE                                                                                \
    OF_1X, .warps = 32, .registers = 16384, .block_registers = 16384, .register_unit = 512
#define OF_2X                                                                                      \
    .size = sizeof(tsl_multiprocessor), .major = 2, .warps = 48, .blocks = 8,                      \
    .block_threads = 1024, .registers = 32 * KIB, .block_registers = 32 * KIB,                     \
    .thread_registers = 63, .register_unit = 64, .wide_registers = WIDE_2X, .partitions = 2,       \
    .launch_warps = 2, .shared = 48 * KIB, .block_shared = 48 * KIB,                               \
    .block_shared_opt_in = 48 * KIB, .shared_unit = 128, .carveouts = 2, .carveout = {16, 48}
/* Since 3.0 registers come in units of 256 a warp. */
#define SINCE_3 .size = sizeof(tsl_multiprocessor), .block_threads = 1024, .register_unit = 256
#define OF_3X                                                                                      \
    SINCE_3, .major = 3, .warps = 64, .blocks = 16, .block_registers = 64 * KIB, .partitions = 4,  \
             .launch_warps = 4, .block_shared = 48 * KIB, .block_shared_opt_in = 48 * KIB,         \
             .shared_unit = 256
/* Shared memory of 5.x and 6.x is a memory of its own. */
#define OF_5X_6X                                                                                   \
    SINCE_3, .warps = 64, .blocks = 32, .registers = 64 * KIB, .thread_registers = 255,            \
             .launch_warps = 4, .block_shared = 48 * KIB, .block_shared_opt_in = 48 * KIB,         \
             .shared_unit = 256
#define SINCE_7                                                                                    \
    SINCE_3, .registers = 64 * KIB, .block_registers = 64 * KIB, .thread_registers = 255,          \
             .partitions = 4, .launch_warps = 4, .block_shared = 48 * KIB
#define OF_7X SINCE_7, .major = 7, .shared_unit = 256
/* The driver keeps 1 KiB of each block since 8.0. */
#define SINCE_8 SINCE_7, .shared_unit = 128, .reserved_shared = KIB
#define SHARED_96                                                                                  \
    .shared = 96 * KIB, .block_shared_opt_in = 96 * KIB, .carveouts = 6,                           \
    .carveout = {0, 8, 16, 32, 64, 96}
#define SHARED_100                                                                                 \
    .shared = 100 * KIB, .block_shared_opt_in = 99 * KIB, .carveouts = 6,                          \
    .carveout = {0, 8, 16, 32, 64, 100}
#define SHARED_164                                                                                 \
    .shared = 164 * KIB, .block_shared_opt_in = 163 * KIB, .carveouts = 8,                         \
    .carveout = {0, 8, 16, 32, 64, 100, 132, 164}
#define SHARED_228                                                                                 \
    .shared = 228 * KIB, .block_shared_opt_in = 227 * KIB, .carveouts = 10,                        \
    .carveout = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}
#define OF_11 SINCE_8, SHARED_228, .warps = 48, .blocks = 24, .barriers = 24
#define OF_12 SINCE_8, SHARED_100, .major = 12, .warps = 48, .blocks = 24, .barriers = 24

#define SOURCES_1X                                                                                 \
    "guide 2.3.1, spreadsheet and course. Warps of a block count as they are, as in the "          \
    "spreadsheet; the header of CUDA 7.0 rounds them up to two. 16 bytes of shared memory and "    \
    "the kernel's arguments are the guide's. Registers of a thread: guide 128, compiler 124, "     \
    "which is taken"
#define SOURCES_2X                                                                                 \
    "guide 5.0, spreadsheet and course. 21, 22, 29, 30, 37, 38, 45 and 46 registers a thread are " \
    "given in units of 128 a warp: spreadsheet and the header of CUDA 7.0; the course has 64 for " \
    "all"
#define SOURCES_8_UP "guide 13.0 and header of CUDA 13.0"
#define BARRIERS_UP                                                                                \
    ". Barriers: header, which counts them since 9.0 only, though it has numbers since 5.0"

static const tsl_multiprocessor table[] = {
    {OF_1X_SMALL, .minor = 0, .sources = SOURCES_1X},
    {OF_1X_SMALL, .minor = 1, .sources = SOURCES_1X},
    {OF_1X_LARGE, .minor = 2, .sources = SOURCES_1X},
    {OF_1X_LARGE, .minor = 3, .sources = SOURCES_1X},
    {OF_2X, .minor = 0, .sources = SOURCES_2X},
    {OF_2X, .minor = 1, .sources = SOURCES_2X},
    {OF_3X, .minor = 0, .registers = 64 * KIB, .thread_registers = 63, .shared = 48 * KIB,
     .carveouts = 3, .carveout = {16, 32, 48},
     .sources = "guide 8.0, spreadsheet and header of CUDA 13.0. Registers of a thread: guide and "
                "spreadsheet 63, which is taken; header 255"},
    {OF_3X, .minor = 5, .registers = 64 * KIB, .thread_registers = 255, .shared = 48 * KIB,
     .carveouts = 3, .carveout = {16, 32, 48},
     .sources = "guide 8.0, spreadsheet and header of CUDA 13.0"},
    {OF_3X, .minor = 7, .registers = 128 * KIB, .thread_registers = 255, .shared = 112 * KIB,
     .carveouts = 3, .carveout = {80, 96, 112},
     .sources = "guide 8.0, spreadsheet and header of CUDA 13.0"},
    {OF_5X_6X, .major = 5, .minor = 0, .partitions = 4, .block_registers = 64 * KIB,
     .shared = 64 * KIB, .sources = "guide 8.0, spreadsheet and header of CUDA 13.0"},
    {OF_5X_6X, .major = 5, .minor = 2, .partitions = 4, .block_registers = 64 * KIB,
     .shared = 96 * KIB,
     .sources = "guide 8.0, spreadsheet and header of CUDA 13.0. Registers of a block: guide 64 K, "
                "which is taken; spreadsheet 32 K"},
    {OF_5X_6X, .major = 5, .minor = 3, .partitions = 4, .block_registers = 32 * KIB,
     .shared = 64 * KIB, .sources = "guide 8.0, spreadsheet and header of CUDA 13.0"},
    {OF_5X_6X, .major = 6, .minor = 0, .partitions = 2, .block_registers = 64 * KIB,
     .shared = 64 * KIB,
     .sources = "guide 8.0, spreadsheet and header of CUDA 13.0. A launch counts registers as of "
                "6.1, by four warps: header"},
    {OF_5X_6X, .major = 6, .minor = 1, .partitions = 4, .block_registers = 64 * KIB,
     .shared = 96 * KIB, .sources = "guide 8.0, spreadsheet and header of CUDA 13.0"},
    {OF_5X_6X, .major = 6, .minor = 2, .partitions = 4, .block_registers = 32 * KIB,
     .shared = 64 * KIB,
     .sources =
         "guide 8.0, spreadsheet and header of CUDA 13.0. Warps: spreadsheet 64, which is "
         "taken; guide 128. Registers of a block: guide 32 K, which is taken; spreadsheet 64 "
         "K"},
    {OF_7X, SHARED_96, .minor = 0, .warps = 64, .blocks = 32,
     .sources = "spreadsheet and header of CUDA 13.0"},
    {OF_7X, SHARED_96, .minor = 2, .warps = 64, .blocks = 32, .sources = "header of CUDA 13.0"},
    {OF_7X, .minor = 5, .warps = 32, .blocks = 16, .shared = 64 * KIB,
     .block_shared_opt_in = 64 * KIB, .carveouts = 2, .carveout = {32, 64},
     .sources = "guide 13.0, spreadsheet and header of CUDA 13.0"},
    {SINCE_8, SHARED_164, .major = 8, .minor = 0, .warps = 64, .blocks = 32,
     .sources = SOURCES_8_UP},
    {SINCE_8, SHARED_100, .major = 8, .minor = 6, .warps = 48, .blocks = 16,
     .sources = SOURCES_8_UP},
    {SINCE_8, SHARED_164, .major = 8, .minor = 7, .warps = 48, .blocks = 16,
     .sources = SOURCES_8_UP},
    {SINCE_8, SHARED_100, .major = 8, .minor = 9, .warps = 48, .blocks = 24,
     .sources = SOURCES_8_UP},
    {SINCE_8, SHARED_228, .major = 9, .minor = 0, .warps = 64, .blocks = 32, .barriers = 64,
     .sources = SOURCES_8_UP BARRIERS_UP},
    {SINCE_8, SHARED_228, .major = 10, .minor = 0, .warps = 64, .blocks = 32, .barriers = 64,
     .sources = SOURCES_8_UP BARRIERS_UP},
    {OF_11, .major = 10, .minor = 1,
     .sources = "header of CUDA 13.0; CUDA 13 calls it 11.0, whose row this is" BARRIERS_UP},
    {SINCE_8, SHARED_228, .major = 10, .minor = 3, .warps = 64, .blocks = 32, .barriers = 64,
     .sources = "header of CUDA 13.0" BARRIERS_UP},
    {OF_11, .major = 11, .minor = 0,
     .sources = "guide 13.0 and header of CUDA 13.0; before CUDA 13 it was 10.1" BARRIERS_UP},
    {OF_12, .minor = 0, .sources = SOURCES_8_UP BARRIERS_UP},
    {OF_12, .minor = 1, .sources = "header of CUDA 13.0, which has 12.1 with 12.0" BARRIERS_UP},
};
enum { CAPABILITIES = sizeof table / sizeof *table };

int tsl_multiprocessor_count(void)
{
    return CAPABILITIES;
}

const tsl_multiprocessor *tsl_multiprocessor_at(int i)
{
    return i >= 0 && i < CAPABILITIES ? &table[i] : NULL;
}

const tsl_multiprocessor *tsl_multiprocessor_find(int major, int minor)
{
    for (int i = 0; i < CAPABILITIES; i++) {
        if (table[i].major == major && table[i].minor == minor) {
            return &table[i];
        }
    }
    return NULL;
}
