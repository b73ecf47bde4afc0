"""The version of AttnLab: what the package, exports and traces say."""

VERSION = "0.1.0"
