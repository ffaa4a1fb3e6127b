#!/usr/bin/env bash
# slurm_down.sh FOLDER: cancels the jobs of the SLURM that slurm_up.sh started in FOLDER, stops it and removes FOLDER.
set -euo pipefail

PATH=$PATH:/usr/sbin:/sbin
folder=${1:?usage: slurm_down.sh FOLDER}
if [ ! -e "$folder/slurm.conf" ]; then
    exit 0
fi
folder=$(cd "$folder" && pwd -P)
export SLURM_CONF=$folder/slurm.conf
cd /

# daemon NAME: prints the process of a pid file, unless it has ended (a zombie has no exe).
daemon() {
    local pid
    if read -r pid 2>/dev/null <"$folder/$1.pid" && [[ $(readlink "/proc/$pid/exe") == */"${1##*/}"* ]]; then
        echo "$pid"
    fi
}

# Prints the slurmstepds and the processes of jobs. A process that only submits jobs has no SLURM_JOB_ID.
steps() {
    local process environment
    for process in /proc/[0-9]*; do
        environment=$(tr '\0' '\n' <"$process/environ") || continue
        if grep -qxF "SLURM_CONF=$SLURM_CONF" <<<"$environment" &&
            { grep -q '^SLURM_JOB_ID=' <<<"$environment" || grep -qx slurmstepd "$process/comm"; }; then
            echo "${process#/proc/}"
        fi
    done 2>/dev/null
}

# stop [PID ...]: sends TERM, after five seconds KILL. slurmctld removes its pid file before it ends, so wait for the
# process.
stop() {
    local signal pid left
    for signal in TERM KILL; do
        for _ in {0..25}; do
            left=()
            for pid in "$@"; do
                if readlink "/proc/$pid/exe" >/dev/null; then left+=("$pid"); fi
            done
            if [ ${#left[@]} = 0 ]; then return; fi
            if [ -n "$signal" ]; then kill -"$signal" "${left[@]}" 2>/dev/null || true; fi
            signal=
            sleep 0.2
        done
    done
    echo "slurm_down: cannot end ${left[*]}" >&2
}

if [ -n "$(daemon slurmctld)" ] && timeout 5 scancel --quiet --partition=main 2>/dev/null; then
    for _ in {1..25}; do
        if [ -z "$(timeout 5 squeue -h 2>/dev/null)" ]; then break; fi
        sleep 0.2
    done
fi
# The second time, stop processes that steps have started meanwhile.
for list in "daemon slurmctld" "daemon slurmd" steps steps "daemon munge/munged"; do
    mapfile -t pids < <($list)
    stop "${pids[@]}"
done
rm -rf "$folder"
