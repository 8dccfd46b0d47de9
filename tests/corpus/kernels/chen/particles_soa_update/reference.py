def update(px, py, pz, vx, vy, vz):
    dt, attraction, softening, damping = 1 / 128, 0.5, 0.25, 0.984375
    f = -attraction * (px * px + py * py + pz * pz + softening) ** -1.5 * dt
    vx, vy, vz = ((v + f * p) * damping for v, p in ((vx, px), (vy, py), (vz, pz)))
    return {"vx": vx, "vy": vy, "vz": vz, "px": px + vx * dt, "py": py + vy * dt, "pz": pz + vz * dt}
