# `clvk-run view` under Wayland, on a compositor of its own without a screen: what is shown, another size, a
# window that is hidden and shown again, the Escape key, and no message of the validation layer. Sourced by
# `run`.
needs "sway|command -v sway" "grim|command -v grim" "wtype|command -v wtype" \
    "imagemagick|command -v convert" "util-linux|command -v setpriv" || return 0

program=$(dirname "$icd")/clvk-run
mkdir "$scratch/wayland" "$scratch/wayland/run"
chmod 755 "$scratch" "$scratch/wayland"
chmod 700 "$scratch/wayland/run"
# A quarter of the window each.
cat >"$scratch/wayland/quarters.cl" <<'CL'
kernel void quarters(write_only image2d_t picture, int2 size)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    bool right = 2 * at.x >= size.x, low = 2 * at.y >= size.y;
    write_imagef(picture, at, (float4)(!low && !right, right, low, 1));
}
CL
cat >"$scratch/wayland/sway" <<'CONFIG'
output HEADLESS-1 resolution 800x600 bg #202020 solid_color
default_border none
for_window [app_id="clvk-run"] floating enable, move absolute position 0 0
CONFIG

export XDG_RUNTIME_DIR=$scratch/wayland/run
unset DISPLAY WAYLAND_DISPLAY SWAYSOCK
as_user=()
if [ "$(id -u)" -eq 0 ]; then
    # The compositor refuses to run as root.
    chown 65534:65534 "$XDG_RUNTIME_DIR"
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
"${as_user[@]}" env HOME="$XDG_RUNTIME_DIR" WLR_BACKENDS=headless WLR_LIBINPUT_NO_DEVICES=1 \
    WLR_RENDERER=pixman sway -c "$scratch/wayland/sway" >"$scratch/wayland/sway.txt" 2>&1 &
compositor=$!
trap 'kill "$compositor" 2>/dev/null || true; rm -rf "$scratch"' EXIT
timeout 20 sh -c "until ls '$XDG_RUNTIME_DIR'/wayland-*.lock '$XDG_RUNTIME_DIR'/sway-ipc* >/dev/null 2>&1; do sleep 0.1; done" || {
    cat "$scratch/wayland/sway.txt" >&2
    exit 1
}
WAYLAND_DISPLAY=$(basename "$(ls "$XDG_RUNTIME_DIR"/wayland-*.lock)" .lock)
SWAYSOCK=$(ls "$XDG_RUNTIME_DIR"/sway-ipc*)
export WAYLAND_DISPLAY SWAYSOCK

capture() {
    grim -
}
messages=$scratch/wayland/messages.txt

"$program" view "$scratch/wayland/quarters.cl" --size 400x300 --validate 2>"$messages" &
viewer=$!
expect_colour 100 75 "rgb(255,0,0)"
expect_colour 300 75 "rgb(0,255,0)"
expect_colour 100 225 "rgb(0,0,255)"
expect_colour 390 290 "rgb(0,255,255)"
expect_colour 410 290 "rgb(32,32,32)"
swaymsg -q '[app_id="clvk-run"] resize set 600 500, move absolute position 0 0'
expect_colour 580 20 "rgb(0,255,0)"
expect_colour 140 360 "rgb(0,0,255)"
expect_colour 590 490 "rgb(0,255,255)"
swaymsg -q '[app_id="clvk-run"] move scratchpad'
expect_colour 300 250 "rgb(32,32,32)"
swaymsg -q '[app_id="clvk-run"] scratchpad show, move absolute position 0 0'
expect_colour 580 20 "rgb(0,255,0)"
swaymsg -q '[app_id="clvk-run"] focus'
# The window needs a moment to learn of the keyboard.
wtype -s 700 -k Escape -s 300
status=0
wait "$viewer" || status=$?
if [ "$status" -ne 0 ] || grep -q "^validation" "$messages"; then
    cat "$messages" >&2
    exit 1
fi
kill "$compositor"
echo "under Wayland, too, the window shows what the kernel draws, in every size"
