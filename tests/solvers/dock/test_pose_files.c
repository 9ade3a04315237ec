#include "solvers/dock/pose_files.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "scratch.h"

#define GOLDEN TSL_SOURCE_DIR "/tests/golden/"

static tsl_context context;

/* ---- FTDock's list ------------------------------------------------------------------------ */

static tsl_pose_list read_list(const char *path)
{
    tsl_pose_list list;
    const tsl_status status = tsl_ftdock_read(&context, path, &list);
    if (status != TSL_OK) {
        fail_msg("%s", context.error);
    }
    return list;
}

static tsl_pose_list read_text(const char *text)
{
    scratch_write_text(scratch_path("list.dat"), text);
    return read_list(scratch_path("list.dat"));
}

static void assert_same_file(const char *a, const char *b)
{
    size_t a_bytes;
    size_t b_bytes;
    char *a_data = scratch_read(a, &a_bytes);
    char *b_data = scratch_read(b, &b_bytes);
    assert_int_equal(a_bytes, b_bytes);
    assert_memory_equal(a_data, b_data, a_bytes);
    free(a_data);
    free(b_data);
}

/* The original's files come out byte for byte as they went in. */
static void test_originals(void **state)
{
    (void)state;
    static const char *const files[] = {GOLDEN "trypsin-bpti.grid96-step20.exact.dat",
                                        GOLDEN "trypsin-bpti.grid96-step20.ftdock.dat"};
    for (int i = 0; i < 2; i++) {
        tsl_pose_list list = read_list(files[i]);
        assert_int_equal(list.count, 5940);
        assert_null(list.previous);
        const char *copy = scratch_path("copy.dat");
        assert_int_equal(tsl_ftdock_write(&context, copy, &list, -100), TSL_OK);
        assert_same_file(copy, files[i]);
        tsl_pose_list_free(&list);
    }
}

static void test_head_and_rows(void **state)
{
    (void)state;
    tsl_pose_list list = read_list(GOLDEN "trypsin-bpti.grid96-step20.exact.dat");
    const tsl_pose_list_head *head = &list.head;
    assert_string_equal(head->receptor, "trypsin.parsed");
    assert_string_equal(head->ligand, "bpti.parsed");
    assert_int_equal(head->grid, 96);
    assert_int_equal(head->angle_step, 20);
    assert_true(head->grid_given && head->angle_step_given);
    assert_false(head->surface_given || head->core_given || head->electrostatics_given ||
                 head->keep_given);
    assert_string_equal(head->rotations_from, "");
    assert_true(head->surface == 1.3);
    assert_int_equal(head->core, -15);
    assert_int_equal(head->electrostatics, TSL_ELECTROSTATICS_FTDOCK);
    assert_int_equal(head->keep, 3);
    assert_int_equal(head->rotations, 1980);
    assert_true(head->span == 104.333 && head->spacing == 1.087);
    const tsl_pose *pose = &list.poses[1];
    assert_int_equal(pose->score, 58);
    assert_int_equal(pose->shift[0], 12);
    assert_int_equal(pose->shift[1], -27);
    assert_int_equal(pose->shift[2], -8);
    assert_int_equal(pose->rotation.twist, 0);
    assert_int_equal(pose->rotation.theta, 100000000);
    assert_int_equal(pose->rotation.phi, 320000000);
    assert_true(pose->energy == -9.358);
    tsl_pose_list_free(&list);
    assert_null(list.poses);
}

static tsl_pose_list_head other_head(void)
{
    tsl_pose_list_head head = {.receptor = "in/my receptor (1).pdb",
                               .ligand = "ligand\tof mine.cif",
                               .grid = 128,
                               .rotations_from = "spiral:54000",
                               .surface = 1.5,
                               .surface_given = true,
                               .core = -100,
                               .core_given = true,
                               .electrostatics = TSL_ELECTROSTATICS_TRILINEAR,
                               .electrostatics_given = true,
                               .keep = 1,
                               .keep_given = true,
                               .rotations = 54000,
                               .span = 128,
                               .spacing = 1};
    return head;
}

