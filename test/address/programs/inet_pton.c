/* Answers each line of standard input, a text in hexadecimal: its 16 bytes in hexadecimal or "-", then "?" for the missing prefix parser. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static int value(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

int main(void) {
  static char line[1 << 16], text[1 << 15];
  while (fgets(line, sizeof line, stdin)) {
    size_t length = strcspn(line, "\n") / 2;
    for (size_t at = 0; at < length; at++) text[at] = (char)(value(line[2 * at]) << 4 | value(line[2 * at + 1]));
    text[length] = 0;
    unsigned char out[16] = {[10] = 0xff, [11] = 0xff};
    int fits = strlen(text) == length; /* a C string ends at its first NUL */
    if (fits && (inet_pton(AF_INET, text, out + 12) == 1 || inet_pton(AF_INET6, text, out) == 1)) {
      for (int at = 0; at < 16; at++) printf("%02x", out[at]);
      puts(" ?");
    } else {
      puts("- ?");
    }
  }
}
