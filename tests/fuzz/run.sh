#!/usr/bin/env bash
# Runs one fuzz target, or `all` of them, for some seconds each: tests/fuzz/run.sh TARGET [SECONDS]
#
# No nightly compiler and no cargo-fuzz: the coverage counters are an LLVM pass that a stable compiler runs
# too, and the engine is compiled from the crate libfuzzer-sys.
set -euo pipefail
cd "$(dirname "$0")"

target=${1:-}
seconds=${2:-60}
mapfile -t targets < <(sed -n 's|^path = "targets/\(.*\)\.rs"$|\1|p' Cargo.toml)
case " all ${targets[*]} " in
    *" $target "*) ;;
    *)
        echo "usage: tests/fuzz/run.sh TARGET [SECONDS], where TARGET is all or one of: ${targets[*]}" >&2
        exit 64
        ;;
esac
if ! command -v c++ >/dev/null; then
    echo "skipped: libFuzzer needs a C++ compiler, and there is no c++" >&2
    exit 0
fi

# Edge counters and traced comparisons, as `cargo fuzz` sets them, but without a sanitizer: the code has no
# `unsafe`, and overflow and failed assertions panic.
export RUSTFLAGS="--cfg fuzzing -Cdebug-assertions -Coverflow-checks -Ccodegen-units=1 -Cpasses=sancov-module \
-Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
export CARGO_PROFILE_RELEASE_LTO=off CARGO_TARGET_DIR=$PWD/target
# With a target triple, build scripts and macros stay without counters.
triple=$(rustc -vV | sed -n 's/^host: //p')

# The target `site` compares with a live PHP. Small limits of its own make the fuzzer meet them.
php_id= php_root=
start_php() {
    if ! command -v php >/dev/null; then
        echo "skipped: the comparison of the target site with PHP, as there is no php" >&2
        return
    fi
    local port=$((20000 + RANDOM % 20000)) script
    php_root=$(mktemp -d)
    mkdir "$php_root/wp-admin"
    for script in index.php wp-trackback.php wp-admin/edit.php; do
        cp php/echo.php "$php_root/$script"
    done
    php -n -d max_input_vars=20 -d max_input_nesting_level=8 -d max_file_uploads=3 -d upload_max_filesize=1K \
        -S "127.0.0.1:$port" -t "$php_root" >/dev/null 2>&1 &
    php_id=$!
    export CALENDAR_EDGE_FUZZ_PHP=127.0.0.1:$port
}
stop_php() {
    if [ -n "$php_id" ]; then kill "$php_id" || true; fi
    if [ -n "$php_root" ]; then rm -r "$php_root"; fi
}
trap stop_php EXIT
case "$target" in all | site) start_php ;; esac

run() {
    local name=$1
    mkdir -p "corpus/$name" "artifacts/$name"
    "target/$triple/release/$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
        -dict=words.dict -print_final_stats=1 -artifact_prefix="artifacts/$name/" "corpus/$name" "seeds/$name"
}

if [ "$target" != all ]; then
    cargo build --release --locked --features engine --target "$triple" --bin "$target"
    run "$target"
    exit
fi

cargo build --release --locked --features engine --target "$triple" --bins
failed=()
for name in "${targets[@]}"; do
    echo "-- $name"
    if run "$name" >"target/$name.log" 2>&1; then
        grep -E 'DONE|new_units_added' "target/$name.log"
    else
        tail -n 40 "target/$name.log"
        failed+=("$name")
    fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}; inputs are in tests/fuzz/artifacts" >&2
    exit 1
fi
