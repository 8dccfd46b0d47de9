"""An independent interpreter of PTX in NumPy, and the table of instruction cases that both engines must agree on.

Only the parser (`warpgauge.ptx`) is shared with the product; nothing here may import the product's engine.
"""
