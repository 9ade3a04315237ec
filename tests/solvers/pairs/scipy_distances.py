#!/usr/bin/env python3
"""Writes scipy_distances.def: what SciPy's pdist and cdist make of the points of test_distance.c.

    pip install scipy && python3 tests/solvers/pairs/scipy_distances.py > tests/solvers/pairs/scipy_distances.def
"""

import numpy
import scipy
from scipy.spatial.distance import cdist, pdist

METRICS = ("euclidean sqeuclidean seuclidean cityblock chebyshev minkowski cosine correlation "
           "mahalanobis canberra braycurtis hamming jaccard").split()


def points(first, count, dimensions, steps):
    """Those of test_distance.c: multiples of 1/64, or whole numbers from -1 to 1."""
    i, k = numpy.mgrid[first:first + count, 0:dimensions]
    whole = (i * 7919 + k * 104729 + i * i * k * 31) % 1009 - 504
    return whole % 3 - 1.0 if steps else whole / 64


def show(values):
    return ", ".join(repr(float(value)) for value in values)


print(f"/* Made by scipy_distances.py with SciPy {scipy.__version__}. */")
for metric in METRICS:
    for dimensions in (3, 130):
        if metric == "mahalanobis" and dimensions == 130:
            continue  # more dimensions than points: no inverse
        steps = metric in ("hamming", "jaccard")
        a = points(0, 9, dimensions, steps)
        b = points(9, 4, dimensions, steps)
        more = {"p": 3.5} if metric == "minkowski" else {}
        print(f"{{TSL_METRIC_{metric.upper()}, {dimensions},\n {{{show(pdist(a, metric, **more))}}},")
        print(f" {{{show(cdist(a, b, metric, **more).ravel())}}}}},")
