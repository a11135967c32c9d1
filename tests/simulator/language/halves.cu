// CUDA's 16-bit floats with the flags that PyTorch gives nvcc: no operators on __half, no conversions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define PUT(value) out[__LINE__] = static_cast<double>(value)

__global__ void half_type(double* out) {
  const __half a = __float2half(1.5f), b = __float2half(-2.0f), nan = __ushort_as_half(0x7FFF);
  PUT(__half2float(a));                                       // = 1.5
  PUT(__half_as_ushort(__float2half(1.0f)));                  // = 0x3C00
  PUT(__half_as_ushort(__float2half(65520.0f)));              // = 0x7C00
  PUT(__half_as_ushort(__float2half(65519.0f)));              // = 0x7BFF
  PUT(__half_as_ushort(__float2half(0x1p-24f)));              // = 1
  PUT(__half_as_ushort(__float2half(0x1p-25f)));              // = 0
  PUT(__half_as_ushort(__float2half(-0.0f)));                 // = 0x8000
  PUT(__half2float(__float2half(2049.0f)));                   // = 2048
  PUT(__half2float(__float2half_ru(2049.0f)));                // = 2050
  PUT(__half2float(__float2half_rd(-2049.0f)));               // = -2050
  PUT(__half2float(__float2half_rz(1e6f)));                   // = 65504
  PUT(__half2float(__double2half(0.1)));                      // = np.float16(.1)
  PUT(__half2float(__hadd(a, b)));                            // = -0.5
  PUT(__half2float(__hsub(a, b)));                            // = 3.5
  PUT(__half2float(__hmul(a, b)));                            // = -3
  PUT(__half2float(__hdiv(a, b)));                            // = -0.75
  PUT(__half2float(__hfma(a, b, a)));                         // = -1.5
  PUT(__half2float(__hneg(a)));                               // = -1.5
  PUT(__half2float(__habs(b)));                               // = 2
  PUT(__half2float(__hadd_sat(a, a)));                        // = 1
  PUT(__half2float(__hfma_relu(a, b, a)));                    // = 0
  PUT(__half2float(__hmax(a, nan)));                          // = 1.5
  PUT(__hisnan(__hmax_nan(a, nan)));                          // = 1
  PUT(__half2float(__hmin(a, b)));                            // = -2
  PUT(__hlt(b, a) + 2 * __hge(b, a) + 4 * __heq(a, a) + 8 * __hne(a, nan) + 16 * __hneu(a, nan));  // = 21
  PUT(__hisinf(__float2half(-1e6f)));                         // = -1
  PUT(__half2float(hsqrt(__float2half(2.25f))));              // = 1.5
  PUT(__half2float(hexp(__float2half(1.0f))));                // = np.float16(math.e)
  PUT(__half2float(hlog2(__float2half(8.0f))));               // = 3
  PUT(__half2float(hrsqrt(__float2half(4.0f))));              // = 0.5
  PUT(__half2float(hrcp(__float2half(4.0f))));                // = 0.25
  PUT(__half2float(hfloor(a)) + __half2float(hceil(a)));      // = 3
  PUT(__half2float(hrint(__float2half(2.5f))));               // = 2
  PUT(__half2int_rn(__float2half(2.5f)));                     // = 2
  PUT(__half2int_rz(b) + __half2int_ru(a) + __half2int_rd(a));  // = 1
  PUT(__half2short_rn(__ushort_as_half(0x7C00)));             // = 32767
  PUT(__half2uint_rz(b));                                     // = 0
  PUT(__half2float(__int2half_rn(2049)));                     // = 2048
  PUT(__half2float(__int2half_ru(2049)));                     // = 2050
  PUT(__half2float(__ll2half_rz(-2049ll)));                   // = -2048
  PUT(__half2float(__ushort2half_rn(7)));                     // = 7
  PUT(sizeof(__half) + sizeof(half2));                        // = 6
  PUT(alignof(__half2));                                      // = 4
}

