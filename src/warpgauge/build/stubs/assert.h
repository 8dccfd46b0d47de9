// Part of warpgauge: stands in for a host header that NVRTC does not have.
#pragma once
// NVRTC has assert() itself; a source that asks for none gets none.
#ifdef NDEBUG
#undef assert
#define assert(condition) ((void)0)
#endif
