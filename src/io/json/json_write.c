/* SPDX-License-Identifier: MIT */
#include "io/json/json_write.h"

#include "io/json/utf8.h"

#include <stdarg.h>
#include <string.h>

void json_string(FILE *file, const char *text)
{
    fputc('"', file);
    while (*text) {
        const unsigned char *c = (const unsigned char *)text;
        int length = utf8_length(c);
        if (length == 0)
            fputs("\\ufffd", file);
        else if (utf8_is_control(c) || *c == '<') /* "</script>" must not end a page's data */
            fprintf(file, "\\u%04x", length == 2 ? c[1] : c[0]);
        else if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else
            fwrite(text, 1, (size_t)length, file);
        text += length ? length : 1;
    }
    fputc('"', file);
}

/* One value; `letter` ends its conversion. */
static void put_value(FILE *file, const char *conversion, char letter, va_list *values)
{
    const bool wide = strstr(conversion, "ll"), size = strchr(conversion, 'z');
    const bool is_long = !wide && strchr(conversion, 'l');
    if (letter == 's')
        json_string(file, va_arg(*values, const char *));
    else if (letter == 'c')
        fputs(va_arg(*values, int) ? ", " : "", file);
    else if (strchr("efg", letter))
        fprintf(file, conversion, va_arg(*values, double));
    else if (strstr(conversion, "hh"))
        fputs(va_arg(*values, int) ? "true" : "false", file);
    else if (wide)
        fprintf(file, conversion, va_arg(*values, long long));
    else if (size)
        fprintf(file, conversion, va_arg(*values, size_t));
    else if (is_long)
        fprintf(file, conversion, va_arg(*values, long));
    else
        fprintf(file, conversion, va_arg(*values, int));
}

void json_put(FILE *file, const char *form, ...)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    va_list values;
    va_start(values, form);
    while (*form) {
        char conversion[16];
        const size_t word = *form >= '0' && *form <= '9' ? 0 : strspn(form, letters);
        const size_t length = strcspn(form, "csefgdiu") + 1;
        if (word > 0 && form[word] == ' ') {
            fprintf(file, "\"%.*s\": ", (int)word, form);
            form += word + 1;
        } else if (*form == '%' && length < sizeof conversion) {
            snprintf(conversion, sizeof conversion, "%.*s", (int)length, form);
            put_value(file, conversion, form[length - 1], &values);
            form += length;
        } else {
            fwrite(form, 1, word ? word : 1, file);
            form += word ? word : 1;
        }
    }
    va_end(values);
}
