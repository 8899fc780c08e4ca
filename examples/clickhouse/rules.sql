-- A dictionary of the active rules of a ruleset, which ClickHouse fetches from the service every five to ten minutes.
-- Replace the server's address, the id of the ruleset, and the key, which needs only read access.
CREATE OR REPLACE DICTIONARY rules
(
  ip String,
  name String,
  expires_at String
)
PRIMARY KEY ip
SOURCE(HTTP(
  URL 'http://127.0.0.1:8080/v1/edl/ip-rulesets/RULESET/rules:export?format=csv'
  FORMAT 'CSVWithNames'
  HEADERS(HEADER(NAME 'X-API-Key' VALUE 'KEY'))
))
LAYOUT(IP_TRIE)
LIFETIME(MIN 300 MAX 600);

-- SELECT dictHas('rules', tuple(toIPv4('1.1.1.1'))), dictGet('rules', 'name', tuple(toIPv4('1.1.1.1')));
