/* Sets of rotations, and a rotation as a matrix. */
#include <math.h>

#include "solvers/dock/dock.h"

enum { DEGREE = 1000000 }; /* 1e-6 degree */

static const double radians = M_PI / 180;

/* FTDock 2.0's value of pi / 180: its lists depend on it in the last digit of a coordinate. */
static const double ftdock_radians = 0.017453293;

tsl_dock_turns tsl_dock_turns_of(const tsl_rotation *rotation)
{
    const int32_t angles[3] = {rotation->twist, rotation->theta, rotation->phi};
    tsl_dock_turns turns;
    for (int i = 0; i < 3; i++) {
        const double angle = angles[i] / (double)DEGREE * ftdock_radians;
        turns.cosine[i] = cos(angle);
        turns.sine[i] = sin(angle);
    }
    return turns;
}

void tsl_dock_matrix(const tsl_rotation *rotation, double m[3][3])
{
    const tsl_dock_turns t = tsl_dock_turns_of(rotation);
    const double *c = t.cosine;
    const double *s = t.sine;
    /* Rz(phi) Ry(theta) Rz(twist) */
    m[0][0] = c[2] * c[1] * c[0] - s[2] * s[0];
    m[0][1] = -c[2] * c[1] * s[0] - s[2] * c[0];
    m[0][2] = c[2] * s[1];
    m[1][0] = s[2] * c[1] * c[0] + c[2] * s[0];
    m[1][1] = -s[2] * c[1] * s[0] + c[2] * c[0];
    m[1][2] = s[2] * s[1];
    m[2][0] = -s[1] * c[0];
    m[2][1] = s[1] * s[0];
    m[2][2] = c[1];
}

/* Whole degrees between neighbours in phi at `theta`, so that they are about `step` apart. */
static int phi_step(int step, int theta)
{
    if (theta == 0 || theta == 180) {
        return 360;
    }
    const double cosine = cos(theta * radians);
    const double sine = sin(theta * radians);
    const double arc = (cos(step * radians) - cosine * cosine) / (sine * sine);
    /* An arc of exactly a whole number of degrees must not fall below it by rounding. */
    int degrees = (int)(acos(fmax(arc, -1.0)) / radians + 1e-9);
    degrees = degrees < 1 ? 1 : degrees;
    while (360 % degrees != 0) {
        degrees--;
    }
    return degrees;
}

int64_t tsl_rotations_step(tsl_rotation *rotations, int step)
{
    if (step < 9 || step > 180 || 180 % step != 0) {
        return TSL_E_ARG;
    }
    int64_t count = 0;
    for (int theta = 0; theta <= 180; theta += step) {
        for (int phi = 0; phi < 360; phi += phi_step(step, theta)) {
            for (int twist = 0; twist < 360; twist += step) {
                if (rotations != NULL) {
                    rotations[count] = (tsl_rotation){twist * DEGREE, theta * DEGREE, phi * DEGREE};
                }
                count++;
            }
        }
    }
    return count;
}

static int32_t whole_turn(double angle)
{
    const int64_t turn = (int64_t)360 * DEGREE;
    const int64_t micro = llrint(angle / radians * 1e6) % turn;
    return (int32_t)(micro < 0 ? micro + turn : micro);
}

/* Angles of the rotation of a unit quaternion w + x i + y j + z k. */
static tsl_rotation from_quaternion(double w, double x, double y, double z)
{
    const double theta = 2 * atan2(sqrt(x * x + y * y), sqrt(w * w + z * z));
    /* phi and twist from their half sum and half difference, each well defined by its own pair */
    const double half_sum = atan2(z, w);
    const double half_difference = atan2(-x, y);
    tsl_rotation rotation;
    rotation.theta = (int32_t)llrint(theta / radians * 1e6);
    rotation.phi = whole_turn(half_sum + half_difference);
    rotation.twist = whole_turn(half_sum - half_difference);
    return rotation;
}

tsl_status tsl_rotations_spiral(tsl_rotation *rotations, int64_t count)
{
    if (count < 1) {
        return TSL_E_ARG;
    }
    const double phi = sqrt(2.0);
    const double psi = 1.533751168755204288118041; /* psi^4 = psi + 4 */
    for (int64_t i = 0; i < count; i++) {
        const double s = (double)i + 0.5;
        const double r = sqrt(s / (double)count);
        const double big_r = sqrt(1 - s / (double)count);
        const double alpha = fmod(2 * M_PI * s / phi, 2 * M_PI);
        const double beta = fmod(2 * M_PI * s / psi, 2 * M_PI);
        rotations[i] =
            from_quaternion(r * sin(alpha), r * cos(alpha), big_r * sin(beta), big_r * cos(beta));
    }
    return TSL_OK;
}

tsl_status tsl_rotation_of_quaternion(tsl_rotation *rotation, const double quaternion[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) {
        square += quaternion[i] * quaternion[i];
    }
    if (!(square > 1e-30) || !isfinite(square)) {
        return TSL_E_ARG;
    }
    const double *q = quaternion;
    *rotation = from_quaternion(q[0], q[1], q[2], q[3]);
    return TSL_OK;
}
