"""What Inscope costs and how well it does, measured; `inscope bench` runs these."""
