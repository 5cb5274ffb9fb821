# tools/install and tools/uninstall, with a separate prefix: clinfo finds the driver through the installed
# vendor file, the command line runs, and afterwards nothing is left. Sourced by `run`.
needs "clinfo|command -v clinfo" "ocl-icd-libopencl1|ldconfig_has libOpenCL.so.1" || return 0

(
    prefix=$scratch/prefix
    unset OCL_ICD_FILENAMES
    tools/install --prefix "$prefix" --debug >"$scratch/install.txt"
    # As the installation prints it.
    vendors=$(sed -n 's/.*export OCL_ICD_VENDORS=//p' "$scratch/install.txt")
    OCL_ICD_VENDORS=$vendors clinfo -l | tee "$scratch/devices.txt"
    grep -q "^Platform #0: clvk" "$scratch/devices.txt"
    grep -q "Device #0: " "$scratch/devices.txt"
    "$prefix/bin/clvk-run" devices >"$scratch/devices.txt"
    [ -s "$scratch/devices.txt" ]
    for file in lib/libclvk_icd.so share/man/man1/clvk-run.1 share/bash-completion/completions/clvk-run \
        share/fish/vendor_completions.d/clvk-run.fish share/zsh/site-functions/_clvk-run; do
        if [ ! -s "$prefix/$file" ]; then
            echo "not installed: $file" >&2
            exit 1
        fi
    done
    tools/uninstall --prefix "$prefix"
    left=$(find "$prefix" ! -type d)
    if [ -n "$left" ]; then
        echo "left behind: $left" >&2
        exit 1
    fi
)
