#!/usr/bin/env python3
"""bench/scf/beside_pyscf.py TESELA PYTHON MOLECULE.xyz... [--threads N,N] [--repeat R]

Seconds of PBE in def2-SVP with the density fitted in def2-universal-jfit, on the grid of level 3, energies to
1e-9 hartree: by `tesela scf`, and by PySCF, which PYTHON must be able to import. Neither counts the start of
the program or of the interpreter. Of each the least of R runs, in turn. Prints a table of wall-clock and CPU
seconds and both energies.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile

PYSCF = """
import sys, time, resource
from pyscf import gto, dft, lib
lib.num_threads(int(sys.argv[2]))
mol = gto.M(atom=open(sys.argv[1]).read().split("\\n", 2)[2], basis="def2-svp", verbose=0)
begun, cpu = time.time(), time.process_time()
mf = dft.RKS(mol, xc="pbe").density_fit(auxbasis="def2-universal-jfit")
mf.grids.level = 3
mf.conv_tol = 1e-9
mf.kernel()
print(repr(float(mf.e_tot)), time.time() - begun, time.process_time() - cpu, mf.cycles)
"""


def run_tesela(tesela, molecule, threads):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.json")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        # as PySCF's conv_tol: its gradient's bound is the root of that
        subprocess.run([tesela, "scf", molecule, "--basis", "def2-svp", "--xc", "pbe", "--grid", "medium",
                        "--energy-tolerance", "1e-9", "--threads", str(threads), "--quiet", "--json", path], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    results = report["results"]
    return results["energy"]["total"], report["seconds"]["total"], cpu, results["iterations"]


def run_pyscf(python, molecule, threads):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    result = subprocess.run([python, "-c", PYSCF, molecule, str(threads)], check=True, env=environment,
                            stdout=subprocess.PIPE, text=True)
    energy, wall, cpu, cycles = result.stdout.split()
    return float(energy), float(wall), float(cpu), int(cycles)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tesela")
    parser.add_argument("python")
    parser.add_argument("molecules", nargs="+")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    print(f"{'molecule':16} threads program  wall s   CPU s  cycles  hartree")
    for molecule in options.molecules:
        for threads in map(int, options.threads.split(",")):
            best = {}
            for _ in range(options.repeat):
                for name, run, program in (("tesela", run_tesela, options.tesela), ("PySCF", run_pyscf, options.python)):
                    got = run(program, molecule, threads)
                    if name not in best or got[1] < best[name][1]:
                        best[name] = got
            for name, (energy, wall, cpu, cycles) in best.items():
                print(f"{os.path.basename(molecule):16} {threads:7} {name:8}{wall:7.2f} {cpu:7.2f} {cycles:7} {energy:15.8f}",
                      flush=True)


main()
