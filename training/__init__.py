"""Makes the built-in model from source code on this machine, and fits what depends on a model to it.

    licences     finds which package a file belongs to, and whether it may be trained on
    corpus       chooses files by licence, size and likeness, and writes the manifest of what was taken
    holes        draws what an editor would ask to be filled in
    rewrites     makes an instruction, a function, and the function rewritten, by program transformation
    tokenizer    learns the tokens from the corpus
    examples     lays holes and rewrites out as `decoder.prompt.layouts` says, as tokens with weights
    packing      joins examples to rows of one length
    stream       makes batches of rows while the model trains
    recipe       has every number of a run
    growth       gives a trained model more layers
    number_type  finds the number type that a processor multiplies fastest
    fast_step    has a loss and an attention that are faster than torch's
    run          has optimisers, schedule, checkpoints from which a stopped run goes on, and the log
    loss_curve   draws the log
    session      does one run of `inscope train` from start to end

`ngram_fit`, `calibration_fit` and `prior_fit` (with `prior_places`) fit what `inscope train --ngrams`, `--calibration`
and `--prior` write. Besides `decoder.models` this is the only package that imports torch.
"""
