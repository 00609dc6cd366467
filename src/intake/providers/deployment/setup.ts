import { type Setup, SIGN, saveSecret, signedDeliveries } from '../../setup.ts'

/** Shell functions for a studio's release script: `tell` for every store, and a parser for the output of a Steam upload. */
export const releaseScript: Setup = ({ url }) => String.raw`${SIGN}
# Job name and number of the build that you ship, as your CI reports them. A release job that ships the build of another job
# sets SHIPPED_JOB and SHIPPED_NUMBER to that build's: numbers alone do not name a build, since every job counts from 1.
first() { for value; do [ -z "$value" ] || { printf %s "$value"; return; }; done; }
SHIPPED_JOB=$(first "$SHIPPED_JOB" "$JOB_NAME" "$BUILDKITE_PIPELINE_SLUG" "$GITHUB_WORKFLOW" "$CI_JOB_NAME")
SHIPPED_NUMBER=$(first "$SHIPPED_NUMBER" "$BUILD_NUMBER" "$BUILDKITE_BUILD_NUMBER" "$GITHUB_RUN_NUMBER" "$CI_PIPELINE_IID")

# Reports to Goldmaster: platform, event, then name=value for everything else. A release never fails because of it.
tell() {
  body="{\"platform\":\"$1\",\"event\":\"$2\""
  shift 2
  for pair in job_name="$SHIPPED_JOB" build_number="$SHIPPED_NUMBER" "$@"; do
    name=$(printf %s "$pair" | cut -d = -f 1)
    value=$(printf %s "$pair" | cut -d = -f 2- | sed 's/\\/\\\\/g; s/"/\\"/g')
    body="$body,\"$name\":\"$value\""
  done
  # The address holds the token: handed over on standard input, it does not show in the list of processes.
  { printf 'url = "%s"\n' '${url}'; printf %s "$body}" | sign; } | curl --silent --show-error --fail --max-time 30 --retry 3 --config - \
    --header 'Content-Type: application/json' --data-raw "$body}" --output /dev/null || true
}

# Uploads to Steam and reads app and build id from what steamcmd prints: steam_upload ACCOUNT app_build.vdf [name=value …]
steam_upload() {
  account=$1 script=$2
  shift 2
  tell steam upload_started "$@"
  steamcmd +login "$account" +run_app_build "$script" +quit | tee steam.log
  ids=$(sed -n 's/.*Successfully finished AppID \([0-9]*\) build (BuildID \([0-9]*\)).*/steam_app_id=\1 external_build_id=\2/p' steam.log | tail -n 1)
  if [ -z "$ids" ]; then
    tell steam failed "$@"
    return 1
  fi
  tell steam uploaded "$@" $ids
}
`

export const setup: Setup = (context) => `## Stores

Most stores don't send webhooks, so your upload script reports to Goldmaster. Add these functions at the top of the script:

\`\`\`sh
${releaseScript(context)}\`\`\`

A deployment is identified by its store, track, job name and build number. Report the same values again to change its status. Use the job name that your CI reports. A build number alone is linked only if no other job has that number.

A store's branches are tracks (\`track=beta\`, \`track=default\`, a console's sandbox). The same build on another track is a separate deployment, so the record of the beta stays when you promote it.

### Steam

\`\`\`sh
steam_upload builder "$PWD/app_build.vdf" track=beta version=1.4.0
tell steam live track=beta
# Later, when the build is set live on the default branch:
tell steam live track=default
\`\`\`

### Epic Games Store

\`\`\`sh
tell epic upload_started version="$VERSION"
BuildPatchTool -mode=UploadBinary -BuildVersion="$VERSION" "$@" && tell epic uploaded version="$VERSION" || tell epic failed
BuildPatchTool -mode=LabelBinary -BuildVersion="$VERSION" -Label=Live "$@" && tell epic released version="$VERSION"
\`\`\`

### Google Play

\`\`\`sh
fastlane supply --aab Game.aab --track production && tell google uploaded track=production version="$VERSION" || tell google failed
tell google published track=production
\`\`\`

### Consoles

\`\`\`sh
tell ps5 uploaded track=sandbox version="$VERSION"
tell ps5 submitted track=sandbox
tell switch approved version="$VERSION"
\`\`\`

### App Store

App Store Connect has its own webhooks. Open **Users and Access → Integrations → Webhooks**, select the events for app versions, build uploads and TestFlight builds, and enter a secret that you also save here as the signing secret (or with \`${saveSecret(context.id)}\`). Use this URL:

\`\`\`
${context.url}
\`\`\`

A script can add what Apple doesn't report, such as the build number:

\`\`\`sh
tell ios uploaded version="$VERSION" commit="$(git rev-parse HEAD)"
\`\`\`

### Reddit Devvit and YouTube Playables

\`\`\`sh
npx devvit upload && tell devvit uploaded
npx devvit publish && tell devvit submitted
tell playables submitted version="$VERSION"
\`\`\`

### Unity Build Automation

**DevOps → Build Automation → Integrations → Webhook**, content type JSON, the URL above. If you set a secret there, save it here as the signing secret (or with \`${saveSecret(context.id)}\`).

${signedDeliveries(context.id)}
App Store Connect and Unity sign their deliveries.

### Events

\`created\`, \`upload_started\`, \`uploaded\`, \`submitted\`, \`review_started\`, \`approved\`, \`failed\`, \`released\`, \`rolled_back\`, and common synonyms. An unknown event changes nothing, and the response says so. An unknown store is recorded as \`custom\` and keeps its name. The response has a warning for every unknown field.
`
