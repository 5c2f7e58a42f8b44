"""What the installed package does, recorded, to be compared with what another version does."""
