def kinetic_energy(particles):
    return 0.5 * particles[:, 6] * (particles[:, 3:6] ** 2).sum(1)
