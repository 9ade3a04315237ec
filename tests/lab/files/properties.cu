/* Prints what cudaGetDeviceProperties() tells of textures and preemption. */
#include <cstdio>

int main()
{
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("1D %d linear %d layered %d x %d\n", p.maxTexture1D, p.maxTexture1DLinear,
           p.maxTexture1DLayered[0], p.maxTexture1DLayered[1]);
    printf("2D %d x %d linear %d x %d pitch %d layered %d x %d x %d\n", p.maxTexture2D[0],
           p.maxTexture2D[1], p.maxTexture2DLinear[0], p.maxTexture2DLinear[1],
           p.maxTexture2DLinear[2], p.maxTexture2DLayered[0], p.maxTexture2DLayered[1],
           p.maxTexture2DLayered[2]);
    printf("3D %d x %d x %d\n", p.maxTexture3D[0], p.maxTexture3D[1], p.maxTexture3D[2]);
    printf("alignments %zu %zu %zu preemption %d\n", p.textureAlignment, p.texturePitchAlignment,
           p.surfaceAlignment, p.computePreemptionSupported);
}
