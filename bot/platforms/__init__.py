"""The messengers: each module translates one platform to and from the neutral conversation types."""
