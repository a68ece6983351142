"""What a text, a rating or a length is worth, and how sure that is."""
