#!/usr/bin/env bash
# A SLURM cluster of one node on loopback, for trials and tests: munge, slurmctld and slurmd, all of it in one folder.
# Needs root and Debian's packages: apt-get install slurm-wlm munge.
# In /run it leaves a link to its configuration, where SLURM's commands look if there is none in /etc.
# Usage: slurm.sh start DIR [CPUS]    starts it and waits until the node is idle
#        slurm.sh stop DIR            cancels all jobs and ends it; the logs stay in DIR
set -euo pipefail

say() { echo "slurm: $*" >&2; }
fail() {
  say "$*"
  exit 3
}
usage() { fail "usage: $0 start DIR [CPUS] | stop DIR"; }

# A port that nobody listens on, below the range that outgoing connections get.
free_port() {
  local port
  for port in $(shuf -i 20000-30000 -n 50); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port" && return; }
  done
  fail "no free port found"
}

write_configuration() {
  local host memory
  host=$(hostname -s)
  memory=$(awk '/^MemTotal:/{print int($2 / 1024)}' /proc/meminfo)
  mkdir -p "$dir"/{state,spool,log}
  chmod 755 "$dir"
  cat >"$conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
# No control groups, which need not be there in a container; no accounting, so states come from squeue.
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
ReturnToService=2
KillWait=5
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
}

start() {
  [ "$(id -u)" = 0 ] || fail "the daemons need root"
  for name in munged slurmctld slurmd sbatch; do
    command -v "$name" >/dev/null || fail "no $name here: apt-get install slurm-wlm munge"
  done
  [ ! -e /etc/slurm/slurm.conf ] || fail "this machine belongs to a cluster already, by /etc/slurm/slurm.conf"
  [ ! -e "$link" ] || fail "a cluster runs here already: $0 stop $(dirname "$(readlink -f "$link")")"
  write_configuration
  mkdir -p "$(dirname "$link")"
  ln -sf "$conf" "$link"
  (umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
  munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
    --log-file="$dir/log/munged.log" --seed-file="$dir/munge.seed" 2>>"$dir/log/munged.err"
  slurmctld -c -f "$conf"
  slurmd -c -f "$conf"
  for _ in $(seq 60); do
    [ "$(sinfo -h -o %T 2>/dev/null)" != idle ] || return 0
    sleep 0.5
  done
  stop
  fail "the node is not idle after 30 seconds; the logs are in $dir/log"
}

# Ends one daemon, if it runs, and waits for that.
end() {
  local pid
  pid=$(cat "$dir/$1.pid" 2>/dev/null) || return 0
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 40); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.25
  done
  kill -9 "$pid" 2>/dev/null || true
}

stop() {
  [ "$(readlink "$link")" = "$conf" ] || fail "no cluster of $dir runs here"
  scancel --user="$(id -un)" 2>/dev/null || true
  for _ in $(seq 30); do
    [ -n "$(squeue -h 2>/dev/null)" ] || break
    sleep 0.5
  done
  end slurmd
  end slurmctld
  end munged
  rm -f "$link" "$conf"
}

unset SLURM_CONF
link=/run/slurm/conf/slurm.conf
[ $# -ge 2 ] || usage
mkdir -p "$2"
dir=$(cd "$2" && pwd)
conf=$dir/slurm.conf
cpus=${3:-2}
case $1 in
  start) start ;;
  stop) stop ;;
  *) usage ;;
esac
