// Integer intrinsics.
#define PUT(value) out[__LINE__] = static_cast<double>(value)

__global__ void bits(double* out) {
  PUT(__popc(0xF0F0u));                                       // = 8
  PUT(__popcll(0xF000000000000001ull));                       // = 5
  PUT(__clz(1));                                              // = 31
  PUT(__clz(0));                                              // = 32
  PUT(__clz(-1));                                             // = 0
  PUT(__clzll(1ll));                                          // = 63
  PUT(__clzll(0ll));                                          // = 64
  PUT(__ffs(0));                                              // = 0
  PUT(__ffs(0x80));                                           // = 8
  PUT(__ffsll(1ll << 40));                                    // = 41
  PUT(__brev(1u));                                            // = 2**31
  PUT(__brev(0x0000FFFFu));                                   // = 0xFFFF0000
  PUT(__brevll(2ull));                                        // = 2**62
  PUT(__fns(0xB, 0, 1));                                      // = 0
  PUT(__fns(0xB, 0, 3));                                      // = 3
  PUT(__fns(0xB, 0, 4));                                      // = 0xFFFFFFFF
  PUT(__byte_perm(0x33221100u, 0x77665544u, 0x5410));         // = 0x55441100
  PUT(__byte_perm(0x33221100u, 0x77665544u, 0x0123));         // = 0x00112233
  PUT(__funnelshift_l(0x80000000u, 0x1u, 1));                 // = 3
  PUT(__funnelshift_r(0x2u, 0x1u, 1));                        // = 0x80000001
  PUT(__funnelshift_l(0x80000000u, 0x1u, 33));                // = 3
  PUT(__funnelshift_lc(0x12345678u, 0x1u, 40));               // = 0x12345678
  PUT(__funnelshift_rc(0x2u, 0x12345678u, 32));               // = 0x12345678
  PUT(__mulhi(-1, 2));                                        // = -1
  PUT(__mulhi(1 << 30, 8));                                   // = 2
  PUT(__umulhi(0xFFFFFFFFu, 0xFFFFFFFFu));                    // = 0xFFFFFFFE
  PUT(__mul64hi(-1ll, 5ll));                                  // = -1
  PUT(__umul64hi(1ull << 63, 4ull));                          // = 2
  PUT(__mul24(0x7FFFFF, 2));                                  // = 0xFFFFFE
  PUT(__mul24(-3, 5));                                        // = -15
  PUT(__mul24(0x1000001, 3));                                 // = 3
  PUT(__umul24(0xFF000002u, 3u));                             // = 6
  PUT(__sad(-5, 7, 100u));                                    // = 112
  PUT(__usad(5u, 7u, 1u));                                    // = 3
  PUT(__hadd(7, 8));                                          // = 7
  PUT(__hadd(-3, 0));                                         // = -2
  PUT(__rhadd(7, 8));                                         // = 8
  PUT(__uhadd(0xFFFFFFFFu, 0xFFFFFFFDu));                     // = 0xFFFFFFFE
  PUT(__urhadd(1u, 2u));                                      // = 2
  PUT(__dp4a(0x01020304, 0x01010101, 5));                     // = 15
  PUT(__dp4a((int)0xFF000000, 0x02000000, 0));                // = -2
  PUT(__dp4a(0xFF000000u, 0x02000000u, 0u));                  // = 510
  PUT(__dp4a(make_char4(1, -2, 3, 4), make_char4(1, 1, 1, 1), 0));  // = 6
  PUT(__dp2a_lo(0x00020003, 0x00000405, 1));                  // = 2*4+3*5+1
  PUT(__dp2a_hi(0x00020003, 0x04050000, 1));                  // = 2*4+3*5+1
  PUT(__float_as_int(1.0f));                                  // = 0x3F800000
  PUT(__float_as_uint(-0.0f));                                // = 0x80000000
  PUT(__int_as_float(0x40490FDB));                            // = np.float32(np.pi)
  PUT(__uint_as_float(0x7F800000u));                          // = np.inf
  PUT(__double_as_longlong(1.0) >> 52);                       // = 0x3FF
  PUT(__longlong_as_double(0x4000000000000000ll));            // = 2
  PUT(__double2hiint(1.0));                                   // = 0x3FF00000
  PUT(__double2loint(1.5000000000000002));                    // = 1
  PUT(__hiloint2double(0x40080000, 0));                       // = 3
}

