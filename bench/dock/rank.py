#!/usr/bin/env python3
"""Fit and judge the score of complementarity on complexes of the docking benchmark 5.

  rank.py decoys TESELA PACK OUT [OPTION...]   dock by shape alone, for the contacts of decoys
  rank.py fit    PACK OUT                      tables of contact potentials, five folds and all
  rank.py judge  TESELA PACK OUT [OPTION...]   dock with the tables of the other folds; judge
  rank.py again  PACK OUT                      judge what an earlier judge left in OUT
  rank.py pairs  PACK OUT                      potentials of pairs from the lists in OUT
  rank.py rerank TESELA PACK FROM OUT [OPTION...]
                                               rank the lists in FROM anew by pairs; judge
  rank.py sample TESELA PACK OUT [OPTION...]   judging from few rotations: see below

PACK has names.json and, for each complex, r.pdb.gz, l.pdb.gz (unbound) and ca.npz (matched CA atoms
of unbound and bound partners: ru, lu, rb, lb). OPTIONs go to tesela dock.

A pose is a hit if its interface RMSD is at most 2.5 angstrom, or acceptable if that is at most 4 or
the ligand's RMSD at most 10: CA atoms, interface within 10 angstrom in the bound complex.

Contact potentials: -ln of the share of a pair of atom types among contacts within 6 angstrom of the
native complexes, unbound partners laid on bound ones, over its share among decoys docked by shape
alone. Each complex counts alike. Of the five folds of protein families each is judged with the
table of the others: OUT/table.K.txt, or else contacts/foldK.txt beside this program.

pairs takes the lists that judge and sample left, 2 000 poses of each, and fits a potential for each
bin of distances, the same for all types of atoms: S less the potentials is the logarithm of a
pose's weight, and the acceptable poses' share of all weights has the largest product over the
complexes, with a penalty on the size of coefficients. OUT/pairs.K.txt is from the folds but K, and
judge and rerank use it, or else contacts/pairsK.txt beside this program, where OPTIONs have
--rerank or rerank adds it: --rerank 2000. Give --cluster ANGSTROM for clusters.

sample docks the 40 rotations nearest to the native one and 160 others, each of which stands for as
many as were left out, and estimates ranks from them: for a processor where all would take long.
"""
import gzip
import json
import multiprocessing
import os
import re
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CONTACT = 6.0
NEAR, OTHERS = 40, 160
EDGES = [3.5, 5.5, 8.0]  # of the bins of pair potentials
RANKED = 2000  # poses that are ranked anew
PENALTY = 0.01

# Folds by protein family; those not named are the last.
FOLDS = [
    # enzymes with protein inhibitors
    "1AVX 1CGI 1D6R 1DFJ 1EAW 1F34 1GXD 1HIA 1JIW 1JMO 1JTD 1MAH 1OC0 1OPH 1PPE 1PXV 1UDI 1YVB 1ZM4 "
    "2ABZ 2J7P 2O3B 2OZA 2SIC 2UUY 3BP8 3SGQ 4CPA 7CEI",
    # antibodies and other proteins of the immune system
    "1AHW 1AKJ 1BGX 1BVK 1E4K 1E6J 1FC2 1FSK 1GHQ 1K4C 1KXQ 1MLC 1NSN 1QFW 1SBB 1VFB 1WEJ 2FD6 2I25 "
    "2VIS 2W9E 3EOA 3HI6 3L89 3MXW 3RVW 3V6Z 4FQI 4G6J BAAD BP57",
    # GTPases with what regulates them
    "1A2K 1AZS 1BKD 1EFN 1FQ1 1HE1 1I4D 1IB1 1K74 1RKE 1ZHI 2A5T 2C0L 2G77 2GTP 2HQS 2OT3 3CPH 3DAW "
    "4H03 4IZ7",
    # enzymes with substrates, carriers and cofactors
    "1F6M 1FFW 1GLA 1GPW 1H9D 1IJK 1JWH 1KKL 1M10 1N2C 1R6Q 1T6B 1Z5Y 2AYO 2B4J 2IDO 2MTA 2OOB 2YVJ "
    "3A4S 3AAD 3FN1 3K75 3PC8 4GAM 4LW4",
]


