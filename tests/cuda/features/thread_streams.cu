/* SPDX-License-Identifier: MIT */
/* thread_streams: cudaStreamPerThread, in a program whose default stream is the legacy one. */
#define STREAM cudaStreamPerThread
#include "thread_streams.h"

int main(int argc, char **argv)
{
	parse_size(argc, argv, "thread_streams", NULL, 0, 0, 0);
	thread_streams();
	return finish();
}
