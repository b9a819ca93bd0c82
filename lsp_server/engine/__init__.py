"""What completes, rewrites, verifies and lists names, whoever asks. It knows no door: no protocol, no command line."""
