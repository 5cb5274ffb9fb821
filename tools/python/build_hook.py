"""Builds the driver and the command line with cargo, and puts them where an environment looks for them."""

import os
import subprocess
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[2]


class CargoHook(BuildHookInterface):
    """Adds to the wheel: `clvk-run`, its manual and completions, and the driver.

    The loader in pyopencl's wheels reads vendor files, and the libraries they name, from the folder `.libs` beside
    the package, as other drivers that come as wheels do.
    """

    def initialize(self, version, build_data):
        if not (ROOT / "Cargo.toml").is_file():
            raise RuntimeError("clvk is built from its repository: pip install ./tools/python")
        profile = os.environ.get("CLVK_WHEEL_PROFILE", "release")
        folder = "debug" if profile == "dev" else profile
        # The whole workspace for the development profile, since another choice would be built anew.
        packages = ["--workspace"] if profile == "dev" else ["-p", "clvk-icd", "-p", "clvk-run"]
        subprocess.run(["cargo", "build", "--locked", "--profile", profile, *packages], cwd=ROOT, check=True)
        built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / folder

        work = ROOT / "target" / "wheel"
        work.mkdir(parents=True, exist_ok=True)
        vendor = work / "clvk.icd"
        vendor.write_text("libclvk_icd.so\n")
        subprocess.run([built / "clvk-run", "manual", work], check=True)
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"][str(built / "clvk-run")] = "clvk-run"
        for page in (work / "man1").iterdir():
            build_data["shared_data"][str(page)] = f"share/man/man1/{page.name}"
        completions = work / "completions"
        for file, place in [
            ("clvk-run.bash", "share/bash-completion/completions/clvk-run"),
            ("clvk-run.fish", "share/fish/vendor_completions.d/clvk-run.fish"),
            ("_clvk-run", "share/zsh/site-functions/_clvk-run"),
        ]:
            build_data["shared_data"][str(completions / file)] = place
        build_data["force_include"][str(built / "libclvk_icd.so")] = "pyopencl/.libs/libclvk_icd.so"
        build_data["force_include"][str(vendor)] = "pyopencl/.libs/clvk.icd"
