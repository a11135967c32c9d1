// What the cases need of the engine, without its headers: the learner's unit never sees those.
#pragma once
#include <stddef.h>

#pragma GCC visibility push(default)
void* device_copy(const void* from, size_t bytes);
void* device_empty(size_t bytes, int device = 0);
void device_free(void* pointer);
void* stream_of(int device);
void allow_shared(const void* kernel, int bytes);
// Values to print once everything has run.
float* keep_floats(float* device, int n);
double* keep_doubles(double* device, int n);
int* keep_ints(int* device, int n);
void keep_host(const float* values);
#pragma GCC visibility pop
// In the learner's library, which is loaded as Python loads an extension.
extern "C" __attribute__((visibility("default"))) bool run_case(const char* name);
