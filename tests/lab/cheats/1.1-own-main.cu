/* A main() of its own, which writes what is right without a kernel. */
__global__ void saxpy(int n, float alpha, const float *x, float *y)
{
}
#define run_cases(count, arguments, act) run_mine(count, arguments)
namespace lab
{
inline int run_mine(int count, char **arguments)
{
    for (int i = 2; i < count; i++) {
        Case c = case_of(arguments[1], arguments[i], i - 2);
        c.file = tsl_lab_outputs();
        saxpy<<<1, 32>>>(0, 0, (float *)nullptr, (float *)nullptr);
        auto x = c.floats(1, c.n), y = c.floats(2, c.n);
        for (long k = 0; k < c.n; k++) {
            y[k] = 2.5f * x[k] + y[k];
        }
        c.output_host(y.data(), c.n);
    }
    return 0;
}
} // namespace lab