def fold_of(name):
    for i, names in enumerate(FOLDS):
        if name in names.split():
            return i
    return len(FOLDS)  # receptors, and what is left


# ---- molecules ----------------------------------------------------------------------------------


def types_of_atoms():
    """The table of src/solvers/dock/score/atoms.c."""
    text = open(HERE + "/../../src/solvers/dock/score/atoms.c").read()
    body = text[text.index("types[] = {") :]
    rows = re.findall(r'\{"(\w*)", "([\w ]+)", (\d+)\}', body[: body.index("};")])
    return {(residue, atom): int(t) for residue, atoms, t in rows for atom in atoms.split()}


def read_atoms(path, types):
    """Positions and types of the atoms that have one, and the mean of all but hydrogens."""
    at, kinds, everything = [], [], []
    for line in gzip.open(path, "rt"):
        atom, residue = line[12:16].strip(), line[17:20].strip()
        if not line.startswith("ATOM") or atom[0] in "H123" or line[76:78].strip() == "H":
            continue
        kind = types.get((residue, atom), types.get(("", atom)))
        everything.append([float(line[i : i + 8]) for i in (30, 38, 46)])
        if kind is not None:
            at.append(everything[-1])
            kinds.append(kind)
    return np.array(at), np.array(kinds)


def count_contacts(receptor, receptor_types, ligand, ligand_types):
    counts = np.zeros((18, 18))
    low, high = ligand.min(0) - CONTACT, ligand.max(0) + CONTACT
    close = (receptor > low).all(1) & (receptor < high).all(1)
    receptor, receptor_types = receptor[close], receptor_types[close]
    for i in range(0, len(receptor), 400):
        square = ((receptor[i : i + 400, None] - ligand[None]) ** 2).sum(2)
        a, b = np.nonzero(square <= CONTACT * CONTACT)
        np.add.at(counts, (receptor_types[i : i + 400][a], ligand_types[b]), 1)
    return counts


# ---- geometry -----------------------------------------------------------------------------------


def superpose(onto, points):
    """Rotation and translation that lay points on onto."""
    p, q = points.mean(0), onto.mean(0)
    u, _, v = np.linalg.svd((points - p).T @ (onto - q))
    sign = np.sign(np.linalg.det(u @ v))
    rotation = (u @ np.diag([1, 1, sign]) @ v).T
    return rotation, q - rotation @ p


def rmsd_superposed(sets, onto):
    """[k, n, 3] and [n, 3]: RMSD of each after superposition."""
    p, q = sets - sets.mean(1, keepdims=True), onto - onto.mean(0)
    h = np.einsum("kni,nj->kij", p, q)
    s = np.linalg.svd(h, compute_uv=False)
    sign = np.sign(np.linalg.det(h))
    square = (p**2).sum((1, 2)) + (q**2).sum() - 2 * (s[:, 0] + s[:, 1] + sign * s[:, 2])
    return np.sqrt(np.maximum(square, 0) / len(q))


def rotations_of(angles):
    """Rz(phi) Ry(theta) Rz(twist) of rows twist, theta, phi in degrees."""
    twist, theta, phi = np.radians(angles).T
    zero, one = np.zeros_like(twist), np.ones_like(twist)

    def about_z(a):
        c, s = np.cos(a), np.sin(a)
        return np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]]).transpose(2, 0, 1)

    c, s = np.cos(theta), np.sin(theta)
    about_y = np.array([[c, zero, s], [zero, one, zero], [-s, zero, c]]).transpose(2, 0, 1)
    return about_z(phi) @ about_y @ about_z(twist)


