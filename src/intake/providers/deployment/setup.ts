import { type Setup, saveSecret } from '../../setup.ts'

/** Shell functions for the release script of a studio: `tell` for every store, and what a Steam upload prints read for it. */
export const releaseScript: Setup = ({
  url,
}) => String.raw`# Tells Goldmaster: platform, event, then name=value for everything else. A release never fails because of it.
tell() {
  body="{\"platform\":\"$1\",\"event\":\"$2\",\"build_number\":\"$BUILD_NUMBER\""
  shift 2
  for pair; do
    name=$(printf %s "$pair" | cut -d = -f 1)
    value=$(printf %s "$pair" | cut -d = -f 2- | sed 's/\\/\\\\/g; s/"/\\"/g')
    body="$body,\"$name\":\"$value\""
  done
  # The address holds the token: handed over on standard input, it does not show in the list of processes.
  printf 'url = "%s"\n' '${url}' | curl --silent --show-error --fail --max-time 30 --retry 3 --config - \
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

Stores hardly call anybody, so the script that uploads also reports. Put these functions at the top of yours:

\`\`\`sh
${releaseScript(context)}\`\`\`

A deployment is known by its platform and \`BUILD_NUMBER\`: report the same number again to move it on.

### Steam

\`\`\`sh
steam_upload builder "$PWD/app_build.vdf" branch=beta version=1.4.0
tell steam live branch=beta
\`\`\`

### Epic Games Store

\`\`\`sh
tell epic upload_started version="$VERSION"
BuildPatchTool -mode=UploadBinary -BuildVersion="$VERSION" "$@" && tell epic uploaded version="$VERSION" || tell epic failed
BuildPatchTool -mode=LabelBinary -BuildVersion="$VERSION" -Label=Live "$@" && tell epic released version="$VERSION"
\`\`\`

### Google Play

\`\`\`sh
fastlane supply --aab Game.aab --track production && tell google uploaded branch=production version="$VERSION" || tell google failed
tell google published branch=production
\`\`\`

### App Store

App Store Connect calls by itself: **Users and Access → Integrations → Webhooks**, events for app versions, build uploads and TestFlight builds, a secret that you also save here as the signing secret (or with \`${saveSecret(context.id)}\`), and this address:

\`\`\`
${context.url}
\`\`\`

What a script knows and Apple does not tell, such as the build number, it can add:

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

**DevOps → Build Automation → Integrations → Webhook**, content type JSON, the address above. A secret set there is saved here as the signing secret (or with \`${saveSecret(context.id)}\`).

### The words

\`created\`, \`upload_started\`, \`uploaded\`, \`submitted\`, \`review_started\`, \`approved\`, \`failed\`, \`released\`, \`rolled_back\`, and what is commonly said instead of them. A word nobody knows changes nothing, and the reply says so. A store nobody knows is recorded as \`custom\`.
`
