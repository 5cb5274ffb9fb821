# Completions of clvk-run for fish. The program itself says what can follow: `clvk-run complete`.

function __clvk_run_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l program (string replace --regex '^~/' "$HOME/" -- $words[1])
    set -l current (string unescape -- (commandline --current-token --cut-at-cursor))
    # Without an unescaped form, the word is as it stands.
    test (count $current) -eq 1; or set current (commandline --current-token --cut-at-cursor)
    $program complete (count $words) -- $words "$current" 2>/dev/null
end

complete --command clvk-run --no-files --keep-order --arguments '(__clvk_run_complete)'
