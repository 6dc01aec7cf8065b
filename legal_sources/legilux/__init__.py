"""Legilux, the official publisher of Luxembourg law: Akoma Ntoso in the draft namespace CSD13."""
