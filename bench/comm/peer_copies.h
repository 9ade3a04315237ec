/* What `peer_copies` compares with. */
#ifndef TSL_BENCH_PEER_COPIES_H
#define TSL_BENCH_PEER_COPIES_H

#include "comm/gpu/peer.h"

/* One copy by the driver's own call, in a stream of its own on the context's device; returns when
 * it is done. `*stream` is NULL at first; peer_copies_cuda_end() ends it. Peer access is open. */
tsl_status peer_copies_cuda(tsl_context *context, void **stream, const tsl_peer_copy *copy);
void peer_copies_cuda_end(void *stream);

#endif
