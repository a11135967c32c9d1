// Math with one name for float and double.
#pragma once
#include <cmath>

namespace c10::cuda::compat {

using std::abs;
using std::ceil;
using std::copysign;
using std::cos;
using std::erf;
using std::exp;
using std::floor;
using std::log;
using std::log1p;
using std::max;
using std::min;
using std::pow;
using std::sin;
using std::sqrt;
using std::tan;
using std::tanh;

inline float rsqrt(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float div(float x, float y) { return x / y; }
inline double div(double x, double y) { return x / y; }

}  // namespace c10::cuda::compat
