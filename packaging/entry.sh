#!/bin/sh
# Entry point of both images. Kernels are loaded from folders that can be written only. Where that of the image cannot be
# (Apptainer, `docker run --read-only`), each user has a copy of it.
from=/opt/search-runner
if [ ! -w "$from" ]; then
    kernels="${XDG_CACHE_HOME:-$HOME/.cache}/search-runner/image-$(stat -c %Y "$from")"
    mkdir -p "$(dirname "$kernels")" 2>/dev/null || kernels="$(mktemp -d)/kernels"
    if [ ! -d "$kernels" ]; then
        cp -r "$from" "$kernels.$$" && mv -T "$kernels.$$" "$kernels" 2>/dev/null || rm -rf "$kernels.$$"
    fi
    export NUMBA_CACHE_DIR="$kernels"
fi
exec search-runner "$@"
