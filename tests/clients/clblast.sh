# CLBlast's tuners (Debian): each configuration of a kernel is compared with a reference. Sourced by `run`.
needs "clblast-utils|command -v clblast_tuner_xaxpy" "ocl-icd-libopencl1|ldconfig_has libOpenCL.so.1" || return 0

(
    cd "$scratch" # Tuners write files.
    for tuner in "xaxpy -n 4096 -fraction 8" "xdot -n 4096"; do
        read -r name sizes <<<"$tuner"
        # shellcheck disable=SC2086
        "clblast_tuner_$name" -platform 0 -device 0 $sizes >"$name.txt" 2>&1
        matches=$(grep -c "results match" "$name.txt" || true)
        echo "$name: $matches configurations are right"
        if [ "$matches" -eq 0 ] || grep -E "MISMATCH|compilation error|error code" "$name.txt"; then
            exit 1
        fi
    done
)
