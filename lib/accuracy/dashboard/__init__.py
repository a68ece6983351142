"""The dashboard: runs of the accuracy evaluator to look at. `tables` holds the figures, `app` the page."""
