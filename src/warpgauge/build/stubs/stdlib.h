// Part of warpgauge: stands in for a host header that NVRTC does not have.
#pragma once
// malloc(), free() and abs() are NVRTC's own.
#include <stddef.h>
#ifndef EXIT_SUCCESS
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#endif
