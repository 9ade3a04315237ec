#!/usr/bin/env python3
"""Poses judged by tesela dock quality and by PyPI's dockq.

  quality.py TESELA FOLDER OUT

FOLDER has NAME_r_b.pdb and NAME_l_b.pdb, the molecules of one or more complexes, of a chain each, in
one frame. They are docked in five orientations, 2 to 60 degrees from the complex's, and all five
poses are judged by both. It prints both judgements and the largest difference of each number; exit
status 1 if one is above 0.001 angstrom or, of fnat and DockQ, 0.0001: complexes are written with three
digits of an angstrom.
"""
import csv
import glob
import json
import os
import subprocess
import sys

import numpy as np
from DockQ.DockQ import load_PDB, run_on_all_native_interfaces

ANGLES = (2, 6, 12, 25, 60)
# tesela's columns, dockq's names, and how far they may differ
NUMBERS = (("ligand_rmsd", "LRMSD", 1e-3), ("interface_rmsd", "iRMSD", 1e-3), ("fnat", "fnat", 1e-4),
           ("dockq", "DockQ", 1e-4))


def chain_of(path):
    chains = {line[21] for line in open(path) if line.startswith("ATOM")}
    if len(chains) != 1:
        sys.exit(f"{path}: has {len(chains)} chains, not one")
    return chains.pop()


def angles_of(degrees):
    """Twist, theta, phi of a turn about x by an angle up to 90 degrees."""
    return 90, degrees, 270


def run(out, *command):
    with open(out + ".log", "a") as log:
        if subprocess.run(command, stdout=log, stderr=log, check=False).returncode != 0:
            sys.exit(f"{command[1]}: see {out}.log")


def judge(tesela, folder, out, name):
    """Rows of both judgements of a complex's poses."""
    files = [f"{folder}/{name}_{role}_b.pdb" for role in "rl"]
    chains = [chain_of(path) for path in files]
    native, at = f"{out}/{name}.native.pdb", f"{out}/{name}"
    with open(native, "w") as file:
        file.writelines(line for path in files for line in open(path) if line.startswith("ATOM"))
        file.write("END\n")
    np.savetxt(at + ".rotations", [angles_of(angle) for angle in ANGLES], fmt="%.6f")
    run(at, tesela, "dock", *files, "-o", at, "--rotations", at + ".rotations", "--poses", str(len(ANGLES)))
    run(at, tesela, "dock", "quality", at + "/ftdock_global.dat", *files, "--native", native,
        "--native-receptor-chains", chains[0], "--native-ligand-chains", chains[1], "--csv", at + ".csv")
    ours = list(csv.DictReader(open(at + ".csv", newline="")))
    for i, row in enumerate(ours):
        model = load_PDB(f"{at}/poses/complex.{i + 1:04d}.pdb")
        found, _ = run_on_all_native_interfaces(model, load_PDB(native), chain_map={c: c for c in chains})
        (theirs,) = found.values()
        yield [(float(row[a]), float(theirs[b])) for a, b, _ in NUMBERS]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tesela, folder, out = sys.argv[1:]
    names = sorted(os.path.basename(path)[:-8] for path in glob.glob(folder + "/*_l_b.pdb"))
    os.makedirs(out, exist_ok=True)
    table = {name: list(judge(tesela, folder, out, name)) for name in names}
    print("complex  pose  " + "  ".join(f"{a} (dockq)" for a, _, _ in NUMBERS))
    for name, rows in table.items():
        for i, row in enumerate(rows, 1):
            print(f"{name}  {i}  " + "  ".join(f"{ours:.4f} ({theirs:.4f})" for ours, theirs in row))
    off = np.abs(np.diff([row for rows in table.values() for row in rows], axis=2)).max((0, 2))
    print("largest differences: " + ", ".join(f"{a} {d:.1e}" for (a, _, _), d in zip(NUMBERS, off)))
    json.dump(table, open(out + "/quality.json", "w"))
    sys.exit(any(d > most for (_, _, most), d in zip(NUMBERS, off)))


if __name__ == "__main__":
    main()
