/* An FFTW that gives wrong results, for cli/fft: to be loaded before the real one. */
#include <fftw3.h>

__attribute__((visibility("default"))) void fftw_execute_dft_r2c(fftw_plan plan, double *in,
                                                                 fftw_complex *out)
{
    (void)plan;
    (void)in;
    (void)out;
}