/* What the original has no words for stays in its lines "key :: value". */
static void test_other_heads(void **state)
{
    (void)state;
    const char *path = scratch_path("other.dat");
    tsl_pose poses[2] = {{60, {1, -2, 63}, {123456789, 90000000, 359999999}, -2.5},
                         {59, {0, 0, 0}, {1, 500000, 10000001}, 1e-9}};
    int64_t previous[2] = {7, 12345678};
    tsl_pose_list list = {other_head(), 2, poses, previous, NULL};
    assert_int_equal(tsl_ftdock_write(&context, path, &list, -5), TSL_OK);
    char *text = scratch_read(path, NULL);
    assert_contains(text, "\nStatic molecule                    :: my receptor (1).pdb\n");
    assert_contains(text, "\nMobile molecule                    :: ligand_of mine.cif\n");
    assert_contains(text, "\nGlobal grid size                   ::    128      (default)\n");
    assert_contains(text, "\nGlobal search angle step           ::      0      (spiral:54000)\n");
    assert_contains(text, "\nGlobal surface thickness           ::      1.50   (user defined)\n");
    assert_contains(text, "\nGlobal internal deterrent value    ::   -100.00   (user defined)\n");
    assert_contains(text, "\nElectrostatics                     :: trilinear   (user defined)\n");
    assert_contains(text, "\nGlobal keep per rotation           ::      1      (user defined)\n");
    assert_contains(text, "\nG_DATA      1        7         60         50.000         1   -2   63"
                          "       123.456789  90 359.999999\n");
    assert_contains(text, "\nG_DATA      2   12345678         59          0.000         0    0    0"
                          "         0.000001   0.500000  10.000001\n");
    free(text);
    tsl_pose_list back = read_list(path);
    assert_int_equal(back.count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(back.poses[i].score, poses[i].score);
        assert_memory_equal(back.poses[i].shift, poses[i].shift, sizeof poses[i].shift);
        assert_memory_equal(&back.poses[i].rotation, &poses[i].rotation, sizeof(tsl_rotation));
        assert_int_equal(back.previous[i], previous[i]);
    }
    assert_true(back.poses[0].energy == -50);
    assert_string_equal(back.head.receptor, "my receptor (1).pdb");
    assert_string_equal(back.head.rotations_from, "spiral:54000");
    assert_int_equal(back.head.angle_step, 0);
    assert_int_equal(back.head.electrostatics, TSL_ELECTROSTATICS_TRILINEAR);
    assert_int_equal(back.head.core, -100);
    tsl_pose_list_free(&back);
}

static void test_no_electrostatics(void **state)
{
    (void)state;
    const char *path = scratch_path("off.dat");
    tsl_pose pose = {60, {1, -2, 63}, {0, 0, 0}, -2.5};
    tsl_pose_list list = {other_head(), 1, &pose, NULL, NULL};
    list.head.electrostatics = TSL_ELECTROSTATICS_OFF;
    assert_int_equal(tsl_ftdock_write(&context, path, &list, -5), TSL_OK);
    char *text = scratch_read(path, NULL);
    assert_contains(text, "\nElectrostatics                     ::    off      (user defined)\n");
    assert_contains(text, " 60          0.000  ");
    free(text);
    list.head.electrostatics = TSL_ELECTROSTATICS_FTDOCK;
    assert_int_equal(tsl_ftdock_write(&context, path, &list, 0), TSL_OK);
    text = scratch_read(path, NULL);
    assert_contains(text, " 60          0.000  ");
    free(text);
    list.count = 0;
    assert_int_equal(tsl_ftdock_write(&context, path, &list, 0), TSL_OK);
    tsl_pose_list back = read_list(path);
    assert_int_equal(back.count, 0);
    assert_int_equal(back.head.grid, 128);
    tsl_pose_list_free(&back);
}

