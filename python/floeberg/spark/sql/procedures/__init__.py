"""Which procedures does CALL run?"""
