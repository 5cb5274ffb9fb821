# The playground in a headless Chromium, on the SwiftShader that it brings along, and in Firefox if it is
# installed: every example computes what it should, errors are shown at their places, links open again. The
# page is built as its users build it, which takes some minutes the first time. Sourced by `run`.
needs "chromium|command -v chromium" "python3|command -v python3" || return 0
if [ -n "$optional" ] && [ ! -x target/wasm-toolchain/rustc ] &&
    [ ! -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ]; then
    echo "SKIPPED: playground needs Rust's target wasm32-unknown-unknown (tools/playground/build)"
    skipped+=("$client")
    return 0
fi

tools/playground/build
PYTHONDONTWRITEBYTECODE=1 python3 tests/clients/playground.py "$scratch"
if command -v firefox-esr >/dev/null; then
    PYTHONDONTWRITEBYTECODE=1 python3 tests/clients/playground_firefox.py "$scratch"
else
    echo "firefox-esr is not installed: the page is not tried in Firefox"
fi

# The server that users start gives out the page.
tools/playground/serve --no-build --port 0 >"$scratch/serve.txt" &
server=$!
timeout 20 sh -c "until grep -q ^http '$scratch/serve.txt'; do sleep 0.1; done"
python3 - "$(sed 's/ .*//' "$scratch/serve.txt")" <<'PY'
import sys
from urllib.request import urlopen

page = urlopen(sys.argv[1])
assert page.headers["Content-Type"] == "text/html; charset=utf-8" and b"<title>" in page.read()
assert urlopen(sys.argv[1] + "compiler.wasm").read(4) == b"\0asm"
PY
kill "$server"
