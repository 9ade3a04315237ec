"""The command begins anew, once, so that OpenMP's threads spin briefly; and nobody notices."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import TESELA, CommandTest

# Loaded before the program: writes a line when it is loaded and, where the program ends by itself, one with what
# is left in the environment; FAIL names a call that fails.
WITNESS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(const char *name)
{
    return getenv("FAIL") != NULL && strcmp(getenv("FAIL"), name) == 0;
}
static void tell(const char *what)
{
    const char *policy = getenv("GOMP_SPINCOUNT"), *guard = getenv("TESELA_SPINS_OF");
    FILE *file = fopen(getenv("WITNESS"), "a");
    if (file != NULL) {
        fprintf(file, "%s %ld %s %s\n", what, (long)getpid(), policy ? policy : "-", guard ? "guard" : "-");
        fclose(file);
    }
}
__attribute__((constructor)) static void loaded(void) { tell("loaded"); }
__attribute__((destructor)) static void ended(void) { tell("ended"); }

int execv(const char *path, char *const argv[])
{
    int (*next)(const char *, char *const[]) = (int (*)(const char *, char *const[]))dlsym(RTLD_NEXT, "execv");
    return fails("execv") ? (errno = EPERM, -1) : next(path, argv);
}
ssize_t readlink(const char *path, char *out, size_t bytes)
{
    ssize_t (*next)(const char *, char *, size_t) =
        (ssize_t (*)(const char *, char *, size_t))dlsym(RTLD_NEXT, "readlink");
    return fails("readlink") ? (errno = ENOENT, -1) : next(path, out, bytes);
}
"""
EP = ["npb", "ep", "--class", "S", "--quiet", "--threads", "2", "--device", "cpu"]
PLAIN = {name: value for name, value in os.environ.items()
         if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "TESELA_SPINS_OF")}


class Loads(CommandTest):
    """How often the program is loaded, and with what in its environment."""

    def setUp(self):
        super().setUp()
        if shutil.which("cc") is None:
            self.skipTest("needs cc")
        self.write("witness.c", WITNESS)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.path("witness.so"), self.path("witness.c"), "-ldl"],
                       check=True)

    def loads(self, *arguments, program=None, status=0, **environment):
        """[(what, spin count, guard)] of a run, which must be one process."""
        if os.path.exists(self.path("lines")):
            os.remove(self.path("lines"))
        options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        done = subprocess.run([*(program or [TESELA]), *arguments], cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, timeout=240,
                              env={**PLAIN, "LD_PRELOAD": self.path("witness.so"), "ASAN_OPTIONS": options,
                                   "WITNESS": self.path("lines"), **environment})
        self.assertEqual(done.returncode, status, done.stderr)
        with open(self.path("lines"), encoding="ascii") as file:
            lines = [line.split() for line in file]
        self.assertEqual(len({line[1] for line in lines}), 1, lines)
        return [(line[0], line[2], line[3]) for line in lines]

    def test_once_and_nothing_stays_for_children(self):
        self.assertEqual(self.loads(*EP), [("loaded", "-", "-"), ("loaded", "1000", "guard"), ("ended", "-", "-")])

    def test_another_processs_guard_means_nothing(self):
        self.assertEqual(self.loads(*EP, TESELA_SPINS_OF="1")[1:],
                         [("loaded", "1000", "guard"), ("ended", "-", "-")])

    def test_the_environment_decides(self):
        self.assertEqual(self.loads(*EP, OMP_WAIT_POLICY="active"), [("loaded", "-", "-"), ("ended", "-", "-")])
        self.assertEqual(self.loads(*EP, GOMP_SPINCOUNT="7"), [("loaded", "7", "-"), ("ended", "7", "-")])

    def test_not_where_nothing_is_computed(self):
        for arguments in (["--version"], ["--help"], ["info"], ["help", "dock"]):
            self.assertEqual(self.loads(*arguments), [("loaded", "-", "-"), ("ended", "-", "-")])
        self.assertEqual(self.loads(status=2), [("loaded", "-", "-"), ("ended", "-", "-")])

    def test_what_fails_is_left_out(self):
        for call in ("execv", "readlink"):
            self.assertEqual(self.loads(*EP, FAIL=call), [("loaded", "-", "-"), ("ended", "-", "-")])

    def test_exit_status_and_message_of_a_mistake(self):
        self.assertEqual(len(self.loads("nbp", status=2)), 3)
        self.assertEqual(self.run_command("nbp").stderr.count("unknown command"), 1)

    def test_started_by_the_loader(self):
        with open(TESELA, "rb") as file:
            loader = re.search(rb"/lib[\w/.-]*/ld-[\w.-]+", file.read(4096))
        if loader is None:
            self.skipTest("the program names no loader")
        self.assertEqual(self.loads(*EP, program=[loader[0].decode(), TESELA]),
                         [("loaded", "-", "-"), ("ended", "-", "-")])

    def test_a_link_under_another_name(self):
        os.symlink(TESELA, self.path("another"))
        self.assertEqual(self.loads(*EP, program=[self.path("another")],
                                    TESELA_PLUGIN_PATH=os.path.dirname(TESELA))[1],
                         ("loaded", "1000", "guard"))


class Process(CommandTest):
    """The process that was started is the one that computes."""

    def start(self, **options):
        """A run that lasts, when it has begun anew."""
        child = subprocess.Popen([TESELA, "poisson", "bench", "--n", "32", "--repeat", "1000000", "--device",
                                  "cpu", "--threads", "1"], stdin=subprocess.DEVNULL, cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=PLAIN, **options)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        for _ in range(600):
            with open(f"/proc/{child.pid}/environ", "rb") as file:
                if b"GOMP_SPINCOUNT=1000\0" in file.read():
                    return child
            self.assertIsNone(child.poll())
            time.sleep(0.05)
        return self.fail("it did not begin anew")

    def test_name_and_arguments_are_kept(self):
        child = self.start()
        with open(f"/proc/{child.pid}/comm", encoding="ascii") as file:
            self.assertEqual(file.read().strip(), os.path.basename(TESELA))
        with open(f"/proc/{child.pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
        self.assertEqual(words[:3], [TESELA.encode(), b"poisson", b"bench"])

    def test_ignored_signals_stay_ignored(self):
        child = self.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        with open(f"/proc/{child.pid}/status", encoding="ascii") as file:
            ignored = int(re.search(r"SigIgn:\s*(\w+)", file.read())[1], 16)
        self.assertTrue(ignored >> (signal.SIGHUP - 1) & 1)

    def test_ends_by_a_signal(self):
        child = self.start()
        time.sleep(0.5)  # until it has set up what catches signals
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(60), 128 + signal.SIGTERM)

    def test_closed_streams_stay_closed(self):
        done = subprocess.run(["bash", "-c", '"$0" "$@" >&-', TESELA, *EP[:4], "--device", "cpu"], env=PLAIN,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=240)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("standard output", done.stderr)


if __name__ == "__main__":
    unittest.main()
