#!/usr/bin/env python3
"""bench/scf/records.py TESELA FOLDER [--molecules NAME,NAME] [--threads N] [--rows]

Computes every record of a functional without exact exchange in FOLDER/energy_*.json, which PySCF 2.14 made, with
`tesela scf --tight`, and prints the largest difference of each quantity by functional and grid. A record has its
geometry, basis set, auxiliary set (or none: all integrals) and grid. --rows prints each record too.
"""
import argparse
import glob
import json
import os
import subprocess
import tempfile

FUNCTIONALS = {"SVWN5": "lda_x + lda_c_vwn", "PBE": "pbe", "BLYP": "blyp", "TPSS": "tpss", "SCAN": "scan",
               "r2SCAN": "r2scan"}
GRIDS = {"level3": "medium", "99x590": "fine"}
QUANTITIES = ("total", "parts", "orbitals", "dipole", "charges", "spin", "electrons", "points")


def compute(options, geometry, row):
    with tempfile.TemporaryDirectory() as folder:
        molecule, report = os.path.join(folder, "m.xyz"), os.path.join(folder, "r.json")
        with open(molecule, "w", encoding="utf-8") as file:
            file.write(f"{len(geometry['symbols'])}\n\n")
            for symbol, r in zip(geometry["symbols"], geometry["xyz_bohr"]):
                file.write(f"{symbol} {r[0]!r} {r[1]!r} {r[2]!r}\n")
        command = [options.tesela, "scf", molecule, "--unit", "bohr", "--basis", row["basis"], "--xc", FUNCTIONALS[row["xc"]],
                   "--charge", str(geometry["charge"]), "--multiplicity", str(geometry["spin_2S"] + 1), "--grid",
                   GRIDS.get(row["grid"], row["grid"]), "--tight", "--quiet", "--json", report, "--threads",
                   str(options.threads)]
        command += ["--cartesian"] if row.get("cart") else []
        command += ["--fit", "none"] if row["fit"] is None else ["--aux", row["fit"][2:]]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{row['basis']} {row['xc']}: {done.stderr}")
        with open(report, encoding="utf-8") as file:
            return json.load(file)["results"]


def compare(got, row):
    """Largest differences, by quantity."""
    energy = got["energy"]
    parts = {"kinetic": "e_kinetic", "nuclear_attraction": "e_ext_nuclei", "coulomb": "e_coulomb", "xc": "e_xc_dft",
             "nuclear_repulsion": "e_nuc_nuc"}
    orbitals = 0
    for ours, theirs in zip(got["orbitals"], row["orbitals"]):
        first, last = theirs["index_0based"]
        orbitals = max([orbitals, abs(ours["energies"][0] - theirs["lowest"])] +
                       [abs(a - b) for a, b in zip(ours["energies"][first:last + 1], theirs["energies"])])
    electrons = row["n_electrons_grid"]
    electrons = sum(electrons) if isinstance(electrons, list) else electrons
    padding = row["n_grid_points_with_padding"] - got["grid_points"]
    return {"total": abs(energy["total"] - row["e_tot"]),
            "parts": max(abs(energy[a] - row[b]) for a, b in parts.items()),
            "orbitals": orbitals,
            "dipole": max(abs(a - b) for a, b in zip(got["dipole_debye"], row["dipole_debye"])),
            "charges": max(abs(a - b) for name in ("mulliken", "lowdin") for a, b in zip(got[name], row[name])),
            "spin": abs(got["s_squared"] - row.get("s_squared", 0)),
            "electrons": abs(sum(got["electrons_on_grid"]) - electrons),
            "points": 0 if 0 <= padding < 8 else abs(padding)}  # PySCF's fill up eights, without weight


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tesela")
    parser.add_argument("folder")
    parser.add_argument("--molecules")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rows", action="store_true")
    options = parser.parse_args()
    head = "".join(f"{name:>10}" for name in QUANTITIES)
    largest, count, seen = {}, {}, 0
    for path in sorted(glob.glob(os.path.join(options.folder, "energy_*.json"))):
        name = os.path.basename(path)[len("energy_"):-len(".json")]
        if options.molecules is not None and name not in options.molecules.split(","):
            continue
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        for row in data["results"]:
            if row["xc"] not in FUNCTIONALS or not (row["fit"] is None or row["fit"].startswith("J:")):
                continue
            if row["fit"] is None and row["n_ao"] > 50:
                continue
            found = compare(compute(options, data["geometry"], row), row)
            seen += 1
            if options.rows:
                print(f"{name} {row['basis']} {row['xc']} {row['grid']} {row['fit'] or 'no fit'}:",
                      " ".join(f"{key} {value:.1e}" for key, value in found.items()), flush=True)
            for key in ((row["xc"], row["grid"]), ("all", row["grid"]), ("without OH", row["grid"])):
                if key[0] != "without OH" or name != "oh":
                    count[key] = count.get(key, 0) + 1
                    for quantity, value in found.items():
                        largest[key, quantity] = max(value, largest.get((key, quantity), 0))
    print(f"{seen} records\n{'functional':11} {'grid':8} {'records':>7}{head}")
    for key in sorted(count):
        print(f"{key[0]:11} {key[1]:8} {count[key]:7}" + "".join(f"{largest[key, q]:10.1e}" for q in QUANTITIES))


main()
