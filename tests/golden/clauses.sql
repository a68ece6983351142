-- Where queries are cut into clauses. A case is a header `--> name | dialects`, then a query in which ¦ marks each cut.
-- `all` is sqlite, postgres, mysql and duckdb. Each case is also read with dialect `auto`, unless it says `no auto`.

--> one clause | all
SELECT 1
--> every clause | all
SELECT a, count(*) FROM t ¦ WHERE b = 1 ¦ GROUP BY a HAVING count(*) > 2 ¦ ORDER BY a DESC LIMIT 3
--> lower and mixed case | all
select a from t ¦ wHeRe b ¦ group by a ¦ Order By a
--> line breaks instead of blanks | all
SELECT
a
FROM t
¦ WHERE
b
¦ GROUP
BY a
--> closing semicolons | all | unparsed
SELECT a FROM t ¦ WHERE b ; ;
--> brackets around the whole | all
(((SELECT a FROM t ¦ WHERE b)))
--> limit without order | all
SELECT a FROM t LIMIT 3 OFFSET 1
--> limit after where | all
SELECT a FROM t ¦ WHERE b LIMIT 3
--> having without group | all
SELECT count(*) FROM t ¦ WHERE b HAVING count(*) > 1
--> joins of many kinds | all
SELECT a FROM t AS x JOIN u AS y ON x.i = y.i LEFT OUTER JOIN v USING (i) CROSS JOIN w, z ¦ WHERE x.a > y.a
--> nested query in each place | all
SELECT (SELECT max(x) FROM u WHERE y ORDER BY z) FROM (SELECT a FROM t WHERE b GROUP BY c) AS s ¦ WHERE a IN (SELECT d FROM v WHERE e) ¦ GROUP BY a HAVING sum(a) > (SELECT f FROM w WHERE g) ¦ ORDER BY (SELECT h FROM x WHERE i)
--> exists and not exists | all
SELECT a FROM t ¦ WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a) AND NOT EXISTS (SELECT 1 FROM v WHERE v.a = t.a)
--> union | all
SELECT a FROM t ¦ WHERE b ¦ UNION SELECT c FROM u WHERE d ORDER BY e
--> union all | all
SELECT a FROM t ¦ UNION ALL SELECT a FROM u
--> union distinct | postgres mysql duckdb
SELECT a FROM t ¦ UNION DISTINCT SELECT a FROM u
--> three set operators are one clause | all
SELECT a FROM t ¦ EXCEPT SELECT a FROM u WHERE b INTERSECT SELECT a FROM v UNION SELECT a FROM w
--> set operator after order inside nested operand | all
SELECT a FROM t ¦ WHERE a IN (SELECT b FROM u UNION SELECT c FROM v) ¦ INTERSECT SELECT d FROM w
--> bracketed operands | postgres mysql duckdb
(SELECT a FROM t WHERE b ORDER BY c LIMIT 1) ¦ UNION (SELECT d FROM u WHERE e)
--> bracketed operand then order | postgres mysql duckdb
(SELECT a FROM t) ¦ ORDER BY a LIMIT 1
--> bracketed right operand | postgres mysql duckdb
SELECT a FROM t ¦ UNION ALL (SELECT d FROM u WHERE e ORDER BY f)
--> union by name | duckdb
SELECT a FROM t ¦ UNION ALL BY NAME SELECT b FROM u
--> common table expression | all
WITH s AS (SELECT a FROM t WHERE b ORDER BY c) SELECT a FROM s ¦ WHERE d
--> two, one nested in the other | all
WITH s AS (WITH r AS (SELECT a FROM t WHERE b) SELECT a FROM r WHERE c), q (x, y) AS (SELECT 1, 2) SELECT a FROM s, q ¦ ORDER BY a
--> recursive | all
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n ¦ WHERE i > 2 ¦ UNION SELECT 0
--> materialized | sqlite postgres duckdb
WITH s AS MATERIALIZED (SELECT a FROM t) SELECT a FROM s ¦ WHERE a
--> keyword in a literal | all
SELECT a FROM t ¦ WHERE b = 'x GROUP BY y UNION SELECT z'
--> doubled quote | all
SELECT a FROM t ¦ WHERE b = 'it''s WHERE' ¦ ORDER BY 'a''''b'
--> literal over two lines | all
SELECT a FROM t ¦ WHERE b = 'one
WHERE two' ¦ ORDER BY a
--> semicolon and brackets in a literal | all
SELECT a FROM t ¦ WHERE b = '); (' ¦ ORDER BY ']'
--> comment marks in a literal | all
SELECT '-- no' FROM t ¦ WHERE b = '/* no */' ¦ ORDER BY a
--> double-quoted name or value | all
SELECT "ORDER BY" FROM t ¦ WHERE "group" = "UNION SELECT"
--> doubled double quote | sqlite postgres duckdb
SELECT "a "" WHERE " FROM t ¦ WHERE b
--> backticks | sqlite mysql
SELECT `order` FROM `group by` ¦ WHERE `a``b WHERE` = 1
--> square brackets | sqlite
SELECT [order by] FROM [my table] ¦ WHERE [where] = 1
--> line comments | all
SELECT a -- WHERE x
FROM t -- it's not closed
¦ WHERE b -- ORDER BY c
--> block comments | all
SELECT /* WHERE 'x */ a FROM t /* ORDER BY */ ¦ WHERE /**/ b /* ; */
--> comment before and behind | all
/* first */ SELECT a FROM t ¦ WHERE b /* last */ -- end
--> nested block comment | postgres duckdb
SELECT a /* out /* in WHERE */ still out WHERE */ FROM t ¦ WHERE b
--> hash comment | mysql
SELECT a # WHERE it's
FROM t ¦ WHERE b # ORDER BY c
--> dashes without a blank are two minus signs | mysql | no auto
SELECT 5--2 FROM t ¦ WHERE b
--> star next to a comment | all
SELECT 2*/* WHERE */3 FROM t ¦ WHERE b
--> backslash in a literal | mysql
SELECT 'it\'s WHERE' FROM t ¦ WHERE b = "say \" ORDER BY"
--> backslash that escapes nothing | sqlite postgres duckdb
SELECT a FROM t ¦ WHERE b = 'C:\' ¦ ORDER BY a
--> escape string | postgres duckdb
SELECT E'it\'s WHERE' FROM t ¦ WHERE b = e'\\' ¦ ORDER BY a
--> dollar quotes | postgres duckdb
SELECT $$it's WHERE$$ FROM t ¦ WHERE b
--> tagged dollar quotes | postgres duckdb
SELECT $x$ $$ UNION SELECT $y$ $x$ FROM t ¦ WHERE b
--> literals with a prefix | sqlite mysql
SELECT x'0F', X'ff' FROM t ¦ WHERE b
--> keyword behind a dot | all
SELECT t.order, t.group, t.where, t.union FROM t ¦ ORDER BY t.except
--> select behind a dot | all | unparsed
SELECT t.a FROM t ¦ WHERE t.select = 1
--> keyword behind a dot with blanks | all
SELECT t . order FROM t ¦ WHERE t . where = 1
--> names that begin with keywords | all
SELECT order_by, unionist, whereabouts, select_all FROM group_by ¦ WHERE where_is = 1 ¦ ORDER BY order_no
--> names of other alphabets | all
SELECT größe, 名前, имя FROM straße ¦ WHERE naïve = 'é' ¦ ORDER BY größe
--> window | all
SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t ¦ WHERE c ¦ ORDER BY d
--> named window | all
SELECT sum(a) OVER w FROM t ¦ WHERE b WINDOW w AS (PARTITION BY c ORDER BY d)
--> window frame | all
SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t ¦ ORDER BY a
--> filter | sqlite postgres duckdb
SELECT count(*) FILTER (WHERE a > 1) FROM t ¦ GROUP BY b
--> within group | postgres duckdb
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t ¦ GROUP BY b
--> ordered aggregate | postgres mysql duckdb
SELECT a FROM t ¦ GROUP BY a HAVING count(DISTINCT b) > 1 ¦ ORDER BY count(DISTINCT b)
--> group concat | mysql
SELECT group_concat(a ORDER BY b SEPARATOR ', ') FROM t ¦ GROUP BY c
--> array aggregate | postgres duckdb
SELECT array_agg(a ORDER BY b DESC) FROM t ¦ GROUP BY c
--> qualify | duckdb
SELECT a FROM t ¦ WHERE b QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1 ¦ ORDER BY a
--> distinct on | postgres duckdb
SELECT DISTINCT ON (a, b) a, c FROM t ¦ ORDER BY a, b
--> lateral | postgres duckdb
SELECT a FROM t, LATERAL (SELECT b FROM u WHERE u.a = t.a ORDER BY c LIMIT 1) AS s ¦ WHERE s.b > 1
--> values | sqlite postgres duckdb
VALUES (1, 'WHERE'), (2, 'x')
--> values in from | postgres duckdb
SELECT a FROM (VALUES (1), (2)) AS v (a) ¦ WHERE a > 1
--> from first | duckdb
FROM t SELECT a ¦ WHERE b ¦ ORDER BY c
--> from only | duckdb
FROM t ¦ WHERE b LIMIT 1
--> group by all | duckdb
SELECT a, sum(b) FROM t ¦ GROUP BY ALL ¦ ORDER BY ALL
--> rollup, cube, grouping sets | postgres duckdb
SELECT a FROM t ¦ GROUP BY ROLLUP (a, b), CUBE (c), GROUPING SETS ((a), ()) ¦ ORDER BY a
--> with rollup | mysql
SELECT a FROM t ¦ GROUP BY a WITH ROLLUP ¦ ORDER BY a
--> fetch first | postgres
SELECT a FROM t ¦ ORDER BY a OFFSET 2 ROWS FETCH FIRST 5 ROWS ONLY
--> for update | postgres mysql
SELECT a FROM t ¦ WHERE b ¦ ORDER BY a FOR UPDATE
--> limit with comma | sqlite mysql
SELECT a FROM t ¦ ORDER BY a LIMIT 2, 5
--> index hint | mysql
SELECT a FROM t USE INDEX FOR ORDER BY (i) ¦ WHERE b ¦ ORDER BY c
--> case expression | all
SELECT CASE WHEN a = 'WHERE' THEN 1 ELSE 2 END FROM t ¦ WHERE CASE a WHEN 1 THEN b END ¦ ORDER BY CASE WHEN a THEN 1 END
--> casts | all
SELECT cast(a AS INTEGER) FROM t ¦ WHERE cast(b AS REAL) > 1.5e-3
--> double colon | postgres duckdb
SELECT a::text FROM t ¦ WHERE b::date = '2020-01-01'::date ¦ ORDER BY c::int
--> json arrows | sqlite postgres mysql duckdb
SELECT a -> '$.order' FROM t ¦ WHERE b ->> '$.where' = 'x'
--> json path operators | postgres
SELECT a #> '{where}' FROM t ¦ WHERE b #>> '{order,by}' = 'x' ¦ ORDER BY c @> d
--> array subscripts | postgres duckdb
SELECT a[1], b[2:3] FROM t ¦ WHERE c[1][2] = 'x' ¦ ORDER BY a[1]
--> array and struct literals | duckdb
SELECT [1, 2, [3]], {'where': 1} FROM t ¦ WHERE a = ['order by', 'x]']
--> lambda | duckdb
SELECT list_transform(a, x -> x + 1) FROM t ¦ WHERE b
--> star except | duckdb
SELECT * EXCLUDE (a) FROM t ¦ WHERE b
--> between and in | all
SELECT a FROM t ¦ WHERE b BETWEEN 1 AND 2 AND c NOT IN ('x', 'y') AND d LIKE '%WHERE%' ESCAPE '!'
--> is null | all
SELECT a FROM t ¦ WHERE b IS NOT NULL AND c IS NULL
--> is distinct from | sqlite postgres duckdb
SELECT a FROM t ¦ WHERE b IS DISTINCT FROM c ¦ ORDER BY a
--> extract from | postgres mysql duckdb
SELECT extract(year FROM a) FROM t ¦ WHERE b
--> nulls last and collation | sqlite postgres duckdb
SELECT a FROM t ¦ ORDER BY a COLLATE "C" DESC NULLS LAST LIMIT 1
--> split operators of old corpora | sqlite | unparsed
SELECT a FROM t ¦ WHERE b > = 3 AND c ! = 4 AND d < > 5
--> parameters | sqlite | unparsed
SELECT a FROM t ¦ WHERE b = ? AND c = :name AND d = @x AND e = $y LIMIT ?1
--> null-safe equality | mysql
SELECT a FROM t ¦ WHERE b <=> c ¦ ORDER BY a
--> regular expressions | postgres
SELECT a FROM t ¦ WHERE b ~* '^order by' AND c !~ 'x' ¦ ORDER BY a
--> a part: where | all | unparsed
WHERE a = 1 ¦ ORDER BY b
--> a part: order | all | unparsed
ORDER BY a LIMIT 3
--> a part: set operator | all | unparsed
UNION SELECT a FROM t WHERE b
