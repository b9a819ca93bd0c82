"""Rewrites: the original is in the prompt and is the draft, so that only the changes are generated.

task         the request as data
rewriting    `Rewriting`: writes one attempt after another, in slices of time
attempt      one text in place of the region
probability  how probable it is that an attempt is what was meant, and how strange an instruction is
"""
