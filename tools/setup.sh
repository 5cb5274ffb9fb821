# Shared by the scripts of this folder: packages that must be installed, and the drivers that tests run on.
# To be sourced, from the root of the repository.

# What must be there, one row each: Debian's package, and a command that succeeds if it is installed.
build_packages=(
    "gcc|command -v cc"
    "libc6-dev|test -e /usr/include/stdio.h"
)
device_packages=(
    "libvulkan1|ldconfig_has libvulkan.so.1"
    "mesa-vulkan-drivers|compgen -G '/usr/share/vulkan/icd.d/*.json' || compgen -G '/etc/vulkan/icd.d/*.json'"
)
test_packages=(
    "vulkan-validationlayers|ls /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"
    "spirv-tools|command -v spirv-val"
    "libgmp-dev|compgen -G '/usr/include/gmp.h' || compgen -G '/usr/include/*/gmp.h'"
    "libmpfr-dev|test -e /usr/include/mpfr.h"
    "opencl-c-headers|test -e /usr/include/CL/cl_ext.h"
    "libvulkan-dev|test -e /usr/include/vulkan/vulkan.h"
    "cmake|command -v cmake"
    "g++|command -v g++"
)
# What makes for more tests where it can be had.
reference_packages=(
    "clang-19|command -v clang-19"
    "clang-15|command -v clang-15"
    "llvm-spirv-15|command -v llvm-spirv-15"
    "zsh|command -v zsh"
    "fish|command -v fish"
)

# The drivers that tests run on, one row each: a name, and the driver's manifest (empty: all that are
# installed). A row whose manifest does not exist is skipped, by name.
drivers=(
    "installed|"
    "lavapipe-25|target/drivers/lavapipe-25/lvp_icd.json"
    "swiftshader|target/drivers/swiftshader/vk_swiftshader_icd.json"
)

