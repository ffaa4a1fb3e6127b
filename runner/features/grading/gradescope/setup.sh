#!/usr/bin/env bash
# Gradescope runs this once, when the image of the autograder is built.
set -e
apt-get update && apt-get install -y python3 python3-pip
python3 -m pip install --break-system-packages -r /autograder/source/requirements.txt
chmod -R go-rwx /autograder/source/exercise
# Grade what students begin with: this compiles the kernels, so that no student waits for it.
cd /autograder/source/exercise
export PYTHONPATH=/autograder/source/search-runner
# The kernels in the image are for all processors since about 2013, not only for the one that built it.
if [ "$(uname -m)" = x86_64 ]; then export NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES=+avx2,+bmi,+bmi2,+fma,+lzcnt,+popcnt; fi
export NUMBA_CACHE_DIR=/autograder/kernels
if [ -f "SKELETON" ]; then python3 -m runner grade "EXERCISE" "SKELETON" --format html --out /tmp/warm; fi
