/* `tesela dock ladder`: the steps by which docking came to GPUs, measured beside each other. They
 * follow D. L. Caballero de Gea, "Aceleración de aplicaciones científicas mediante GPUs"
 * (University of Murcia, 2010), section 4.4, whose tables 4.22 to 4.28 give the speed-up of each
 * step. A version is a set of switches of one search: where its parts run, how transforms are made,
 * when results are written, how rotations are split. So all versions write the same files. */
#ifndef TSL_CLI_DOCK_LADDER_H
#define TSL_CLI_DOCK_LADDER_H

#include "cli/dock/command.h"
#include "comm/comm.h"

/* Where a version runs. */
typedef enum dock_place {
    DOCK_ON_ONE_CORE,
    DOCK_ON_ALL_CORES,
    DOCK_TRANSFORMS_ON_GPU, /* on the first device, for one core */
    DOCK_ON_GPU,            /* the first device */
    DOCK_ON_ALL_DEVICES
} dock_place;

typedef enum dock_split { DOCK_QUEUE, DOCK_EQUAL_PARTS, DOCK_MEASURED_PARTS } dock_split;

typedef struct dock_version {
    const char *name;
    const char *source; /* its number in the thesis; NULL: it has none */
    dock_place place;
    bool plain;        /* whole transforms, a rotation at a time */
    bool keeps_at_end; /* as in dock_manner */
    dock_split split;
} dock_version;

/* Versions from slow to fast. All are compared with the first two. */
enum { DOCK_VERSIONS = 9 };
extern const dock_version dock_versions[DOCK_VERSIONS];

/* Choose the versions to run: those that `list` names ("V3,one-device"; NULL: all) and the two that
 * speed-ups refer to. The weighted split also needs the static one, which measures its rates. False
 * if a name is unknown, and a message has been printed. */
bool dock_ladder_choose(bool asked[DOCK_VERSIONS], const char *list);

/* A version's measurements, as rank 0 has them. */
typedef struct dock_rung {
    const dock_version *version;
    bool asked;
    char reason[128]; /* why it was not run; "" if it was */
    int runs;
    double seconds[DOCK_MOST_REPEATS]; /* from the files of atoms to sorted poses */
    double search[DOCK_MOST_REPEATS];  /* seconds of these after the plan was made */
    bool same; /* each run wrote the ftdock_global.dat of the first run of all, and its scores are
                  exact */
} dock_rung;

typedef struct dock_ladder {
    dock_work *work;
    dock_rung rungs[DOCK_VERSIONS];
    char folder[DOCK_PATH]; /* holds a folder for each version */
    bool is_scratch;        /* the folder is removed in the end */
    int grid;               /* N */
    char digest[65];        /* of the first run's ftdock_global.dat */
    double compute;         /* seconds of all runs that count */
    double *equal;          /* [ranks]: 1 */
    double *rates;          /* [ranks]: rotations a second in equal parts, once `measured` */
    bool measured;
    tsl_counters *turns; /* counts the versions that rank 0 did alone while other ranks wait */
    int64_t turn;
} dock_ladder;

/* The devices that a version runs on. */
const char *dock_rung_devices(const dock_ladder *ladder, const dock_rung *rung);

/* ---- what is reported (ladder_report.c) ----------------------------------------------------- */

/* Print the table: its head, then a row at a time. */
void dock_ladder_print_head(FILE *stream, const dock_ladder *ladder);
void dock_ladder_print_row(FILE *stream, const dock_ladder *ladder, const dock_rung *rung);
/* Did all versions that ran give the same results? */
bool dock_ladder_verified(const dock_ladder *ladder);
/* Write the files of --csv and --json that are asked for. */
tsl_status dock_ladder_write(const dock_ladder *ladder);

#endif
