"""The drivers, unpacked from Debian's packages, and the stand-ins for what they ask the kernel of the operating
system, compiled from Mesa's source package. Nothing is installed.
"""

import collections
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
WORK = PROJECT / "target/gpu-compilers"
SOURCE = WORK / "source/src"
RELEASE = "trixie"
KEY = "/usr/share/keyrings/debian-archive-keyring.gpg"
TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
LIBRARIES = WORK / "amd64/usr/lib" / TRIPLETS["amd64"]
LOADER = LIBRARIES / "ld-linux-x86-64.so.2"
QEMU = WORK / "amd64/usr/bin/qemu-aarch64"
PACKAGES = {
    "amd64": ["mesa-vulkan-drivers", "libvulkan1", "libdrm-dev", "linux-libc-dev", "patchelf", "lld-19", "qemu-user"],
    "arm64": ["mesa-vulkan-drivers", "libvulkan1", "libvulkan-dev", "libdrm-dev", "libgcc-14-dev", "libc6-dev", "vulkan-tools"],
}

# A driver: its architecture, the sources of its stand-in, its manifest.
Driver = collections.namedtuple("Driver", "architecture sources manifest")
DRIVERS = {
    "msm": Driver("amd64", [SOURCE / "freedreno/drm-shim/freedreno_noop.c"], "freedreno_icd.json"),
    "amdgpu": Driver(
        "amd64",
        [SOURCE / "amd/drm-shim/amdgpu_noop_drm_shim.c", SOURCE / "amd/drm-shim/amdgpu_devices.c"],
        "radeon_icd.json",
    ),
    "nouveau": Driver("amd64", [SOURCE / "nouveau/drm-shim/nouveau_noop.c"], "nouveau_icd.json"),
    "i915": Driver("amd64", [SOURCE / "intel/tools/intel_noop_drm_shim.c"], "intel_icd.json"),
    "asahi": Driver("amd64", [HERE / "asahi.c"], "asahi_icd.json"),
    "panfrost": Driver("arm64", [SOURCE / "panfrost/drm-shim/panfrost_noop.c"], "panfrost_icd.json"),
    "v3d": Driver("arm64", [SOURCE / "broadcom/drm-shim/v3d_noop.c"], "broadcom_icd.json"),
}

# A GPU: its driver, and the variables that choose it.
Gpu = collections.namedtuple("Gpu", "driver variables")
# PCI device, generation, whether it has memory of its own, slices, subslices of each, units of each.
INTEL = {
    "skl": "1912 9 0 1 3 8",
    "tgl": "9a49 12 0 1 6 16",
    "dg2": "56a0 12 1 8 4 16",
    "lnl": "64a0 20 0 2 4 8",
    "bmg": "e20b 20 1 5 4 8",
}
NVIDIA = {"maxwell": "124", "pascal": "132", "turing": "162", "ampere": "172", "ada": "192"}
# Number, and variant of the cores. PanVK has Vulkan 1.0 for the older ones, and nothing for the G57 and G78.
MALI = {"g310": ("ac74", "0"), "g610": ("a867", "0"), "g720": ("c870", "4"), "g725": ("d830", "4")}
GPUS = {
    **{f"adreno-{number}": Gpu("msm", {"FD_GPU_ID": str(number)}) for number in (618, 630, 650, 660, 730, 740, 750)},
    **{
        f"radv-{name}": Gpu("amdgpu", {"AMDGPU_GPU_ID": name})
        for name in ("polaris10", "vega10", "navi10", "navi21", "navi31", "gfx1150")
    },
    **{f"anv-{name}": Gpu("i915", {"STAND_IN_GPU": value}) for name, value in INTEL.items()},
    **{
        f"nvk-{name}": Gpu("nouveau", {"NOUVEAU_CHIPSET": chip, "NVK_I_WANT_A_BROKEN_VULKAN_DRIVER": "1"})
        for name, chip in NVIDIA.items()
    },
    "apple-m1": Gpu("asahi", {}),
    **{
        f"mali-{name}": Gpu(
            "panfrost", {"PAN_GPU_ID": number, "STAND_IN_GPU": variant, "PAN_I_WANT_A_BROKEN_VULKAN_DRIVER": "1"}
        )
        for name, (number, variant) in MALI.items()
    },
    "v3dv-rpi4": Gpu("v3d", {}),
    "v3dv-rpi5": Gpu("v3d", {"STAND_IN_GPU": "7.1"}),
}

