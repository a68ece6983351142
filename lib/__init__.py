"""spidercompose: compositional generalisation of SQL-to-text models, and accuracy of generated SQL.

Nothing is imported here, so that `import lib` stays instant; import the module that you need.
"""

__version__ = "0.1.0"
