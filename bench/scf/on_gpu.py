#!/usr/bin/env python3
"""bench/scf/on_gpu.py TESELA FOLDER [--device cuda:0] [--reference FILE] [--only NAME] [--repeat R]

PBE energies of large molecules by `tesela scf` on a GPU, density fitted, grid of level 3, energies to 1e-8 hartree: benzene,
caffeine, C40H52 and a heme with CO and imidazole from FOLDER's .xyz files (benzene, caffeine, carotene_c40h52,
heme_co_imidazole), C60 by its formula; in def2-SVP with def2-universal-jfit, the larger ones also in Cartesian DGauss-DZVP
with A1. Of each the run of least seconds, the start of the program and of the device left out, then a run that waits for the
device after each stage. FILE: JSON with `results`, each of `molecule`, `basis` and `e_tot`, whose energies are to be met
within 1e-6 hartree. Exit status 1 if one is not, or if a calculation did not converge.
"""
import argparse
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile

SETS = {"def2-svp": ["--basis", "def2-svp", "--aux", "def2-universal-jfit"],
        "dgauss-dzvp": ["--basis", "dgauss-dzvp", "--aux", "dgauss-a1-dftjfit", "--cartesian"]}
RUNS = [("benzene", "def2-svp"), ("caffeine", "def2-svp"), ("caffeine", "dgauss-dzvp"), ("c60", "def2-svp"),
        ("carotene_c40h52", "def2-svp"), ("carotene_c40h52", "dgauss-dzvp"), ("heme_co_imidazole", "def2-svp"),
        ("heme_co_imidazole", "dgauss-dzvp")]


def write_c60(path):
    """A truncated icosahedron whose mean distance of nearest atoms is 1.43 angstrom."""
    golden = (1 + 5 ** .5) / 2
    places = set()
    for base in ((0, 1, 3 * golden), (1, 2 + golden, 2 * golden), (golden, 2, 2 * golden + 1)):
        for signs in itertools.product((1, -1), repeat=3):
            x, y, z = (b * s for b, s in zip(base, signs))
            for place in ((x, y, z), (y, z, x), (z, x, y)):
                places.add(tuple(round(c, 9) + 0.0 for c in place))
    places = sorted(places)
    nearest = [min(math.dist(a, b) for b in places if a != b) for a in places]
    scale = 1.43 * len(places) / sum(nearest)
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{len(places)}\nC60\n")
        file.writelines("C " + " ".join(repr(c * scale) for c in place) + "\n" for place in places)


def run(options, path, basis, folder, *more):
    report = os.path.join(folder, "r.json")
    if os.path.exists(report):
        os.remove(report)
    done = subprocess.run([options.tesela, "scf", path, *SETS[basis], "--xc", "pbe", "--grid", "medium", "--device",
                           options.device, "--quiet", "--json", report, *more],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if not os.path.exists(report):
        return None, done.stdout.strip()
    with open(report, encoding="utf-8") as file:
        return json.load(file), done.stdout.strip()


def stages_of(report):
    return ", ".join(f"{s['stage']} {1e3 * s['seconds'] / s['calls']:.1f} ms x {s['calls']}"
                     for s in sorted(report["profile"], key=lambda s: -s["seconds"]))


def find_reference(path):
    if path is None:
        return {}
    with open(path, encoding="utf-8") as file:
        return {(row["molecule"], row["basis"]): row["e_tot"] for row in json.load(file)["results"]}


def measure(options, name, basis, path, folder, wanted):
    """One molecule; whether all is well."""
    best = None
    for _ in range(options.repeat):
        report, said = run(options, path, basis, folder)
        if report is None:
            print(f"{name} {basis}: {said}", flush=True)
            return False
        best = report if best is None or report["seconds"]["total"] < best["seconds"]["total"] else best
    results = best["results"]
    energy, difference = results["energy"]["total"], math.nan
    if wanted is not None:
        difference = energy - wanted
    print(f"{name:18} {basis:12} {best['seconds']['total']:7.2f} s {results['iterations']:4} iterations "
          f"{energy:16.8f} {difference:9.1e}{'' if results['converged'] else ' NOT CONVERGED'}", flush=True)
    report, _ = run(options, path, basis, folder, "--profile")
    if report is not None:
        print(f"    {stages_of(report)}", flush=True)
    return results["converged"] and not abs(difference) > 1e-6


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tesela")
    parser.add_argument("folder")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--reference")
    parser.add_argument("--only")
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    reference = find_reference(options.reference)
    well = True
    with tempfile.TemporaryDirectory() as folder:
        for name, basis in RUNS:
            path = os.path.join(options.folder, name + ".xyz")
            if name == "c60":
                path = os.path.join(folder, "c60.xyz")
                write_c60(path)
            if options.only in (None, name):
                well = measure(options, name, basis, path, folder, reference.get((name, basis))) and well
    return 0 if well else 1


sys.exit(main())
