"""The byte stream, the parts of LSP that pygls lacks, and conversions between LSP's types and ours."""
