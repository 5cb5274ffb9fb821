# Shared by tools/install and tools/uninstall: the folders that they work on. To be sourced.

prefix=
vendors=
libdir=
destdir=

# Takes an option with a folder.
take_folder() {
    case "${1-}" in
    --prefix | --vendors | --libdir | --destdir)
        if [ -z "${2-}" ]; then
            echo "$1 needs a folder" >&2
            exit 2
        fi
        printf -v "${1#--}" '%s' "$(realpath -m "$2")"
        ;;
    *)
        echo "unknown option: ${1-}; $0 --help lists the options" >&2
        exit 2
        ;;
    esac
}

# Chooses what was not given.
choose_folders() {
    if [ "$(id -u)" -eq 0 ]; then
        : "${prefix:=/usr/local}"
    else
        : "${prefix:=$HOME/.local}"
    fi
    # Where the loader looks by itself, if it is the system's own.
    if [ -z "$vendors" ] && [ "$prefix" = /usr/local ] && [ "$(id -u)" -eq 0 ]; then
        vendors=/etc/OpenCL/vendors
    fi
    : "${vendors:=$prefix/etc/OpenCL/vendors}"
    : "${libdir:=$prefix/lib}"
}
