// Part of warpgauge: stands in for a host header that NVRTC does not have.
#pragma once
// size_t, ptrdiff_t and nullptr_t are known to NVRTC itself.
#ifndef NULL
#define NULL nullptr
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
