"""A turn of an agent: what is read from the harness, whether anything is recalled, what is given back."""
