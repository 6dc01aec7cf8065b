"""What runs on this machine with no key and no hub: the model's weights and server, the embedder, token
counts and language identification. Nothing here is imported until a stage needs it."""
