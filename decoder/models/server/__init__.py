"""A completion server as the model: llama-server, vLLM, Ollama, and what speaks OpenAI's completions.

    if address := address_of("http://127.0.0.1:8080"):
        model = connect(address, options)

address     how a person writes a server's address
client      requests, with a time limit and sentences for what goes wrong; knows no models
dialects    what each kind of server is sent, and what it answers
probe       `connect`: the model, asked in the first dialect in which it says probabilities
served      which kind a server is, and which model it has
tokenizer   the card of that model, whose vocabulary is read from its tokenizer's files, or learnt
vocabulary  the tokens of a model whose tokenizer cannot be read here, learnt from answers
child       a GGUF file as a model: starts a server as a child process, which runs `serve`
model       the answers as rows of logits, for the decode loop

Only the prompt leaves the machine, and only to the host that the person named. Importing this package imports no
client, as the built-in model needs none.
"""
