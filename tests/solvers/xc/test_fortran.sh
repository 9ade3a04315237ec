#!/usr/bin/env bash
# The Fortran example is compiled and gives the values of the command.
set -euo pipefail
if ! command -v gfortran >/dev/null; then
    echo "gfortran is not installed (Debian and Ubuntu: apt install gfortran)"
    exit 77
fi
folder=$(dirname "$TESELA")
if [[ ! -e $folder/libtesela.so ]]; then
    echo "the shared library is not built here"
    exit 77
fi
if [[ $(nm -D "$folder/libtesela.so") == *__asan* ]]; then
    echo "a library with a sanitizer has to be linked by its own compiler"
    exit 77
fi
gfortran -Wall -Werror "$TESELA_SOURCE/examples/xc_energy.f90" "-L$folder" -ltesela \
    "-Wl,-rpath,$folder" -o xc_energy
./xc_energy >values.txt
python3 - <<'PYTHON'
import struct
header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }".ljust(117) + "\n"
with open("points.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack("<6d", 0.1, 0.01, 0.2, 0.02, 0.3, 0.03))
PYTHON
"$TESELA" xc eval -f pbe -i points.npy -o wanted.npy --device cpu --quiet >/dev/null
python3 - <<'PYTHON'
import struct
with open("wanted.npy", "rb") as file:
    data = file.read()
wanted = struct.unpack("<9d", data[-72:])
with open("values.txt", encoding="ascii") as file:
    rows = [[float(v) for v in line.split()] for line in file]
assert len(rows) == 3
for i, row in enumerate(rows):
    for k in range(3):
        assert abs(row[2 + k] - wanted[3 * i + k]) < 1e-7, (row, wanted)
PYTHON
