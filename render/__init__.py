"""What she looks like: VRM avatars drawn headlessly, in a child process of their own."""
