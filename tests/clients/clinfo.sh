# clinfo (Debian): every query is answered, and the driver is found the ways applications use. Sourced by
# `run`.
needs "clinfo|command -v clinfo" "ocl-icd-libopencl1|ldconfig_has libOpenCL.so.1" || return 0

clinfo >"$scratch/clinfo.txt" 2>"$scratch/clinfo.err"
if [ -s "$scratch/clinfo.err" ]; then
    cat "$scratch/clinfo.err" >&2
    exit 1
fi
for line in "Platform Name +clvk" "Number of devices +[1-9]" "Device Version +OpenCL 3.[01] clvk" \
    "clCreateContext\(NULL, ...\) \[default\] +Success"; do
    if ! grep -E -q "$line" "$scratch/clinfo.txt"; then
        echo "clinfo does not print: $line" >&2
        exit 1
    fi
done
# clinfo prints an error in place of an answer that it cannot get.
if grep -E "<.*(error|CL_INVALID)" "$scratch/clinfo.txt"; then
    exit 1
fi
