# darktable (Debian): `darktable-cltest` compiles all of its kernels, to its end. Sourced by `run`.
needs "darktable|command -v darktable-cltest" "ocl-icd-libopencl1|ldconfig_has libOpenCL.so.1" || return 0

(
    export HOME=$scratch/darktable XDG_CONFIG_HOME=$scratch/darktable
    settings=$XDG_CONFIG_HOME/darktable/darktablerc
    mkdir -p "$HOME"
    darktable-cltest >"$scratch/cltest.txt" 2>&1
    # At first it disables software devices: the eighth number of a device's entry says so.
    sed -i -E 's/^(cldevice_v[0-9]+_[a-z0-9]+=([^ ]+ ){7})1 /\10 /' "$settings"
    darktable-cltest >"$scratch/cltest.txt" 2>&1
    compiled=$(grep -c "trying to compile source" "$scratch/cltest.txt" || true)
    echo "programs compiled: $compiled"
    if [ "$compiled" -lt 20 ] || ! grep -q "OpenCL successfully initialized" "$scratch/cltest.txt" ||
        grep -i -E "failed|error|could not (build|create)" "$scratch/cltest.txt"; then
        cat "$scratch/cltest.txt" >&2
        exit 1
    fi
)
