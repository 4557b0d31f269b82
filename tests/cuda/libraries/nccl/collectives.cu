/* SPDX-License-Identifier: MIT */
/*
 * collectives: all collective operations, of all types, by all operators, in place and not, from
 * one element to several pieces, and at odd addresses. What is added up is compared bit for bit
 * with sums in the order of the ranks, which the host makes.
 */
#include "ranks.h"

static const size_t room = 3 << 20;

/* Numbers of a rank: few bits, so that those of 8 bits have them, too; signs where there are any */
static int number_of(int rank, size_t i)
{
	return (int)((i * 7 + rank * 5) % 11) - (i % 3 ? 0 : 4);
}

template <class T> struct wide {
	typedef T type;
};
template <> struct wide<signed char> {
	typedef int type;
};
template <> struct wide<__half> {
	typedef float type;
};
template <> struct wide<__nv_bfloat16> {
	typedef float type;
};
template <> struct wide<__nv_fp8_e4m3> {
	typedef float type;
};
template <> struct wide<__nv_fp8_e5m2> {
	typedef float type;
};

template <class T> static T make(float x)
{
	return T(x);
}
template <> signed char make(float x)
{
	return (signed char)(int)x;
}
template <> unsigned char make(float x)
{
	return (unsigned char)(int)x;
}
template <> unsigned int make(float x)
{
	return (unsigned int)(int)x;
}
template <> unsigned long long make(float x)
{
	return (unsigned long long)(long long)x;
}

/* Floats and doubles with all their bits, so that the order of additions shows */
template <class T> static T element(int rank, size_t i)
{
	return make<T>((float)number_of(rank, i));
}
template <> float element(int rank, size_t i)
{
	return (float)number_of(rank, i) / 3.0f + (float)i * 1e-3f;
}
template <> double element(int rank, size_t i)
{
	return (double)number_of(rank, i) / 3.0 + (double)i * 1e-3;
}

template <class T> static T reduced(ncclRedOp_t op, size_t i)
{
	typedef typename wide<T>::type Wide;
	Wide sum = (Wide)element<T>(0, i);

	for (size_t r = 1; r < ranks.size(); r++) {
		Wide x = (Wide)element<T>((int)r, i);

		if (op == ncclProd)
			sum = (Wide)(sum * x);
		else if (op == ncclMax)
			sum = x > sum ? x : sum;
		else if (op == ncclMin)
			sum = x < sum ? x : sum;
		else
			sum = (Wide)(sum + x);
	}
	return (T)(op == ncclAvg ? (Wide)(sum / (Wide)ranks.size()) : sum);
}