__global__ void simd(double* out) {
  PUT(__vadd2(0xFFFF0001u, 0x00010001u));                     // = 0x00000002
  PUT(__vaddss2(0x7FFF8000u, 0x0001FFFFu));                   // = 0x7FFF8000
  PUT(__vaddus2(0xFFFF0001u, 0x00010001u));                   // = 0xFFFF0002
  PUT(__vsub4(0x00010203u, 0x01010101u));                     // = 0xFF000102
  PUT(__vsubus4(0x00010203u, 0x01010101u));                   // = 0x00000102
  PUT(__vabs4(0xFF80017Fu));                                  // = 0x0180017F
  PUT(__vabsss4(0xFF80017Fu));                                // = 0x017F017F
  PUT(__vabsdiffu4(0x05000A00u, 0x0A000500u));                // = 0x05000500
  PUT(__vmaxs4(0xFF010203u, 0x00000000u));                    // = 0x00010203
  PUT(__vmaxu4(0xFF010203u, 0x00050000u));                    // = 0xFF050203
  PUT(__vmins2(0xFFFF0005u, 0x00000003u));                    // = 0xFFFF0003
  PUT(__vminu2(0xFFFF0005u, 0x00000003u));                    // = 0x00000003
  PUT(__vcmpeq4(0x01020304u, 0x01000300u));                   // = 0xFF00FF00
  PUT(__vcmpgts2(0x0001FFFFu, 0x00000000u));                  // = 0xFFFF0000
  PUT(__vcmpgtu2(0x0001FFFFu, 0x00000000u));                  // = 0xFFFFFFFF
  PUT(__vseteq4(0x01020304u, 0x01000300u));                   // = 0x01000100
  PUT(__vsadu4(0x01020304u, 0x04030201u));                    // = 8
  PUT(__vsads2(0xFFFF0001u, 0x00010001u));                    // = 2
  PUT(__vavgu4(0x01010101u, 0x02020202u));                    // = 0x02020202
  PUT(__vhaddu4(0x01010101u, 0x02020202u));                   // = 0x01010101
  PUT(__vneg2(0x0001FFFFu));                                  // = 0xFFFF0001
  PUT(__vimax3_s32(1, 5, -3));                                // = 5
  PUT(__vimin3_s32(1, 5, -3));                                // = -3
  PUT(__viaddmax_s32(1, 2, 0));                               // = 3
  PUT(__vimax_s32_relu(-4, -2));                              // = 0
}

__global__ void minmax(double* out) {
  long long big = 1ll << 40;
  PUT(min(3, 5));                                             // = 3
  PUT(max(3u, 5u));                                           // = 5
  PUT(max(-1, 3u));                                           // = 0xFFFFFFFF
  PUT(max(big, 3ll));                                         // = 2**40
  PUT(min(1.5f, 2.0f));                                       // = 1.5
  PUT(max(1.5f, 2.0));                                        // = 2
  PUT(umin(3u, 5u));                                          // = 3
  PUT(llmax(-3ll, 5ll));                                      // = 5
  PUT(ullmin(3ull, 5ull));                                    // = 3
  PUT(abs(-3));                                               // = 3
  PUT(abs(-3.5f));                                            // = 3.5
  PUT(llabs(-3ll));                                           // = 3
}

void run_bits(long long out) { bits<<<1, 1>>>((double*)out); }
void run_simd(long long out) { simd<<<1, 1>>>((double*)out); }
void run_minmax(long long out) { minmax<<<1, 1>>>((double*)out); }
