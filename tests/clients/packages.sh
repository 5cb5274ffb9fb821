# The Debian package and the Python wheel: both are made, checked and used as their users do. Sourced by
# `run`.
needs "dpkg-dev|command -v dpkg-shlibdeps" "lintian|command -v lintian" "python3-venv|python3 -m ensurepip --version" \
    "ca-certificates|test -d /etc/ssl/certs" "clinfo|command -v clinfo" \
    "ocl-icd-libopencl1|ldconfig_has libOpenCL.so.1" || return 0

(
    unset OCL_ICD_VENDORS OCL_ICD_FILENAMES
    tools/package-deb --debug "$scratch/deb"
    package=$(echo "$scratch"/deb/clvk_*.deb)
    lintian --fail-on error "$package"
    # Unpacked rather than installed: the tests leave the system as it is.
    dpkg -x "$package" "$scratch/unpacked"
    driver=$(cat "$scratch/unpacked/etc/OpenCL/vendors/clvk.icd")
    echo "$scratch/unpacked$driver" >"$scratch/unpacked.icd"
    OCL_ICD_VENDORS=$scratch/unpacked.icd clinfo -l | grep "^Platform #0: clvk"
    "$scratch/unpacked/usr/bin/clvk-run" devices >/dev/null
    zcat "$scratch/unpacked/usr/share/man/man1/clvk-run.1.gz" | grep -q clvk-run

    python3 -m venv "$scratch/wheel"
    # `pip install ./tools/python`, but without isolation, so that pip does not put a copy of the backend
    # elsewhere for each build.
    "$scratch/wheel/bin/pip" install -q "hatchling>=1.27" pyopencl==2026.1.4
    CLVK_WHEEL_PROFILE=dev "$scratch/wheel/bin/pip" install -q --no-build-isolation ./tools/python
    "$scratch/wheel/bin/clvk-run" devices >/dev/null
    "$scratch/wheel/bin/python" -c '
import pyopencl
names = [platform.name for platform in pyopencl.get_platforms()]
assert "clvk" in names, names
'
    "$scratch/wheel/bin/pip" uninstall -q -y clvk
    if compgen -G "$scratch/wheel/lib/python*/site-packages/pyopencl/.libs/*clvk*" >/dev/null; then
        echo "the wheel left its driver behind" >&2
        exit 1
    fi
)
