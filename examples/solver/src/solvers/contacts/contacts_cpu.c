/* Contacts on the CPU. */
#include "solvers/contacts/contacts.h"
#include "solvers/contacts/contacts_point.h"

static tsl_status cpu_count(tsl_context *context, int64_t m, const double *a, int64_t n,
                            const double *b, double square, int64_t *pairs)
{
    int64_t sum = 0;
#pragma omp parallel for num_threads(context->threads) reduction(+ : sum)
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) {
            sum += tsl_contacts_touch(a + 3 * i, b + 3 * j, square);
        }
    }
    *pairs += sum;
    return TSL_OK;
}

const tsl_contacts_ops tsl_contacts_cpu = {.count = cpu_count};