class Native:
    """The bound complex in the frame of the unbound receptor."""

    def __init__(self, pack, name):
        f = np.load(f"{pack}/{name}/ca.npz")
        rotation, shift = superpose(f["ru"], f["rb"])
        self.receptor, self.ligand = f["ru"], f["lu"]
        self.bound = f["lb"] @ rotation.T + shift
        bound_receptor = f["rb"] @ rotation.T + shift
        distance = np.linalg.norm(bound_receptor[:, None] - self.bound[None], axis=2)
        self.of_receptor, self.of_ligand = distance.min(1) < 10, distance.min(0) < 10
        self.interface = np.concatenate(
            [bound_receptor[self.of_receptor], self.bound[self.of_ligand]]
        )

    def judge(self, ligands):
        """Ligand RMSD and interface RMSD of placed CA atoms [k, n, 3]."""
        ligand_rmsd = np.sqrt(((ligands - self.bound) ** 2).sum(2).mean(1))
        fixed = self.receptor[self.of_receptor]
        sets = np.concatenate(
            [np.broadcast_to(fixed, (len(ligands), *fixed.shape)), ligands[:, self.of_ligand]], 1
        )
        return ligand_rmsd, rmsd_superposed(sets, self.interface)

    def floor(self):
        """Interface RMSD of the unbound partners laid on the bound ones."""
        rotation, shift = superpose(self.bound, self.ligand)
        return self.judge((self.ligand @ rotation.T + shift)[None])[1][0]

    def nearest(self, matrices):
        """Interface RMSD of each rotation about the interface's middle: what it can reach."""
        part, onto = self.ligand[self.of_ligand], self.bound[self.of_ligand]
        placed = (part - part.mean(0)) @ matrices.transpose(0, 2, 1) + onto.mean(0)
        fixed = self.receptor[self.of_receptor]
        sets = np.concatenate([np.broadcast_to(fixed, (len(placed), *fixed.shape)), placed], 1)
        return rmsd_superposed(sets, self.interface)


def read_list(folder):
    """Scores, angles and shifts of a result, and how they place a ligand's points."""
    plan = json.load(open(folder + "/run.json"))["results"]["plan"]
    lines = [l.split() for l in open(folder + "/ftdock_global.dat") if l.startswith("G_DATA")]
    rows = np.array([l[3:4] + l[5:11] for l in lines], float)
    matrices = rotations_of(rows[:, 4:])
    shifts = np.array(plan["receptor_centre"]) + rows[:, 1:4] * plan["spacing"]

    def place(points, which=slice(None)):
        moved = (points - plan["ligand_centre"]) @ matrices[which].transpose(0, 2, 1)
        return moved + shifts[which][:, None]

    return rows[:, 0], rows[:, 4:], place


# ---- docking ------------------------------------------------------------------------------------


def dock(tesela, pack, out, label, names, options):
    """Dock pairs by a list; seconds."""
    listing = f"{out}/{label}.tsv"
    here = os.path.abspath(pack)
    with open(listing, "w") as f:
        f.writelines(f"{here}/{n}/r.pdb.gz\t{here}/{n}/l.pdb.gz\t{n}\n" for n in names)
    begun = time.time()
    with open(f"{out}/{label}.log", "w") as log:
        command = [tesela, "dock", "--list", listing, "-o", f"{out}/{label}", "--poses", "0"]
        command += ["--score", "complementarity", *options]
        subprocess.run(command, stdout=log, stderr=log, check=False)
    return time.time() - begun


def decoys(tesela, pack, out, options):
    names = json.load(open(pack + "/names.json"))
    how = ["--rotations", "spiral:16", "--keep", "1", "--clash-weight", "1", "--charge-weight", "0",
           "--contact-weight", "0", *options]
    print(f"decoys of {len(names)} pairs in {dock(tesela, pack, out, 'decoys', names, how):.0f} s")


def contacts_of(arguments):
    """Shares of contacts of the native complex and of its decoys; None: there are none."""
    pack, out, name = arguments
    try:
        _, _, place = read_list(f"{out}/decoys/{name}")
    except OSError:
        return None
    native, types = Native(pack, name), types_of_atoms()
    receptor, receptor_types = read_atoms(f"{pack}/{name}/r.pdb.gz", types)
    ligand, ligand_types = read_atoms(f"{pack}/{name}/l.pdb.gz", types)
    rotation, shift = superpose(native.bound, native.ligand)
    bound = count_contacts(receptor, receptor_types, ligand @ rotation.T + shift, ligand_types)
    wrong = sum(
        count_contacts(receptor, receptor_types, placed, ligand_types) for placed in place(ligand)
    )
    return bound / bound.sum(), wrong / wrong.sum()


def in_parallel(function, pack, out, names):
    """name -> result, of those that have one."""
    with multiprocessing.Pool() as pool:
        results = pool.map(function, [(pack, out, name) for name in names], 1)
    missing = [name for name, result in zip(names, results) if result is None]
    if missing:
        print(f"no result of {len(missing)} complexes: {' '.join(missing)}")
    return {n: r for n, r in zip(names, results) if r is not None}


