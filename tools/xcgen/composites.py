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

# Units whose second derivatives GPUs have.
SECOND_ORDER_ON_GPU = {"pbe"}

# Units whose parts are differentiated one after the other: some more operations, but far fewer values that wait
# at a time. That pays where GPUs would run out of registers.
APART = {"scan", "r2scan", "tpss"}

# Blocks of 128 threads that a multiprocessor of a GPU should hold at a time, by unit, spin and order: as many
# as the registers allow without spilling. Elsewhere the compiler chooses.
RESIDENT = {("pbe", False, 1): 8, ("b3lyp", False, 1): 6, ("scan", False, 1): 5}

NONE = ("0", "0", "0")  # exact exchange: alpha, beta, omega

# name: (Libxc's number or 0, [(coefficient, set)], exact exchange)
COMPOSITES = {
    "pbe": (0, [("1", "gga_x_pbe"), ("1", "gga_c_pbe")], NONE),
    "pbesol": (0, [("1", "gga_x_pbe_sol"), ("1", "gga_c_pbe_sol")], NONE),
    "bp86": (0, [("1", "gga_x_b88"), ("1", "gga_c_p86")], NONE),
    "rpbe": (0, [("1", "gga_x_rpbe"), ("1", "gga_c_pbe")], NONE),
    "revpbe": (0, [("1", "gga_x_pbe_r"), ("1", "gga_c_pbe")], NONE),
    "svwn": (0, [("1", "lda_x"), ("1", "lda_c_vwn")], NONE),
    "blyp": (0, [("1", "gga_x_b88"), ("1", "gga_c_lyp")], NONE),
    "b3lyp": (402, [("0.08", "lda_x"), ("0.72", "gga_x_b88"), ("0.19", "lda_c_vwn_rpa"), ("0.81", "gga_c_lyp")],
              ("0.2", "0", "0")),
    "b3lyp5": (475, [("0.08", "lda_x"), ("0.72", "gga_x_b88"), ("0.19", "lda_c_vwn"), ("0.81", "gga_c_lyp")],
               ("0.2", "0", "0")),
    "bhandhlyp": (436, [("0.5", "gga_x_b88"), ("1", "gga_c_lyp")], ("0.5", "0", "0")),
    "tpss": (0, [("1", "mgga_x_tpss"), ("1", "mgga_c_tpss")], NONE),
    "tpssh": (457, [("0.9", "mgga_x_tpss"), ("1", "mgga_c_tpss")], ("0.1", "0", "0")),
    "scan": (0, [("1", "mgga_x_scan"), ("1", "mgga_c_scan")], NONE),
    "r2scan": (0, [("1", "mgga_x_r2scan"), ("1", "mgga_c_r2scan")], NONE),
    "pbe0": (406, [("0.75", "gga_x_pbe"), ("1", "gga_c_pbe")], ("0.25", "0", "0")),
}