# The sources that all stand-ins share.
SHARED = [SOURCE / f"{name}.c" for name in ("drm-shim/device", "drm-shim/drm_shim", "c11/impl/threads_posix", "c11/impl/time")]
SHARED += [
    SOURCE / f"util/{name}.c"
    for name in (
        "anon_file blob futex half_float hash_table log memstream os_file os_misc ralloc set simple_mtx softfloat "
        "strtod u_call_once u_debug u_printf u_process vma"
    ).split()
]

MSM = "freedreno/drm-shim/freedreno_noop.c"
NOUVEAU = "nouveau/drm-shim/nouveau_noop.c"
I915 = "intel/tools/intel_noop_drm_shim.c"
PANFROST = "panfrost/drm-shim/panfrost_noop.c"
V3D = "broadcom/drm-shim/v3d_noop.c"

# What newer drivers expect of the stand-ins: file, pattern, replacement.
CHANGES = [
    # Turnip asks for several address spaces this way.
    (
        MSM,
        r"static ioctl_fn_t driver_ioctls",
        "static int set_param(int fd, unsigned long request, void *arg)\n"
        "{\n   return ((struct drm_msm_param *)arg)->param == 0x16 ? -EINVAL : 0;\n}\n\n"
        "static ioctl_fn_t driver_ioctls",
    ),
    (MSM, r"\[DRM_MSM_SET_PARAM\] = msm_ioctl_noop", "[DRM_MSM_SET_PARAM] = set_param"),
    (MSM, r"#include <limits.h>", "#include <errno.h>\n#include <limits.h>"),
    (MSM, r"(?=   \{\n      .gpu_id = 660)", "   { .gpu_id = 650, .chip_id = CHIPID(6, 5, 0, 0xff), .gmem_size = 1152 * 1024 },\n"),
    # RADV refuses older versions of the kernel's interface.
    ("amd/drm-shim/amdgpu_noop_drm_shim.c", r"version_minor = \d+", "version_minor = 64"),
    # The classes of Ampere, for Ada; the machine code depends on the chipset.
    (NOUVEAU, r"case 0x170:", "case 0x190:\n      case 0x170:"),
    # Intel's stand-in knows GPUs by tables that Mesa's build generates. Here the variable describes the GPU.
    (I915, r'#include "dev/intel_device_info(_serialize)?.h"', '#include "intel.h"'),
    (I915, r'#include "common/intel_gem.h"', '#include <errno.h>\n#include <string.h>'),
    (I915, r"   const char \*json_dev_str(?s:.*?)(?=   shim_device.bus_type)", "   intel_describe(&i915.devinfo, &i915.device_id);\n\n"),
    # ANV tries out which sizes of memory fail.
    (I915, r"((?:gem_create|gem_create_ext) \*create = arg;)", r"\1\n   if (create->size == 0)\n      return -EINVAL;"),
    (I915, r"(gem_userptr \*userptr = arg;)", r"\1\n   if (userptr->user_size == 0)\n      return -EINVAL;"),
    # Some of Arm's GPUs are told apart by a number that the stand-in does not have.
    (
        PANFROST,
        r"gpu_info->gpu_rev = 0;",
        'gpu_info->gpu_rev = 0;\n      if (getenv("STAND_IN_GPU"))\n         gpu_info->core_features = atoi(getenv("STAND_IN_GPU"));',
    ),
    # V3DV opens the display's device too, which has no name here.
    ("drm-shim/drm_shim.c", r"(?<=   if \()(?=strcmp\(path, render_node_path\) != 0\)\n      return real_open)", "*path && "),
    # V3DV asks for more by now; a Raspberry Pi 5 has version 7.1 of the GPU.
    (V3D, r"(?=case DRM_V3D_PARAM_SUPPORTS_PERFMON)", "case 11:\n        case 12:\n        case 14:\n        "),
    (V3D, r"static const uint32_t v3d42", "const uint32_t v3d42"),
    (V3D, r"0x04443356", '(getenv("STAND_IN_GPU") ? 0x07443356 : 0x04443356)'),
    (V3D, r"0x81001422", '(getenv("STAND_IN_GPU") ? 0x81001421 : 0x81001422)'),
]

