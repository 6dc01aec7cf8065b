"""Layouts: releases written as the files that other tools read, and a published question set read into a workspace."""
