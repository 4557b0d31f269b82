#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""samples.py: NVIDIA's public library samples, by vgpucc and by nvcc, on our libraries.

usage: samples.py [--build DIR] [--keep DIR] [--limit SECONDS] [--jobs N] [--compilers A,B]
                  [--only TEXT] [--new] [--nvcc-include DIR] [--markdown FILE] FOLDER...

FOLDER is a clone of CUDALibrarySamples or of cuda-samples; nothing is written to it. Of the first
the samples of the libraries that are here are taken, of the second those whose CMakeLists.txt
links one of them. Each is compiled by each compiler (nvcc: shared runtime, PTX of compute_75) and
run with the device inside the process, for at most SECONDS (60). A row is: sample, compiler,
whether it compiles, how it ends, its own check, and the first line that says why not.

A sample's own check is what it prints ("passed" ...). Many of NVIDIA's print numbers only and have
the expected ones in a comment of the source (`C = | 23.0 31.0 |'): these are looked for in what is
printed; what is not found `differs', the comment may be wrong. Those of cuRAND print the numbers of the host's generator and of the device's: they must
be the same. `none' is a sample that has neither. The rows go to out/samples.tsv, where those of
former runs stay; --new: only samples without a row. --nvcc-include: headers of a newer toolkit,
before nvcc's. A table goes to stdout; --markdown writes that of docs/libraries-samples.md.
Exit status: 0 if all ran, whatever came of it.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

LIBRARIES = ["cublasLt", "cublas", "cufftw", "cufft", "curand", "cusolverMg", "cusolver", "cusparse"]
FAMILIES = ["cuBLAS", "cuBLASLt", "cuFFT", "cuRAND", "cuSOLVER", "cuSPARSE"]
ROWS = "out/samples.tsv"
SOURCE = re.compile(r"\.(cu|cpp|cc|c)$")
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
BAD = re.compile(r"\bfail(ed|ure|s)?\b|mismatch|incorrect|\bwrong\b|\berror:(?! *[-+\d.])", re.I)
GOOD = re.compile(r"\bpass(ed)?\b|success|\bcorrect\b|verified|\bOK\b", re.I)


class Sample:
    """A program: its name, its sources and options."""

    def __init__(self, root, folder, name, sources):
        self.root, self.folder, self.name, self.sources = root, folder, name, sources
        self.build = "".join(text_of(os.path.join(folder, f)) for f in ("CMakeLists.txt", "Makefile"))
        self.build = re.sub(r"#.*", "", self.build)

    def includes(self):
        places = [".", "..", "../utils", "../../utils", "../Common", "../../../Common"]
        return ["-I" + os.path.join(self.folder, p) for p in places
                if os.path.isdir(os.path.join(self.folder, p))]

    def libraries(self):
        """By the sample's CMakeLists.txt or Makefile, or by what its headers' names say."""
        said = self.build + "".join(text_of(s) for s in self.sources)
        found = [lib for lib in LIBRARIES if re.search(r"(::|-l|\b)" + lib + r"(\b|_v2\.h|Dn|Sp|Rf|Xt)", said)]
        if "cusolver" in found:
            found += [lib for lib in ("cublas", "cusparse") if lib not in found]
        if "OpenMP" in self.build:
            found.append("gomp")
        if re.search(r"CUDA::cuda_driver|libcuda\b|CUDA_DRIVER_LIB|-lcuda\b", self.build):
            found.append("cuda")
        if re.search(r"nvrtc", said):
            found.append("nvrtc")
        return ["-l" + lib for lib in found]

    def needs_display(self):
        found = re.search(r"\b(GLUT|OpenGL|OPENGL|GLEW|glfw|Vulkan|EGL|MPI|FreeImage)", self.build)
        return found and found.group(0)


def text_of(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def programs_of(root, folder):
    """Each source with a main() is a program, with those beside it that have none."""
    sources = sorted(os.path.join(at, f) for at, _, files in os.walk(folder) for f in files if SOURCE.search(f))
    mains = [s for s in sources if re.search(r"^\s*(int|void)\s+main\s*\(", text_of(s), re.M)]
    rest = [s for s in sources if s not in mains]
    common = os.path.join(os.path.dirname(folder), "Common", "helpers.cpp")
    if os.path.exists(common):
        rest.append(common)
    for main in mains:
        place = os.path.relpath(folder, root).removeprefix("Samples/")
        stem = SOURCE.sub("", os.path.basename(main))
        name = place if len(mains) == 1 else place + "/" + stem
        yield Sample(root, folder, name, [main] + rest)


def samples_of(root):
    if os.path.isdir(os.path.join(root, "Samples")):
        for at, folders, files in sorted(os.walk(os.path.join(root, "Samples"))):
            text = text_of(os.path.join(at, "CMakeLists.txt")) if "CMakeLists.txt" in files else ""
            if re.search(r"CUDA::(" + "|".join(LIBRARIES) + r")(_static)?\b", re.sub(r"#.*", "", text)):
                folders.clear()
                yield from programs_of(root, at)
        return
    for family in FAMILIES:
        for at, folders, files in sorted(os.walk(os.path.join(root, family))):
            if "CMakeLists.txt" in files and at != os.path.join(root, family):
                folders.clear()
                yield from programs_of(root, at)


class Run:
    """What a command said and how it ended."""

    def __init__(self, command, limit, cwd=None, env=None):
        child = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        self.late = False
        try:
            said, _ = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.late = True
            os.killpg(child.pid, signal.SIGKILL)
            said, _ = child.communicate()
        self.status = child.returncode
        self.said = said.decode(errors="replace")

    def first(self, pattern):
        for line in self.said.splitlines():
            if re.search(pattern, line):
                return line.strip()
        return ""


def numbers_in(text):
    """Each with how far it may be from what was meant: half of its last digit."""
    found = []
    text = re.sub(r"([-+])\s+(?=[.\d])", r"\1", re.sub(r"\+\s*-", "-", text))  # 1.0 + -2.0j, 1.0 - 2.0j
    for word in NUMBER.findall(text):
        mantissa, _, exponent = word.lower().partition("e")
        digits = len(mantissa.partition(".")[2]) - int(exponent or 0)
        found.append((float(word), 0.5 * 10.0 ** -digits))
    return found


def same(a, b):
    return abs(a[0] - b[0]) <= (a[1] + b[1]) * 1.001 + 2e-6 * abs(b[0])


def expected_in(text):
    """The matrices that the last of several comments draws, which is the results': name, numbers."""
    comments = []
    for comment in re.findall(r"/\*(.*?)\*/", text, re.S):
        drawn, open_matrix = [], False
        for line in comment.splitlines():
            line = line.strip().lstrip("*").strip()
            begins = re.match(r"(\w[\w ()^*]*?)\s*=\s*\|(.*)\|\s*$", line)
            goes_on = re.match(r"\|(.*)\|\s*$", line)
            if begins:
                drawn.append((begins.group(1), numbers_in(begins.group(2))))
                open_matrix = True
            elif goes_on and open_matrix:
                drawn[-1][1].extend(numbers_in(goes_on.group(1)))
            else:
                open_matrix = False
        drawn = [(name, numbers) for name, numbers in drawn if numbers]
        comments += [drawn] if drawn else []
    return comments[-1] if len(comments) > 1 else []


def printed(numbers, said):
    """In any order: batches are drawn side by side, and rows and columns may be exchanged"""
    left = list(said)
    for number in numbers:
        found = next((i for i, other in enumerate(left) if same(other, number)), None)
        if found is None:
            return False
        del left[found]
    return True


def own_check(sample, said):
    """right, wrong or none, and why"""
    for line in said.splitlines():
        if BAD.search(line) and not re.search(r"\b0 (errors|failed)|no errors?\b", line, re.I):
            return "wrong", line.strip()
    halves = re.search(r"Host\n(.*?)=====\nDevice\n(.*?)=====", said, re.S)
    if halves:
        host, device = numbers_in(halves.group(1)), numbers_in(halves.group(2))
        equal = len(host) == len(device) and all(same(h, d) for h, d in zip(host, device))
        return ("right", "") if equal else ("wrong", "the device's numbers are others")
    if GOOD.search(said):
        return "right", ""
    expected = [m for s in sample.sources for m in expected_in(text_of(s))]
    numbers = numbers_in(said)
    if not expected or not numbers:
        return "none", ""
    lost = [name for name, wanted in expected if not printed(wanted, numbers)]
    return ("differs", "its comment has another " + ", ".join(lost)) if lost else ("right", "")


def command(sample, compiler, program, args):
    """What compiles it: one command."""
    options = ["-O2", "-std=c++17"] + sample.includes()
    if re.search(r"LANGUAGE CUDA\b", sample.build) or any(s.endswith(".cu") for s in sample.sources):
        options += ["-x", "cu"] if not any(s.endswith(".c") for s in sample.sources) else []
    if "OpenMP" in sample.build:
        options += ["-Xcompiler", "-fopenmp"]
    if re.search(r"cudadevrt|CUDA_SEPARABLE_COMPILATION", sample.build) and \
            re.search(r"cudadevrt|grid_group|extern __device__", sample.build + text_of(sample.sources[0])):
        options.append("-rdc=true")
    if compiler == "nvcc":
        tool = ["nvcc", "-cudart", "shared", "-arch=compute_75", "-w"]
        tool += ["-I" + args.nvcc_include] if args.nvcc_include else []
    else:
        tool = [os.path.join(args.build, "toolkit/bin/nvcc"), "-arch=sm_80"]
    if any(s.endswith(".c") for s in sample.sources):
        options.remove("-std=c++17")
    return tool + ["--extended-lambda"] + options + sample.sources + ["-o", program] + sample.libraries()


def try_sample(sample, compiler, args):
    """The row: compiles, runs, own check, cause"""
    display = sample.needs_display()
    if display:
        return "-", "-", "-", "needs " + display
    program = os.path.join(args.keep, compiler, sample.name.replace("/", "."))
    os.makedirs(os.path.dirname(program), exist_ok=True)
    if not os.path.exists(program):
        made = Run(command(sample, compiler, program, args), 300)
        with open(program + ".build", "w") as log:
            log.write(made.said)
        if made.status:
            return "no", "-", "-", made.first(r"error|vgpucc: |undefined|cannot find") or f"exit status {made.status}"
    with tempfile.TemporaryDirectory() as place:
        for name in os.listdir(sample.folder):
            os.symlink(os.path.join(os.path.abspath(sample.folder), name), os.path.join(place, name))
        env = dict(os.environ, VGPU_TRANSPORT="embedded", VGPU_STRICT_CAPABILITY="0", LD_LIBRARY_PATH=args.build,
                   CUBLASLT_LOG_LEVEL="1")
        ran = Run([program], args.limit, place, env)
    with open(program + ".run", "w") as log:
        log.write(ran.said)
    if ran.late:
        return "yes", "late", "-", f"not done after {args.limit} s"
    check, why = own_check(sample, ran.said)
    if ran.status:
        why = ran.first(r"not supported|NOT_SUPPORTED|^vgpu: ") or ran.first(r"(?i)error|fail|cannot|terminate") or why
        return "yes", f"ends with {ran.status}", "-" if check != "wrong" else check, why
    return "yes", "yes", check, why


def right(row):
    return row[2:5] == ["yes", "yes", "right"] or row[2:5] == ["yes", "yes", "none"]


def counts(rows, compilers):
    """A line for each family: how many, and how many are right by each compiler"""
    families = sorted({row[0].split("/")[0] for row in rows})
    for family in families + [""]:
        of = [r for r in rows if r[0].split("/")[0] == family or not family]
        words = [family or "all", str(len({r[0] for r in of}))]
        for compiler in compilers:
            mine = [r for r in of if r[1] == compiler]
            words += [str(sum(r[2] == "yes" for r in mine)), str(sum(r[3] == "yes" for r in mine)),
                      str(sum(r[4] == "right" for r in mine)), str(sum(r[4] == "none" for r in mine)),
                      str(sum(right(r) for r in mine))]
        yield words


def markdown(rows, compilers, file):
    """Counts, then a line for each sample"""
    print("| family | samples |" + "".join(f" {c}: compile | run | own check right | no check |" for c in compilers), file=file)
    print("|---|---|" + "---|---|---|---|" * len(compilers), file=file)
    for words in counts(rows, compilers):
        kept = words[:2] + [w for i, w in enumerate(words[2:]) if i % 5 != 4]
        print("| " + " | ".join(kept) + " |", file=file)
    print("\n| sample |" + "".join(f" {c}: compiles | runs | own check |" for c in compilers) + " cause |", file=file)
    print("|---|" + "---|---|---|" * len(compilers) + "---|", file=file)
    for name in dict.fromkeys(row[0] for row in rows):
        mine = {row[1]: row for row in rows if row[0] == name}
        cells = [cell for c in compilers for cell in (mine[c][2:5] if c in mine else ["", "", ""])]
        causes = dict.fromkeys(row[5] for row in mine.values() if row[5])
        print(f"| {name} | " + " | ".join(cells) + " | " + "; ".join(causes).replace("|", "\\|")[:200] + " |", file=file)


def former_rows():
    os.makedirs(os.path.dirname(ROWS), exist_ok=True)
    return [line.split("\t") for line in text_of(ROWS).splitlines()]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--keep")
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--compilers", default="vgpucc,nvcc" if shutil.which("nvcc") else "vgpucc")
    parser.add_argument("--only", default="")
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--nvcc-include")
    parser.add_argument("--markdown")
    parser.add_argument("folder", nargs="+")
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    compilers = args.compilers.split(",")
    if not os.path.exists(os.path.join(args.build, "toolkit/bin/nvcc")):
        sys.exit(f"samples.py: no {args.build}/toolkit: run make all first")
    samples = [s for folder in args.folder for s in samples_of(folder) if re.search(args.only, s.name)]
    if not samples:
        sys.exit("samples.py: no library samples in " + " ".join(args.folder))
    rows = {tuple(row[:2]): row for row in former_rows()}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        args.keep = os.path.abspath(args.keep or scratch)
        jobs = [(s, c, pool.submit(try_sample, s, c, args)) for c in compilers for s in samples
                if not args.new or (s.name, c) not in rows]
        for count, (sample, compiler, job) in enumerate(jobs, 1):
            row = [sample.name, compiler, *job.result()]
            row[5] = re.sub(r"\S*/(?=[^/\s]+)", "", row[5])  # of files their names
            rows[sample.name, compiler] = row
            print(f"{count}/{len(jobs)}", *row, sep="\t", flush=True)
            with open(ROWS, "a") as file:
                print(*row, sep="\t", file=file)
    rows = sorted({tuple(row[:2]): row for row in former_rows()}.values())
    with open(ROWS, "w") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)
    if args.markdown:
        with open(args.markdown, "w") as file:
            markdown(rows, compilers, file)
    print("family, samples;", "; ".join(f"{c}: compile, run, right, no check, good" for c in compilers))
    for words in counts(rows, compilers):
        print(*words, sep="\t")


if __name__ == "__main__":
    main()
