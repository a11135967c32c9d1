// Floating point: library functions, intrinsics, rounding, conversions.
#define PUT(value) out[__LINE__] = static_cast<double>(value)

__global__ void functions(double* out) {
  const float f = 0.7f;
  const double d = 0.7;
  float s, c;
  double sd, cd;
  PUT(rsqrtf(4.0f));                                          // = 0.5
  PUT(rsqrt(0.25));                                           // = 2
  PUT(rcbrtf(8.0f));                                          // ~ 0.5
  PUT(cbrt(27.0));                                            // ~ 3
  PUT(hypotf(3.0f, 4.0f));                                    // ~ 5
  PUT(rhypot(3.0, 4.0));                                      // ~ 0.2
  PUT(norm3df(1.0f, 2.0f, 2.0f));                             // ~ 3
  PUT(norm3d(1.0, 2.0, 2.0));                                 // ~ 3
  PUT(norm3df(1e30f, 2e30f, 2e30f));                          // ~ 3e30
  PUT(norm4df(1.0f, 1.0f, 1.0f, 1.0f));                       // ~ 2
  PUT(rnorm3df(1.0f, 2.0f, 2.0f));                            // ~ 1/3
  const float v[3] = {2.0f, 3.0f, 6.0f};
  PUT(normf(3, v));                                           // ~ 7
  PUT(erff(f));                                               // ~ math.erf(np.float32(.7))
  PUT(erfcf(f));                                              // ~ math.erfc(np.float32(.7))
  PUT(erfinvf(0.5f));                                         // ~ 0.476936276204469873
  PUT(erfinv(0.999));                                         // ~ 2.32675376551352
  PUT(erfcinv(0.001));                                        // ~ 2.32675376551352
  PUT(erfcxf(30.0f));                                         // ~ 0.018795888861416751
  PUT(normcdff(1.96f));                                       // ~ .5*math.erfc(-np.float32(1.96)/2**.5)
  PUT(normcdfinvf(0.975f));                                   // ~ 1.95996406
  PUT(tgammaf(5.0f));                                         // ~ 24
  PUT(tgamma(0.5));                                           // ~ math.pi**.5
  PUT(lgammaf(10.0f));                                        // ~ math.log(362880)
  PUT(sinpif(0.5f));                                          // = 1
  PUT(sinpi(1.0));                                            // = 0
  PUT(cospif(0.5f));                                          // = 0
  PUT(cospi(1.0));                                            // = -1
  PUT(sinpi(1.25));                                           // ~ -2**-.5
  PUT(cospi(0.25));                                           // ~ 2**-.5
  sincospif(0.25f, &s, &c);
  PUT(s + c);                                                 // ~ 2**.5
  sincosf(f, &s, &c);
  PUT(s * s + c * c);                                         // ~ 1
  sincos(d, &sd, &cd);
  PUT(sd);                                                    // ~ math.sin(.7)
  PUT(exp10f(2.0f));                                          // ~ 100
  PUT(exp2(3.0));                                             // ~ 8
  PUT(expm1f(1e-5f));                                         // ~ math.expm1(np.float32(1e-5))
  PUT(log1pf(1e-5f));                                         // ~ math.log1p(np.float32(1e-5))
  PUT(log2f(8.0f));                                           // ~ 3
  PUT(j0f(1.0f));                                             // ~ 0.765197686557966551
  PUT(cyl_bessel_i0f(1.0f));                                  // ~ 1.26606587775200833
  PUT(fdimf(3.0f, 1.0f));                                     // = 2
  PUT(fmodf(-5.5f, 2.0f));                                    // = -1.5
  PUT(remainderf(5.5f, 2.0f));                                // = -0.5
  PUT(copysignf(3.0f, -0.0f));                                // = -3
  PUT(nextafterf(1.0f, 2.0f));                                // = 1+2**-23
  PUT(ldexpf(1.5f, 4));                                       // = 24
  PUT(ilogbf(9.0f));                                          // = 3
  PUT(rintf(2.5f));                                           // = 2
  PUT(roundf(2.5f));                                          // = 3
  PUT(roundf(-2.5f));                                         // = -3
  PUT(nearbyintf(3.5f));                                      // = 4
  PUT(truncf(-2.7f));                                         // = -2
  PUT(lrintf(2.5f));                                          // = 2
  PUT(llroundf(2.5f));                                        // = 3
  PUT(fmaf(2.0f, 3.0f, 4.0f));                                // = 10
  PUT(powf(2.0f, 10.0f));                                     // ~ 1024
  PUT(isnan(NAN) != 0);                                       // = 1
  PUT(isinf(-INFINITY) != 0);                                 // = 1
  PUT(signbit(-0.0f) != 0);                                   // = 1
  PUT(isfinite(1.0f) != 0);                                   // = 1
}

__global__ void nans(double* out) {
  PUT(fmaxf(NAN, 1.0f));                                      // = 1
  PUT(fminf(1.0f, NAN));                                      // = 1
  PUT(fmax(NAN, NAN));                                        // = np.nan
  PUT(max(NAN, 2.0f));                                        // = 2
  PUT(__saturatef(NAN));                                      // = 0
  PUT(__saturatef(-1.0f));                                    // = 0
  PUT(__saturatef(1.5f));                                     // = 1
  PUT(__saturatef(0.25f));                                    // = 0.25
  PUT(__fdividef(6.0f, 3.0f));                                // ~ 2
  PUT(__fdividef(1.0f, 1.5e38f));                             // = 0
}

