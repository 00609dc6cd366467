import { ADDRESS_LIMIT, type Setup, SIGN, signedDeliveries } from '../../setup.ts'

/** Runs beside the Lore server: passes every pushed revision on, and subscribes again whenever the connection ends. */
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

A Lore server calls nobody, so a bridge does, from inside a clone of the repository with a login that may read it. It only calls out, remembers what it has told, and after a standstill tells what it missed:

\`\`\`sh
export GOLDMASTER_WEBHOOK_TOKEN='${context.token}'
goldmaster bridge lore --host '${context.base_url}' --state /var/lib/goldmaster/lore.json
\`\`\`

Without this program, \`lore\` and \`curl\` will do; what is pushed while this stands still is not told later:

\`\`\`sh
${loreRelay(context)}\`\`\`

An event holds revision, number, branch and user. A relay or hook of your own can say more, one revision or a list of them:

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

The answer is 202: the work is done right after it. The same revision told twice is recorded once.

${signedDeliveries(context.id)}
${ADDRESS_LIMIT}
`
