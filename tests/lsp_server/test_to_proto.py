"""What clients get of our answers."""

from __future__ import annotations

from context_index import Signature, Signatures
from lsp_server.lsp.protocol import to_proto
from lsp_server.lsp.session import ClientCapabilities

SIGNATURE = Signature("🦊(ba: int, a: int)", ("ba: int", "a: int"), 1)


def test_a_parameter_is_the_place_in_its_signature_if_the_client_takes_that() -> None:
    for client, labels in (
        (ClientCapabilities(), ["ba: int", "a: int"]),
        (ClientCapabilities(label_spans=True), [(3, 10), (12, 18)]),
    ):
        (answer,) = to_proto.signatures(Signatures((SIGNATURE,)), client).signatures
        assert [parameter.label for parameter in answer.parameters or ()] == labels
