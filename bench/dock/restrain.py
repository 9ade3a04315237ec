#!/usr/bin/env python3
"""What --restrain and --block bring, on complexes of the docking benchmark 5.

  restrain.py restrain TESELA PACK OUT [--only NAMES] [--jobs COUNT] [OPTION...]
  restrain.py block    TESELA PACK OUT [--only NAMES] [--jobs COUNT] [OPTION...]

PACK is a folder as of rank.py, whose definitions hold here: an acceptable pose, the contact
potentials of the other folds. OPTIONs go to tesela dock. NAMES are complexes with commas between
them, or smallest:COUNT. COUNT complexes at once, 1 if not given, each with its share of the cores
that this program may use.
A line comes with each complex that is done. Results of an earlier run in OUT are taken as they are.

restrain gives the search one pair of residues, the closest of the native complex: that of the
unbound molecules laid on the bound ones, by heavy atoms. Atoms of the two have to be within 8
angstrom. It prints the rank of the first acceptable pose of each complex, and the share of complexes
that have one among the first 1, 10, 100 and 1000.

block docks each complex freely, with the receptor's native interface blocked (residues within 5
angstrom of the ligand), and with the residues blocked that the first pose of the free list touches,
where that is not acceptable. It prints the rank of the first acceptable pose of the three, and how
many of the first 100 poses touch (within 5 angstrom) the blocked interface, free and blocked.
"""
import functools
import gzip
import json
import multiprocessing
import os
import subprocess
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # numpy's, of each job
import numpy as np  # noqa: E402

sys.dont_write_bytecode = True
import rank  # noqa: E402

WITHIN, TOUCHING, FIRST = 8, 5.0, 100
TOPS = (1, 10, 100, 1000)


def read_residues(path):
    """Heavy atoms' positions, and the residue of each as --block takes it."""
    at, names = [], []
    for line in gzip.open(path, "rt"):
        atom = line[12:16].strip()
        if line.startswith("ATOM") and atom[0] not in "H123" and line[76:78].strip() != "H":
            at.append([float(line[i : i + 8]) for i in (30, 38, 46)])
            names.append((line[21].strip() or "_") + ":" + line[22:26].strip())
    return np.array(at), np.array(names)


def squares_between(a, b):
    return ((a[:, None] - b[None]) ** 2).sum(2)


class Pair:
    """The two unbound molecules of a complex, and where the ligand belongs."""

    def __init__(self, pack, name):
        self.native = rank.Native(pack, name)
        self.files = [f"{os.path.abspath(pack)}/{name}/{role}.pdb.gz" for role in "rl"]
        self.receptor, self.receptor_names = read_residues(self.files[0])
        self.ligand, self.ligand_names = read_residues(self.files[1])
        rotation, shift = rank.superpose(self.native.bound, self.native.ligand)
        self.placed = self.ligand @ rotation.T + shift

    def closest(self):
        """The native complex's closest pair of residues, and its distance."""
        least = (np.inf, None, None)
        for i in range(0, len(self.receptor), 400):
            square = squares_between(self.receptor[i : i + 400], self.placed)
            a, b = np.unravel_index(square.argmin(), square.shape)
            least = min(least, (square[a, b], i + a, b))
        return self.receptor_names[least[1]], self.ligand_names[least[2]], least[0] ** 0.5

    def touched(self, ligand):
        """Which of the receptor's atoms are close to a placed ligand."""
        low, high = ligand.min(0) - TOUCHING, ligand.max(0) + TOUCHING
        close = (self.receptor > low).all(1) & (self.receptor < high).all(1)
        square = squares_between(self.receptor[close], ligand)
        close[close] = (square <= TOUCHING**2).any(1)
        return close

    def residues_touched(self, ligand):
        return sorted(set(self.receptor_names[self.touched(ligand)]))

    def first_acceptable(self, folder):
        """Its rank; a large number if there is none. And what places the list's ligands."""
        _, _, place = rank.read_list(folder)
        ligand_rmsd, interface_rmsd = self.native.judge(place(self.native.ligand))
        return rank.first_of((ligand_rmsd <= 10) | (interface_rmsd <= 4)), place


def dock(tesela, pair, name, out, label, options):
    """Dock one pair unless that is done; its folder."""
    folder = f"{out}/{label}.{name}"
    if not os.path.exists(folder + "/run.json"):
        table = rank.table_of(out, rank.fold_of(name))
        command = [tesela, "dock", *pair.files, "-o", folder, "--poses", "0", "--contacts", table]
        threads = options[options.index("--threads") + 1]
        with open(folder + ".log", "w") as log:
            done = subprocess.run([*command, *options], stdout=log, stderr=log, check=False,
                                  env={**os.environ, "OMP_NUM_THREADS": threads})
        if done.returncode != 0:
            raise RuntimeError(f"{name}: see {folder}.log")
    return folder


