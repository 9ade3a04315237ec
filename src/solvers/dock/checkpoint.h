/* Finished batches on disk, so that a search killed at any moment goes on where it was. */
#ifndef TSL_DOCK_CHECKPOINT_H
#define TSL_DOCK_CHECKPOINT_H

#include "core/core.h"
#include "tesela/dock.h"

/* A file that only grows: a head that names the run, then one record a batch, each closed by a
 * check sum, so that a record cut short is seen and left out. A head cut short counts as no file,
 * for nothing followed it. While one process has it open others get TSL_E_IO. */
typedef struct tsl_checkpoint tsl_checkpoint;

/* Start a new checkpoint at `path`, in place of any that is there.
 *  run     digest of everything the answer depends on (inputs, options, rotations): 64 hex digits
 *  count   rotations of the search;  keep  poses each */
tsl_status tsl_checkpoint_create(tsl_checkpoint **out, tsl_context *context, const char *path,
                                 const char run[65], int64_t count, int keep);

/* Take up the checkpoint at `path`: fill `poses` [count][keep] and `done` [count] (1 = finished,
 * 0 = not, and its poses untouched) with what it holds, cut off a torn or damaged record
 * and all behind it, of which a message tells, and be ready to add. No file: starts a new one.
 * TSL_E_ARG if it belongs to another run; TSL_E_FORMAT if it is no checkpoint. */
tsl_status tsl_checkpoint_resume(tsl_checkpoint **out, tsl_context *context, const char *path,
                                 const char run[65], int64_t count, int keep, tsl_pose *poses,
                                 unsigned char *done);

/* Take the records of another checkpoint of the same run, at `path`, into this one and into `poses`
 * and `done`, and remove it. Killed at any moment, nothing is lost: what is in both counts once.
 * Errors as tsl_checkpoint_resume(). */
tsl_status tsl_checkpoint_absorb(tsl_checkpoint *checkpoint, const char *path, const char run[65],
                                 tsl_pose *poses, unsigned char *done);

/* Add a finished batch, in the kernel's hands on return: it survives a kill, not a power cut. After
 * TSL_E_IO the file ends with the last whole record. */
tsl_status tsl_checkpoint_add(tsl_checkpoint *checkpoint, int64_t first, int64_t count,
                              const tsl_pose *poses);

/* Close; `remove` deletes the file (the run is complete). NULL is fine. */
void tsl_checkpoint_close(tsl_checkpoint *checkpoint, bool remove);

#endif
