"""Functionals that people know as sums, and which sums are one kernel."""

# Units of code beside those of the formulas alone: the sum of the formulas of these sets.
FUSED = {
    "pbe": ["gga_x_pbe", "gga_c_pbe"],
}

# Units whose second derivatives GPUs have.
SECOND_ORDER_ON_GPU = {"pbe"}

# Blocks of 128 threads that a multiprocessor of a GPU should hold at a time, by unit, spin and order: as many
# as the registers allow without spilling. Elsewhere the compiler chooses.
RESIDENT = {("pbe", False, 1): 8}

NONE = ("0", "0", "0")  # exact exchange: alpha, beta, omega

# name: (Libxc's number or 0, [(coefficient, set)], exact exchange)
COMPOSITES = {
    "pbe": (0, [("1", "gga_x_pbe"), ("1", "gga_c_pbe")], NONE),
    "pbesol": (0, [("1", "gga_x_pbe_sol"), ("1", "gga_c_pbe_sol")], NONE),
    "revpbe": (0, [("1", "gga_x_pbe_r"), ("1", "gga_c_pbe")], NONE),
    "pbe0": (406, [("0.75", "gga_x_pbe"), ("1", "gga_c_pbe")], ("0.25", "0", "0")),
}
