#!/usr/bin/env bash
# slurm_up.sh [FOLDER [KEY=VALUE ...]]: starts a SLURM with this machine as its only node, and all its files in FOLDER
# (default: a new one in /tmp). Each KEY=VALUE, such as MinJobAge=2, replaces a line of slurm.conf below. Prints
# SLURM_CONF=<path>. Exit code 75: SLURM cannot run here, for the reason on stderr. slurm_down.sh stops it.
set -euo pipefail

PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
packages=(munge slurmctld slurmd slurm-client)

say() { echo "slurm_up: $*" >&2; }

installed() { command -v munged slurmctld slurmd sbatch >/dev/null && getent passwd munge >/dev/null; }

# Without systemd, a package that starts its service can fail to install. policy-rc.d forbids the start.
install_packages() (
    flock 9
    if installed; then exit 0; fi
    policy=/usr/sbin/policy-rc.d
    if [ ! -e $policy ]; then
        trap 'rm -f $policy' EXIT
        printf '#!/bin/sh\nexit 101\n' >$policy
        chmod 755 $policy
    fi
    export DEBIAN_FRONTEND=noninteractive
    get=(apt-get -qq -o DPkg::Lock::Timeout=300)
    install=("${get[@]}" install --no-install-recommends "${packages[@]}")
    "${install[@]}" || { "${get[@]}" update && "${install[@]}"; } || exit 1
    installed
) 9>/run/lock/slurm_up.lock

if [ "$(id -u)" != 0 ]; then
    say "only root can start SLURM"
    exit 75
fi
if ! installed; then
    if ! reply=$(install_packages 2>&1 </dev/null); then
        say "cannot install ${packages[*]}: $(tail -n 1 <<<"$reply")"
        exit 75
    fi
fi

folder=${1:-$(mktemp -d /tmp/slurm.XXXXXX)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd -P)
conf=$folder/slurm.conf

if read -r pid 2>/dev/null <"$folder/slurmctld.pid" && [[ $(readlink "/proc/$pid/exe") == */slurmctld* ]]; then
    say "a SLURM runs in $folder already"
    exit 1
fi
if [ ! -e "$conf" ] && [ -n "$(ls -A "$folder")" ]; then
    say "$folder holds other files"
    exit 1
fi
# The path of a socket has at most 107 characters. That of slurmstepd is $folder/slurmd/<node>_<job>.<step>.
if [ ${#folder} -gt 50 ] || [[ $folder == *[[:space:]]* ]]; then
    say "the path of the folder must be short and without spaces: $folder"
    exit 1
fi

chmod 755 "$folder"
if ! runuser -u munge -- test -x "$folder"; then
    say "the user munge cannot reach $folder"
    exit 1
fi

# shellcheck disable=SC2317  # the trap calls it
give_up() {
    trap - EXIT
    say "SLURM did not start"
    tail -n 15 "$folder"/*.log "$folder"/munge/*.log >&2 2>/dev/null || true
    "$here/slurm_down.sh" "$folder"
    exit 1
}
trap give_up EXIT
trap 'exit 1' INT TERM

# free_port: prints a free port, below those that the kernel gives to outgoing connections.
free_port() {
    local port
    while port=$((20000 + SRANDOM % 10000)); do
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

host=$(hostname -s)
cpus=$(nproc)
memory=$(awk '/^MemTotal/ {print int($2 / 1024)}' /proc/meminfo)

# cred_expire is also how long a requeued job waits. NoInAddrAny: listen on 127.0.0.1 only.
cat >"$conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
StateSaveLocation=$folder/slurmctld
SlurmdSpoolDir=$folder/slurmd
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MailProg=/bin/true
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
PropagateResourceLimits=NONE
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MaxArraySize=100001
MaxJobCount=200000
MessageTimeout=10
SlurmctldTimeout=30
SlurmdTimeout=30
BatchStartTimeout=10
KillWait=2
UnkillableStepTimeout=10
ReturnToService=2
JobRequeue=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$((cpus > 4 ? cpus : 4)) RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
for setting in "${@:2}"; do
    sed -i "/^${setting%%=*}=/d" "$conf"
    echo "$setting" >>"$conf"
done

mkdir -p "$folder"/{slurmctld,slurmd}
install -d -o munge "$folder/munge"
install -o munge -m 400 <(head -c 1024 /dev/urandom) "$folder/munge/key"

# --force: munged accepts parent folders that other users can write to, such as /tmp.
start() {
    cd / &&
        runuser -u munge -- /usr/sbin/munged --force --key-file="$folder/munge/key" \
            --socket="$folder/munge/socket" --pid-file="$folder/munge/munged.pid" \
            --log-file="$folder/munge/munged.log" --seed-file="$folder/munge/seed" &&
        slurmctld -c -f "$conf" &&
        slurmd -c -f "$conf"
}
export SLURM_CONF=$conf
start >"$folder/start.log" 2>&1 </dev/null || exit 1
for _ in {1..150}; do
    state=$(timeout 5 sinfo -h -o %T 2>>"$folder/start.log" || true)
    if [ "$state" = idle ]; then
        trap - EXIT
        echo "SLURM_CONF=$conf"
        exit 0
    fi
    sleep 0.2
done
exit 1
