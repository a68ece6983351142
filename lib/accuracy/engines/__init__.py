"""Databases behind one small interface; `catalog.open_engine` finds the right one by its address."""