template <class T> static void fill(char *at, int rank, size_t first, size_t count)
{
	std::vector<T> host(count);

	for (size_t i = 0; i < count; i++)
		host[i] = element<T>(rank, first + i);
	CHECK(cudaMemcpy(at, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
}

template <class T, class Want>
static void expect(const char *what, const rank &r, const char *at, size_t count, Want want)
{
	std::vector<T> host(count);

	CHECK(cudaMemcpy(host.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < count; i++) {
		T one = want(i);

		if (memcmp(&one, &host[i], sizeof(T))) {
			mismatch(
				"%s, type of %zu bytes, %zu elements, rank %d, element %zu: "
				"got %g, expected %g",
				what, sizeof(T), count, r.device, i,
				(double)(typename wide<T>::type)host[i],
				(double)(typename wide<T>::type)one);
			return;
		}
	}
}

/* Each rank has COUNT elements at IN, and what is to be overwritten at OUT. */
template <class T> static void start(size_t count)
{
	for (const rank &r : ranks) {
		CHECK(cudaSetDevice(r.device));
		fill<T>(r.in, r.device, 0, count);
		CHECK(cudaMemset(r.out, 0x5a, room));
	}
	NCCL_CHECK(ncclGroupStart());
}

static void end(void)
{
	NCCL_CHECK(ncclGroupEnd());
	wait_for_ranks();
}

template <class T> static void all_reduce(ncclDataType_t type, ncclRedOp_t op, size_t count)
{
	start<T>(count);
	for (const rank &r : ranks)
		NCCL_CHECK(
			ncclAllReduce(r.in, r.out + sizeof(T), count, type, op, r.comm, r.stream));
	end();
	for (const rank &r : ranks)
		expect<T>("all-reduce", r, r.out + sizeof(T), count,
			  [=](size_t i) { return reduced<T>(op, i); });
}

/* Both in place */
template <class T> static void reduce_and_scatter(ncclDataType_t type, ncclRedOp_t op, size_t count)
{
	int n = (int)ranks.size(), root = n - 1;

	start<T>(count);
	for (const rank &r : ranks)
		NCCL_CHECK(ncclReduce(r.in, r.device == root ? r.in : NULL, count, type, op, root,
				      r.comm, r.stream));
	end();
	expect<T>("reduce", ranks[root], ranks[root].in, count,
		  [=](size_t i) { return reduced<T>(op, i); });
	start<T>(count * n);
	for (const rank &r : ranks)
		NCCL_CHECK(ncclReduceScatter(r.in, r.in + r.device * count * sizeof(T), count, type,
					     op, r.comm, r.stream));
	end();
	for (const rank &r : ranks)
		expect<T>("reduce-scatter", r, r.in + r.device * count * sizeof(T), count,
			  [=](size_t i) { return reduced<T>(op, r.device * count + i); });
}

template <class T> static void moves(ncclDataType_t type, size_t count)
{
	size_t n = ranks.size();
	int root = (int)n - 1;

	start<T>(count);
	for (const rank &r : ranks)
		NCCL_CHECK(ncclBroadcast(r.device == root ? r.in : NULL, r.out, count, type, root,
					 r.comm, r.stream));
	end();
	for (const rank &r : ranks)
		expect<T>("broadcast", r, r.out, count,
			  [=](size_t i) { return element<T>(root, i); });
	start<T>(count);
	for (const rank &r : ranks)
		NCCL_CHECK(ncclBcast(r.in, count, type, root, r.comm, r.stream));
	end();
	for (const rank &r : ranks)
		expect<T>("bcast", r, r.in, count, [=](size_t i) { return element<T>(root, i); });
	start<T>(count * n);
	for (const rank &r : ranks)
		NCCL_CHECK(ncclAllGather(r.in + r.device * count * sizeof(T), r.in, count, type,
					 r.comm, r.stream));
	end();
	for (const rank &r : ranks)
		expect<T>("all-gather", r, r.in, count * n,
			  [=](size_t i) { return element<T>((int)(i / count), i); });
	start<T>(count * n);
	for (const rank &r : ranks)
		NCCL_CHECK(ncclAlltoAll(r.in, r.out, count, type, r.comm, r.stream));
	end();
	for (const rank &r : ranks)
		expect<T>("all to all", r, r.out, count * n, [=](size_t i) {
			return element<T>((int)(i / count), r.device * count + i % count);
		});
	start<T>(count);
	for (const rank &r : ranks)
		NCCL_CHECK(ncclGather(r.in, r.device == root ? r.out : NULL, count, type, root,
				      r.comm, r.stream));
	end();
	expect<T>("gather", ranks[root], ranks[root].out, count * n,
		  [=](size_t i) { return element<T>((int)(i / count), i % count); });
	start<T>(count * n);
	for (const rank &r : ranks)
		NCCL_CHECK(ncclScatter(r.device == root ? r.in : NULL, r.out, count, type, root,
				       r.comm, r.stream));
	end();
	for (const rank &r : ranks)
		expect<T>("scatter", r, r.out, count,
			  [=](size_t i) { return element<T>(root, r.device * count + i); });
}

/* A factor of each rank: of the host's and of the device's memory */
static void factors(void)
{
	const size_t count = 40000;
	std::vector<ncclRedOp_t> op(ranks.size());
	auto want = [](size_t i) {
		float sum = element<float>(0, i) * 2;

		for (size_t r = 1; r < ranks.size(); r++)
			sum += element<float>((int)r, i) * (float)(r + 2);
		return sum;
	};

	start<float>(count);
	for (const rank &r : ranks) {
		float factor = (float)(r.device + 2);

		CHECK(cudaSetDevice(r.device));
		CHECK(cudaMemcpy(r.out + room - 16, &factor, sizeof(factor),
				 cudaMemcpyHostToDevice));
		NCCL_CHECK(ncclRedOpCreatePreMulSum(
			&op[r.device], r.device % 2 ? (void *)(r.out + room - 16) : &factor,
			ncclFloat, r.device % 2 ? ncclScalarDevice : ncclScalarHostImmediate,
			r.comm));
		NCCL_CHECK(ncclAllReduce(r.in, r.out, count, ncclFloat, op[r.device], r.comm,
					 r.stream));
	}
	end();
	for (const rank &r : ranks) {
		expect<float>("sum with factors", r, r.out, count, want);
		NCCL_EXPECT(
			ncclAllReduce(r.in, r.out, 1, ncclDouble, op[r.device], r.comm, r.stream),
			ncclInvalidArgument);
		NCCL_CHECK(ncclRedOpDestroy(op[r.device], r.comm));
		NCCL_EXPECT(ncclRedOpDestroy(op[r.device], r.comm), ncclInvalidArgument);
		NCCL_EXPECT(
			ncclAllReduce(r.in, r.out, 1, ncclFloat, op[r.device], r.comm, r.stream),
			ncclInvalidArgument);
	}
}

template <class T> static void all_of(ncclDataType_t type)
{
	for (int op = ncclSum; op <= ncclAvg; op++)
		all_reduce<T>(type, (ncclRedOp_t)op, 1003);
	reduce_and_scatter<T>(type, (ncclRedOp_t)(type % ncclNumOps), 503);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "collectives", NULL, 0, 0, 0);
	want_devices();
	make_ranks(room);
	all_of<signed char>(ncclInt8);
	all_of<unsigned char>(ncclUint8);
	all_of<int>(ncclInt32);
	all_of<unsigned int>(ncclUint32);
	all_of<long long>(ncclInt64);
	all_of<unsigned long long>(ncclUint64);
	all_of<__half>(ncclHalf);
	all_of<__nv_bfloat16>(ncclBfloat16);
	all_of<float>(ncclFloat);
	all_of<double>(ncclDouble);
	all_of<__nv_fp8_e4m3>(ncclFloat8e4m3);
	all_of<__nv_fp8_e5m2>(ncclFloat8e5m2);
	moves<double>(ncclDouble, 1);
	moves<float>(ncclFloat, 1003);
	/* several pieces, the last one shorter, and addresses that are no multiple of 4 */
	all_reduce<signed char>(ncclInt8, ncclSum, 300001);
	reduce_and_scatter<signed char>(ncclInt8, ncclSum, 300001);
	moves<signed char>(ncclInt8, 300001);
	all_reduce<float>(ncclFloat, ncclSum, 70001);
	reduce_and_scatter<float>(ncclFloat, ncclAvg, 70001);
	factors();
	free_ranks();
	return finish();
}
