"""Condensed Euclidean distances by tesela and by SciPy's pdist(), which has one thread.

    python3 bench/pairs_scipy.py BUILD/libtesela.so [RUNS [THREADS]]

needs SciPy. Both write to memory that is there already, take turns, and the medians of RUNS (7) are
told: CPU time with one thread of tesela (the default), wall time with more. The largest relative
difference of the two results is told too.
"""

import ctypes
import os
import statistics
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
import numpy  # noqa: E402
import scipy  # noqa: E402
from scipy.spatial.distance import pdist  # noqa: E402

SIZES = ((10000, 3), (5000, 16), (4000, 32), (1024, 32), (1024, 64), (4000, 128), (1024, 128), (3000, 512))


class Points(ctypes.Structure):
    _fields_ = [("values", ctypes.c_void_p), ("count", ctypes.c_int64), ("dimensions", ctypes.c_int),
                ("precision", ctypes.c_int), ("name", ctypes.c_char_p)]


class Options(ctypes.Structure):
    """tsl_context_options"""
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("threads", ctypes.c_int),
                ("message", ctypes.c_void_p), ("user", ctypes.c_void_p), ("comm", ctypes.c_void_p),
                ("stream", ctypes.c_void_p)]


class Library:
    """The library and a context on the CPU."""

    def __init__(self, path, threads=1):
        self.library = ctypes.CDLL(path)
        self.library.tsl_last_error.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        options = Options(ctypes.sizeof(Options), b"cpu", threads)
        self.check(self.library.tsl_context_create(ctypes.byref(self.context), ctypes.byref(options)))

    def check(self, status):
        if status != 0:
            sys.exit(f"{os.path.basename(sys.argv[0])}: {self.library.tsl_last_error(self.context).decode()}")

    @staticmethod
    def points(of):
        return Points(of.ctypes.data, *of.shape, of.itemsize, None)


class Tesela(Library):
    def __init__(self, path, threads):
        super().__init__(path, threads)
        self.clock = time.process_time if threads == 1 else time.perf_counter
        self.library.tsl_distance_plan_count.restype = ctypes.c_int64
        self.library.tsl_buffer_data.restype = ctypes.c_void_p

    def plan(self, points):
        """A plan of distances, and memory for them."""
        plan, buffer = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.library.tsl_distance_plan_create(ctypes.byref(plan), self.context, None,
                                                         ctypes.byref(self.points(points)), None))
        self.count = self.library.tsl_distance_plan_count(plan)
        self.check(self.library.tsl_buffer_create(ctypes.byref(buffer), self.context,
                                                  ctypes.c_int64(self.count * points.itemsize)))
        return plan, buffer

    def execute(self, plan, buffer):
        self.check(self.library.tsl_distance_execute(plan, buffer, ctypes.c_int64(0), ctypes.c_int64(self.count)))

    def read(self, buffer, like):
        out = numpy.empty(self.count, like.dtype)
        self.check(self.library.tsl_buffer_read(buffer, ctypes.c_int64(0), ctypes.c_void_p(out.ctypes.data),
                                                ctypes.c_int64(out.nbytes)))
        return out

    def release(self, plan, buffer):
        self.library.tsl_buffer_destroy(buffer)
        self.library.tsl_distance_plan_destroy(plan)


def seconds(clock, function):
    begun = clock()
    function()
    return clock() - begun


def measure(tesela, n, d, runs):
    points = numpy.random.default_rng(1).random((n, d))
    single = points.astype(numpy.float32)
    wide, narrow = tesela.plan(points), tesela.plan(single)
    out = numpy.empty(n * (n - 1) // 2)
    times = [[], [], []]
    for run in range(runs + 1):  # the first finds memory
        taken = [seconds(tesela.clock, work) for work in (lambda: pdist(points, out=out), lambda: tesela.execute(*wide),
                                                  lambda: tesela.execute(*narrow))]
        for k in range(3 if run > 0 else 0):
            times[k].append(taken[k])
    error = numpy.max(numpy.abs(tesela.read(wide[1], points) - out) / out)
    scipy_ns, wide_ns, narrow_ns = (1e9 * statistics.median(k) / len(out) for k in times)
    print(f"{n:8} {d:5} {scipy_ns:12.2f} {wide_ns:12.2f} {scipy_ns / wide_ns:7.2f} {narrow_ns:12.2f} {error:10.1e}",
          flush=True)
    for made in (wide, narrow):
        tesela.release(*made)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    runs, threads = (int(given) for given in sys.argv[2:4] + ["7", "1"][len(sys.argv) - 2:])
    tesela = Tesela(os.path.abspath(sys.argv[1]), threads)
    print(f"{'CPU' if threads == 1 else 'wall'} ns a pair, threads of tesela: {threads}, SciPy {scipy.__version__}")
    print(f"{'points':>8} {'d':>5} {'pdist':>12} {'double':>12} {'ratio':>7} {'single':>12} {'difference':>10}")
    for n, d in SIZES:
        measure(tesela, n, d, runs)


if __name__ == "__main__":
    main()
