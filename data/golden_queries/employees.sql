-- The table that benchmark.json asks. Make the database with: sqlite3 employees.sqlite < employees.sql
CREATE TABLE employees (id INTEGER, employee_name TEXT, department TEXT, salary INTEGER);
INSERT INTO employees VALUES
  (1, 'Amara', 'HR', 52000),
  (2, 'Bruno', 'HR', 47000),
  (3, 'Chen', 'IT', 83000),
  (4, 'Dana', 'IT', 83000),
  (5, 'Emil', 'Sales', 50000);
