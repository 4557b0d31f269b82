// SPDX-License-Identifier: MIT
/*
 * What PTX has for GPUs later than this device is, or for units that it has not: so that whoever
 * meets one of its words in a message learns what it belongs to, and not only that it is unknown.
 */
#include <string.h>

#include "module.h"

#define CLUSTERS  ", of clusters of blocks, which are not there: they are of sm_90 and later"
#define BULK	  ", of bulk and tensor copies, which are not there: they are of sm_90 and later"
#define STORES	  ", of asynchronous stores to clusters, which are not there: they are of sm_90"
#define PRODUCTS  ", of products by groups of four warps, which are not there: they are of sm_90a"
#define MULTICAST ", of memory of several devices at once, which is not there: it is of sm_90"
#define PAIRS	  ", of pairs of 16-bit integers, which are not there: they are of sm_90 and later"
#define LATER	  ", of sm_100 and later, which is not there"

static const struct {
	const char *word, *why;
} absent[] = {
	{ "cluster", CLUSTERS },
	{ "shared::cluster", CLUSTERS },
	{ "mbarrier_init", CLUSTERS },
	{ "multicast::cluster", CLUSTERS },
	{ "mapa", CLUSTERS },
	{ "getctarank", CLUSTERS },
	{ "reqnctapercluster", CLUSTERS },
	{ "explicitcluster", CLUSTERS },
	{ "maxclusterrank", CLUSTERS },
	{ "%clusterid", CLUSTERS },
	{ "%nclusterid", CLUSTERS },
	{ "%cluster_ctaid", CLUSTERS },
	{ "%cluster_nctaid", CLUSTERS },
	{ "%cluster_ctarank", CLUSTERS },
	{ "%cluster_nctarank", CLUSTERS },
	{ "%is_explicit_cluster", CLUSTERS },
	{ "mbarrier::complete_tx::bytes", STORES },
	{ "bulk", BULK },
	{ "bulk_group", BULK },
	{ "reduce", BULK },
	{ "tensor", BULK },
	{ "tensormap", BULK },
	{ "replace", BULK },
	{ "cp_fenceproxy", BULK },
	{ "proxy", ", of proxies of memory, which are not there: there is one way to memory" },
	{ "wgmma", PRODUCTS },
	{ "fence", PRODUCTS },
	{ "mma_async", PRODUCTS },
	{ "setmaxnreg", ", which moves registers between warps: it is of sm_90a" },
	{ "multimem", MULTICAST },
	{ "ld_reduce", MULTICAST },
	{ "st", MULTICAST },
	{ "u16x2", PAIRS },
	{ "s16x2", PAIRS },
	{ "%aggr_smem_size", ", which is of sm_90 and later" },
	{ "%current_graph_exec", ", of launches of graphs by kernels, which are not there" },
	{ "tcgen05", LATER },
	{ "clusterlaunchcontrol", LATER },
	{ "blocksareclusters", LATER },
};

const char *ptx_absent(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		if (strlen(absent[i].word) == len && !memcmp(absent[i].word, word, len))
			return absent[i].why;
	return "";
}
