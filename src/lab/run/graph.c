/* Graphs that are captured from streams. What the host asks of a stream that captures becomes a
 * node; a launch of the graph does all nodes in the order in which they were asked for, which is
 * one that the streams' events allow. One capture is open at a time. A copy of two dimensions is a
 * node a row. */
#include <stdlib.h>
#include <string.h>

#include "lab/run/api.h"
#include "lab/run/graph.h"

enum { CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED = 901 };

typedef enum node_kind { NODE_KERNEL, NODE_COPY, NODE_SET, NODE_HOST } node_kind;

typedef struct node {
    struct node *next;
    node_kind what;
    tsl_lab_launch launch; /* its arguments are the node's own */
    uintptr_t pc;
    void *to; /* of a function of the host: its argument */
    const void *from;
    size_t bytes;
    int value; /* of a copy: its direction; of a set: the byte */
    void (*function)(void *);
} node;

/* The nodes of a graph. A cudaGraph_t and each cudaGraphExec_t that was made of it are handles of
 * it; the last that is destroyed frees it. */
typedef struct graph {
    node *first;
    node *last;
    size_t nodes;
    int handles;
} graph;

static graph *open_graph; /* being captured */
static uint64_t open_number;

uint64_t tsl_capture_number(void)
{
    return open_graph != NULL ? open_number : 0;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static node *add(node_kind what)
{
    node *n = calloc(1, sizeof *n);
    if (n == NULL) {
        tsl_fatal("out of memory for a graph");
    }
    n->what = what;
    if (open_graph->last != NULL) {
        open_graph->last->next = n;
    } else {
        open_graph->first = n;
    }
    open_graph->last = n;
    open_graph->nodes++;
    return n;
}

void tsl_capture_launch(const tsl_lab_launch *launch, uintptr_t pc)
{
    node *const n = add(NODE_KERNEL);
    n->launch = *launch;
    n->pc = pc;
    n->launch.arguments = malloc(launch->bytes > 0 ? launch->bytes : 1);
    if (n->launch.arguments == NULL) {
        tsl_fatal("out of memory for a graph");
    }
    memcpy(n->launch.arguments, launch->arguments, launch->bytes);
}

void tsl_capture_copy(void *to, const void *from, size_t bytes, int kind, uintptr_t pc)
{
    node *const n = add(NODE_COPY);
    n->to = to;
    n->from = from;
    n->bytes = bytes;
    n->value = kind;
    n->pc = pc;
}

void tsl_capture_set(void *to, int value, size_t bytes, uintptr_t pc)
{
    node *const n = add(NODE_SET);
    n->to = to;
    n->bytes = bytes;
    n->value = value;
    n->pc = pc;
}

static int run_node(const node *n)
{
    switch (n->what) {
    case NODE_KERNEL:
        return tsl_start_at(&n->launch, n->pc);
    case NODE_COPY:
        return tsl_copy_at(n->to, n->from, n->bytes, n->value, n->pc);
    case NODE_SET:
        return tsl_set_at(n->to, n->value, n->bytes, n->pc);
    case NODE_HOST:
        n->function(n->to);
        break;
    }
    return 0;
}

static void release(graph *g)
{
    if (--g->handles > 0) {
        return;
    }
    for (node *n = g->first, *next; n != NULL; n = next) {
        next = n->next;
        free(n->launch.arguments);
        free(n);
    }
    free(g);
}

/* ---- calls of the host ----------------------------------------------------------------------- */

int cudaGraphCreate(graph **out, unsigned flags)
{
    (void)flags;
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        return tsl_api_fail(TSL_NO_MEMORY);
    }
    (*out)->handles = 1;
    return 0;
}

int cudaStreamBeginCapture(void *stream, int mode)
{
    (void)mode;
    if (open_graph != NULL || !tsl_stream_join(stream, open_number + 1)) {
        return tsl_api_fail(CAPTURE_UNSUPPORTED);
    }
    open_number++;
    return cudaGraphCreate(&open_graph, 0);
}

int cudaStreamEndCapture(void *stream, graph **out)
{
    if (!tsl_stream_captures(stream)) {
        *out = NULL;
        return tsl_api_fail(CAPTURE_INVALIDATED);
    }
    *out = open_graph;
    open_graph = NULL;
    return 0;
}

int cudaStreamIsCapturing(void *stream, int *status)
{
    *status = tsl_stream_captures(stream);
    return 0;
}

int tsl_lab_graph_instantiate(graph **out, graph *from)
{
    if (from == NULL) {
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    from->handles++;
    *out = from;
    return 0;
}

int cudaGraphLaunch(graph *g, void *stream)
{
    int error = 0;
    if (g == NULL) {
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    if (tsl_stream_captures(stream)) { /* graphs have no graphs in them here */
        return tsl_api_fail(TSL_NOT_SUPPORTED);
    }
    for (const node *n = g->first; n != NULL && error == 0; n = n->next) {
        error = run_node(n);
    }
    return error;
}

int cudaGraphGetNodes(graph *g, node **out, size_t *count)
{
    if (g == NULL || count == NULL) {
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    size_t known = 0;
    for (node *n = g->first; out != NULL && n != NULL && known < *count; n = n->next) {
        out[known++] = n;
    }
    *count = out != NULL ? known : g->nodes;
    return 0;
}

int cudaGraphDestroy(graph *g)
{
    if (g == NULL) {
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    release(g);
    return 0;
}

int cudaGraphExecDestroy(graph *g)
{
    return cudaGraphDestroy(g);
}

int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    if (tsl_stream_captures(stream)) {
        node *const n = add(NODE_HOST);
        n->function = function;
        n->to = data;
    } else {
        function(data);
    }
    return 0;
}
