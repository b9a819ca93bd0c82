"""Completes, rewrites, verifies and lists names, for every door alike. Knows neither LSP nor the command line."""
