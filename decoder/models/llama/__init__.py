"""A small plain Llama on the CPU, in numpy alone: what the embedded model runs on.

    if shape := Shape.of(config):                        # None: something that only transformers computes
        model = LlamaModel(network_of(files, shape), vocabulary, context)

Why not torch: at this size a token costs what calling its kernels costs (`inscope bench speed`), and importing it takes
longer than reading and answering the first prompt. Float32 throughout, so logits depend on how tokens are grouped into
forwards by rounding alone. Knows neither torch nor prompts; larger models, other architectures, other number types and
GPUs are `transformers_model`'s.
"""

from decoder.models.llama.model import LlamaModel
from decoder.models.llama.shape import Shape
from decoder.models.llama.weights import network_of

__all__ = ["LlamaModel", "Shape", "network_of"]
