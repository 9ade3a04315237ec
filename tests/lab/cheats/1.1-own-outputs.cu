/* Takes the place of the function that says where outputs go. */
extern "C" int tsl_lab_outputs(void)
{
    return 1;
}
__global__ void saxpy(int n, float alpha, const float *x, float *y)
{
}
