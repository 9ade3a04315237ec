#!/usr/bin/env python3
"""bench/xc/compilers.py [--architecture sm_90] [--repeats 100]: PBE's kernel on the first NVIDIA GPU by compiler, by the
division of fast memory between cache and shared memory, and by the way in which its constants come: as an argument, in
constant memory, or in global memory through a pointer. Microseconds of a launch, mean and standard deviation, at 2 000
and at 10 000 000 points in blocks of 128 threads; each compiler's registers and bytes of memory a thread.

Compilers: nvcc; nvcc's PTX, which the driver compiles when it is loaded; clang, where it is on PATH. All kernels must
have the same values, bit by bit, or differ by at most 1e-13 of each value (of another compiler); else the exit status
is 1.
With `tesela xc study` it covers what E. A. Perez Leale (Buenos Aires, 2019) varied.
"""

import argparse
import ctypes
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GENERATED = os.path.join(ROOT, "src", "solvers", "xc", "generated")
POINTS, THREADS, RUNS = (2000, 10000000), 128, {2000: 100, 10000000: 5}
CARVEOUTS = {"driver's choice": -1, "most cache": 0, "half": 50, "most shared memory": 100}
REGISTERS, LOCAL_BYTES, CARVEOUT = 4, 3, 9  # CU_FUNC_ATTRIBUTE_...

SOURCE = r"""
#include "solvers/xc/xc_point.h"
#define XC_REAL double
#define XC_END(body, inputs, outputs, resident)
#include "solvers/xc/generated/pbe_first.inc"
struct constants { double c[CONSTANTS]; };
__constant__ constants held;
static __device__ __forceinline__ void point(const double *c, const double *in, double *out, int points)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < points) {
        const double x[2] = {__ldcs(in + i), __ldcs(in + points + i)};
        double y[3];
        xc_pbe_u1(c, x, y);
        for (int k = 0; k < 3; k++) {
            __stcs(out + (size_t)k * points + i, y[k]);
        }
    }
}
extern "C" __global__ void argument(constants a, const double *in, double *out, int points)
{
    point(a.c, in, out, points);
}
extern "C" __global__ void constant(const double *, const double *in, double *out, int points)
{
    point(held.c, in, out, points);
}
extern "C" __global__ void pointer(const double *c, const double *in, double *out, int points)
{
    point(c, in, out, points);
}
"""


def constants():
    """c of PBE's kernel, from the functionals' parameters as the library makes them."""
    sys.path.insert(0, os.path.join(ROOT, "tools", "xcgen"))
    sys.dont_write_bytecode = True
    import composites
    from functionals import gga_c_pbe, gga_x_pbe
    sets = [(gga_x_pbe, "gga_x_pbe"), (gga_c_pbe, "gga_c_pbe")]
    assert composites.FUSED["pbe"] == [name for _, name in sets]
    with open(os.path.join(GENERATED, "pbe.c"), encoding="ascii") as file:
        rows = re.findall(r"^    \{(TSL_XC_\w+), (\d+), (\d+)\},", file.read(), re.M)
    p = []
    for kind, component, index in rows:
        formula, name = sets[int(component)]
        density = float(formula.DENSITY)
        p.append({"TSL_XC_VALUE": lambda: float(Fraction(formula.SETS[name][1][int(index)])),
                  "TSL_XC_COEFFICIENT": lambda: 1.0, "TSL_XC_DENSITY": lambda: density,
                  "TSL_XC_SIGMA": lambda: density ** (8 / 3), "TSL_XC_FLOOR": lambda: 1e-15,
                  "TSL_XC_ZETA": lambda: 2.0 ** -52, "TSL_XC_TAU": lambda: 1e-20}[kind]())
    c = {}
    scope = {"p": p, "c": c, "s_pow": pow, "s_sqrt": math.sqrt, "s_rcbrt": lambda a: a ** (-1 / 3), "s_exp": math.exp,
             "s_log": math.log, "s_atan": math.atan, "s_max": max, "s_min": min}
    with open(os.path.join(GENERATED, "pbe_prepare.inc"), encoding="ascii") as file:
        for place, expression in re.findall(r"^    c\[(\d+)\] = (.*);$", file.read(), re.M):
            c[int(place)] = eval(re.sub(r"XC_K\(([^()]*)\)", r"\1", expression), scope)  # noqa: S307 (our own text)
    return [c[i] for i in range(len(c))]


