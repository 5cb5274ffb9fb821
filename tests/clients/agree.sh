# Images and printf compared with PoCL (Debian): reads and writes of images in every shape through every
# sampler, and lines that are printed. Sourced by `run`; `agree.py` says what is compared.
needs "python3-venv|python3 -m ensurepip --version" "ca-certificates|test -d /etc/ssl/certs" \
    "pocl-opencl-icd|test -e /etc/OpenCL/vendors/pocl.icd" "ocl-icd-libopencl1|ldconfig_has libOpenCL.so.1" || return 0

python3 -m venv "$scratch/agree"
"$scratch/agree/bin/pip" install -q pyopencl==2026.1.4 numpy
mkdir -p "$scratch/ours" "$scratch/theirs"
python=$scratch/agree/bin/python
"$python" tests/clients/agree.py run "$scratch/ours"
OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd OCL_ICD_FILENAMES='' "$python" tests/clients/agree.py run "$scratch/theirs"
"$python" tests/clients/agree.py compare "$scratch/ours" "$scratch/theirs"
