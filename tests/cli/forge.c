/* SPDX-License-Identifier: MIT */
/* Makes a certificate of whatever lines it is given: adds the checksum that fits, as a forger
 * would. Usage: forge <LINES >CERTIFICATE, LINES being "{\n" and members, each with its comma. */
#include "roundoff.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    static char text[1 << 23];
    char hash[RO_HASH_TEXT];
    ro_context *context;
    const size_t size = fread(text, 1, sizeof text, stdin);
    if (ro_context_open(NULL, &context) != RO_OK ||
        ro_bytes_hash(context, text, size, hash) != RO_OK)
        return 1;
    fwrite(text, 1, size, stdout);
    printf("  \"checksum\": \"%s\"\n}\n", hash);
    ro_context_close(context);
    return 0;
}
