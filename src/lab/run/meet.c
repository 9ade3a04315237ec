/* CUDA's own functions for what threads do together, which include/tesela-lab/cuda_device.h
 * declares. */
#include "lab/run/run.h"

#define CALLER ((uintptr_t)__builtin_return_address(0))

void __syncthreads(void);
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __threadfence_block(void);
void __threadfence(void);
void __threadfence_system(void);
void __syncwarp(unsigned mask);
unsigned __activemask(void);
unsigned __ballot_sync(unsigned mask, int predicate);
int __any_sync(unsigned mask, int predicate);
int __all_sync(unsigned mask, int predicate);

void __syncthreads(void)
{
    tsl_meet_block(0, 0, CALLER);
}

int __syncthreads_count(int predicate)
{
    return tsl_meet_block(1, predicate, CALLER);
}

int __syncthreads_and(int predicate)
{
    return tsl_meet_block(2, predicate, CALLER);
}

int __syncthreads_or(int predicate)
{
    return tsl_meet_block(3, predicate, CALLER);
}

void __threadfence_block(void)
{
    tsl_fence(0);
}

void __threadfence(void)
{
    tsl_fence(1);
}

void __threadfence_system(void)
{
    tsl_fence(2);
}

void __syncwarp(unsigned mask)
{
    tsl_meet_lanes(TSL_LAB_SYNC, mask, 0, 0, 0, CALLER);
}

unsigned __activemask(void)
{
    return (unsigned)tsl_meet_lanes(TSL_LAB_ACTIVE, 0, 0, 0, 0, CALLER);
}

unsigned __ballot_sync(unsigned mask, int predicate)
{
    return (unsigned)tsl_meet_lanes(TSL_LAB_BALLOT, mask, predicate != 0, 0, 0, CALLER);
}

int __any_sync(unsigned mask, int predicate)
{
    return tsl_meet_lanes(TSL_LAB_BALLOT, mask, predicate != 0, 0, 0, CALLER) != 0;
}

/* All vote 1 where none votes 0. */
int __all_sync(unsigned mask, int predicate)
{
    return tsl_meet_lanes(TSL_LAB_BALLOT, mask, predicate == 0, 0, 0, CALLER) == 0;
}
