"""The models that can voice her: one client a wire format, and the offline stand-in."""
