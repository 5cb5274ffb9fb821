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
)
# What makes for more tests where it can be had.
reference_packages=(
    "clang-19|command -v clang-19"
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

# Whether packages can be installed.
can_install() {
    command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]
}

# Makes sure that packages are installed. Without root it says which are missing, and ends the script.
require_packages() {
    local missing=()
    find_missing "$@"
    if [ "${#missing[@]}" -eq 0 ]; then
        return
    fi
    if ! command -v apt-get >/dev/null; then
        echo "missing: ${missing[*]} (the names of Debian's packages); install what your system calls them" >&2
        exit 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        echo "missing packages: ${missing[*]}; install them with: sudo apt-get install ${missing[*]}" >&2
        exit 1
    fi
    echo "installing ${missing[*]}"
    apt-get update -q -y
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Tries to install a package of `reference_packages` that is not there. Fails where it cannot be had.
have_reference() {
    command -v "$1" >/dev/null && return
    can_install || return 1
    echo "installing $1"
    apt-get update -q -y >/dev/null 2>&1 || true
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$1" >/dev/null 2>&1 || return 1
    command -v "$1" >/dev/null
}

require_cargo() {
    command -v cargo >/dev/null && return
    echo "cargo is missing; install Rust as https://www.rust-lang.org/tools/install says" >&2
    exit 1
}

# Unpacks SwiftShader from Debian's chromium-common, without installing it. Fails where there is no such
# package.
fetch_swiftshader() {
    local folder=target/drivers/swiftshader
    [ -e "$folder/vk_swiftshader_icd.json" ] && return
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
