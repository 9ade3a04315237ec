# ctest: full with sanitizers
"""Help, versions, and command lines that make no sense."""

import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, SMALL, TESELA, CommandTest


class Help(CommandTest):
    def assert_prints(self, arguments, words, status=0):
        result = self.run_command(*arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        printed = result.stdout if status == 0 else result.stderr
        for word in words:
            self.assertIn(word, printed)
        return printed

    def test_every_way_to_ask(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            self.assert_prints(arguments, ["Usage: tesela COMMAND", "dock", "info", "Example"])
        for arguments in (["dock", "--help"], ["dock", "-h"], ["dock", "-?"], ["help", "dock"]):
            self.assert_prints(arguments, ["Usage: tesela dock", "--grid", "--resume", "Examples:"])
        self.assert_prints(["info", "--help"], ["Usage: tesela info", "--json", "Examples:"])
        self.assert_prints(["comm", "--help"], ["Usage: tesela comm", "--ranks", "Examples:"])
        self.assert_prints(["dock", "--usage"], ["Usage: tesela dock"])

    def test_no_command_shows_the_help(self):
        self.assert_prints([], ["Usage: tesela COMMAND"], status=2)

    def test_help_names_every_option_of_the_method(self):
        options = ("grid spacing angle-step rotations surface core no-electrostatics "
                   "electrostatics correlation keep top rescore poses receptor-chains ligand-chains hetero "
                   "memory resume batch list device threads json profile quiet output").split()
        self.assert_prints(["dock", "--help"], [f"--{option}" for option in options])

    def test_version(self):
        version = self.assert_prints(["--version"], ["tesela "])
        self.assertRegex(version, r"^tesela \d+\.\d+\.\d+\n$")
        self.assertEqual(self.assert_prints(["dock", "--version"], []), version)


class Info(CommandTest):
    def test_names_device_and_library(self):
        result = self.run_command("info")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for word in ("cpu", "thread", "fftw", "CUDA", "Left out"):
            self.assertIn(word, result.stdout)

    def test_json_says_the_same(self):
        result = self.run_command("info", "--json", "info.json")
        self.assertEqual(result.returncode, 0)
        with open(self.path("info.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["command"], "info")
        device = report["results"]["devices"][0]
        self.assertEqual(device["name"], "cpu")
        self.assertGreaterEqual(device["threads"], 1)
        self.assertGreater(device["memory"], 1 << 20)
        self.assertIn(device["model"], result.stdout)

    def test_takes_no_arguments(self):
        self.assert_refused(["info", "cpu"], ["'cpu'", "no arguments"])


class Wrong(CommandTest):
    def test_unknown_command(self):
        self.assert_refused(["dok"], ["'dok'", "did you mean dock?"])
        self.assert_refused(["help", "inf"], ["'inf'", "did you mean info?"])
        self.assert_refused(["quantum"], ["'quantum'", "tesela --help"])
        self.assert_refused(["--verbose"], ["unknown option '--verbose'"])

    def test_unknown_option(self):
        pair = ["dock", RECEPTOR, LIGAND, "-o", "out"]
        self.assert_refused([*pair, "--gird", "96"], ["'--gird'", "did you mean --grid?"])
        self.assert_refused([*pair, "--angles=12"], ["'--angles'", "--angle-step?"])
        self.assert_refused([*pair, "--xyzzy"], ["'--xyzzy'", "tesela dock --help"])
        self.assert_refused([*pair, "-x"], ["'-x'"])

    def test_form_of_options(self):
        self.assert_refused(["dock", "--grid"], ["'--grid' needs a value", "N|ftdock"])
        self.assert_refused(["dock", "-o"], ["'-o' needs a value"])
        self.assert_refused(["dock", "--resume=yes"], ["'--resume' takes no value"])
        self.assert_refused(["dock", "--re"], ["'--re'", "several"])

    def test_empty_names(self):
        for option in ("--rhs", "--guess", "-o", "--json", "--figure"):
            self.assert_refused(["solve", "a.mtx", option, ""], [f"{option}: the name is empty"])
        for option in ("--rhs", "--json", "--output"):
            self.assert_refused(["solve", "a.mtx", f"{option}="], [f"{option}: the name is empty"])
        self.assert_refused(["poisson", "a.npy", "-o", ""], ["-o: the name is empty"])
        for arguments in (["solve", ""], ["solve", "--", ""], ["dock", RECEPTOR, "", "-o", "out"]):
            self.assert_refused(arguments, ["an argument is empty", f"tesela {arguments[0]} --help"])

    def test_a_value_may_look_like_an_option(self):
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", "--core", "-2000"],
                            ["--core '-2000'", "-1000 to -1"])

    def test_missing_arguments(self):
        self.assert_refused(["dock"], ["RECEPTOR and LIGAND are missing"])
        self.assert_refused(["dock", RECEPTOR], ["LIGAND is missing"])
        self.assert_refused(["dock", RECEPTOR, LIGAND], ["-o DIR is missing"])
        self.assert_refused(["dock", RECEPTOR, LIGAND, "third", "-o", "out"],
                            ["'third' is one argument too many"])

    def test_what_does_not_go_together(self):
        pair = ["dock", RECEPTOR, LIGAND, "-o", "out"]
        rotations = self.write("rotations", "0 0 0\n")
        self.assert_refused([*pair, "--angle-step", "30", "--rotations", rotations],
                            ["--angle-step does not go with --rotations"])
        self.assert_refused([*pair, "--electrostatics", "trilinear", "--no-electrostatics"],
                            ["--no-electrostatics does not go with --electrostatics"])
        self.assert_refused([*pair, "--list", "pairs.tsv"],
                            ["--list does not go with RECEPTOR and LIGAND"])
        for option in (["--resume"], ["--keep", "2"], ["--angle-step", "12"], ["--batch", "2"]):
            self.assert_refused([*pair, "--rescore", "list", *option],
                                [f"{option[0]} does not go with --rescore"])


class Output(CommandTest):
    def test_a_new_device(self):
        """Said before the work, and nothing is made there."""
        path = "/dev/none.tesela"
        self.assert_refused(["npb", "ep", "--class", "D", "--json", path],
                            ["--json", path, "there is no such device", "choose another path"])
        self.assertFalse(os.path.lexists(path))

    def test_quiet_prints_nothing(self):
        result = self.dock("out", "--quiet")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_summary_and_notes(self):
        result = self.dock("out")
        self.assertIn("rank   score  ES ratio", result.stdout)
        self.assertIn("ms a rotation", result.stdout)
        self.assertIn("out: ftdock_global.dat", result.stdout)
        self.assertIn("memory: ", result.stderr)
        self.assertLess(result.stderr.index("memory: "), result.stderr.index("600 rotations"))

    def test_auto_says_what_it_took(self):
        self.assertRegex(self.dock("out", "--device", "auto").stderr, "device: (cpu|cuda:0)")
        self.assertNotIn("device:", self.dock("out").stderr)

    def test_no_progress_line_on_a_pipe(self):
        self.assertNotIn("\r", self.dock("out").stderr)

    def test_progress_line_on_a_terminal(self):
        master, terminal = os.openpty()
        self.addCleanup(os.close, master)
        process = self.run_command_on(terminal)
        os.close(terminal)
        printed = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            printed += part
        self.assertEqual(process.wait(), 0)
        self.assertRegex(printed.decode(),
                         r"\d+ of 4656 rotations, \d+ %, [\d.]+ a second, .* left")
        # The last line is taken away; messages, such as what a build leaves out, may follow.
        self.assertRegex(printed.rpartition(b" left\x1b[K")[2],
                         rb"\A\r\x1b\[K(tesela: [^\r\n]*\r\n)*\Z")

    def run_command_on(self, terminal):
        return subprocess.Popen(
            [TESELA, "dock", RECEPTOR, LIGAND, "-o", "out", *SMALL[:4], "--angle-step", "15"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=terminal)

    def test_profile_is_a_table(self):
        result = self.dock("out", "--profile")
        self.assertRegex(result.stderr, r"stage +seconds +share")
        self.assertRegex(result.stderr, r"correlate +\d")

    def test_json_on_standard_output_stands_alone(self):
        result = self.dock("out", "--json", "-")
        self.assertEqual(json.loads(result.stdout)["command"], "dock")
        self.assertIn("rank   score", result.stderr)

    def test_json_is_run_json(self):
        self.dock("out", "--json", "copy.json")
        with open(self.path("copy.json"), "rb") as copy, \
                open(self.path("out", "run.json"), "rb") as run:
            self.assertEqual(copy.read(), run.read())

    def test_full_standard_output_is_an_error(self):
        for arguments in (["info"], ["--help"], ["solve", "--help"], ["npb", "ep", "--help"],
                          ["npb", "ep", "--version"], ["info", "--help"]):
            with open("/dev/full", "w", encoding="ascii") as full:
                result = subprocess.run([TESELA, *arguments], stdout=full, stderr=subprocess.PIPE,
                                        text=True, check=False)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("standard output: No space left", result.stderr)

    def test_closed_standard_output_is_an_error(self):
        for arguments in (["info"], ["npb", "ep", "--class", "S", "--device", "cpu"],
                          ["transpose", "--shape", "8,8,8", "--device", "cpu"]):
            result = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', TESELA, *arguments],
                                    stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("standard output: Bad file descriptor", result.stderr)

    def test_files_are_no_standard_streams(self):
        """Closed ones are held, so that no file that is opened later becomes one of them."""
        os.mkfifo(self.path("a.mtx"))
        solve = 'exec "$0" solve a.mtx --device cpu <&- >&- 2>&-'
        with subprocess.Popen(["sh", "-c", solve, TESELA], cwd=self.folder) as process:
            with open(self.path("a.mtx"), "w", encoding="ascii") as file:  # when it is read, too
                held = [os.readlink(f"/proc/{process.pid}/fd/{fd}") for fd in range(3)]
                file.write("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
            self.assertEqual(process.wait(60), 2)
        self.assertEqual(held, ["/dev/null"] * 3)


if __name__ == "__main__":
    unittest.main()
