// Arithmetic and conversions under a rounding mode.  The processor's mode is set around one operation; the
// barriers keep the compiler from moving it.
#include "../../include/sim/rounding.h"

#include <cfenv>
#include <cmath>

namespace sim {
namespace {

int mode_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::rz:
      return FE_TOWARDZERO;
    case Rounding::rd:
      return FE_DOWNWARD;
    case Rounding::ru:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

class Mode {
 public:
  explicit Mode(Rounding rounding) : before_(std::fegetround()) { std::fesetround(mode_of(rounding)); }
  ~Mode() { std::fesetround(before_); }

 private:
  int before_;
};

// In memory, where no optimiser follows a value across a change of mode.
template <class T>
T compute(Arithmetic kind, Rounding rounding, volatile T a, volatile T b, volatile T c) {
  const Mode mode(rounding);
  volatile T result = 0;
  switch (kind) {
    case Arithmetic::add:
      result = a + b;
      break;
    case Arithmetic::sub:
      result = a - b;
      break;
    case Arithmetic::mul:
      result = a * b;
      break;
    case Arithmetic::div:
      result = a / b;
      break;
    case Arithmetic::fma:
      result = std::fma(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c));
      break;
    case Arithmetic::sqrt:
      result = std::sqrt(static_cast<T>(a));
      break;
  }
  return result;
}

template <class To, class From>
To convert(Rounding rounding, volatile From x) {
  const Mode mode(rounding);
  volatile To result = static_cast<To>(x);
  return result;
}

}  // namespace

float rounded(Arithmetic kind, Rounding rounding, float a, float b, float c) {
  return compute<float>(kind, rounding, a, b, c);
}
double rounded(Arithmetic kind, Rounding rounding, double a, double b, double c) {
  return compute<double>(kind, rounding, a, b, c);
}
float to_float(Rounding rounding, double x) { return convert<float, double>(rounding, x); }
float to_float(Rounding rounding, long long x) { return convert<float, long long>(rounding, x); }
float to_float(Rounding rounding, unsigned long long x) {
  // Above 2^63 processors convert by halves, which a directed mode would round twice; long double holds all.
  return convert<float, long double>(rounding, static_cast<long double>(x));
}
double to_double(Rounding rounding, long long x) { return convert<double, long long>(rounding, x); }
double to_double(Rounding rounding, unsigned long long x) {
  return convert<double, long double>(rounding, static_cast<long double>(x));
}

}  // namespace sim
