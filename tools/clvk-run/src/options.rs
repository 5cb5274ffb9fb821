//! Build options as OpenCL spells them (`-cl-std=CL3.0`, `-DN=4`), which do not follow the usual rules of
//! command lines: they are taken out of the arguments before the rest is parsed.

/// Splits the arguments into the ones for the command line and the build options. Nothing is taken from what
/// stands after `--`: those are kernel arguments.
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
        assert_eq!(split(strings("run -D -- 1")), (strings("run -- 1"), strings("-D")));
    }
}
