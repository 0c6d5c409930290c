#!/usr/bin/env bash
# setup.sh: Gradescope runs this once, as root, when it makes the container of the assignment:
# unpack the project, install what it needs, build it, and fetch the images (without a network:
# synthetic).
set -eu
export LC_ALL=C
export DEBIAN_FRONTEND=noninteractive CI=true
apt-get update
apt-get install -y --no-install-recommends make ca-certificates python3
mkdir -p /autograder/labs
tar -xzf /autograder/source/labs.tar.gz -C /autograder/labs --strip-components=1
cd /autograder/labs
make build/assessment/grader/grade build/assessment/grader/compile WERROR=
make datasets || echo "no images can be fetched: submissions are graded on synthetic ones"
