"""What maintenance did."""
