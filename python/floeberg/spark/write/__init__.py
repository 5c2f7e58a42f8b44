"""From the options of a write to files that tasks write, and one commit on the driver."""
