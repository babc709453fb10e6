"""Adapters from the tables' functions to the engine's, one module an area."""
