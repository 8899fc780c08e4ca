-- A dictionary of the list of a deployment in the format csv, which ClickHouse fetches from the service every five to
-- ten minutes. Replace the URL with the one that "ipsieve deployment urls NAME --part combined" prints.
CREATE OR REPLACE DICTIONARY listed
(
  ip String,
  name String
)
PRIMARY KEY ip
SOURCE(HTTP(URL 'http://127.0.0.1:8080/feeds/TOKEN/combined.csv' FORMAT 'CSVWithNames'))
LAYOUT(IP_TRIE)
LIFETIME(MIN 300 MAX 600);

-- SELECT dictHas('listed', tuple(toIPv4('1.1.1.1')));
