// Part of warpgauge: stands in for a host header that NVRTC does not have.
#pragma once
// printf() is NVRTC's own.
#include <stddef.h>
