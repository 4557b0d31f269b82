#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What holds for every tool: --help fits a screen and says the exit statuses, a man page names every long option of it,
# completion knows it; without the module it says in one line what to do.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
PATH=$PWD/build/tools:$PWD/tools:$PATH
tools="vgpu-smi vgpu-top vgpu-trace vgpu-sim vgpu-run vgpu-ptxas vgpu-hostcalls vgpu-launches vgpucc vgpu-sweep vgpu-policy vgpu-vm vgpu-demo"
count=0 failed=0

ok() { # NAME STATUS
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count - $1"
	else
		failed=1
		[ ! -s "$dir/said" ] || sed 's/^/# /' "$dir/said"
		echo "not ok $count - $1"
	fi
}
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }

# NAME STATUS TEXT COMMAND...: it ends so and says that in one line
says() {
	local name=$1 expected=$2 text=$3 status=0
	shift 3
	timeout 120 "$@" >"$dir/said" 2>&1 </dev/null || status=$?
	[ "$status" -eq "$expected" ] && grep -qF -- "$text" "$dir/said" && [ "$(wc -l <"$dir/said")" -eq 1 ]
	ok "$name" $?
}

# FILE FROM [TO]: numbers from the line with FROM to the one with TO, or the end
statuses() { awk -v to="${3:-^\f}" -v from="$2" 'on && $0 ~ to { exit } tolower($0) ~ tolower(from) { on = 1 } on' "$1" |
	sed 's/.*[Ee]xit status//' | grep -oE '\b[0-9]{1,3}\b' | sort -un; }

for tool in $tools; do
	"$tool" --help >"$dir/help" 2>&1
	ok "$tool: --help" $?
	[ "$(wc -l <"$dir/help")" -le 32 ]
	ok "$tool: it fits a screen" $?
	cp "$dir/help" "$dir/help-all"
	if [ "$tool" = vgpu-trace ]; then
		vgpu-trace import --help >"$dir/import"
		[ "$(wc -l <"$dir/import")" -le 32 ]
		ok "$tool import: it fits a screen" $?
		cat "$dir/import" >>"$dir/help-all"
	fi
	grep -oE -- ' --[a-z][a-z_-]+' "$dir/help-all" | tr -d ' ' | sort -u |
		grep -vxE -- '--prec-(div|sqrt)|--fmad|--expt-' >"$dir/options"
	tr -d '\\' <"docs/man/$tool.1" >"$dir/man"
	: >"$dir/said"
	while read -r option; do
		grep -qE -- "(Fl|Op Fl|\|) -${option#--}( |\$)" "$dir/man" || echo "$option is not in the man page" >>"$dir/said"
	done <"$dir/options"
	[ ! -s "$dir/said" ]
	ok "$tool: its man page has all options" $?
	[ "$tool" != vgpu-trace ] || vgpu-trace record --help >>"$dir/help"
	statuses "$dir/help" 'exit status' >"$dir/said"
	statuses "$dir/man" '^\.Sh EXIT STATUS' '^\.Sh [^E]' | diff "$dir/said" - >"$dir/diff" && grep -q . "$dir/said"
	ok "$tool: both say the same exit statuses" $?
	(. tools/completion/vgpu && complete -p "$tool") >"$dir/said" 2>&1
	ok "$tool: completion" $?
done
for page in docs/man/*.1; do groff -ww -mandoc -Tutf8 -z "$page"; done >"$dir/said" 2>&1
[ ! -s "$dir/said" ]
ok "man pages without warnings" $?

# What a user gets who types vgpu-smi set pol<TAB>.
complete_words() {
	bash -c '. tools/completion/vgpu; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _vgpu; printf "%s\n" "${COMPREPLY[@]}"' _ "$@"
}
complete_words vgpu-smi set pol >"$dir/said"
complete_words vgpu-smi ev >>"$dir/said"
complete_words vgpu-trace st >>"$dir/said"
complete_words vgpu-trace im >>"$dir/said"
complete_words vgpu-trace import --st >>"$dir/said"
complete_words vgpu-top --del >>"$dir/said"
complete_words vgpu-smi --query-c >>"$dir/said"
: >"$dir/expected"
[ ! -e /sys/class/vgpu/vgpu0 ] || echo policy= >"$dir/expected"
printf '%s\n' events stats import --step-name --steps --delay --query-compute-apps >>"$dir/expected"
sed -i '/^$/d' "$dir/said"
diff "$dir/expected" "$dir/said" >"$dir/diff"
ok "completion: what it offers" $?

if [ -e /sys/class/vgpu ]; then
	skip "without the module" "the module is loaded here"
else
	says "smi: without the module" 3 "no vgpu device here: load the module" vgpu-smi
	says "smi: set without the module" 3 "no vgpu device here: load the module" vgpu-smi set policy=dss
	says "top: without the module" 3 "no vgpu device here: load the module" vgpu-top -b
	says "run: without the module" 3 "/dev/vgpu0 does not exist: load the module" vgpu-run tools/demo/priority.job
	says "trace: without the module" 3 "no vgpu device here: load the module" vgpu-trace record -o "$dir/x" -- true
	for transport in ioctl uring mapped; do
		VGPU_TRANSPORT=$transport build/cuda/saxpy 100 2>&1 >/dev/null | grep vgpu: >"$dir/said"
		[ "$(wc -l <"$dir/said")" -eq 1 ] && grep -q '/dev/vgpu does not exist: load the module .* or run with VGPU_TRANSPORT=embedded' "$dir/said"
		ok "a program, over $transport: without the module" $?
	done
fi
says "trace: it did not use vgpu" 1 "produced no trace" vgpu-trace record -e -o "$dir/x" -- true
says "trace: no such program" 127 "No such file" vgpu-trace record -e -o "$dir/x" -- "$dir/nothing"
says "trace: nothing to run" 2 "record --help" vgpu-trace record
says "top: wrong usage" 2 "vgpu-top --help" vgpu-top here

make -s --no-print-directory install DESTDIR="$dir/installed" PREFIX=/usr >"$dir/said" 2>&1 &&
	[ -s "$dir/installed/usr/share/man/man1/vgpu-smi.1" ] && [ -x "$dir/installed/usr/bin/vgpu-top" ] &&
	[ -s "$dir/installed/usr/share/bash-completion/completions/vgpu-trace" ]
ok "install" $?
printf '[axes]\njob=a.job\nseed=1 2\n' >"$dir/a.ini"
printf '[a]\nphase=kernel tbs=10 tb_us=5 threads=32\n' >"$dir/a.job"
if command -v parallel >/dev/null; then
	(cd "$dir" && PATH=/usr/bin:/bin "$dir/installed/usr/bin/vgpu-sweep" -o "$dir/swept" a.ini) >"$dir/said" 2>&1 &&
		grep -q '"product": "installed"' "$dir/swept/cells.jsonl"
	ok "vgpu-sweep from where it is installed" $?
else
	skip "vgpu-sweep from where it is installed" "GNU parallel is not installed"
fi

echo "1..$count"
exit $failed
