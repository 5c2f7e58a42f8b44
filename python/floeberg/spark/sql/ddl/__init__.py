"""How do statements define and describe tables, namespaces and branches?"""
