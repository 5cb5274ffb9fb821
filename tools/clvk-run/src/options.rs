//! Build options as OpenCL spells them (`-cl-std=CL3.0`, `-DN=4`), which do not follow the usual rules of
//! command lines: they are taken out of the arguments before the rest is parsed.

use clvk::BuildOptions;

/// Splits the arguments into the ones for the command line and the build options. Nothing is taken from what
/// stands after `--`: those are kernel arguments. Of what follows an option of another vendor, only a number
/// is its value: anything else may be a source file.
pub fn split(arguments: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut rest, mut build) = (Vec::new(), Vec::new());
    let mut arguments = arguments.into_iter().peekable();
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            rest.push(argument);
            rest.extend(arguments);
            break;
        }
        match argument.as_str() {
            "-D" | "-U" | "-I" => {
                build.push(argument);
                build.extend(arguments.next_if(|value| value != "--"));
            }
            text if BuildOptions::is_of_vendor(text) => {
                build.push(argument);
                build.extend(arguments.next_if(|value| value.parse::<u64>().is_ok()));
            }
            "-w" | "-Werror" | "-g" => build.push(argument),
            text if text.starts_with("-cl-") => build.push(argument),
            text if ["-D", "-U", "-I"].iter().any(|prefix| text.starts_with(prefix)) => build.push(argument),
            _ => rest.push(argument),
        }
    }
    (rest, build)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn build_options_are_taken_out_up_to_the_kernel_arguments() {
        let (rest, build) =
            split(strings("clvk-run run -D N=4 a.cl -cl-std=CL3.0 -Ifoo --global 4 -w -- -3 -Dx"));
        assert_eq!(rest, strings("clvk-run run a.cl --global 4 -- -3 -Dx"));
        assert_eq!(build, strings("-D N=4 -cl-std=CL3.0 -Ifoo -w"));
        let (rest, build) = split(strings(
            "compile -fno-bin-llvmir a.cl -qcom-fast -cl-nv-maxrregcount 64 -cl-nv-verbose b.cl -ze-x",
        ));
        assert_eq!(rest, strings("compile a.cl b.cl"));
        assert_eq!(build, strings("-fno-bin-llvmir -qcom-fast -cl-nv-maxrregcount 64 -cl-nv-verbose -ze-x"));
        assert_eq!(split(strings("run -D -- 1")), (strings("run -- 1"), strings("-D")));
    }
}
