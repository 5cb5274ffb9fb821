# ffmpeg (Debian): an OpenCL filter on a video that ffmpeg makes, compared with the same filter on the CPU.
# Sourced by `run`.
needs "ffmpeg|command -v ffmpeg" "ocl-icd-libopencl1|ldconfig_has libOpenCL.so.1" || return 0

(
    cd "$scratch"
    ffmpeg -v error -y -f lavfi -i testsrc2=size=320x240:rate=5:duration=1 -pix_fmt yuv420p source.y4m
    ffmpeg -v error -y -init_hw_device opencl=device:0.0 -filter_hw_device device -i source.y4m \
        -vf "format=yuv420p,hwupload,avgblur_opencl=sizeX=3:planes=7,hwdownload,format=yuv420p" opencl.y4m
    ffmpeg -v error -y -i source.y4m -vf "avgblur=sizeX=3:planes=7" cpu.y4m
    # The two filters differ at the edges of the picture: 40 dB is far above the value for a wrong frame.
    ffmpeg -i opencl.y4m -i cpu.y4m -lavfi psnr -f null - 2>&1 | tee psnr.txt | grep -F "PSNR y:"
    awk '/PSNR y:/ { split($0, part, "min:"); split(part[2], least, " "); exit !(least[1] == "inf" || least[1] > 40) }' psnr.txt
)
