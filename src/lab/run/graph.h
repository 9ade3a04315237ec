/* Captures of streams: graph.c keeps what they are asked for, stream.c knows which take part. */
#ifndef TSL_LAB_GRAPH_H
#define TSL_LAB_GRAPH_H

#include "lab/run/run.h"

/* Number of the capture that is open; 0: none. */
uint64_t tsl_capture_number(void);
void tsl_capture_launch(const tsl_lab_launch *launch, uintptr_t pc);
void tsl_capture_copy(void *to, const void *from, size_t bytes, int kind, uintptr_t pc);
void tsl_capture_set(void *to, int value, size_t bytes, uintptr_t pc);

/* stream.c: does a stream take part in the open capture? */
bool tsl_stream_captures(const void *stream);
/* Let it take part in a capture; false for the default streams, which cannot. */
bool tsl_stream_join(void *stream, uint64_t number);

/* What captured nodes come to: launch.c and api.c; reports name the line at `pc`. */
int tsl_start_at(const tsl_lab_launch *launch, uintptr_t pc);
int tsl_copy_at(void *to, const void *from, size_t bytes, int kind, uintptr_t pc);
int tsl_set_at(void *to, int value, size_t bytes, uintptr_t pc);

/* The calls that cuda_api.h declares for C++. */
struct graph;
struct node;
int cudaGraphCreate(struct graph **out, unsigned flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, struct graph **out);
int cudaStreamIsCapturing(void *stream, int *status);
int tsl_lab_graph_instantiate(struct graph **out, struct graph *from);
int cudaGraphLaunch(struct graph *g, void *stream);
int cudaGraphGetNodes(struct graph *g, struct node **out, size_t *count);
int cudaGraphDestroy(struct graph *g);
int cudaGraphExecDestroy(struct graph *g);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data);

#endif
