// Part of warpgauge: stands in for a host header that NVRTC does not have.
#pragma once
// memcpy() and memset() are NVRTC's own.
#include <stddef.h>
