import { ADDRESS_LIMIT, type Setup, SIGN, signedDeliveries } from '../../setup.ts'

/** Runs next to the Lore server: forwards every pushed revision, and subscribes again when the connection ends. */
export const loreRelay: Setup = ({ token, base_url }) => `#!/bin/sh
# Tells Goldmaster about every revision pushed to a Lore repository. Run it as a service, inside a clone of the repository.
${SIGN}
# Lore prints one JSON object a line for everything that happens; pushes are passed on.
while :; do
  lore --json notification subscribe | while IFS= read -r event; do
    case $event in *'"notificationBranchPushed"'*) ;; *) continue ;; esac
    # The token goes in on standard input: it does not show in the list of processes.
    {
      printf 'header = "X-Service-Token: %s"\\n' '${token}'
      printf %s "$event" | sign
    } | curl --silent --max-time 30 --retry 5 --retry-connrefused --config - \\
      --header 'Content-Type: application/json' --data-raw "$event" --output /dev/null '${base_url}/webhooks/lore'
  done
  sleep 5
done
`

export const setup: Setup = (context) => `## Lore

A Lore server doesn't send webhooks, so you run a bridge inside a clone of the repository, with a login that can read it. The bridge only makes outgoing connections. It remembers what it has reported and catches up after a restart:

\`\`\`sh
export GOLDMASTER_WEBHOOK_TOKEN='${context.token}'
goldmaster bridge lore --host '${context.base_url}' --state /var/lib/goldmaster/lore.json
\`\`\`

Without the goldmaster program, you can use \`lore\` and \`curl\`. Revisions pushed while this script isn't running are not reported:

\`\`\`sh
${loreRelay(context)}\`\`\`

An event contains revision, number, branch and user. Your own relay or hook can send more, for one revision or a list:

\`\`\`sh
curl --max-time 30 -H 'Content-Type: application/json' '${context.url}' --data-binary @- <<'END'
{
  "repository": "game",
  "revision": "<hash>",
  "revision_number": 118,
  "branch": "main",
  "author": "Name <name@example.com>",
  "message": "New dragon, GM-42",
  "timestamp": "2026-03-01T12:00:00Z",
  "files": [{ "path": "art/dragon.fbx", "action": "add", "size": 1048576 }]
}
END
\`\`\`

The response is 202, and processing follows at once. A revision that is reported twice is recorded once.

${signedDeliveries(context.id)}
${ADDRESS_LIMIT}
`