__global__ void fast(double* out) {
  float s, c;
  PUT(__expf(1.0f));                                          // ~ math.e
  PUT(__exp10f(1.0f));                                        // ~ 10
  PUT(__logf(10.0f));                                         // ~ math.log(10)
  PUT(__log2f(16.0f));                                        // ~ 4
  PUT(__log10f(1000.0f));                                     // ~ 3
  PUT(__powf(3.0f, 2.0f));                                    // ~ 9
  PUT(isnan(__powf(-3.0f, 2.0f)));                            // = 1
  PUT(__sinf(0.5f));                                          // ~ math.sin(.5)
  PUT(__cosf(0.5f));                                          // ~ math.cos(.5)
  PUT(__tanf(0.5f));                                          // ~ math.tan(.5)
  __sincosf(0.5f, &s, &c);
  PUT(s / c);                                                 // ~ math.tan(.5)
  PUT(__frsqrt_rn(16.0f));                                    // = 0.25
}

__global__ void rounding(double* out) {
  const float one = 1.0f, tiny = 0x1p-30f;
  const double dtiny = 0x1p-60;
  PUT(__fadd_rn(one, tiny));                                  // = 1
  PUT(__fadd_rz(one, tiny));                                  // = 1
  PUT(__fadd_rd(one, tiny));                                  // = 1
  PUT(__fadd_ru(one, tiny));                                  // = 1+2**-23
  PUT(__fadd_rd(-one, -tiny));                                // = -1-2**-23
  PUT(__fsub_rz(one, tiny));                                  // = 1-2**-24
  PUT(__fmul_ru(0.1f, 0.1f) - __fmul_rd(0.1f, 0.1f));         // = 2**-30
  PUT(__fdiv_rn(1.0f, 3.0f));                                 // = np.float32(1)/np.float32(3)
  PUT(__fdiv_ru(1.0f, 3.0f) > __fdiv_rd(1.0f, 3.0f));         // = 1
  PUT(__frcp_rz(3.0f));                                       // = np.nextafter(np.float32(1/3), np.float32(0))
  PUT(__fsqrt_ru(2.0f) > __fsqrt_rd(2.0f));                   // = 1
  PUT(__fmaf_rn(one, one, tiny));                             // = 1
  PUT(__fmaf_ru(one, one, tiny));                             // = 1+2**-23
  PUT(__dadd_ru(1.0, dtiny));                                 // = 1+2**-52
  PUT(__ddiv_rz(2.0, 3.0) < __ddiv_ru(2.0, 3.0));             // = 1
  PUT(__dsqrt_rn(2.0));                                       // = math.sqrt(2)
  PUT(__fma_rn(3.0, 4.0, 5.0));                               // = 17
  PUT(__drcp_rn(4.0));                                        // = 0.25
}

__global__ void conversions(double* out) {
  PUT(__float2int_rn(2.5f));                                  // = 2
  PUT(__float2int_rz(-2.7f));                                 // = -2
  PUT(__float2int_rd(-2.1f));                                 // = -3
  PUT(__float2int_ru(2.1f));                                  // = 3
  PUT(__float2int_rn(1e20f));                                 // = 2**31-1
  PUT(__float2int_rn(-1e20f));                                // = -2**31
  PUT(__float2int_rn(NAN));                                   // = 0
  PUT(__float2uint_rz(-1.0f));                                // = 0
  PUT(__float2uint_rn(3e9f));                                 // = 3e9
  PUT(__float2ll_rz(1e15f));                                  // = float(np.float32(1e15))
  PUT(__double2int_rn(3.5));                                  // = 4
  PUT(__double2uint_ru(1.2));                                 // = 2
  PUT(__double2ll_rd(-1.2));                                  // = -2
  PUT(__double2ull_rz(9.9));                                  // = 9
  PUT(__double2float_rn(0.1));                                // = np.float32(.1)
  PUT(__double2float_rd(0.1) < __double2float_ru(0.1));       // = 1
  PUT(__int2float_rn(16777217));                              // = 16777216
  PUT(__int2float_ru(16777217));                              // = 16777218
  PUT(__int2float_rz(-16777217));                             // = -16777216
  PUT(__uint2float_rd(0xFFFFFFFFu));                          // = 2**32-256
  PUT(__ll2float_rn(1ll << 40));                              // = 2**40
  PUT(__ull2double_rz(0xFFFFFFFFFFFFFFFFull));                // = 2.0**64-2048
  PUT(__ll2double_ru(9007199254740993ll));                    // = 2**53+2
  PUT(__int2double_rn(-7));                                   // = -7
}

void run_functions(long long out) { functions<<<1, 1>>>((double*)out); }
void run_nans(long long out) { nans<<<1, 1>>>((double*)out); }
void run_fast(long long out) { fast<<<1, 1>>>((double*)out); }
void run_rounding(long long out) { rounding<<<1, 1>>>((double*)out); }
void run_conversions(long long out) { conversions<<<1, 1>>>((double*)out); }