DEFINITIONS = (
    "_GNU_SOURCE HAVE_PTHREAD HAVE_STRUCT_TIMESPEC HAVE_TIMESPEC_GET HAVE_SECURE_GETENV HAVE_MEMFD_CREATE "
    "HAVE_ENDIAN_H UTIL_ARCH_LITTLE_ENDIAN=1 UTIL_ARCH_BIG_ENDIAN=0 HAVE___BUILTIN_EXPECT HAVE___BUILTIN_FFS "
    "HAVE___BUILTIN_FFSLL HAVE___BUILTIN_POPCOUNT HAVE___BUILTIN_POPCOUNTLL HAVE___BUILTIN_CLZ "
    "HAVE___BUILTIN_CLZLL HAVE___BUILTIN_BSWAP32 HAVE___BUILTIN_BSWAP64 HAVE___BUILTIN_UNREACHABLE "
    "HAVE___BUILTIN_TYPES_COMPATIBLE_P HAVE_FUNC_ATTRIBUTE_PACKED HAVE_DLADDR HAVE_DL_ITERATE_PHDR "
    "HAVE_POSIX_MEMALIGN HAVE_LINUX_FUTEX_H MESA_SYSTEM_HAS_KMS_DRM=1"
).split()


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def output(*command, **options):
    return run(*command, stdout=subprocess.PIPE, text=True, **options).stdout


def apt(architecture, tool, *arguments, **options):
    """An apt command with a state of its own, which knows the release and its backports, and no more."""
    state = WORK / f"apt-{architecture}"
    settings = {
        "Dir::Etc::sourcelist": WORK / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state,
        "Dir::Cache::archives": "archives",
        "APT::Install-Recommends": "0",
        "APT::Sandbox::User": "root",
        "APT::Architecture": architecture,
        "APT::Architectures::": architecture,
    }
    flags = [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]
    return run(tool, *flags, *arguments, stdout=subprocess.DEVNULL, **options)


def archive():
    """Where this system's own packages come from."""
    codename = re.search(r"^VERSION_CODENAME=(\S+)", Path("/etc/os-release").read_text(), re.M)
    uris = output("apt-get", "indextargets", "--format", "$(REPO_URI)").split()
    own = output("apt-get", "indextargets", "--format", "$(REPO_URI)", f"Codename: {codename and codename[1]}").split()
    if not own and not uris:
        sys.exit("apt does not know where this system's packages come from; run `apt-get update`")
    return (own or uris)[0]


def fetch():
    """Unpacks the drivers with what they depend on, and compiles the stand-ins."""
    if (WORK / "complete").exists():
        return
    if platform.machine() != "x86_64":
        sys.exit("the tools are those for x86-64, which this machine is not")
    print("unpacking Mesa's drivers and its stand-ins for the kernel, 300 MB to download", file=sys.stderr)
    WORK.mkdir(parents=True, exist_ok=True)
    repository = archive()
    lines = [f"deb [signed-by={KEY}] {repository} {suite} main" for suite in (RELEASE, f"{RELEASE}-backports")]
    lines.append(f"deb-src [signed-by={KEY}] {repository} {RELEASE} main")
    (WORK / "sources.list").write_text("\n".join(lines) + "\n")
    for architecture in PACKAGES:
        unpack(architecture)
    fetch_source()
    link = WORK / "ld.lld"
    link.write_text(f'#!/bin/sh\nexec {LOADER} --library-path {LIBRARIES} {WORK}/amd64/usr/lib/llvm-19/bin/lld -flavor gnu "$@"\n')
    link.chmod(0o755)
    compile_stand_ins()
    (WORK / "complete").touch()


