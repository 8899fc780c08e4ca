-- Adds to a log the rule that decides each address in its column `ip`, as identify.sql adds services. The ranges are
-- written by "ipsieve ruleset export RULESET --format ranges-csv", with the rules that are active at that time: export
-- them again before the first of them expires. Adds `listed`, and the rule's `name` and `expires_at`.
-- If the log has a column of the same name, it keeps it, and DuckDB names the new one `name_1`.
CREATE OR REPLACE TEMP TABLE ranges AS
SELECT family, lo, hi, name, expires_at
FROM read_csv(getvariable('ranges'), header = true, allow_quoted_nulls = false,
  columns = {family: 'UTINYINT', lo: 'UHUGEINT', hi: 'UHUGEINT', name: 'VARCHAR', expires_at: 'VARCHAR'});

CREATE OR REPLACE TEMP TABLE ipv4_ranges AS
SELECT CAST(lo AS UBIGINT) AS lo, CAST(hi AS UBIGINT) AS hi, name, expires_at FROM ranges WHERE family = 4;

CREATE OR REPLACE TEMP TABLE ipv6_ranges AS SELECT lo, hi, name, expires_at FROM ranges WHERE family = 6;

COPY (
  WITH log AS (SELECT *, ipv4_number(ip) AS __ipv4, ipv6_number(ip) AS __ipv6 FROM read_parquet(getvariable('log')))
  SELECT log.* EXCLUDE (__ipv4, __ipv6), coalesce(log.__ipv4 <= ipv4_ranges.hi, false) AS listed,
    CASE WHEN log.__ipv4 <= ipv4_ranges.hi THEN ipv4_ranges.name END AS name,
    CASE WHEN log.__ipv4 <= ipv4_ranges.hi THEN ipv4_ranges.expires_at END AS expires_at
  FROM log ASOF LEFT JOIN ipv4_ranges ON log.__ipv4 >= ipv4_ranges.lo
  WHERE log.__ipv6 IS NULL
  UNION ALL
  SELECT log.* EXCLUDE (__ipv4, __ipv6), coalesce(log.__ipv6 <= ipv6_ranges.hi, false),
    CASE WHEN log.__ipv6 <= ipv6_ranges.hi THEN ipv6_ranges.name END,
    CASE WHEN log.__ipv6 <= ipv6_ranges.hi THEN ipv6_ranges.expires_at END
  FROM log ASOF LEFT JOIN ipv6_ranges ON log.__ipv6 >= ipv6_ranges.lo
  WHERE log.__ipv6 IS NOT NULL
) TO (getvariable('output')) (FORMAT parquet);