def fit(pack, out):
    counts = in_parallel(contacts_of, pack, out, json.load(open(pack + "/names.json")))
    for fold in [*range(len(FOLDS) + 1), None]:
        used = [n for n in counts if fold_of(n) != fold]
        native, other = (sum(counts[n][i] for n in used) for i in (0, 1))
        native, other = native + native.T, other + other.T
        native, other = native / native.sum(), other / other.sum()
        few = 2e-4  # as if so many of each pair's decoys had been seen in both
        table = -np.log((native + few * other.clip(1e-3)) / (other + few * other.clip(1e-3)))
        label = "all" if fold is None else str(fold)
        np.savetxt(f"{out}/table.{label}.txt", table, fmt="%7.3f")
        print(f"table.{label}.txt: from {len(used)} complexes")


# ---- potentials of pairs ------------------------------------------------------------------------


def count_pairs(receptor, ligand):
    """Pairs of atoms in each bin of distances."""
    close = (receptor > ligand.min(0) - EDGES[-1]).all(1) & (receptor < ligand.max(0) + EDGES[-1]).all(1)
    receptor = receptor[close]
    if len(receptor) == 0:
        return np.zeros(len(EDGES))
    low, high = receptor.min(0) - EDGES[-1], receptor.max(0) + EDGES[-1]
    ligand = ligand[(ligand > low).all(1) & (ligand < high).all(1)]
    square = (receptor**2).sum(1)[:, None] + (ligand**2).sum(1) - 2 * receptor @ ligand.T
    within = [(square <= edge * edge).sum() for edge in EDGES]
    return np.diff([0, *within])


def pairs_of(arguments):
    """Of a list's first poses S, pairs and S's weight in a sample, and which are acceptable."""
    pack, out, name = arguments
    folder, weights = f"{out}/fold{fold_of(name)}/{name}", np.ones
    if not os.path.exists(folder + "/run.json"):
        folder, weights = f"{out}/sample.{name}/{name}", None
    if not os.path.exists(folder + "/run.json"):
        return None
    native, types = Native(pack, name), types_of_atoms()
    scores, angles, place = read_list(folder)
    stands = weights(len(scores)) if weights else stands_for(out, name, angles)
    ligand_rmsd, interface_rmsd = native.judge(place(native.ligand, slice(RANKED)))
    receptor = read_atoms(f"{pack}/{name}/r.pdb.gz", types)[0]
    ligand = read_atoms(f"{pack}/{name}/l.pdb.gz", types)[0]
    middle = receptor.mean(0)
    counts = [
        count_pairs(receptor - middle, place(ligand, slice(i, i + 1))[0] - middle)
        for i in range(len(ligand_rmsd))
    ]
    features = np.column_stack([scores[:RANKED] / 32, counts])
    return features, (ligand_rmsd <= 10) | (interface_rmsd <= 4), stands[:RANKED]


def most_likely(items, steps=400):
    """Coefficients of features, the first being S's, in units of it: see the head."""
    everything = np.concatenate([features for features, _, _ in items])
    middle, spread = everything.mean(0), everything.std(0) + 1e-9
    items = [((features - middle) / spread, good, stands) for features, good, stands in items]
    b, mean, square = (np.zeros(everything.shape[1]) for _ in range(3))
    for step in range(1, steps + 1):  # Adam
        slope = -PENALTY * b
        for features, good, stands in items:
            exponent = features @ b
            weight = stands * np.exp(exponent - exponent.max())
            own = weight * good
            slope += (own / own.sum() - weight / weight.sum()) @ features / len(items)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        b += 0.03 * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return b / spread / (b[0] / spread[0])


def fit_pairs(pack, out):
    found = in_parallel(pairs_of, pack, out, json.load(open(pack + "/names.json")))
    found = {name: item for name, item in found.items() if item[1].any()}
    for fold in [*range(len(FOLDS) + 1), None]:
        used = [name for name in found if fold_of(name) != fold]
        values = -most_likely([found[name] for name in used])[1:]
        label = "all" if fold is None else str(fold)
        with open(f"{out}/pairs.{label}.txt", "w") as file:
            for edge, value in zip(EDGES, values):
                file.write(f"{edge}\n" + (" ".join([f"{value:.3f}"] * 18) + "\n") * 18)
        text = ", ".join(f"to {edge}: {value:.3f}" for edge, value in zip(EDGES, values))
        print(f"pairs.{label}.txt: {text}; from {len(used)} complexes")


