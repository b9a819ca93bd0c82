"""A completion server as the model: llama-server, vLLM, Ollama, and what speaks OpenAI's completions.

    if address := address_of("http://127.0.0.1:8080"):
        model = connect(address, options)

address     what a person writes for a server
client      requests, with a time limit and sentences for what goes wrong; knows no models
dialects    what each kind of server is sent, and what it answers
probe       which kind a server is, which model it has, and what that can do
vocabulary  the tokens of a model whose tokenizer cannot be read here
child       a model file in GGUF as a child's server, which is `serve`
model       the answers as rows of logits, for the decode loop

Only the prompt leaves the machine, and only to the host that the person named. Importing this package imports no
client: who completes with the built-in model needs none.
"""
