/* Exchange-correlation functionals: generated units, what a plan makes of them, and what a device
 * has to do. */
#ifndef TSL_XC_PRIVATE_H
#define TSL_XC_PRIVATE_H

#include "core/core.h"
#include "tesela/xc.h"

/* Inputs and outputs of a point at most: polarised, with tau, of third order. */
enum { TSL_XC_INPUTS = 7, TSL_XC_FIRST = TSL_XC_INPUTS, TSL_XC_SECOND = 28, TSL_XC_THIRD = 84 };
enum { TSL_XC_OUTPUTS = 1 + TSL_XC_FIRST + TSL_XC_SECOND + TSL_XC_THIRD };
enum { TSL_XC_ORDERS = 4, TSL_XC_CONSTANTS = 128, TSL_XC_PARTS = 8, TSL_XC_VALUES = 24 };

/* What a parameter of a unit is. */
typedef enum tsl_xc_parameter_kind {
    TSL_XC_VALUE,       /* parameter `index` of the component's formula */
    TSL_XC_COEFFICIENT, /* its weight in the sum */
    TSL_XC_DENSITY,     /* its threshold of density */
    TSL_XC_SIGMA,       /* its threshold of sigma, squared */
    TSL_XC_FLOOR,       /* the smallest threshold of density of all components */
    TSL_XC_ZETA,
    TSL_XC_TAU
} tsl_xc_parameter_kind;

typedef struct tsl_xc_parameter {
    tsl_xc_parameter_kind kind;
    int component, index;
} tsl_xc_parameter;

/* A unit of generated code: the sum of components, each a formula with parameters. */
typedef struct tsl_xc_unit {
    const char *name;
    tsl_xc_family family;
    int components;
    int formula[TSL_XC_PARTS]; /* of each component: a number among all formulas */
    int parameters;            /* of the unit */
    const tsl_xc_parameter *parameter;
    int constants; /* what prepare() makes of the parameters' values, for the kernels */
    void (*prepare)(const double *p, double *c);
    /* floating-point instructions a point on a GPU, by spin and order; 0: not known */
    int instructions[2][TSL_XC_ORDERS];
} tsl_xc_unit;

/* A functional that is one formula with one set of parameters. */
typedef struct tsl_xc_set {
    const char *name;
    int number;     /* Libxc's */
    int formula;    /* that a unit of one component has; */
    int unit;       /* this one */
    double density; /* threshold of Libxc 5.2.3 */
    int parameters;
    const char *const *names; /* of the parameters */
    const double *values;
    double alpha, beta, omega; /* exact exchange by range, as tsl_xc_description has it */
    double vv10_b, vv10_c;     /* nonlocal correlation; 0: none */
} tsl_xc_set;

typedef struct tsl_xc_term {
    double coefficient;
    const char *set; /* with parameters of its own in brackets */
} tsl_xc_term;

/* A functional that people know as a sum. */
typedef struct tsl_xc_composite {
    const char *name;
    const char *libxc; /* Libxc's name and number; "" and 0: it has none */
    int number;
    int terms;
    tsl_xc_term term[TSL_XC_PARTS];
    double alpha, beta, omega; /* exact exchange by range */
} tsl_xc_composite;

/* The generated tables (generated/catalogue.c). */
extern const tsl_xc_unit *const tsl_xc_units[];
extern const int tsl_xc_unit_count;
extern const tsl_xc_set tsl_xc_sets[];
extern const int tsl_xc_set_count;
extern const tsl_xc_composite tsl_xc_composites[];
extern const int tsl_xc_composite_count;

/* A term of a sum whose names are resolved. */
typedef struct tsl_xc_resolved {
    double coefficient;
    const tsl_xc_set *set;
    double values[TSL_XC_VALUES]; /* of the formula's parameters */
} tsl_xc_resolved;

/* A term that is not here, of which Libxc knows (libxc.h). */
typedef struct tsl_xc_foreign {
    double coefficient;
    char text[64]; /* as it was named */
    int number;    /* Libxc's */
    tsl_xc_family family;
    double alpha, beta, omega; /* exact exchange by range, as tsl_xc_description has it */
    double vv10_b, vv10_c;
} tsl_xc_foreign;

typedef struct tsl_xc_sum {
    int count;
    tsl_xc_resolved term[4 * TSL_XC_PARTS];
    bool takes_foreign;
    int foreigns;
    tsl_xc_foreign foreign[TSL_XC_PARTS];
    double exact_exchange, alpha, beta, omega;
    double vv10_b, vv10_c;
} tsl_xc_sum;

/* Besides those of tsl_xc_family, of Libxc's functionals alone: density, gradient, Laplacian and
 * kinetic energy density. */
enum { TSL_XC_LAPLACIAN = TSL_XC_MGGA + 1 };

/* Resolve a functional's text (names.c), all of whose terms are here; or those that are not by
 * Libxc. */
tsl_status tsl_xc_parse(tsl_xc_sum *out, tsl_context *context, const char *text);
tsl_status tsl_xc_parse_foreign(tsl_xc_sum *out, tsl_context *context, const char *text);

/* A plan of the terms of a sum that are here, of which there must be one. */
tsl_status tsl_xc_plan_create_sum(tsl_xc_plan **out, tsl_context *context, const tsl_xc_sum *sum,
                                  const tsl_xc_options *options);

/* An array of a call: where it is in tsl_xc_arrays, how many components a point has, closed shell
 * and polarised, and by which variables it is a derivative. */
typedef struct tsl_xc_row {
    const char *name;
    size_t offset;
    int components[2];
    int order; /* -1: an input */
    int first, second, third;
} tsl_xc_row;

