"""What tests need and users may import too: an in-process cluster without disk, virtual time, and the simulator."""
