#!/usr/bin/env bash
#
# Runs `npm test` ten times in a row, the last five beside a process that keeps one processor busy, and prints the
# duration and the summary line of each run. Fails if a run failed; the logs of failed runs are kept.
# Usage: npm run test:repeat -- [quiet runs] [loaded runs]

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

quiet_runs=${1:-5}
loaded_runs=${2:-5}
logs=$(mktemp -d)
failures=0
load_pid=''

stop_load() {
  if [ -n "$load_pid" ]; then kill "$load_pid" && wait "$load_pid"; fi
  load_pid=''
} 2>/dev/null
trap stop_load EXIT
# A stopped script also stops the run, which would otherwise continue beside the next one.
trap 'trap - TERM; kill 0; exit 1' INT TERM

for run in $(seq 1 $((quiet_runs + loaded_runs))); do
  kind=quiet
  if [ "$run" -gt "$quiet_runs" ]; then
    kind=loaded
    if [ -z "$load_pid" ]; then
      (while :; do :; done) &
      load_pid=$!
    fi
  fi
  log="$logs/run-$run.log"
  started=$SECONDS
  npm test -- --ci >"$log" 2>&1
  status=$?
  summary=$(sed 's/\x1b\[[0-9;]*m//g' "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed' | tail -1)
  printf 'run %d (%s): %d s, %s\n' "$run" "$kind" $((SECONDS - started)) "${summary:-no summary line}"
  if [ "$status" -eq 0 ]; then
    rm "$log"
  else
    failures=$((failures + 1))
    echo "  failed, log in $log"
  fi
done
printf '%d of %d runs failed\n' "$failures" $((quiet_runs + loaded_runs))
[ "$failures" -eq 0 ]
