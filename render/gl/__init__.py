"""Drawing with OpenGL, headless: one thread, one context."""
