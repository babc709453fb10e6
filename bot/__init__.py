"""Everything that touches the world: messengers, models, the database, files, the clock."""
