"""The virtual GPU's runtime, in restricted Python (see `vgpu.restricted`): compiled with each kernel, never imported
by ordinary code. Static types here are LLVM's, so the Python type checker leaves these files alone."""
