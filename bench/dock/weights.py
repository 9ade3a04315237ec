#!/usr/bin/env python3
"""Fit the weights of the score of complementarity on four folds of protein families; judge the fifth.

  weights.py terms TESELA PACK OUT [OPTION...]   the terms of each pose that rank.py judge left
  weights.py fit   PACK OUT                      weights of each fold, and ranks by them
  weights.py judge TESELA PACK OUT [OPTION...]   dock each fold with its weights, in OUT/fitted; judge

PACK and OUT are those of rank.py judge, whose folds, definitions and contact potentials hold
here. OPTIONs go to tesela dock.

A score is 32 (P - clash C - electrostatics E - contacts D), linear in the weights, so that rescoring
a list with no weight, and with each one alone, gives the four terms of every pose, to the rounding of
the score's fields: OUT/NAME.terms.npy.
fit ranks the poses of those lists by all weights of a grid. Of each fold those weights are taken that
put the first hit and the first acceptable pose of the other folds' complexes best: least mean of the
logarithms of their ranks. It prints the shares that the folds come to by these weights and by the
command's own, and writes OUT/weights.json. The lists hold the translations that the command's own
weights chose for each rotation; judge searches anew.
"""
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
import rank  # noqa: E402

UNIT = 32
OWN = (0.5, 3.0, 2.0)  # the command's
GRID = list(itertools.product((0.25, 0.35, 0.5, 0.7, 1.0), (0.0, 1.5, 3.0, 4.5, 6.0), (0.0, 1.0, 1.5, 2.0, 2.5, 3.0)))
OPTIONS = ("--clash-weight", "--charge-weight", "--contact-weight")


def complexes(pack, out):
    """The complexes that have a list."""
    names = json.load(open(pack + "/names.json"))
    return [n for n in names if os.path.exists(f"{out}/fold{rank.fold_of(n)}/{n}/run.json")]


def folder_of(out, name):
    return f"{out}/fold{rank.fold_of(name)}/{name}"


def rescored(tesela, pack, out, name, weights, options):
    """Scores of a list's poses, in its order, by other weights."""
    files = [f"{os.path.abspath(pack)}/{name}/{role}.pdb.gz" for role in "rl"]
    with tempfile.TemporaryDirectory() as scratch:
        command = [tesela, "dock", *files, "--rescore", folder_of(out, name) + "/ftdock_global.dat", "-o",
                   scratch + "/new", "--poses", "0", "--quiet", "--contacts", rank.table_of(out, rank.fold_of(name))]
        for option, weight in zip(OPTIONS, weights):
            command += [option, str(weight)]
        subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)
        with open(scratch + "/new/ftdock_global.dat") as file:
            table = np.array([line.split()[1:4] for line in file if line.startswith("G_DATA")], float)
    scores = np.empty(len(table))
    scores[table[:, 1].astype(int) - 1] = table[:, 2]  # prvID is the place before
    return scores


def terms(tesela, pack, out, options):
    for name in complexes(pack, out):
        path = f"{out}/{name}.terms.npy"
        if os.path.exists(path):
            continue
        plain = rescored(tesela, pack, out, name, (0, 0, 0), options)
        rows = [plain / UNIT]
        for which in range(3):
            alone = rescored(tesela, pack, out, name, OWN[which] * np.eye(3)[which], options)
            rows.append((plain - alone) / UNIT / OWN[which])
        np.save(path, np.array(rows))
        print(f"{name}: {len(plain)} poses", flush=True)


def read_complex(pack, out, name):
    """Terms of the poses, and which are acceptable and hits."""
    native = rank.Native(pack, name)
    _, _, place = rank.read_list(folder_of(out, name))
    ligand_rmsd, interface_rmsd = native.judge(place(native.ligand))
    return np.load(f"{out}/{name}.terms.npy"), (ligand_rmsd <= 10) | (interface_rmsd <= 4), interface_rmsd <= 2.5


def ranks_by(weights, complex_):
    """Ranks of the first acceptable pose and the first hit; a large number if there is none."""
    values, *goods = complex_
    scores = values[0] - np.dot(weights, values[1:])
    return [int((scores > scores[good].max()).sum()) + 1 if good.any() else 10**9 for good in goods]


def fit(pack, out):
    names = [n for n in complexes(pack, out) if os.path.exists(f"{out}/{n}.terms.npy")]
    found = {n: read_complex(pack, out, n) for n in names}
    ranks = {n: np.array([ranks_by(w, found[n]) for w in [*GRID, OWN]]) for n in names}
    logarithms = {n: np.log10(np.minimum(ranks[n], len(found[n][1]))).sum(1) for n in names}
    floors = {n: rank.Native(pack, n).floor() for n in names}
    chosen, fitted = {}, {}
    for fold in range(len(rank.FOLDS) + 1):
        others = [logarithms[n][: len(GRID)] for n in names if rank.fold_of(n) != fold]
        if not others:
            continue
        best = int(np.mean(others, 0).argmin())
        chosen[fold] = GRID[best]
        print(f"fold {fold}: clash {GRID[best][0]}, electrostatics {GRID[best][1]}, contacts {GRID[best][2]}")
        fitted.update({n: tuple(ranks[n][best]) for n in names if rank.fold_of(n) == fold})
    rank.report("by each fold's weights", fitted, floors)
    rank.report("by the command's own", {n: tuple(ranks[n][-1]) for n in fitted}, floors)
    json.dump(chosen, open(out + "/weights.json", "w"))


def judge(tesela, pack, out, options):
    chosen, again = json.load(open(out + "/weights.json")), out + "/fitted"
    os.makedirs(again, exist_ok=True)
    for fold, names in rank.by_fold(pack).items():
        table = f"{out}/table.{fold}.txt"
        if os.path.exists(table):
            shutil.copy(table, again)
        weights = [word for pair in zip(OPTIONS, map(str, chosen[str(fold)])) for word in pair]
        rank.dock(tesela, pack, again, f"fold{fold}", names,
                  ["--contacts", rank.table_of(again, fold), *weights, *options])
    rank.again(pack, again)


def main():
    tasks = {"terms": terms, "judge": judge}
    if sys.argv[1:2] == ["fit"] and len(sys.argv) == 4:
        fit(*sys.argv[2:])
    elif len(sys.argv) > 4 and sys.argv[1] in tasks:
        tasks[sys.argv[1]](*sys.argv[2:5], sys.argv[5:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
