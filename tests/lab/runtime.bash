# For tests of the runtime in another build than the command's own: it is compiled anew, learners' files are
# built with it, and their programs run without the command. Sourced; sets source, tesela, work and failed.
# shellcheck disable=SC2034  # the tests that source it read these

source=${TESELA_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
tesela=${TESELA:-$source/build/cpu/tesela}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# need TOOL PACKAGE...: skip the test where a tool is not found.
need() {
    command -v "$1" >/dev/null && return
    shift
    echo "skipped: not all tools are found (Debian: $*)"
    exit 77
}

# build_runtime COMPILER ARCHIVER FLAG...: into $work/lib.
build_runtime() {
    local compiler=$1 archiver=$2 file
    shift 2
    mkdir -p "$work/lib" "$work/include" "$work/tmp"
    cp -r "$source/include/tesela-lab" "$work/include/"
    for file in "$source"/src/lab/run/*.c; do
        "$compiler" -std=c11 -D_GNU_SOURCE -O2 -g1 -Wall -Wextra -Werror -fvisibility=hidden \
            "$@" -I"$source/src" -I"$source/include" -c "$file" -o "$work/$(basename "$file" .c).o"
    done
    "$archiver" rcs "$work/lib/libtesela_lab_run.a" "$work"/*.o
}

# build_program FILE COMPILER: sets program. The command's own run of it does not matter: what it needs may not
# be here, or be limited.
build_program() {
    rm -rf "$work"/tmp/*
    TMPDIR=$work/tmp TESELA_LAB_PATH=$work "$tesela" lab run "$1" --counts --keep --compiler "$2" \
        >"$work/log" 2>&1 || true
    program=$(echo "$work"/tmp/*/program)
    if [ ! -f "$program" ]; then
        cat "$work/log"
        exit 1
    fi
}

# check NAME CHECKS ORDER WORKERS COMMAND...: no report, and an end with status 0.
check() {
    local name="$1, checks $2, order $3, $4 processes"
    export TESELA_LAB_CHECKS=$2 TESELA_LAB_ORDER=$3 TESELA_LAB_WORKERS=$4 TESELA_LAB_REPORT=3
    shift 4
    "$@" 3>"$work/report" >"$work/output" 2>&1 || {
        echo "$name: the program failed"
        cat "$work/output"
        failed=1
    }
    if grep -E '^(report|fatal|refused)' "$work/report" || ! grep -qx ended "$work/report"; then
        echo "$name: reports, or no end"
        failed=1
    fi
}

# check_files COMPILER COMMAND...: fourteen files, counted by one process and by three, and checked; COMMAND comes
# before the program.
check_files() {
    local compiler=$1 file size
    shift
    for file in "$source"/tests/lab/{clean,counts}/*.cu "$source"/tests/lab/files/{half,textures}.cu \
        "$source/bench/lab/speed.cu"; do
        build_program "$file" "$compiler"
        case $file in
        */clean/* | */files/*) size=() ;;
        *) size=(64) ;;
        esac
        check "$(basename "$file")" 0 0 1 "$@" "$program" "${size[@]}"
        grep '^count ' "$work/report" | sort >"$work/one" || true
        check "$(basename "$file")" 0 0 3 "$@" "$program" "${size[@]}"
        grep '^count ' "$work/report" | sort | cmp -s - "$work/one" || {
            echo "$(basename "$file"): three processes count otherwise than one"
            failed=1
        }
        check "$(basename "$file")" 1 1 1 "$@" "$program" "${size[@]}"
    done
}