# ---- judging ------------------------------------------------------------------------------------

TOPS = (1, 10, 100, 1000, 10000)


def first_of(ok):
    return int(np.argmax(ok)) + 1 if ok.any() else 10**9


def report(label, ranks, floors):
    """ranks: name -> (acceptable, hit)."""
    groups = [("all", 0, 1e9), ("floor <= 1.5", 0, 1.5), ("to 2.5", 1.5, 2.5), ("above", 2.5, 1e9)]
    print(f"{label}: shares in per cent of the first " + ", ".join(map(str, TOPS)))
    for title, low, high in groups:
        chosen = [n for n in ranks if low < floors[n] <= high or (low == 0 and floors[n] <= high)]
        for i, what in enumerate(("acceptable", "I-RMSD <= 2.5")):
            first = np.array([ranks[n][i] for n in chosen])
            shares = " ".join(f"{100 * (first <= t).mean():5.1f}" for t in TOPS)
            print(f"  {title:13s} {len(chosen):4d}  {what:14s} {shares}")


def judge_one(arguments):
    """First acceptable pose, first hit, floor, nearest rotation of 12 degrees."""
    pack, out, name = arguments
    folder = f"{out}/fold{fold_of(name)}/{name}"
    if not os.path.exists(folder + "/run.json"):
        return None
    native = Native(pack, name)
    _, _, place = read_list(folder)
    ligand_rmsd, interface_rmsd = native.judge(place(native.ligand))
    acceptable = (ligand_rmsd <= 10) | (interface_rmsd <= 4)
    near = native.nearest(rotations_of(all_rotations())).min()
    return first_of(acceptable), first_of(interface_rmsd <= 2.5), native.floor(), float(near)


def again(pack, out):
    found = in_parallel(judge_one, pack, out, json.load(open(pack + "/names.json")))
    floors = {n: r[2] for n, r in found.items()}
    report("ranked", found, floors)
    reached = [n for n in found if found[n][3] <= 2.5]
    hits = sum(found[n][1] <= 1000 for n in reached)
    print(f"I-RMSD <= 2.5 in the first 1000: {hits} of the {len(reached)} that rotations can reach")
    json.dump(found, open(out + "/ranks.json", "w"))


def table_of(out, fold):
    fitted = f"{out}/table.{fold}.txt"
    return fitted if os.path.exists(fitted) else f"{HERE}/contacts/fold{fold}.txt"


def potentials_of(out, fold):
    fitted = f"{out}/pairs.{fold}.txt"
    return fitted if os.path.exists(fitted) else f"{HERE}/contacts/pairs{fold}.txt"


def by_fold(pack):
    names = json.load(open(pack + "/names.json"))
    return {k: [n for n in names if fold_of(n) == k] for k in range(len(FOLDS) + 1)}


def judge(tesela, pack, out, options):
    seconds, folds = 0, by_fold(pack)
    for fold, names in folds.items():
        own = ["--contacts", table_of(out, fold)]
        if "--rerank" in options:
            own += ["--potentials", potentials_of(out, fold)]
        seconds += dock(tesela, pack, out, f"fold{fold}", names, [*own, *options])
    print(f"{sum(map(len, folds.values()))} pairs in {seconds:.0f} s", flush=True)
    again(pack, out)


