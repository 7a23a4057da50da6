/* SPDX-License-Identifier: MIT */
/* Reads a picture, halftones it, writes it: halftone in.jpg out.png */
#include <roundoff_io.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    ro_context *context = NULL;
    if (argc != 3 || ro_context_open(NULL, &context) != RO_OK)
        return 2;
    ro_status status = ro_halftone_file(context, argv[1], argv[2], NULL, NULL, NULL, NULL);
    if (status != RO_OK)
        fprintf(stderr, "%s\n", ro_context_message(context));
    ro_context_close(context);
    return status != RO_OK;
}
