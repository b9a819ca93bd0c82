"""A small plain Llama on the CPU, in numpy alone; it runs the built-in model.

    if shape := Shape.of(config):                        # None: something that only transformers computes
        model = LlamaModel(network_of(files, shape), vocabulary, context)

Why not torch: at this size most of a token's time is spent on calling kernels (`inscope bench speed`), and importing
torch takes longer than reading and answering the first prompt. All numbers are float32, so grouping tokens into
forwards changes logits by rounding only. Knows neither torch nor prompts; `transformers_model` runs larger models,
other architectures, other number types and GPUs.
"""

from decoder.models.llama.model import LlamaModel
from decoder.models.llama.shape import Shape
from decoder.models.llama.weights import network_of

__all__ = ["LlamaModel", "Shape", "network_of"]
