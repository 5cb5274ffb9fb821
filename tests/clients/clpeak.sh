# clpeak (Debian): runs to its end. Sourced by `run`; its numbers are not looked at.
needs "clpeak|command -v clpeak" "ocl-icd-libopencl1|ldconfig_has libOpenCL.so.1" || return 0

clpeak >"$scratch/clpeak.txt" 2>&1
cat "$scratch/clpeak.txt"
for part in "Global memory bandwidth" "Single-precision compute" "Integer compute" "Transfer bandwidth" \
    "Kernel launch latency"; do
    if ! grep -q "$part" "$scratch/clpeak.txt"; then
        echo "clpeak does not measure: $part" >&2
        exit 1
    fi
done
if grep -i -E "error|skipped|failed" "$scratch/clpeak.txt"; then
    exit 1
fi
