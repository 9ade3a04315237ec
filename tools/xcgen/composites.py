"""Functionals that people know as sums, and which sums are one kernel."""

# Units of code beside those of the formulas alone: the sum of the formulas of these sets.
FUSED = {
    "pbe": ["gga_x_pbe", "gga_c_pbe"],
    "svwn": ["lda_x", "lda_c_vwn"],
    "blyp": ["gga_x_b88", "gga_c_lyp"],
    "b3lyp": ["lda_x", "gga_x_b88", "lda_c_vwn_rpa", "gga_c_lyp"],
    "tpss": ["mgga_x_tpss", "mgga_c_tpss"],
    "scan": ["mgga_x_scan", "mgga_c_scan"],
    "r2scan": ["mgga_x_r2scan", "mgga_c_r2scan"],
    "b3lyp5": ["lda_x", "gga_x_b88", "lda_c_vwn", "gga_c_lyp"],
}

# Units whose code for the CPU is compiled for speed: four vectors side by side, for each instruction set. The others
# have one vector of four numbers, which takes a fifth of the time to compile and some three times as long to run.
WIDE = {"lda_x", "gga_x_pbe", "gga_c_pbe", "gga_x_b88", "gga_c_lyp", "pbe", "svwn", "blyp", "b3lyp", "tpss", "scan", "r2scan"}

# Units whose second derivatives GPUs have.
SECOND_ORDER_ON_GPU = {"pbe"}

# Units whose parts are differentiated one after the other: some more operations, but far fewer values that wait
# at a time. That pays where GPUs would run out of registers.
APART = {"scan", "r2scan", "tpss"}

# Blocks of 128 threads that a multiprocessor of a GPU should hold at a time, by unit, spin and order: as many
# as the registers allow without spilling. Elsewhere the compiler chooses.
RESIDENT = {("pbe", False, 1): 8, ("b3lyp", False, 1): 6, ("scan", False, 1): 5}

NONE = ("0", "0", "0")  # exact exchange: alpha of 1 / r, beta of erf(omega r) / r besides, omega


def plain(terms, exchange=NONE, number=0, libxc=""):
    return number, terms, exchange, libxc


HSE = [("1", "gga_x_wpbeh"), ("-0.25", "gga_x_wpbeh(omega={})"), ("1", "gga_c_pbe")]

# name: (Libxc's number or 0, [(coefficient, set)], exact exchange, Libxc's name)
COMPOSITES = {
    "pbe": plain([("1", "gga_x_pbe"), ("1", "gga_c_pbe")]),
    "pbesol": plain([("1", "gga_x_pbe_sol"), ("1", "gga_c_pbe_sol")]),
    "bp86": plain([("1", "gga_x_b88"), ("1", "gga_c_p86")]),
    "rpbe": plain([("1", "gga_x_rpbe"), ("1", "gga_c_pbe")]),
    "revpbe": plain([("1", "gga_x_pbe_r"), ("1", "gga_c_pbe")]),
    "svwn": plain([("1", "lda_x"), ("1", "lda_c_vwn")]),
    "blyp": plain([("1", "gga_x_b88"), ("1", "gga_c_lyp")]),
    "pw91": plain([("1", "gga_x_pw91"), ("1", "gga_c_pw91")]),
    "am05": plain([("1", "gga_x_am05"), ("1", "gga_c_am05")]),
    "b3lyp": plain([("0.08", "lda_x"), ("0.72", "gga_x_b88"), ("0.19", "lda_c_vwn_rpa"), ("0.81", "gga_c_lyp")],
                   ("0.2", "0", "0"), 402, "hyb_gga_xc_b3lyp"),
    "b3lyp5": plain([("0.08", "lda_x"), ("0.72", "gga_x_b88"), ("0.19", "lda_c_vwn"), ("0.81", "gga_c_lyp")],
                    ("0.2", "0", "0"), 475, "hyb_gga_xc_b3lyp5"),
    "bhandhlyp": plain([("0.5", "gga_x_b88"), ("1", "gga_c_lyp")], ("0.5", "0", "0"), 436, "hyb_gga_xc_bhandhlyp"),
    "cam_b3lyp": plain([("0.35", "gga_x_b88"), ("0.46", "gga_x_ityh(omega=0.33)"), ("0.19", "lda_c_vwn"),
                        ("0.81", "gga_c_lyp")], ("0.19", "0.46", "0.33"), 433, "hyb_gga_xc_cam_b3lyp"),
    "hse03": plain([(c, s.format("0.1889881574842309786")) for c, s in HSE], ("0.25", "-0.25", "0.10606601717798212758"),
                   427, "hyb_gga_xc_hse03"),
    "hse06": plain([(c, s.format("0.11")) for c, s in HSE], ("0.25", "-0.25", "0.11"), 428, "hyb_gga_xc_hse06"),
    "m06_l": plain([("1", "mgga_x_m06_l"), ("1", "mgga_c_m06_l")]),
    "m06_2x": plain([("1", "hyb_mgga_x_m06_2x"), ("1", "mgga_c_m06_2x")]),
    "tpss": plain([("1", "mgga_x_tpss"), ("1", "mgga_c_tpss")]),
    "revtpss": plain([("1", "mgga_x_revtpss"), ("1", "mgga_c_revtpss")]),
    "tpssh": plain([("0.9", "mgga_x_tpss"), ("1", "mgga_c_tpss")], ("0.1", "0", "0"), 457, "hyb_mgga_xc_tpssh"),
    "scan": plain([("1", "mgga_x_scan"), ("1", "mgga_c_scan")]),
    "rscan": plain([("1", "mgga_x_rscan"), ("1", "mgga_c_rscan")]),
    "r2scan": plain([("1", "mgga_x_r2scan"), ("1", "mgga_c_r2scan")]),
    "pbe0": plain([("0.75", "gga_x_pbe"), ("1", "gga_c_pbe")], ("0.25", "0", "0"), 406, "hyb_gga_xc_pbeh"),
}
