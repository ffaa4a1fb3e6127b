#!/bin/sh
# Entry point of both images. Kernels are loaded from folders that can be written only. Where that of the image cannot be
# (Apptainer, `docker run --read-only`), each user has a copy of it: in the cache, or without a home beside other
# temporary files, in a folder that nobody else can write to.
from=/opt/search-runner
if [ ! -w "$from" ]; then
    base="${XDG_CACHE_HOME:-$HOME/.cache}/search-runner"
    if ! mkdir -p "$base" 2>/dev/null; then
        base="${TMPDIR:-/tmp}/search-runner-$(id -u)"
        mkdir -m 700 "$base" 2>/dev/null
        if [ -L "$base" ] || [ ! -O "$base" ]; then base="$(mktemp -d)"; fi
    fi
    kernels="$base/image-$(stat -c %Y "$from")"
    if [ ! -d "$kernels" ]; then
        cp -r "$from" "$kernels.$$" && mv -T "$kernels.$$" "$kernels" 2>/dev/null || rm -rf "$kernels.$$"
    fi
    export NUMBA_CACHE_DIR="$kernels"
fi
exec search-runner "$@"
