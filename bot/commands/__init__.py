"""What a user does besides talking, written once for every platform."""
