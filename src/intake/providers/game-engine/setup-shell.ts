import { type Setup, SIGN } from '../../setup.ts'

/** A wrapper around a build for POSIX shells. String.raw keeps the script's backslashes, so the script avoids `${}`. */
export const engineShell: Setup = ({ token, base_url }) => String.raw`#!/bin/sh
# Runs an Unreal or Unity build and tells Goldmaster how it goes:
#   sh goldmaster-build.sh ./Engine/Build/BatchFiles/RunUAT.sh BuildCookRun -project=Game.uproject -cook -stage -package
#   sh goldmaster-build.sh Unity -batchmode -quit -projectPath . -executeMethod Build.All -logFile -
# Output and exit code of the build stay what they are, whether Goldmaster can be reached or not.
base='${base_url}'
token='${token}'

first() { for value; do [ -z "$value" ] || { printf %s "$value"; return; }; done; }
job=$(first "$GOLDMASTER_JOB" "$JOB_NAME" "$BUILDKITE_PIPELINE_SLUG" "$GITHUB_WORKFLOW" "$CI_JOB_NAME" build)
number=$(first "$GOLDMASTER_NUMBER" "$BUILD_NUMBER" "$BUILDKITE_BUILD_NUMBER" "$GITHUB_RUN_NUMBER" "$CI_PIPELINE_IID" "$(date +%Y%m%d%H%M%S)")
changelist=$(first "$GOLDMASTER_CHANGELIST" "$P4_CHANGELIST")
commit=$(first "$GOLDMASTER_COMMIT" "$GIT_COMMIT" "$BUILDKITE_COMMIT" "$GITHUB_SHA" "$CI_COMMIT_SHA")
branch=$(first "$GOLDMASTER_BRANCH" "$GIT_BRANCH" "$BUILDKITE_BRANCH" "$GITHUB_REF_NAME" "$CI_COMMIT_BRANCH")
every=$(first "$GOLDMASTER_EVERY" 10) # seconds between two reports of cooking progress
engine=$GOLDMASTER_ENGINE
[ -n "$engine" ] || case $* in *RunUAT* | *Unreal*) engine=unreal ;; *[Uu]nity*) engine=unity ;; *) engine=custom ;; esac

umask 077
work=$(mktemp -d) && mkfifo "$work/output" "$work/lines" || exec "$@"
trap 'rm -rf "$work"' EXIT

# Text as the inside of a JSON string, byte by byte; control characters that no log needs are left out.
tab=$(printf '\t') cr=$(printf '\r') escape=$(printf '\033')
json() {
  LC_ALL=C tr -d '\000-\010\013\014\016-\032\034-\037' |
    LC_ALL=C sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e "s/$tab/\\\\t/g" -e "s/$cr/\\\\r/g" -e "s/$escape/\\\\u001b/g"
}
field() { [ -z "$2" ] || printf ',"%s":"%s"' "$1" "$(printf %s "$2" | tr '\n' ' ' | json)"; }

about=$(printf '"engine":"%s"' "$engine"; field job_name "$job"
  field build_number "$number"; field platform "$GOLDMASTER_PLATFORM"; field target_type "$GOLDMASTER_TARGET"
  field configuration "$GOLDMASTER_CONFIGURATION"; field agent "$(first "$GOLDMASTER_AGENT" "$NODE_NAME" "$BUILDKITE_AGENT_NAME" "$RUNNER_NAME")"
  field changelist "$changelist"; field commit "$commit"; field branch "$branch")

${SIGN}
# Event, further fields, then options of curl.
send() {
  event=$1 more=$2
  shift 2
  {
    printf '{%s%s,"timestamp":"%s"' "$about" "$more" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    if [ -s "$work/tail" ]; then printf ',"logs_tail":"'; cat "$work/tail"; printf '"'; fi
    printf '}'
  } >"$work/post"
  # The address holds the token: handed over on standard input, it does not show in the list of processes.
  { printf 'url = "%s"\n' "$base/webhooks/game_engine/$event?token=$token"; sign <"$work/post"; } |
    curl --silent --show-error --fail --output /dev/null --connect-timeout 5 "$@" --config - \
      --header 'Content-Type: application/json' --data-binary @"$work/post" || echo "goldmaster: $event was not delivered" >&2
}
phase() { send "$1" "$2" --max-time 10; }

part() { printf %s "$line" | LC_ALL=C sed "s/.*$1 \([0-9][0-9]*\).*/\1/"; }
progress() { [ -z "$cooked" ] || phase asset_cooked ",\"cooked\":$cooked,\"total\":$total"; cooked=; }

telling='COMMAND STARTED|COOK COMMAND COMPLETED|Cooked packages [0-9]+ Packages Remain|Shaders left to compile [0-9]'
telling="$telling|Error: |ERROR: |error C[A-Z]*[0-9]|Error building Player|Build Finished, Result: Fail|Aborting batchmode|ExitCode=[1-9]"

# Reads the interesting lines as they pass by. What it finds out about the result, it leaves in files.
follow() {
  cooking='' shaders='' packaging='' cooked='' total='' last=0
  LC_ALL=C grep -a --line-buffered -E "$telling" | while IFS= read -r line; do
    case $line in
      *'COOK COMMAND STARTED'*) [ -n "$cooking" ] || phase cooking_started ''; cooking=yes ;;
      *'Cooked packages '*)
        cooked=$(part 'Cooked packages') total=$(part 'Total') now=$(date +%s)
        [ $((now - last)) -lt "$every" ] || { last=$now; progress; } ;;
      *'Shaders left to compile '*)
        left=$(part 'Shaders left to compile')
        case $shaders$left in
          0 | done*) ;;
          open0) shaders=done; phase shaders_completed '' ;;
          open*) ;;
          *) shaders=open; phase shaders_started ",\"shader_count\":$left" ;;
        esac ;;
      *'COOK COMMAND COMPLETED'*)
        progress
        [ "$shaders" != open ] || phase shaders_completed ''
        shaders=done ;;
      *'STAGE COMMAND STARTED'* | *'PACKAGE COMMAND STARTED'*) [ -n "$packaging" ] || phase packaging_started ''; packaging=yes ;;
      *'COMMAND STARTED'*) ;;
      *)
        # Unity can leave with 0 after a failed build: its log knows better.
        case $line in *'Result: Fail'* | *'Error building Player'* | *'AutomationTool exiting'*) : >"$work/failed" ;; esac
        case $line in *'AutomationTool exiting'*) ;; *) [ -s "$work/error" ] || printf %s "$line" >"$work/error" ;; esac ;;
    esac
  done
}

began=$(date +%s)
follow <"$work/lines" &
follower=$!
(trap '' PIPE; exec tee "$work/log" "$work/lines") <"$work/output" &
copier=$!
"$@" >"$work/output" 2>&1 &
build=$!
trap 'kill -TERM $build 2>/dev/null' HUP INT TERM
wait $build; code=$?
while kill -0 $build 2>/dev/null; do wait $build; code=$?; done
# A helper that outlives the build (a compiler server, a licence client) may hold the output open for ever.
(sleep 5; kill $copier) >/dev/null 2>&1 &
guard=$!
wait $copier; kill $guard 2>/dev/null
wait $follower

tail -c 256000 "$work/log" | json | LC_ALL=C awk 'BEGIN { ORS = "\\n" } { print }' >"$work/tail"
took=",\"duration_seconds\":$(($(date +%s) - began))"
if [ "$code" -eq 0 ] && [ ! -e "$work/failed" ]; then
  send build_completed "$took" --max-time 60 --retry 3 --retry-connrefused
else
  error=$(cat "$work/error" 2>/dev/null)
  send build_failed "$took$(field error "$(first "$error" "exit code $code")")" --max-time 60 --retry 3 --retry-connrefused
fi
exit "$code"
`