def rerank(tesela, pack, lists, out, options):
    """Rank lists anew and judge; the lists as they are are judged first."""
    again(pack, lists)
    begun, how = time.time(), [] if "--rerank" in options else ["--rerank", str(RANKED)]
    for name in json.load(open(pack + "/names.json")):
        fold = fold_of(name)
        path = f"{lists}/fold{fold}/{name}/ftdock_global.dat"
        if not os.path.exists(path):
            continue
        command = [tesela, "dock", f"{pack}/{name}/r.pdb.gz", f"{pack}/{name}/l.pdb.gz"]
        command += ["-o", f"{out}/fold{fold}/{name}", "--rescore", path, "--poses", "0"]
        command += ["--score", "complementarity", "--contacts", table_of(lists, fold)]
        command += ["--potentials", potentials_of(lists, fold), *how, *options]
        os.makedirs(f"{out}/fold{fold}", exist_ok=True)
        with open(f"{out}/rerank.log", "a") as log:
            subprocess.run(command, stdout=log, stderr=log, check=False)
    print(f"ranked anew in {time.time() - begun:.0f} s", flush=True)
    again(pack, out)


# ---- a sample -----------------------------------------------------------------------------------


def all_rotations(step=12):
    out = []
    for theta in range(0, 181, step):
        phis = [0]
        if theta not in (0, 180):
            c = np.cos(np.radians(theta)) ** 2
            turn = (np.cos(np.radians(step)) - c) / np.sin(np.radians(theta)) ** 2
            each = int(np.degrees(np.arccos(np.clip(turn, -1, 1))))
            while 360 % each:
                each -= 1
            phis = range(0, 360, each)
        out += [(twist, theta, phi) for phi in phis for twist in range(0, 360, step)]
    return np.array(out, float)


def sample_rotations(native, angles, seed):
    near = native.nearest(rotations_of(angles))
    order = np.argsort(near)
    others = np.random.default_rng(seed).choice(order[NEAR:], OTHERS, replace=False)
    return angles[np.concatenate([order[:NEAR], others])]


def sample(tesela, pack, out, options):
    angles, seconds = all_rotations(), 0
    names = json.load(open(pack + "/names.json"))
    for name in names:
        if os.path.exists(f"{out}/sample.{name}/{name}/run.json"):
            continue
        rows = sample_rotations(Native(pack, name), angles, 5)
        np.savetxt(f"{out}/{name}.rotations", rows, fmt="%.6f")
        own = ["--contacts", table_of(out, fold_of(name))]
        how = ["--rotations", f"{out}/{name}.rotations", *own, *options]
        seconds += dock(tesela, pack, out, f"sample.{name}", [name], how)
    print(f"{len(names)} pairs in {seconds:.0f} s")
    sample_again(pack, out)


def stands_for(out, name, angles):
    """How many poses each of a sample stands for."""
    near = {tuple(a) for a in np.loadtxt(f"{out}/{name}.rotations")[:NEAR].round(6)}
    weight = (len(all_rotations()) - NEAR) / OTHERS
    return np.array([1 if tuple(a) in near else weight for a in angles.round(6)])


def sample_again(pack, out):
    """Ranks from a sample: a pose of the other rotations counts for those left out."""
    ranks, floors = {}, {}
    for name in json.load(open(pack + "/names.json")):
        folder = f"{out}/sample.{name}/{name}"
        if not os.path.exists(folder + "/run.json"):
            continue
        native = Native(pack, name)
        scores, angles, place = read_list(folder)
        stands = stands_for(out, name, angles)
        ligand_rmsd, interface_rmsd = native.judge(place(native.ligand))
        floors[name] = native.floor()
        before = np.concatenate([[0], np.cumsum(stands)])
        ranks[name] = tuple(
            1 + before[first_of(ok) - 1] if ok.any() else 1e9
            for ok in ((ligand_rmsd <= 10) | (interface_rmsd <= 4), interface_rmsd <= 2.5)
        )
    report("estimated", ranks, floors)


def main():
    command, *rest = sys.argv[1:] or [""]
    pack_at = 0 if command in ("fit", "pairs", "again", "sample-again") else 1
    if len(rest) < pack_at + (3 if command == "rerank" else 2):
        sys.exit(__doc__)
    os.makedirs(rest[pack_at + (2 if command == "rerank" else 1)], exist_ok=True)
    if command == "fit":
        fit(*rest)
    elif command == "pairs":
        fit_pairs(*rest)
    elif command == "rerank":
        rerank(*rest[:4], rest[4:])
    elif command == "again":
        again(*rest)
    elif command == "sample-again":
        sample_again(*rest)
    elif command in ("decoys", "judge", "sample"):
        {"decoys": decoys, "judge": judge, "sample": sample}[command](*rest[:3], rest[3:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
