// Placeholder until the first real test of this module lands.
