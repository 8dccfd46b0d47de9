// Part of warpgauge: what nvcc's own first include brings into every source file.
#pragma once
#include <cuda_device_runtime_api.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