static void test_scratch_and_log(void **state)
{
    (void)state;
    tsl_pose_list list = read_text(
        "G_DATA      1        0        146       -1234        -1  -12  -42         0   0   0\r\n"
        "G_DATA      1        0          0       -0         0    0    0         0   0   0");
    assert_int_equal(list.count, 2);
    assert_true(list.poses[0].energy == -1234);
    assert_true(list.poses[1].energy == 0 && !signbit(list.poses[1].energy));
    assert_int_equal(list.head.grid, 0);
    tsl_pose_list_free(&list);
    list = read_text("Starting FTDock (v2.0) global search program\n"
                     "Grid size = 134\n"
                     ".G_DATA      1        0        146         -1  -12  -42         0   0   0\n"
                     "G_DATA      1        0        144         11  -27  -28        12   0   0\n"
                     "PCA STOPS HERE\n");
    assert_int_equal(list.count, 2);
    assert_int_equal(list.poses[0].shift[2], -42);
    assert_int_equal(list.poses[1].rotation.twist, 12000000);
    assert_true(list.poses[1].energy == 0);
    tsl_pose_list_free(&list);
    /* Rows cut out of a list. */
    list = read_text("G_DATA 1 0 60 22.241 7 -10 25 260 120 0\n");
    assert_true(list.poses[0].energy == -22.241);
    tsl_pose_list_free(&list);
}

static void test_carriage_returns(void **state)
{
    (void)state;
    size_t bytes;
    const char *original = GOLDEN "trypsin-bpti.grid96-step20.exact.dat";
    char *text = scratch_read(original, &bytes);
    FILE *file = fopen(scratch_path("dos.dat"), "wb");
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\n') {
            fputc('\r', file);
        }
        fputc(text[i], file);
    }
    fclose(file);
    free(text);
    tsl_pose_list list = read_list(scratch_path("dos.dat"));
    assert_int_equal(tsl_ftdock_write(&context, scratch_path("unix.dat"), &list, -100), TSL_OK);
    assert_same_file(scratch_path("unix.dat"), original);
    tsl_pose_list_free(&list);
}

/* Rz(phi) Ry(theta) Rz(twist). */
static void matrix_of(const tsl_rotation *rotation, double m[3][3])
{
    const double unit = 1e-6 * M_PI / 180;
    const double a = rotation->phi * unit;
    const double b = rotation->theta * unit;
    const double c = rotation->twist * unit;
    m[0][0] = cos(a) * cos(b) * cos(c) - sin(a) * sin(c);
    m[0][1] = -cos(a) * cos(b) * sin(c) - sin(a) * cos(c);
    m[0][2] = cos(a) * sin(b);
    m[1][0] = sin(a) * cos(b) * cos(c) + cos(a) * sin(c);
    m[1][1] = -sin(a) * cos(b) * sin(c) + cos(a) * cos(c);
    m[1][2] = sin(a) * sin(b);
    m[2][0] = -sin(b) * cos(c);
    m[2][1] = sin(b) * sin(c);
    m[2][2] = cos(b);
}