ldconfig_has() {
    # Not `grep -q`: it would end before ldconfig does, which `pipefail` counts as a failure.
    { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -F "$1" >/dev/null
}

# Puts the packages of these rows that are not installed into the array `missing`, which is the caller's.
find_missing() {
    local row
    for row in "$@"; do
        eval "${row#*|}" >/dev/null 2>&1 || missing+=("${row%%|*}")
    done
}

# Makes sure that packages are installed: all that a script needs in one call, so that a user without root is
# told of all of them at once. Without root it says which are missing, and ends the script.
require_packages() {
    local missing=()
    find_missing "$@"
    if [ "${#missing[@]}" -eq 0 ]; then
        return
    fi
    if ! command -v apt-get >/dev/null; then
        echo "these packages are missing (by their names in Debian): ${missing[*]}" >&2
        echo "install what your system calls them, and run this again" >&2
        exit 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        echo "these packages are missing; install them, and run this again:" >&2
        echo "    sudo apt-get install ${missing[*]}" >&2
        exit 1
    fi
    echo "installing Debian's packages ${missing[*]}"
    apt-get update -q -y >/dev/null || echo "the lists of packages could not be updated; trying with those at hand"
    if ! DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"; then
        echo "the packages could not be installed; apt-get says why above" >&2
        exit 1
    fi
}

# Makes sure that the Rust that the manifest asks for is there: cargo's own message about a manifest that it
# does not understand helps nobody.
require_rust() {
    local needed have advice
    needed=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    advice="install it as https://www.rust-lang.org/tools/install says (Debian's package is too old)"
    if ! command -v cargo >/dev/null; then
        echo "Rust is missing: clvk needs Rust $needed or newer; $advice" >&2
        exit 1
    fi
    # With rustup, `rustc` may be there and have no toolchain to run: its own message says what to do.
    have=$(rustc --version) || exit 1
    have=${have#rustc }
    have=${have%% *}
    if [ "$(printf '%s\n%s\n' "$needed" "${have%%-*}" | sort -V | sed -n 1p)" != "$needed" ]; then
        echo "clvk needs Rust $needed or newer, and $(command -v rustc) is Rust $have; $advice" >&2
        exit 1
    fi
}

# The steps of a script: `step TITLE [ESTIMATE]` announces the next of `$steps`, after saying how long the one
# before took. Estimates are for two cores.
step_number=0
step_started=
step_cpu=0
step() {
    finish_step
    step_started=$SECONDS
    measure_cpu
    step_cpu=$cpu
    step_number=$((step_number + 1))
    echo
    echo "== [$step_number/$steps] $1${2:+ (about $2)}"
}
finish_step() {
    if [ -n "$step_started" ]; then
        measure_cpu
        echo "== took $((SECONDS - step_started)) s, and $((cpu - step_cpu)) s of CPU time"
    fi
    step_started=
}

# Sets `cpu` to the CPU time in seconds of all that this script has run. It goes through a file, because
# `$(times)` is a process of its own, which has run nothing.
measure_cpu() {
    local file
    file=$(mktemp)
    times >"$file"
    # The second line is that of the children, in the form "0m1.234s 0m0.567s".
    cpu=$(awk 'NR == 2 { split($1, a, /[ms]/); split($2, b, /[ms]/); printf "%d", 60 * (a[1] + b[1]) + a[2] + b[2] }' "$file")
    rm -f "$file"
}

# The size in MB of a package's archive, as the lists of packages have it.
megabytes_of() {
    apt-cache "${@:2}" show --no-all-versions "$1" 2>/dev/null | awk '/^Size:/ { printf "%d", $2 / 1000000 + 1; exit }'
}

# Unpacks SwiftShader from Debian's chromium-common, without installing it. Fails where there is no such
# package.
fetch_swiftshader() {
    local folder=target/drivers/swiftshader
    [ -e "$folder/vk_swiftshader_icd.json" ] && return
    echo "downloading SwiftShader: Debian's chromium-common, $(megabytes_of chromium-common) MB"
    rm -rf "$folder.new"
    mkdir -p "$folder.new"
    if ! (cd "$folder.new" && apt-get download -q chromium-common && dpkg -x chromium-common_*.deb .) >/dev/null 2>&1
    then
        rm -rf "$folder.new"
        return 1
    fi
    local library
    library=$(find "$folder.new" -name libvk_swiftshader.so -print -quit)
    if [ -z "$library" ]; then
        rm -rf "$folder.new"
        return 1
    fi
    mv "$library" "$folder.new/libvk_swiftshader.so"
    rm -rf "$folder.new/usr" "$folder.new/etc" "$folder.new"/*.deb "$folder"
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' \
        "$PWD/$folder/libvk_swiftshader.so" >"$folder.new/vk_swiftshader_icd.json"
    mv "$folder.new" "$folder"
}

# Unpacks a modern lavapipe (Mesa 25) from Debian's backports, without installing it: from an apt state of its
# own, since the system need not know backports. Fails where it cannot be had or the system is too old for it.
fetch_lavapipe() {
    local folder=target/drivers/lavapipe-25
    [ -e "$folder/lvp_icd.json" ] && return
    echo "downloading lavapipe 25: mesa-vulkan-drivers of Debian's backports, about 15 MB"
    rm -rf "$folder.new"
    mkdir -p "$folder.new/apt/lists/partial" "$folder.new/apt/archives/partial"
    if ! (cd "$folder.new" && unpack_from_backports mesa-vulkan-drivers) >/dev/null 2>&1; then
        rm -rf "$folder.new"
        return 1
    fi
    local library
    library=$(find "$folder.new" -name libvulkan_lvp.so -print -quit)
    if [ -z "$library" ] || ldd "$library" | grep -F "not found" >/dev/null; then
        rm -rf "$folder.new"
        return 1
    fi
    mv "$library" "$folder.new/libvulkan_lvp.so"
    rm -rf "$folder.new/usr" "$folder.new/etc" "$folder.new/apt" "$folder.new"/*.deb "$folder"
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.4.0"}}\n' \
        "$PWD/$folder/libvulkan_lvp.so" >"$folder.new/lvp_icd.json"
    mv "$folder.new" "$folder"
}

# Where the packages of a release come from; nothing if the system's lists of packages are not there.
archive_of() {
    apt-get indextargets --format '$(REPO_URI)' "Codename: $1" | sed -n 1p
}

# Downloads a package of the release's backports into the current folder, which holds `apt`, and unpacks it.
# They are where the system's own packages come from.
unpack_from_backports() {
    local key=/usr/share/keyrings/debian-archive-keyring.gpg
    local release archive
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    archive=$(archive_of "$release")
    if [ -z "$archive" ]; then
        apt-get update -q
        archive=$(archive_of "$release")
    fi
    echo "deb [signed-by=$key] $archive $release-backports main" >apt/sources.list
    local options=(
        -o "Dir::Etc::sourcelist=$PWD/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt" -o Dir::Cache::archives=archives
    )
    apt-get "${options[@]}" update -q
    apt-get "${options[@]}" download -q -t "$release-backports" "$1"
    dpkg -x "$1"_*.deb .
}
