"""Neighbours, nearest points and pair distributions by tesela and by SciPy and MDAnalysis, one core, in user time.

    python3 bench/pairs_peers.py BUILD/libtesela.so [neighbors | nearest | histogram]...

needs SciPy, and for histograms MDAnalysis. All three without a name. Programs take turns in one process, and the
least time of RUNS (3; 1 of MDAnalysis) is told, in microseconds a point. Neighbours and histograms are of particles of
a fluid of reduced density 0.844 in a periodic cube: shaken places of a lattice, in its order or, for neighbours too,
shuffled. Nearest points are of uniform random points. Results are compared. User time leaves out what the system
takes to find memory, which depends on what else runs.
"""

import ctypes
import os
import sys
import warnings

sys.dont_write_bytecode = True  # leave the source tree as it is

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
import numpy  # noqa: E402
import scipy  # noqa: E402
from pairs_scipy import Library  # noqa: E402
from scipy.spatial import cKDTree  # noqa: E402

DENSITY, CUTOFF, NEAREST, TO, BINS, RUNS = 0.844, 2.8, 16, 5.0, 100, 3


class NeighborOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("cutoff", ctypes.c_double), ("box", ctypes.c_void_p),
                ("radii", ctypes.c_void_p), ("half", ctypes.c_int), ("sorted", ctypes.c_int), ("direct", ctypes.c_int),
                ("indices_only", ctypes.c_int), ("in_cells", ctypes.c_int)]


class Neighbors(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int64), ("indptr", ctypes.POINTER(ctypes.c_int64)),
                ("indices", ctypes.POINTER(ctypes.c_int32)), ("distances", ctypes.c_void_p),
                ("cells", ctypes.c_int * 3), ("order", ctypes.c_void_p), ("seconds", ctypes.c_double * 3)]


class HistogramOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("bins", ctypes.c_int), ("to", ctypes.c_double), ("box", ctypes.c_void_p),
                ("finite", ctypes.c_int), ("direct", ctypes.c_int)]


class Histogram(ctypes.Structure):
    _fields_ = [("bins", ctypes.c_int), ("edges", ctypes.c_void_p), ("counts", ctypes.POINTER(ctypes.c_int64)),
                ("g", ctypes.c_void_p), ("volume", ctypes.c_double)]


class Tesela(Library):
    def neighbors(self, points, box, in_cells):
        """indptr and indices of each pair once."""
        cell, found = (ctypes.c_double * 6)(box, box, box), Neighbors()
        options = NeighborOptions(ctypes.sizeof(NeighborOptions), CUTOFF, ctypes.addressof(cell), None, 1, 0, 0, 0,
                                  in_cells)
        begun = user_seconds()
        self.check(self.library.tsl_neighbors_find(ctypes.byref(found), self.context, ctypes.byref(options),
                                                   ctypes.byref(self.points(points))))
        taken = user_seconds() - begun
        indptr = numpy.ctypeslib.as_array(found.indptr, (len(points) + 1,)).copy()
        indices = numpy.ctypeslib.as_array(found.indices, (indptr[-1],)).copy()
        self.library.tsl_neighbors_release(ctypes.byref(found))
        return taken, indptr, indices

    def nearest(self, points):
        indices = numpy.empty((len(points), NEAREST), numpy.int32)
        distances = numpy.empty((len(points), NEAREST), points.dtype)
        begun = user_seconds()
        self.check(self.library.tsl_nearest_find(
            ctypes.c_void_p(indices.ctypes.data), ctypes.c_void_p(distances.ctypes.data), self.context, NEAREST,
            ctypes.byref(self.points(points))))
        return user_seconds() - begun, indices, distances

    def histogram(self, points, box):
        cell, made = (ctypes.c_double * 6)(box, box, box), Histogram()
        options = HistogramOptions(ctypes.sizeof(HistogramOptions), BINS, TO, ctypes.addressof(cell), 0, 0)
        begun = user_seconds()
        self.check(self.library.tsl_histogram_count(ctypes.byref(made), self.context, ctypes.byref(options),
                                                    ctypes.byref(self.points(points))))
        taken = user_seconds() - begun
        counts = numpy.ctypeslib.as_array(made.counts, (BINS,)).copy()
        self.library.tsl_histogram_release(ctypes.byref(made))
        return taken, counts


def user_seconds():
    return os.times().user


