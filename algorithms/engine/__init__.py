"""Engine of the algorithms: resumable searches (`*_search`), the kernels that they run (`*_step`), and their arrays."""
