"""How right a generated SQL query is: both queries run on one database, and a typed record says what came out."""
