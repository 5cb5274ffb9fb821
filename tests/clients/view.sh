# `clvk-run view` in a real window, on a display of its own: what is on the screen, another size, a minimised
# window, a source that becomes wrong and right again, and no message of the validation layer. Sourced by
# `run`.
needs "xvfb|command -v Xvfb" "xdotool|command -v xdotool" "imagemagick|command -v import" \
    "libx11-xcb1|ldconfig_has libX11-xcb.so.1" "libxcursor1|ldconfig_has libXcursor.so.1" \
    "libxi6|ldconfig_has libXi.so.6" "libxkbcommon-x11-0|ldconfig_has libxkbcommon-x11.so.0" \
    "libxrandr2|ldconfig_has libXrandr.so.2" || return 0

program=$(dirname "$icd")/clvk-run
mkdir "$scratch/view"
# A quarter of the window each: red, green, blue, and what depends on the time.
cat >"$scratch/view/quarters.cl" <<'CL'
kernel void quarters(write_only image2d_t picture, int frame, int2 size)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    bool right = 2 * at.x >= size.x, low = 2 * at.y >= size.y;
    float4 moving = (float4)(1.0f, 1.0f, frame % 2, 1.0f);
    float4 colour = low ? (right ? moving : (float4)(0, 0, 1, 1)) : right ? (float4)(0, 1, 0, 1) : (float4)(1, 0, 0, 1);
    write_imagef(picture, at, colour);
}
CL

number=90
while [ -e "/tmp/.X11-unix/X$number" ]; do
    number=$((number + 1))
done
Xvfb ":$number" -screen 0 1024x768x24 >"$scratch/view/xvfb.txt" 2>&1 &
display=$!
trap 'kill "$display" 2>/dev/null || true; rm -rf "$scratch"' EXIT
export DISPLAY=:$number
unset WAYLAND_DISPLAY
timeout 20 sh -c "until [ -e /tmp/.X11-unix/X$number ]; do sleep 0.1; done"

capture() {
    import -window root png:-
}
messages=$scratch/view/messages.txt

"$program" view "$scratch/view/quarters.cl" --size 400x300 --validate 2>"$messages" &
viewer=$!
window=$(timeout 60 xdotool search --sync --onlyvisible --name "clvk-run view" | head -n 1)
expect_colour 100 75 "rgb(255,0,0)"
expect_colour 300 75 "rgb(0,255,0)"
expect_colour 100 225 "rgb(0,0,255)"
xdotool windowsize --sync "$window" 600 500
expect_colour 140 360 "rgb(0,0,255)"
expect_colour 580 20 "rgb(0,255,0)"
xdotool windowunmap --sync "$window"
sleep 1
xdotool windowmap --sync "$window"
expect_colour 10 10 "rgb(255,0,0)"
# A wrong source is told, and the old kernel goes on above the message.
sed -i 's/bool right = /bool right == /' "$scratch/view/quarters.cl"
timeout 30 sh -c "until grep -q \"expected ';'\" '$messages'; do sleep 0.2; done"
expect_colour 3 490 "rgb(40,12,12)"
expect_colour 10 10 "rgb(255,0,0)"
sed -i 's/bool right == 2 \* at.x >=/bool right = 2 * at.x </' "$scratch/view/quarters.cl"
expect_colour 10 10 "rgb(0,255,0)"
expect_colour 3 490 "rgb(255,255,0)"
xdotool windowfocus --sync "$window" key Escape
status=0
wait "$viewer" || status=$?
if [ "$status" -ne 0 ] || grep -q "^validation" "$messages"; then
    cat "$messages" >&2
    exit 1
fi
# clvk-run view docs/guide/plasma.cl, as the guide has it, ends by itself here.
"$program" view docs/guide/plasma.cl --frames 5
kill "$display"
echo "the window shows what the kernel draws, in every size and after each change"
