/* SPDX-License-Identifier: MIT */
/* Peers that are programs of their own and print numbers. */
#ifndef RO_BENCH_PEERS_PEER_PROCESS_H
#define RO_BENCH_PEERS_PEER_PROCESS_H

/* Runs a command line and reads the numbers that it prints first; how many there were. */
int peer_run(const char *command, double *numbers, int count);

/* The same for a script of Python, which holds no single quote, on so many threads; -1 where there
 * is no Python. A first number below 0 says that something the script needs is missing. */
int peer_python(const char *script, const char *arguments, int threads, double *numbers, int count);

/* The same for a program that lies beside ours; -1 where there is none. */
int peer_beside(const char *name, const char *arguments, double *numbers, int count);

#endif
