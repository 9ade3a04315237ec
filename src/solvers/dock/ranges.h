/* Ranges of tsl_dock_options, least and most: what planning checks and a command line may say. */
#ifndef TSL_DOCK_RANGES_H
#define TSL_DOCK_RANGES_H

#define TSL_DOCK_SPACING_RANGE 0.01, 100
/* The least is not in it. */
#define TSL_DOCK_SURFACE_RANGE 0, 20
#define TSL_DOCK_CORE_RANGE -1000, -1
#define TSL_DOCK_KEEP_RANGE 1, 64
#define TSL_DOCK_BATCH_RANGE 1, 4096

#endif
