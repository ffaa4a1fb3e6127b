#!/usr/bin/env bash
# Gradescope runs this once, when the image of the autograder is built.
set -e
apt-get update && apt-get install -y python3 python3-pip
python3 -m pip install --break-system-packages -r /autograder/source/requirements.txt
chmod -R go-rwx /autograder/source/exercise