def unpack(architecture):
    state, root = WORK / f"apt-{architecture}", WORK / architecture
    for folder in (state / "lists/partial", state / "archives/partial", root):
        folder.mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    apt(architecture, "apt-get", "update", "-q")
    apt(architecture, "apt-get", "install", "-q", "-y", "--download-only", "-t", f"{RELEASE}-backports", *PACKAGES[architecture])
    for package in (state / "archives").glob("*.deb"):
        # Of the emulators, one is needed.
        if package.name.startswith("qemu-user"):
            run("sh", "-c", f"dpkg --fsys-tarfile '{package}' | tar x -C '{root}' ./usr/bin/qemu-aarch64")
        else:
            run("dpkg", "-x", package, root)
        package.unlink()
    library = root / "lib"
    if not library.exists():
        library.symlink_to("usr/lib")


def fetch_source():
    source = SOURCE.parent
    source.mkdir(exist_ok=True)
    apt("amd64", "apt-get", "source", "--download-only", "-q", f"mesa/{RELEASE}", cwd=source)
    (tarball,) = source.glob("mesa_*.orig.tar.*z")
    wanted = "src/drm-shim src/*/drm-shim include src/util src/c11 src/amd/common src/intel/tools/intel_noop_drm_shim.c"
    wanted += " src/nouveau/drm/nvif src/gallium/drivers/nouveau/nv_object.xml.h"
    run("tar", "xf", tarball, "--strip-components=1", "--wildcards", *(f"mesa-*/{path}" for path in wanted.split()), cwd=source)
    for file in source.glob("mesa_*"):
        file.unlink()
    for file, pattern, replacement in CHANGES:
        path = SOURCE / file
        text, count = re.subn(pattern, replacement, path.read_text())
        if count == 0:
            sys.exit(f"{path} has no `{pattern}`: the stand-in has changed")
        path.write_text(text)


def compiler(architecture):
    """A command that compiles C, and links for AArch64 without anything installed."""
    clang = shutil.which("clang-19") or shutil.which("clang")
    if not clang:
        sys.exit("clang is needed to compile the stand-ins")
    if architecture == "amd64":
        return [clang]
    root = WORK / architecture
    return [clang, "--target=aarch64-linux-gnu", f"--sysroot={root}", f"--gcc-toolchain={root}/usr", f"--ld-path={WORK}/ld.lld"]


def compile_stand_ins():
    for name, driver in DRIVERS.items():
        headers = WORK / driver.architecture / "usr/include"
        includes = [HERE, SOURCE.parent / "include", SOURCE, SOURCE / "amd", SOURCE / "nouveau/drm-shim"]
        flags = "-O1 -fPIC -w -std=gnu11 -fvisibility=hidden -shared -Wl,-z,defs".split()
        flags += [f"-D{definition}" for definition in DEFINITIONS] + [f"-I{folder}" for folder in includes]
        flags += [f"-idirafter{folder}" for folder in (headers, headers / "libdrm", headers / "drm")]
        sources = SHARED + driver.sources
        run(*compiler(driver.architecture), *flags, "-o", WORK / f"lib{name}.so", *sources, "-lm", "-ldl", "-lpthread")
    run(*compiler("arm64"), "-O1", "-Wall", "-o", WORK / "pipelines", HERE / "pipelines.c", "-lvulkan")


def environment(gpu):
    """What makes a program see a GPU; the stand-in is to be preloaded."""
    driver, variables = GPUS[gpu]
    manifest = WORK / DRIVERS[driver].architecture / "usr/share/vulkan/icd.d" / DRIVERS[driver].manifest
    return {
        **os.environ,
        **variables,
        "VK_DRIVER_FILES": str(manifest),
        "VK_ICD_FILENAMES": str(manifest),
        "VK_LOADER_LAYERS_DISABLE": "~all~",
        "MESA_SHADER_CACHE_DISABLE": "1",
        "CLVK_CACHE": "0",
    }
