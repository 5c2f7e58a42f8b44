"""How do statements change rows of tables?"""
