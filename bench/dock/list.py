#!/usr/bin/env python3
"""Docking many pairs in one process against one process a pair.

    list.py TESELA RECEPTORS LIGANDS [OPTION ...]

RECEPTORS and LIGANDS are folders or files; all pairs of the two are docked, once by --list and once
each on its own, with the options given. Prints seconds, pairs per hour and the ratio."""
import os
import subprocess
import sys
import tempfile
import time


def files(where):
    if os.path.isdir(where):
        return sorted(os.path.join(where, name) for name in os.listdir(where))
    return [where]


def timed(command):
    begun = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return time.monotonic() - begun


def main():
    tesela, receptors, ligands, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    pairs = [(os.path.abspath(r), os.path.abspath(l)) for r in files(receptors) for l in files(ligands)]
    with tempfile.TemporaryDirectory() as scratch:
        pairs_file = os.path.join(scratch, "pairs.tsv")
        with open(pairs_file, "w", encoding="utf-8") as out:
            for i, (receptor, ligand) in enumerate(pairs):
                out.write(f"{receptor}\t{ligand}\tpair{i}\n")
        command = [tesela, "dock", *options, "--quiet"]
        timed(command + [*pairs[0], "-o", os.path.join(scratch, "warm")])
        together = timed(command + ["--list", pairs_file, "-o", os.path.join(scratch, "list")])
        alone = sum(
            timed(command + [*pair, "-o", os.path.join(scratch, f"alone{i}")])
            for i, pair in enumerate(pairs)
        )
        same = sum(
            subprocess.run(
                ["cmp", "-s", f"{scratch}/list/pair{i}/{name}", f"{scratch}/alone{i}/{name}"],
                check=False,
            ).returncode
            for i in range(len(pairs))
            for name in ("ftdock_global.dat", "zdock.out")
        )
    if same != 0:
        sys.exit(f"list.py: {same} files differ")
    hour = 3600 * len(pairs)
    print(
        f"{len(pairs)} pairs: one by one {alone:.1f} s ({hour / alone:.0f} an hour), "
        f"in a list {together:.1f} s ({hour / together:.0f} an hour): {alone / together:.2f} times"
    )


main()
