"""How the built-in model is made, from source code on this machine, and how what depends on a model is fitted to one.

    licences     which package a file belongs to, and whether it may be trained on
    corpus       which files, by licence, size and likeness, and the manifest of what was taken
    holes        what an editor would ask to be filled in
    rewrites     an instruction, a function, and the function rewritten, by program transformation
    tokenizer    made from the corpus
    examples     holes and rewrites in the layouts of `decoder.prompt.layouts`, as tokens with weights
    packing      examples as rows of one length
    stream       rows as batches, made while the model trains
    recipe       every number of a run
    growth       a trained model with more layers
    number_type  the number type that a processor multiplies fastest
    fast_step    a loss and an attention that are faster than torch's
    run          optimisers, schedule, checkpoints that a stopped run goes on from, the log
    loss_curve   the log as a picture
    session      one run of `inscope train` from start to end

`ngram_fit`, `calibration_fit` and `prior_fit` (with its `prior_places`) fit what `inscope train --ngrams`,
`--calibration` and `--prior` write. Besides `decoder.models` this is the only package that imports torch.
"""
