/* Matrices of known properties, and a dense oracle that shares no code with the solvers. */
#ifndef TSL_TESTS_SYSTEMS_H
#define TSL_TESTS_SYSTEMS_H

#include "support/devices.h"
#include "tesela/sparse.h"

/* A matrix by rows, in malloc's memory. */
typedef struct test_system {
    int64_t n;
    int64_t *row_start; /* [n + 1] */
    int32_t *column;
    double *value;
} test_system;

void test_system_free(test_system *s);

/* 5-point (planes = 1) or 7-point Laplacian with zero boundary values. */
test_system test_laplacian(int64_t side, int64_t planes);
/* A Laplacian with a flow along the last axis: unsymmetric for any `flow` but 0. */
test_system test_flow(int64_t side, double flow);
/* A symmetric matrix whose eigenvalues are spread evenly in their logarithms from 1 to 1 /
 * condition, turned by rotations of some planes so that it stays sparse. */
test_system test_spectrum(int64_t n, double condition, uint64_t seed);
/* A symmetric matrix whose diagonal is larger than the sum of each row's other entries. A row has
 * up to `most` entries in random columns behind its own, and those that rows before it have in
 * common with it. Row `hub` has entries in all columns; -1: none has. */
test_system test_graph(int64_t n, int most, int64_t hub, uint64_t seed);
/* A test_graph() whose first `heads` rows alone have entries behind their own, about `most`
 * each. */
test_system test_heads(int64_t n, int64_t heads, int most, uint64_t seed);
/* The graph Laplacian of a ring: singular, constants are its null space. */
test_system test_ring(int64_t n);

tsl_sparse_matrix *test_matrix(tsl_context *context, const test_system *s);

/* Is there a method of that number, in this build? All that are there come first. */
bool test_has_method(int method);

/* The defaults with a method and a preconditioner. */
tsl_linsolve_options test_options(tsl_linsolve_method method,
                                  tsl_linsolve_preconditioner preconditioner);

/* A caller's progress function: iterations come one by one, and it ends at one of them. */
typedef struct test_watcher {
    int64_t calls, ends_at;
    double last; /* residual */
} test_watcher;
int test_watch(void *watcher, int64_t iteration, double residual);

/* Something to plan and to give up again, for test_survives_no_memory(). */
typedef struct test_attempt {
    const test_system *s;
    tsl_linsolve_options options;
} test_attempt;
tsl_status test_try_to_plan(tsl_context *context, void *attempt);

/* b = A x in long double, rounded once. */
void test_multiply(const test_system *s, double *b, const double *x);
/* ||b - A x|| / ||b||, likewise. */
double test_residual(const test_system *s, const double *b, const double *x);
/* x of A x = b by elimination with pivots, dense, in long double. */
void test_solve_dense(const test_system *s, double *x, const double *b);

#endif
