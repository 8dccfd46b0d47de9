"""Device code of CUB, libcu++, Thrust and cooperative groups, compiled from where the packages installed it.

Each `.cu` file here holds thin kernels of our own; `whole.cu` instantiates complete kernels of CUB.
"""