def fluid(n, shuffled):
    """n particles, and the edge of their cube."""
    random = numpy.random.default_rng(1)
    box, side = (n / DENSITY) ** (1 / 3), int(numpy.ceil(n ** (1 / 3)))
    places = random.permutation(side ** 3)[:n]
    places = places if shuffled else numpy.sort(places)
    lattice = numpy.stack((places // side ** 2, places // side % side, places % side), axis=1)
    return (lattice + 0.3 * random.random((n, 3))) * (box / side) % box, box


def tell(what, n, seconds, than):
    print(f"{what:52} {1e6 * seconds / n:8.2f} us a point{f', {than / seconds:.1f} times as fast' if than else ''}",
          flush=True)


def neighbors_of(tesela, shuffled):
    points, box = fluid(1000000, shuffled)
    least = [1e9] * 5
    for _ in range(RUNS):
        begun = user_seconds()
        pairs = cKDTree(points, boxsize=box).query_pairs(CUTOFF, output_type="ndarray")
        least[0] = min(least[0], user_seconds() - begun)
        for which, (of, in_cells) in enumerate(((points, 0), (points, 1), (points.astype("f"), 0),
                                                (points.astype("f"), 1))):
            taken, indptr, indices = tesela.neighbors(of, box, in_cells)
            least[1 + which] = min(least[1 + which], taken)
            if which == 0:
                keys = numpy.repeat(numpy.arange(len(points)), numpy.diff(indptr)) * len(points) + indices
    ours, theirs = numpy.sort(keys), numpy.sort(pairs.min(axis=1) * len(points) + pairs.max(axis=1))
    differ = len(numpy.setxor1d(ours, theirs, assume_unique=True))
    tell("query_pairs(), its tree included, no distances", len(points), least[0], 0)
    for which, name in enumerate(("double", "double, in the order of cells", "single", "single, in the order of cells")):
        tell(f"tesela with distances, {name}", len(points), least[1 + which], least[0])
    print(f"of {len(pairs)} pairs {differ} differ in double precision")


def neighbors(tesela):
    for shuffled in (False, True):
        print("shuffled points:" if shuffled else "points in the order of a lattice:")
        neighbors_of(tesela, shuffled)


def nearest(tesela):
    points = numpy.random.default_rng(2).random((1000000, 3))
    least = [1e9] * 3
    for _ in range(RUNS):
        begun = user_seconds()
        tree = cKDTree(points)
        built = user_seconds()
        distances, indices = tree.query(points, NEAREST + 1)
        least[0], least[1] = min(least[0], built - begun), min(least[1], user_seconds() - built)
        taken, ours, own = tesela.nearest(points)
        least[2] = min(least[2], taken)
    tell("cKDTree()", len(points), least[0], 0)
    tell(f"its query() of the {NEAREST} nearest", len(points), least[1], 0)
    tell("tesela, sorting included", len(points), least[2], least[1])
    print(f"{numpy.count_nonzero(ours != indices[:, 1:])} indices differ, distances by "
          f"{numpy.max(numpy.abs(own - distances[:, 1:]) / own):.1e} at most")


def histogram(tesela):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import MDAnalysis
        from MDAnalysis.analysis.rdf import InterRDF
        points, box = fluid(50000, False)
        single = points.astype("f")
        universe = MDAnalysis.Universe.empty(len(points), trajectory=True)
        universe.atoms.positions = single
        universe.dimensions = [box, box, box, 90, 90, 90]
        rdf = InterRDF(universe.atoms, universe.atoms, nbins=BINS, range=(0, TO), exclusion_block=(1, 1))
        begun = user_seconds()
        rdf.run()
        theirs = user_seconds() - begun
    taken, counts = min((tesela.histogram(single, box) for _ in range(RUNS)), key=lambda made: made[0])
    tell(f"MDAnalysis {MDAnalysis.__version__} InterRDF", len(points), theirs, 0)
    tell("tesela, single", len(points), taken, theirs)
    differ = numpy.abs(counts - rdf.results.count)
    print(f"of {counts.sum()} counts {differ.sum():.0f} differ, {differ.max():.0f} in one bin")


def main():
    tasks = {"neighbors": neighbors, "nearest": nearest, "histogram": histogram}
    if len(sys.argv) < 2 or any(name not in tasks for name in sys.argv[2:]):
        sys.exit(__doc__)
    tesela = Tesela(os.path.abspath(sys.argv[1]))
    print(f"user time, SciPy {scipy.__version__}")
    for name in sys.argv[2:] or tasks:
        tasks[name](tesela)


if __name__ == "__main__":
    main()
