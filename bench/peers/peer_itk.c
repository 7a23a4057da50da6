/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "peer_itk.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The program lies beside ours. */
double peer_itk_diffusion(int size, int iterations, int threads)
{
    char path[1024], command[1200];
    double seconds = 0;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return 0;
    path[length] = '\0';
    char *name = strrchr(path, '/');
    if (!name || (size_t)(name - path) + sizeof "/peer_itk" > sizeof path)
        return 0;
    strcpy(name, "/peer_itk");
    if (access(path, X_OK) != 0)
        return 0;
    snprintf(command, sizeof command, "'%s' %d %d %d", path, size, iterations, threads);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return 0;
    if (fscanf(pipe, "%lf", &seconds) != 1)
        seconds = 0;
    pclose(pipe);
    return seconds;
}