class Driver:
    """CUDA's driver, by name."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError:
            sys.exit("compilers.py: there is no CUDA driver here (libcuda.so.1)")
        self.cuInit(0)
        self.context = ctypes.c_void_p()
        self.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), 0)
        self.cuCtxSetCurrent(self.context)
        name = ctypes.create_string_buffer(100)
        self.cuDeviceGetName(name, 100, 0)
        self.name = name.value.decode()

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*arguments):
            error = function(*arguments)
            if error:
                sys.exit(f"compilers.py: {name} returned {error}")
        return call

    def memory(self, size, data=None):
        out = ctypes.c_uint64()
        self.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(size))
        if data is not None:
            self.cuMemcpyHtoD_v2(out, data, ctypes.c_size_t(size))
        return out


def points_of(count):
    source = random.Random(1)
    made = min(count, 10000)
    density = [10 ** source.uniform(-5, 1) for _ in range(made)]
    sigma = [(2 * (3 * math.pi ** 2) ** (1 / 3) * 10 ** source.uniform(-1, 0.5) * n ** (4 / 3)) ** 2 for n in density]
    repeat = lambda values: struct.pack(f"<{made}d", *values) * (count // made)  # noqa: E731
    return repeat(density) + repeat(sigma)


def compile_all(folder, architecture, count):
    """{compiler: file that the driver loads}"""
    source = os.path.join(folder, "pbe.cu")
    with open(source, "w", encoding="ascii") as file:
        file.write(SOURCE)
    common = [f"-DCONSTANTS={count}", "-I" + os.path.join(ROOT, "src"), source, "-o"]
    nvcc = shutil.which(os.environ.get("CUDACXX", "nvcc"))
    if nvcc is None:
        sys.exit("compilers.py: nvcc is not on PATH (CUDACXX may name it)")
    commands = {"nvcc": [nvcc, "-cubin", f"-arch={architecture}", "-O3", "-fmad=false"],
                "nvcc's PTX": [nvcc, "-ptx", f"-arch=compute_{architecture[3:]}", "-O3", "-fmad=false"]}
    clang = shutil.which("clang++")
    if clang is None:
        print("clang is left out: it is not on PATH")
    else:
        commands["clang's PTX"] = [clang, "-x", "cuda", "--cuda-device-only", "-S", f"--cuda-gpu-arch={architecture}", "-O3",
                                   "-ffp-contract=off"]
    files = {}
    for name, command in commands.items():
        target = os.path.join(folder, f"{len(files)}.{'cubin' if name == 'nvcc' else 'ptx'}")
        result = subprocess.run([*command, *common, target], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                check=False)
        if result.returncode == 0:
            files[name] = target
        elif name.startswith("nvcc"):
            sys.exit(result.stdout)
        else:
            lines = result.stdout.strip().splitlines()
            print(f"{name[:5]} is left out: {([x for x in lines if 'error' in x] or lines)[0]}")
    return files


def measure(cuda, launch, runs, repeats):
    """Mean and standard deviation of a launch, microseconds, between two events."""
    begun, ended = ctypes.c_void_p(), ctypes.c_void_p()
    cuda.cuEventCreate(ctypes.byref(begun), 0)
    cuda.cuEventCreate(ctypes.byref(ended), 0)
    times = []
    for repeat in range(repeats + 1):
        cuda.cuEventRecord(begun, None)
        for _ in range(runs):
            launch()
        cuda.cuEventRecord(ended, None)
        cuda.cuEventSynchronize(ended)
        passed = ctypes.c_float()
        cuda.cuEventElapsedTime(ctypes.byref(passed), begun, ended)
        if repeat > 0:
            times.append(1e3 * passed.value / runs)
    mean = sum(times) / repeats
    return mean, math.sqrt(sum((t - mean) ** 2 for t in times) / repeats)


class Kernel:
    """A kernel of a module, its constants where it looks for them."""

    def __init__(self, cuda, module, way, c):
        self.cuda, self.function = cuda, ctypes.c_void_p()
        cuda.cuModuleGetFunction(ctypes.byref(self.function), module, way.encode())
        data = (ctypes.c_double * len(c))(*c)
        if way == "constant":
            address, size = ctypes.c_uint64(), ctypes.c_size_t()
            cuda.cuModuleGetGlobal_v2(ctypes.byref(address), ctypes.byref(size), module, b"held")
            cuda.cuMemcpyHtoD_v2(address, data, size)
        self.first = data if way == "argument" else cuda.memory(8 * len(c), data)

    def attribute(self, which):
        value = ctypes.c_int()
        self.cuda.cuFuncGetAttribute(ctypes.byref(value), which, self.function)
        return value.value

    def launcher(self, source, target, points):
        arguments = [self.first, source, target, ctypes.c_int(points)]
        addresses = (ctypes.c_void_p * 4)(*[ctypes.cast(ctypes.pointer(a), ctypes.c_void_p) for a in arguments])
        blocks = (points + THREADS - 1) // THREADS
        launch = self.cuda.library.cuLaunchKernel

        def call(kept=arguments):
            error = launch(self.function, blocks, 1, 1, THREADS, 1, 1, 0, None, addresses, None)
            if error:
                sys.exit(f"compilers.py: cuLaunchKernel returned {error}")
        return call


def study(cuda, files, c, repeats):
    """Print all rows; whether all kernels' values agree."""
    wanted, agree = {}, True
    print(f"{cuda.name}: microseconds of a launch of {THREADS} threads a block")
    for points in POINTS:
        source, target = cuda.memory(16 * points, points_of(points)), cuda.memory(24 * points)
        for compiler, path in files.items():
            module = ctypes.c_void_p()
            cuda.cuModuleLoad(ctypes.byref(module), path.encode())
            for way in ("argument", "constant", "pointer"):
                kernel = Kernel(cuda, module, way, c)
                for carveout, share in CARVEOUTS.items() if way == "argument" else [("driver's choice", -1)]:
                    cuda.cuFuncSetAttribute(kernel.function, CARVEOUT, share)
                    launch = kernel.launcher(source, target, points)
                    mean, spread = measure(cuda, launch, RUNS[points], repeats)
                    print(f"{points:9d} points  {compiler:12s} constants by {way:9s} {carveout:19s} {mean:9.2f} +- "
                          f"{spread:5.2f}  {kernel.attribute(REGISTERS):3d} registers "
                          f"{kernel.attribute(LOCAL_BYTES):4d} B")
                few = min(points, 1000)
                data = (ctypes.c_double * few)()
                cuda.cuMemcpyDtoH_v2(data, target, ctypes.c_size_t(8 * few))
                first = wanted.setdefault(points, list(data))
                error = max(abs(a - b) / abs(b) for a, b in zip(data, first))
                agree = agree and error <= (0 if compiler.startswith("nvcc") else 1e-13)
        cuda.cuMemFree_v2(source)
        cuda.cuMemFree_v2(target)
    return agree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("--repeats", type=int, default=100)
    options = parser.parse_args()
    c = constants()
    cuda = Driver()
    with tempfile.TemporaryDirectory() as folder:
        agree = study(cuda, compile_all(folder, options.architecture, len(c)), c, options.repeats)
    if not agree:
        sys.exit("compilers.py: the kernels' values differ")


if __name__ == "__main__":
    main()
