// Functions that CUDA has and the C library lacks, in double.
#include <cmath>
#include <limits>

namespace sim::special {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kTwoOverRootPi = 1.12837916709551257390;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double erfcx(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  // The asymptotic series, whose terms vanish below double's precision here.
  const double half = 1 / (2 * x * x);
  return kTwoOverRootPi / 2 / x * (1 - half * (1 - 3 * half * (1 - 5 * half)));
}

// Newton's steps on log(erfc), which is nearly straight for large arguments.
double erfcinv(double y) {
  if (!(y >= 0 && y <= 2)) return kNan;
  if (y == 0) return kInfinity;
  if (y == 2) return -kInfinity;
  if (y > 1) return -erfcinv(2 - y);
  double x = y > 0.5 ? (1 - y) / kTwoOverRootPi : std::sqrt(-std::log(y));
  for (int i = 0; i < 60; ++i) {
    const double step = (std::log(std::erfc(x)) - std::log(y)) * erfcx(x) / kTwoOverRootPi;
    x += step;
    if (std::fabs(step) <= 1e-17 * std::fabs(x)) break;
  }
  return x;
}

double erfinv(double y) {
  if (!(y >= -1 && y <= 1)) return kNan;
  if (std::fabs(y) > 0.5) return y > 0 ? erfcinv(1 - y) : -erfcinv(1 + y);
  double x = y / kTwoOverRootPi;
  for (int i = 0; i < 60; ++i) {
    const double step = (std::erf(x) - y) / (kTwoOverRootPi * std::exp(-x * x));
    x -= step;
    if (std::fabs(step) <= 1e-17 * std::fabs(x)) break;
  }
  return x;
}

double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2 * p); }

// Exact at multiples of a half.
double sinpi(double x) {
  if (!std::isfinite(x)) return kNan;
  const double r = std::remainder(x, 2.0);  // in [-1, 1]
  if (r == 0 || std::fabs(r) == 1) return std::copysign(0.0, x);
  const double a = std::fabs(r), folded = a > 0.5 ? 1 - a : a;
  const double s = folded > 0.25 ? std::cos(kPi * (0.5 - folded)) : std::sin(kPi * folded);
  return r < 0 ? -s : s;
}

double cospi(double x) {
  if (!std::isfinite(x)) return kNan;
  const double a = std::fabs(std::remainder(x, 2.0));
  if (a == 0.5) return 0.0;
  return a > 0.5 ? -sinpi(a - 0.5) : sinpi(0.5 - a);
}

double cyl_bessel_i0(double x) { return std::cyl_bessel_i(0.0, std::fabs(x)); }
double cyl_bessel_i1(double x) { return std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x); }

double norm(int count, const double* values) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum = std::hypot(sum, values[i]);
  return sum;
}

}  // namespace sim::special
