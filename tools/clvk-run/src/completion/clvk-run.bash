# Completions of clvk-run for bash. The program itself says what can follow: `clvk-run complete`.

_clvk_run() {
    # Bash divides words at `:` and `=` too. Words between which the line has no space are one to us.
    local line=${COMP_LINE:0:COMP_POINT} words=() word gap index
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        gap=${line%%[![:space:]]*}
        line=${line#"$gap"}
        # Of the last word, what stands before the cursor.
        ((index == COMP_CWORD)) && word=$line
        line=${line#"$word"}
        if [[ ${#words[@]} -gt 0 && -z $gap ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    COMPREPLY=()
    local current=${words[${#words[@]} - 1]}
    # Within quotes, file names are the best guess.
    if [[ $current == [\"\']* ]]; then
        compopt -o default 2>/dev/null
        return
    fi
    words=("${words[@]//\\/}")
    current=${current//\\/}
    # Bash replaces the part of the word that it takes for a word.
    local kept=${current%"${2//\\/}"} candidate rest
    while IFS=$'\t' read -r candidate rest; do
        printf -v candidate %q "${candidate#"$kept"}"
        COMPREPLY+=("${candidate/#\\\~\//\~/}")
    done < <("${1/#\~\//$HOME/}" complete "$((${#words[@]} - 1))" -- "${words[@]}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:=] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -o bashdefault -o nosort -F _clvk_run clvk-run 2>/dev/null ||
    complete -o bashdefault -F _clvk_run clvk-run
