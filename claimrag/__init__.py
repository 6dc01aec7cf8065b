"""claimrag: turn a law into a claim-level RAG benchmark."""
