"""SQL-to-text models: five encoders, one attention decoder, training and search (paper 5.1.3)."""
