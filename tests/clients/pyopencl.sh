# pyopencl (PyPI): its own tests, from the source distribution, on the wheel of the same version. Sourced by
# `run`. CLVK_CLIENTS_FULL=1 runs all of them, which takes a quarter of an hour on two processors; otherwise
# only those of the wrapper run.
needs "python3-venv|python3 -m ensurepip --version" "ca-certificates|test -d /etc/ssl/certs" || return 0

version=2026.1.4
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install -q "pyopencl==$version" pytest mako
"$scratch/venv/bin/pip" download -q --no-deps --no-binary pyopencl -d "$scratch" \
    "pyopencl==$version"
tar -xzf "$scratch/pyopencl-$version.tar.gz" -C "$scratch"
tests=(test_wrapper.py)
if [ -n "${CLVK_CLIENTS_FULL:-}" ]; then
    tests=(test_wrapper.py test_array.py test_arrays_in_structs.py test_clmath.py test_clrandom.py test_enqueue_copy.py
        test_algorithm.py)
fi
# test_get_info reads an attribute that pyopencl's images do not have; the tests exclude other platforms by
# name. test_xdg_cache_home looks for a cache that is made only once in a process, and fails on every platform
# (on PoCL 3.1, too). Each file runs in a separate process, because two of them give one structure two names.
for file in "${tests[@]}"; do
    (cd "$scratch/pyopencl-$version/test" && PYOPENCL_TEST=clvk XDG_CACHE_HOME="$scratch/cache" \
        "$scratch/venv/bin/python" -m pytest -q "$file" -k "not test_get_info and not test_xdg_cache_home")
done
