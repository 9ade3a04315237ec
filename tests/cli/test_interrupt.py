"""A signal while a file is written: what was there before stands, and nothing is left beside it."""

import os
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import TESELA, CommandTest

LENGTH = 320  # of each axis: 250 MiB, so that writing takes a while
TRIES = 20


class Interrupt(CommandTest):
    def make_zeros(self, name, descr, item, length):
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {(length,) * 3}, }}"
        header = header.ljust(117) + "\n"
        self.write(name, b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode())
        os.truncate(self.path(name), 10 + len(header) + length ** 3 * item)

    def temporaries(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".tesela-")]

    def stop_in_writing(self, number, *arguments):
        """Send a signal once there is a temporary file; returns the exit status."""
        process = subprocess.Popen([TESELA, *arguments, "--quiet"], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not self.temporaries():
            time.sleep(0.001)
        process.send_signal(number)  # nothing happens if it has ended
        _, errors = process.communicate(timeout=240)
        self.assertIn(process.returncode, (0, 128 + number), errors)
        return process.returncode

    def leaves_nothing(self, output, *arguments):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                for _ in range(TRIES):  # until the signal comes before the end
                    self.write(output, "as it was")
                    status = self.stop_in_writing(number, *arguments, "-o", output)
                    left = self.temporaries()
                    for name in left:
                        os.remove(self.path(name))
                    self.assertEqual(left, [])
                    with open(self.path(output), "rb") as file:
                        stands = file.read(64) == b"as it was"
                    if status != 0 and stands:
                        break
                else:
                    self.fail(f"no signal came in time, of {TRIES}")

    def test_transpose(self):
        self.make_zeros("in.npy", "<f8", 8, LENGTH)
        self.leaves_nothing("out.npy", "transpose", "in.npy", "--permute", "zyx", "--device", "cpu",
                            "--threads", "2")

    def test_hdf5(self):
        self.run_command("info", "--json", "info.json")
        if not any(library["name"] == "HDF5" and library["version"] is not None
                   for library in self.read_json("info.json")["results"]["libraries"]):
            self.skipTest("built without HDF5")
        self.make_zeros("in.npy", "<f4", 4, LENGTH)
        self.leaves_nothing("out.h5", "poisson", "in.npy", "--lengths", "1,1,1", "--device", "cpu",
                            "--threads", "2")


if __name__ == "__main__":
    unittest.main()
