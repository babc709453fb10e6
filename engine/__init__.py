"""Who she is: pure functions. Nothing in here awaits, reads a clock or rolls its own dice."""