enum { TSL_XC_OF_RHO, TSL_XC_OF_SIGMA, TSL_XC_OF_LAPL, TSL_XC_OF_TAU, TSL_XC_VARIABLES };
enum { TSL_XC_ROWS = 39 };

extern const tsl_xc_row tsl_xc_rows[TSL_XC_ROWS];
double *tsl_xc_address(const tsl_xc_arrays *arrays, const tsl_xc_row *row);
/* The array of float that stands for an input. */
const float *tsl_xc_float_address(const tsl_xc_arrays *arrays, const tsl_xc_row *row);

/* One kernel's worth of a call. Arrays of a unit's inputs and outputs in the unit's order, element
 * i of point i * step; a NULL output is not wanted. */
typedef struct tsl_xc_call {
    int unit;
    int polarised, order;
    bool accumulate; /* outputs are added to what is there */
    int64_t points;
    int inputs, outputs;
    const double *in[TSL_XC_INPUTS];
    double *out[TSL_XC_OUTPUTS];
    int step_in[TSL_XC_INPUTS], step_out[TSL_XC_OUTPUTS];
    const double *constants;
    const float *in_float[TSL_XC_INPUTS]; /* not NULL: these are the inputs */
    const double *weight;
    double *group_energy; /* of the call's first group; NULL: no energy is wanted */
} tsl_xc_call;

/* Points of which a device has room for widened inputs, and sums that groups are added to. */
enum { TSL_XC_WIDENED = 1 << 20, TSL_XC_SUMS = 1024 };

static inline int64_t tsl_xc_groups(int64_t points)
{
    return (points + TSL_XC_GROUP - 1) / TSL_XC_GROUP;
}

/* Most registers a thread that kernels of `tesela xc study` have: place, number. Compilers for
 * compute capability 8.0 and later have no fewer than 24. */
#define TSL_XC_CAPS(cap) cap(0, 24) cap(1, 32) cap(2, 63) cap(3, 128) cap(4, 255)
enum { TSL_XC_CAP_COUNT = 5 };

/* What a kernel takes of a thread; 0: not known. */
typedef struct tsl_xc_taken {
    int registers, local_bytes; /* in memory, of what registers do not hold */
} tsl_xc_taken;

typedef struct tsl_xc_ops {
    /* Highest order a unit has on the device, by spin. */
    int (*order)(int unit, int polarised);
    /* All but the first and the last are asynchronous on the context's stream. */

    /* Evaluate, and add up the energies of groups, if they are wanted. */
    tsl_status (*evaluate)(tsl_context *context, const tsl_xc_call *call);
    /* Read the call's inputs and write its outputs, with no arithmetic worth the name: what
     * evaluation is measured by. */
    tsl_status (*move)(tsl_context *context, const tsl_xc_call *call);
    /* Inputs of float as doubles: input k of point i goes to to[k * pitch + i]. NULL: evaluate()
     * takes them as they are; elsewhere it does not. */
    tsl_status (*widen)(tsl_context *context, const tsl_xc_call *call, double *to, int64_t pitch);
    /* The sum of groups' energies. */
    tsl_status (*add_groups)(tsl_context *context, int64_t groups, const double *group_energy,
                             double *energy);
    /* Is this address memory that the device's kernels may use? */
    bool (*is_reachable)(tsl_context *context, const void *address);
    /* PBE of a closed shell, all outputs of first order wanted, by a kernel with a cap of registers
     * (TSL_XC_CAPS) in blocks of `threads`; and what it takes. NULL: not on this device. */
    tsl_status (*study)(tsl_context *context, const tsl_xc_call *call, int cap, int threads);
    tsl_status (*study_taken)(tsl_context *context, int cap, tsl_xc_taken *out);
} tsl_xc_ops;

extern const tsl_xc_ops tsl_xc_cpu;

/* What evaluation of the plan's first part moves, moved. Overwrites the outputs. Of plans of double
 * inputs. */
tsl_status tsl_xc_move(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays);

/* Evaluate a plan of "pbe", a closed shell, up to first derivatives, all of which are wanted, by
 * the kernel of `tesela xc study` with a cap of registers (a place of TSL_XC_CAPS) in blocks of
 * `threads`. TSL_E_UNSUPPORTED: the device has no such. */
tsl_status tsl_xc_study(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays, int cap,
                        int threads);

/* Are a call's arrays in order? Finds its pitch. */
tsl_status tsl_xc_check_call(tsl_xc_plan *plan, int64_t points, const tsl_xc_arrays *arrays,
                             int64_t *pitch);

/* Spins of a plan: 1 if polarised. */
int tsl_xc_plan_spin(const tsl_xc_plan *plan);
bool tsl_xc_plan_by_point(const tsl_xc_plan *plan);
bool tsl_xc_plan_is_float(const tsl_xc_plan *plan);
tsl_context *tsl_xc_plan_context(const tsl_xc_plan *plan);

/* The unit of a plan's part, and the values of its parameters. */
const double *tsl_xc_plan_values(const tsl_xc_plan *plan, int index, int *unit);

/* Numbers of inputs and of outputs up to an order. */
static inline int tsl_xc_inputs(tsl_xc_family family, int polarised)
{
    static const int counts[2][4] = {{1, 2, 3, 4}, {2, 5, 7, 9}};
    return counts[polarised != 0][family];
}

static inline int tsl_xc_outputs(int inputs, int order)
{
    return 1 + (order > 0 ? inputs : 0) + (order > 1 ? inputs * (inputs + 1) / 2 : 0) +
           (order > 2 ? inputs * (inputs + 1) * (inputs + 2) / 6 : 0);
}

#endif