__global__ void half_pairs(double* out) {
  const __half2 p = __floats2half2_rn(1.0f, -2.0f), q = __float2half2_rn(3.0f);
  PUT(__low2float(__hadd2(p, q)) + 10 * __high2float(__hadd2(p, q)));  // = 14
  PUT(__high2float(__hmul2(p, q)));                           // = -6
  PUT(__high2float(__hfma2(p, q, p)));                        // = -8
  PUT(__low2float(__h2div(q, p)));                            // = 3
  PUT(__half22float2(p).y);                                   // = -2
  PUT(__half2float(__high2half(p)));                          // = -2
  PUT(__low2float(__lowhigh2highlow(p)));                     // = -2
  PUT(__high2float(__lows2half2(p, q)));                      // = 3
  PUT(__low2float(__half2half2(__float2half(4.0f))));         // = 4
  PUT(__high2float(__halves2half2(__float2half(4.0f), __float2half(5.0f))));  // = 5
  PUT(__high2float(make_half2(__float2half(4.0f), __float2half(6.0f))));  // = 6
  PUT(__hbeq2(p, p) + 2 * __hblt2(p, q) + 4 * __hbgt2(p, q));  // = 3
  PUT(__low2float(__hgt2(q, p)));                             // = 1
  PUT(__hgt2_mask(p, __float2half2_rn(0.0f)));                // = 0xFFFF
  PUT(__high2float(__hmax2(p, q)) + __high2float(__hmin2(p, q)));  // = 1
  PUT(__high2float(__habs2(p)) + __high2float(__hneg2(p)));   // = 4
  PUT(__low2float(h2exp2(q)));                                // = 8
  PUT(__half2float(p.x) + __half2float(p.y));                 // = -1
  PUT(__low2float(__hcmadd(p, p, q)));                        // = 1*1-4+3
}

__global__ void bfloat(double* out) {
  const __nv_bfloat16 a = __float2bfloat16(1.5f), b = __float2bfloat16(-2.0f);
  PUT(__bfloat162float(a + b));                               // = -0.5
  PUT(__bfloat162float(a * b - a / b));                       // = -2.25
  PUT(a > b);                                                 // = 1
  PUT(__bfloat16_as_ushort(__float2bfloat16(1.0f)));          // = 0x3F80
  PUT(__bfloat162float(__float2bfloat16(257.0f)));            // = 256
  PUT(__bfloat162float(__float2bfloat16_ru(257.0f)));         // = 258
  PUT(__bfloat162float(__float2bfloat16_rz(-257.0f)));        // = -256
  PUT(__bfloat162float(__hfma(a, b, a)));                     // = -1.5
  PUT(__bfloat162float(__hmax(a, b)));                        // = 1.5
  PUT(__bfloat162float(hexp(__float2bfloat16(0.0f))));        // = 1
  PUT(__bfloat162int_rn(__float2bfloat16(3.5f)));             // = 4
  PUT(__bfloat162float(__int2bfloat16_rn(257)));              // = 256
  const __nv_bfloat162 p = __floats2bfloat162_rn(1.0f, -2.0f);
  PUT(__high2float(__hadd2(p, p)));                           // = -4
  PUT(__high2float(p * p));                                   // = 4
  PUT(__bfloat1622float2(p).x);                               // = 1
  PUT(__bfloat162float(__low2bfloat16(p)));                   // = 1
  PUT(__high2float(__bfloat162bfloat162(a)));                 // = 1.5
  __nv_bfloat16 c = a;
  c += b;
  PUT(__bfloat162float(c));                                   // = -0.5
}

void run_half_type(long long out) { half_type<<<1, 1>>>((double*)out); }
void run_half_pairs(long long out) { half_pairs<<<1, 1>>>((double*)out); }
void run_bfloat(long long out) { bfloat<<<1, 1>>>((double*)out); }
