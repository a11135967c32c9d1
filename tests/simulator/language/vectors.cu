// Vector types: members, make_*, sizes and alignments, 16-byte loads.
#define PUT(value) out[__LINE__] = static_cast<double>(value)

struct __align__(16) Aligned {
  float a, b, c;
};

__global__ void vectors(double* out) {
  float4 f = make_float4(1.f, 2.f, 3.f, 4.f);
  PUT(f.x + 10 * f.y + 100 * f.z + 1000 * f.w);               // = 4321
  PUT(make_int2(3, -4).y);                                    // = -4
  PUT(make_uchar4(1, 2, 3, 255).w);                           // = 255
  PUT(make_double2(0.5, 0.25).y);                             // = 0.25
  PUT(make_longlong2(1, 1ll << 40).y);                        // = 2**40
  PUT(make_ushort3(1, 2, 3).z);                               // = 3
  PUT(make_char1(-1).x);                                      // = -1
  PUT(make_ulonglong1(7).x);                                  // = 7
  PUT(sizeof(float3));                                        // = 12
  PUT(alignof(float3));                                       // = 4
  PUT(alignof(float4));                                       // = 16
  PUT(alignof(float2));                                       // = 8
  PUT(alignof(double2));                                      // = 16
  PUT(alignof(uchar4));                                       // = 4
  PUT(alignof(short4));                                       // = 8
  PUT(sizeof(dim3));                                          // = 12
  PUT(alignof(Aligned) + sizeof(Aligned));                    // = 32
  PUT(dim3(2, 3).z);                                          // = 1
  uint3 u = dim3(4, 5, 6);
  PUT(u.y);                                                   // = 5
  PUT(blockDim.x + gridDim.z + blockIdx.x + threadIdx.y);     // = 2
  PUT(warpSize);                                              // = 32
  f = reinterpret_cast<float4*>(out)[100];
  f.x = 5;
  reinterpret_cast<float4*>(out)[100] = f;
  PUT(__ldg(reinterpret_cast<const float4*>(out) + 100).x);   // = 5
  out[299] = 7;
  PUT(__ldcs(out + 299) + __ldca(out + 299) + __ldcg(out + 299));  // = 21
  __stcs(out + 300, 2.0);
  __stwt(reinterpret_cast<float2*>(out) + 301, make_float2(1.f, 2.f));
  PUT(__ldg(out + 300) + reinterpret_cast<float2*>(out)[301].y);  // = 4
}

void run_vectors(long long out) { vectors<<<1, 1>>>((double*)out); }
