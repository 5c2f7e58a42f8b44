"""What does a statement say: its tokens, names, tables and grammar?"""
