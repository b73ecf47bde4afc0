"""Scripts that run the Triton kernel in processes of their own."""
