#!/usr/bin/env bash
# The runtime under the address and undefined-behaviour sanitizers, on the same fourteen files as on aarch64. Redzones
# on stacks are off: fibers end without leaving their functions, whose redzones would stay.
set -euo pipefail
# shellcheck source=tests/lab/runtime.bash
source "$(dirname "$0")/runtime.bash"
need g++ g++
need gcc gcc
need ar binutils
build_runtime gcc ar -fsanitize=address,undefined --param asan-stack=0 -fno-sanitize-recover=undefined
# The learner's objects are not sanitized; their programs are linked with the sanitizers' libraries.
cat >"$work/g++" <<'END'
#!/bin/sh
case " $* " in
*" -c "*) exec g++ "$@" ;;
*) exec g++ "$@" -fsanitize=address,undefined ;;
esac
END
chmod +x "$work/g++"
handlers=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:use_sigaltstack=0
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0:$handlers
export UBSAN_OPTIONS=print_stacktrace=1
check_files "$work/g++"
exit "$failed"