def told(place):
    return "none" if place >= 10**9 else str(place)


def restrain(tesela, pack, out, options, name):
    """What is to be told of a complex, and the rank of its first acceptable pose."""
    begun, pair = time.time(), Pair(pack, name)
    of_receptor, of_ligand, distance = pair.closest()
    restraint = f"{of_receptor} within {WITHIN} of {of_ligand}"
    folder = dock(tesela, pair, name, out, "restrain", ["--restrain", restraint, *options])
    docked = time.time() - begun
    first, _ = pair.first_acceptable(folder)
    return f"{name}  {restraint} ({distance:.1f}), {docked:.1f} s: first acceptable {told(first)}", first


def report_restraints(out, firsts, seconds):
    ranks = np.array(list(firsts.values()))
    shares = ", ".join(f"{100 * (ranks <= top).mean():.1f} in the first {top}" for top in TOPS)
    print(f"{len(firsts)} pairs in {seconds:.0f} s; acceptable, per cent: {shares}")
    with open(out + "/restrain.json", "w") as file:
        json.dump(firsts, file)


def count_touching(pair, place, marked):
    """Of the first poses, those whose ligand comes close to an atom that is marked."""
    placed = place(pair.ligand, slice(0, FIRST))
    return sum(bool((pair.touched(ligand) & marked).any()) for ligand in placed)


def block(tesela, pack, out, options, name):
    pair = Pair(pack, name)
    free = dock(tesela, pair, name, out, "free", options)
    first, place = pair.first_acceptable(free)
    native = pair.residues_touched(pair.placed)
    marked = np.isin(pair.receptor_names, native)
    blocked = dock(tesela, pair, name, out, "native-blocked",
                   ["--block", "receptor:" + ",".join(native), *options])
    first_blocked, place_blocked = pair.first_acceptable(blocked)
    line = f"{name}: first acceptable {told(first)}; native interface blocked {told(first_blocked)}"
    if first > 1:
        wrong = pair.residues_touched(place(pair.ligand, slice(0, 1))[0])
        other = dock(tesela, pair, name, out, "wrong-blocked",
                     ["--block", "receptor:" + ",".join(wrong), *options])
        line += f"; that of the first pose blocked {told(pair.first_acceptable(other)[0])}"
    return (f"{line}; of the first {FIRST} poses {count_touching(pair, place, marked)} touch the native "
            f"interface, {count_touching(pair, place_blocked, marked)} when it is blocked"), first


def choose(pack, wanted):
    """The complexes that --only names, or all."""
    names = json.load(open(pack + "/names.json"))
    if wanted is None:
        return names
    if wanted.startswith("smallest:"):
        sizes = {n: sum(os.path.getsize(f"{pack}/{n}/{role}.pdb.gz") for role in "rl") for n in names}
        return sorted(names, key=sizes.get)[: int(wanted[9:])]
    unknown = [name for name in wanted.split(",") if name not in names]
    if unknown:
        sys.exit(f"restrain.py: {pack} has no {', '.join(unknown)}")
    return wanted.split(",")


def take(options, option):
    """The value of one of this program's own options, which is taken out; or None."""
    if option not in options[:-1]:
        return None
    at = options.index(option)
    del options[at]
    return options.pop(at)


def main():
    tasks = {"restrain": restrain, "block": block}
    if len(sys.argv) < 5 or sys.argv[1] not in tasks:
        sys.exit(__doc__)
    task, tesela, pack, out = sys.argv[1:5]
    options = [part for option in sys.argv[5:]
               for part in (option.split("=", 1) if option.startswith("--threads=") else [option])]
    names, jobs = choose(pack, take(options, "--only")), int(take(options, "--jobs") or 1)
    if "--threads" not in options:
        options += ["--threads", str(max(1, len(os.sched_getaffinity(0)) // jobs))]
    os.makedirs(out, exist_ok=True)
    begun, firsts = time.time(), {}
    work = functools.partial(tasks[task], tesela, pack, out, options)
    with multiprocessing.Pool(jobs) as pool:
        for name, (line, first) in zip(names, pool.imap(work, names)):
            firsts[name] = first
            print(f"{len(firsts)}/{len(names)} {line}", flush=True)
    if task == "restrain":
        report_restraints(out, firsts, time.time() - begun)


if __name__ == "__main__":
    main()
