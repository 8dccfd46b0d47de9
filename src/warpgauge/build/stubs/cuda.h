// Part of warpgauge: stands in for a host header that NVRTC does not have.
#pragma once
// The driver API is host code; a kernel needs only the tensor map, 128 opaque bytes that are 64-byte aligned.
#include <stdint.h>
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef struct alignas(64) CUtensorMap_st {
  cuuint64_t opaque[16];
} CUtensorMap;
