# Mesa's compilers for GPUs that are not there (300 MB to download): a kernel compiles for four GPUs, one of
# them in an emulator. Sourced by `run`.
needs "clang-19|command -v clang-19" "debian-archive-keyring|test -e /usr/share/keyrings/debian-archive-keyring.gpg" || return 0

tools/gpu-compilers --gpu adreno-740,radv-navi31,apple-m1,mali-g610 tests/kernels/saxpy/saxpy.cl >"$scratch/table.md"
# Of each GPU: compiled, refused, failed, crashed, timed out.
[ "$(grep -c -E "^\| [a-z]+-[a-z0-9]+ \| 1 \| 0 \| 0 \| 0 \| 0 \|" "$scratch/table.md")" -eq 4 ]
