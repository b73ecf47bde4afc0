"""What the benchmarks of the app share: a server that counts its forward passes, and a visitor."""