static void test_angles(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tsl_rotation read; /* in range, exactly */
        tsl_rotation same; /* the angles as written */
    } rows[] = {
        {"12.5 0.000001 359.999999", {12500000, 1, 359999999}, {12500000, 1, 359999999}},
        {".5 5. +7", {500000, 5000000, 7000000}, {500000, 5000000, 7000000}},
        {"1.1000000 0 0", {1100000, 0, 0}, {1100000, 0, 0}},
        {"-10 20 -30.25", {350000000, 20000000, 329750000}, {-10000000, 20000000, -30250000}},
        {"360 180 725", {0, 180000000, 5000000}, {360000000, 180000000, 725000000}},
        {"10 200 30", {190000000, 160000000, 210000000}, {10000000, 200000000, 30000000}},
        {"10 -20 350", {190000000, 20000000, 170000000}, {10000000, -20000000, 350000000}},
        {"0 360 0", {0, 0, 0}, {0, 360000000, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[128];
        double read[3][3];
        double same[3][3];
        snprintf(text, sizeof text, "G_DATA 1 0 60 0 7 -10 25 %s\n", rows[i].text);
        tsl_pose_list list = read_text(text);
        assert_memory_equal(&list.poses[0].rotation, &rows[i].read, sizeof(tsl_rotation));
        matrix_of(&list.poses[0].rotation, read);
        matrix_of(&rows[i].same, same);
        for (int j = 0; j < 9; j++) {
            assert_true(fabs(read[j / 3][j % 3] - same[j / 3][j % 3]) < 1e-12);
        }
        tsl_pose_list_free(&list);
    }
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *error;
    } rows[] = {
        {"", "the file is empty"},
        {"ATOM      1  N   ILE E  16\n", "not a list of poses"},
        {"\nG_DATA 1 0 60 22 7 -10 25 260 120 0\n"
         "G_DATA 2 0 60 22 7 -10 25 260 120\n",
         ":3: a row of a list has G_DATA and 10 numbers"},
        {"G_DATA 1 0 60 7 -10 25 260 120 0\n"
         "G_DATA 2 0 60 22 7 -10 25 260 120 0\n",
         ":2: a row of this log has G_DATA and 9 numbers"},
        {"FTDOCK data file\n\n"
         "G_DATA 2 0 60 22.2 7 -10 25 260\n",
         ":3: a row of a list has G_DATA and 10 numbers"},
        {"G_DATA 1 0 60 22.2 7 -10 25 260 120 0 9\n", ":1: a row of a list has"},
        {"G_DATA\n", ":1: a row of a list has"},
        {"G_DATA 1 0 60 x 7 -10 25 260 120 0\n", ":1: the electrostatic ratio is no number: 'x'"},
        {"G_DATA 1 0 60 nan 7 -10 25 260 120 0\n", ":1: the electrostatic ratio is no number"},
        {"G_DATA 1 0 60.5 1 7 -10 25 260 120 0\n", ":1: not an integer: '60.5'"},
        {"G_DATA 1 0 3000000000 1 7 -10 25 260 120 0\n", ":1: not an integer: '3000000000'"},
        {"G_DATA 1 0 60 1 7 -10 2e1 260 120 0\n", ":1: not an integer: '2e1'"},
        {"G_DATA 1 0 60 1 7 -10 25 260 120 0.1234567\n", ":1: not an angle in degrees"},
        {"G_DATA 1 0 60 1 7 -10 25 260 1.2.3 0\n", ":1: not an angle in degrees"},
        {"G_DATA 1 0 60 1 7 -10 25 - 120 0\n", ":1: not an angle in degrees"},
        {"G_DATA 1 0 60 1 7 -10 25 . 120 0\n", ":1: not an angle in degrees"},
        {"G_DATA 1 0 60 1 7 -10 25 1e2 120 0\n", ":1: not an angle in degrees"},
        {"G_DATA 1 0 60 1 7 -10 25 10000 120 0\n", ":1: not an angle in degrees"},
        {"G_DATA 1 0 60 1 7 -10 25 99999999999999999999 1 0\n", ":1: not an angle in degrees"},
        {"FTDOCK data file\nType ID\n\nG_DATX 1 0 60 1 7 -10 25 1 1 0\n",
         ":4: a row of a list starts with G_DATA: 'G_DATX"},
        {"FTDOCK data file\nGlobal grid size :: 9o\n", ":2: malformed value in the head"},
        {"FTDOCK data file\nGlobal grid size ::\n", ":2: malformed value in the head"},
        {"FTDOCK data file\nElectrostatics :: some\n", ":2: malformed value in the head"},
        {"FTDOCK data file\nGlobal internal deterrent value :: -1.5\n", ":2: malformed value"},
        {"FTDOCK data file\nGlobal total span (angstroms) :: wide\n", ":2: malformed value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tsl_pose_list list;
        scratch_write_text(scratch_path("bad.dat"), rows[i].text);
        assert_int_equal(tsl_ftdock_read(&context, scratch_path("bad.dat"), &list), TSL_E_FORMAT);
        assert_error_names(&context, "bad.dat:");
        assert_error_names(&context, rows[i].error);
        assert_null(list.poses);
        assert_int_equal(list.count, 0);
    }
    tsl_pose_list list;
    assert_int_equal(tsl_ftdock_read(&context, scratch_path("none.dat"), &list), TSL_E_IO);
    assert_error_names(&context, "none.dat");
}

/* Cut anywhere, a list is read or refused; no row is made up. */
static void test_cut_short(void **state)
{
    (void)state;
    size_t bytes;
    char *text = scratch_read(GOLDEN "trypsin-bpti.grid96-step20.exact.dat", &bytes);
    for (size_t cut = 0; cut < 1500; cut++) {
        tsl_pose_list list;
        scratch_write(scratch_path("cut.dat"), text, cut);
        if (tsl_ftdock_read(&context, scratch_path("cut.dat"), &list) == TSL_OK) {
            assert_true(list.count <= (int64_t)cut / 80);
            tsl_pose_list_free(&list);
        } else {
            assert_error_names(&context, "cut.dat:");
        }
    }
    free(text);
}

/* ---- ZDOCK's list ------------------------------------------------------------------------- */

static const tsl_dock_summary summary = {.grid = 96,
                                         .spacing = 104.333 / 96,
                                         .span = 104.333,
                                         .receptor_centre = {12.5, -3.25, 40.125},
                                         .ligand_centre = {-7.5, 100.0625, 1}};

static void rotate(int axis, double angle, double p[3])
{
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    const double a = p[i];
    p[i] = cos(angle) * a - sin(angle) * p[j];
    p[j] = sin(angle) * a + cos(angle) * p[j];
}

/* What tools that read ZDOCK's lists do with a row. */
static void place(const char *row, double p[3])
{
    double psi;
    double theta;
    double phi;
    double score;
    int t[3];
    assert_int_equal(sscanf(row, "%lf\t%lf\t%lf\t%d\t%d\t%d\t%lf", &psi, &theta, &phi, &t[0], &t[1],
                            &t[2], &score),
                     7);
    assert_true(psi > -M_PI - 1e-6 && psi < M_PI + 1e-6);
    assert_true(phi > -M_PI - 1e-6 && phi < M_PI + 1e-6);
    for (int i = 0; i < 3; i++) {
        p[i] -= summary.ligand_centre[i];
    }
    rotate(2, phi, p);
    rotate(0, theta, p);
    rotate(2, psi, p);
    for (int i = 0; i < 3; i++) {
        assert_true(t[i] >= 0 && t[i] < summary.grid);
        t[i] -= t[i] >= summary.grid / 2 ? summary.grid : 0;
        p[i] += summary.receptor_centre[i] - summary.spacing * t[i];
    }
}

static void assert_row_places(const char *row, const tsl_pose *pose)
{
    double m[3][3];
    matrix_of(&pose->rotation, m);
    for (int k = 0; k < 4; k++) {
        const double atom[3] = {10.0 * (k == 1) - 7, 20.0 * (k == 2) + 90, -15.0 * (k == 3)};
        double got[3] = {atom[0], atom[1], atom[2]};
        place(row, got);
        for (int i = 0; i < 3; i++) {
            double expected = summary.receptor_centre[i] + summary.spacing * pose->shift[i];
            for (int j = 0; j < 3; j++) {
                expected += m[i][j] * (atom[j] - summary.ligand_centre[j]);
            }
            assert_true(fabs(got[i] - expected) < 1e-4);
        }
    }
}

static void test_zdock(void **state)
{
    (void)state;
    enum { POSES = 200 };
    tsl_pose poses[POSES];
    uint32_t seed = 7;
    for (int i = 0; i < POSES; i++) {
        uint32_t r[6];
        for (int j = 0; j < 6; j++) {
            seed = seed * 1664525 + 1013904223;
            r[j] = seed >> 8;
        }
        poses[i] = (tsl_pose){.score = 300 - i,
                              .shift = {(int32_t)(r[0] % 96) - 47, (int32_t)(r[1] % 96) - 47,
                                        (int32_t)(r[2] % 96) - 47},
                              .rotation = {(int32_t)(r[3] * 21 % 360000000),
                                           (int32_t)(r[4] * 21 % 180000001),
                                           (int32_t)(r[5] * 21 % 360000000)}};
    }
    poses[0].shift[0] = 48; /* both ends of a shift's range */
    poses[0].shift[1] = -47;
    poses[0].shift[2] = 0;
    poses[1].rotation = (tsl_rotation){0, 0, 0};
    poses[2].rotation = (tsl_rotation){270000000, 180000000, 90000000};
    poses[3].rotation = (tsl_rotation){359999999, 90000000, 359999999};
    tsl_pose_list list = {other_head(), POSES, poses, NULL, NULL};
    const char *path = scratch_path("zdock.out");
    assert_int_equal(tsl_zdock_write(&context, path, &list, &summary), TSL_OK);
    char *text = scratch_read(path, NULL);
    const char *head = "96\t1.08680208\n"
                       "0.000000\t0.000000\t0.000000\n"
                       "my_receptor_(1).pdb\t12.500000\t-3.250000\t40.125000\n"
                       "ligand_of_mine.cif\t-7.500000\t100.062500\t1.000000\n";
    assert_memory_equal(text, head, strlen(head));
    char *row = text + strlen(head);
    assert_contains(row, "\t48\t47\t0\t300.000\n");
    for (int i = 0; i < POSES; i++) {
        char *end = strchr(row, '\n');
        assert_non_null(end);
        *end = 0;
        assert_row_places(row, &poses[i]);
        row = end + 1;
    }
    assert_int_equal(*row, 0);
    free(text);
}

/* ---- failures ----------------------------------------------------------------------------- */

static tsl_status read_with(tsl_context *own, void *user)
{
    (void)user;
    tsl_pose_list list;
    const tsl_status status =
        tsl_ftdock_read(own, GOLDEN "trypsin-bpti.grid96-step20.exact.dat", &list);
    tsl_pose_list_free(&list);
    return status;
}

static tsl_status write_with(tsl_context *own, void *user)
{
    return tsl_ftdock_write(own, scratch_path("memory.dat"), user, -1);
}

static tsl_status write_zdock_with(tsl_context *own, void *user)
{
    return tsl_zdock_write(own, scratch_path("memory.out"), user, &summary);
}

static void test_failures(void **state)
{
    (void)state;
    tsl_pose pose = {60, {1, -2, 63}, {0, 0, 0}, -2.5};
    tsl_pose_list list = {other_head(), 1, &pose, NULL, NULL};
    assert_survives_no_memory(read_with, NULL);
    assert_survives_no_memory(write_with, &list);
    assert_survives_no_memory(write_zdock_with, &list);
    assert_int_equal(tsl_ftdock_write(&context, "/dev/full", &list, -1), TSL_E_IO);
    assert_error_names(&context, "/dev/full: cannot write: No space");
    assert_int_equal(tsl_zdock_write(&context, "/dev/full", &list, &summary), TSL_E_IO);
    assert_error_names(&context, "/dev/full: cannot write: No space");
    assert_int_equal(tsl_ftdock_write(&context, scratch_path("no/x"), &list, -1), TSL_E_IO);
    assert_int_equal(tsl_zdock_write(&context, scratch_path("no/x"), &list, &summary), TSL_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_originals),       cmocka_unit_test(test_head_and_rows),
        cmocka_unit_test(test_other_heads),     cmocka_unit_test(test_no_electrostatics),
        cmocka_unit_test(test_scratch_and_log), cmocka_unit_test(test_carriage_returns),
        cmocka_unit_test(test_angles),          cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_cut_short),       cmocka_unit_test(test_zdock),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
