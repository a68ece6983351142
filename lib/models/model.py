"""A whole model: encoder and decoder."""

from torch import Tensor, nn

from lib.models.batching import Batch, shifted
from lib.models.configuration import Settings
from lib.models.decoder import AttentionDecoder, Decoded
from lib.models.encoders import make_encoder
from lib.models.encoders.memory import Memory
from lib.models.loss import loss_of


class Translator(nn.Module):
    """SQL-to-text model.

    Args:
        settings: of the run.
        source_size: number of source words.
        target_size: number of target words.
    """

    def __init__(self, settings: Settings, source_size: int, target_size: int):
        super().__init__()
        self.target_size = target_size
        self.encoder = make_encoder(settings, source_size)
        self.decoder = AttentionDecoder(settings.decoder, self.encoder.width, target_size)

    def forward(self, batch: Batch) -> tuple[Memory, Decoded]:
        """Encodes the sources and decodes with the true words before each step."""
        memory = self.encoder(batch)
        return memory, self.decoder(memory, shifted(batch.target, self.target_size))

    def loss(self, batch: Batch, smoothing: float = 0.0) -> tuple[Tensor, int]:
        """Mean negative log likelihood (nats) of the real target words, and their number; see `loss_of`."""
        memory, decoded = self(batch)
        return loss_of(self.decoder, decoded, memory, batch, smoothing)
