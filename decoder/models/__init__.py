"""What gives logits for tokens: finding, reading and running a model, and what its tokens mean as bytes."""
