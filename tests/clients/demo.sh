# Runs tools/demo as a newcomer does, on the built programs: both kernels are verified and the picture is
# written. Sourced by `run`.
needs || return 0

rm -f target/demo-data/mandelbrot.png
tools/demo --debug | tee "$scratch/demo.txt"
[ "$(grep -c "^[a-z]*: verified," "$scratch/demo.txt")" -eq 2 ]
[ -s target/demo-data/mandelbrot.png ]
