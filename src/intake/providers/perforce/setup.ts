import { ADDRESS_LIMIT, ENCODE, type Setup, SIGN, signedDeliveries } from '../../setup.ts'

/** Runs inside a submit, so it leaves at once and does its work behind; whatever fails, the submit does not. */
export const perforceTrigger: Setup = ({ url }) => `#!/bin/sh
# Tells Goldmaster about a submitted or shelved changelist: number, user, description, files.
# Where p4 cannot ask the server (no login, no permission), the number alone is sent.
url='${url}'

change=$1
case $change in '' | *[!0-9]*) exit 0 ;; esac
if [ "$2" = shelved ]; then shelved=-S; else shelved=; fi
${SIGN}
${ENCODE}
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)

tell() {
  umask 077
  work=$(mktemp -d) && cd "$work" || exit
  trap 'rm -rf "$work"' EXIT

  user=$(p4 -ztag -F %user% describe $shelved -s "$change")
  p4 -ztag -F %desc% describe $shelved -s "$change" >description
  # Lines like "... //depot/art/dragon.fbx#3 edit", told as action, tab, path. A description is indented and cannot pass for one.
  # A list without end would make the whole message too large.
  tab=$(printf '\\t')
  p4 describe $shelved -s "$change" | LC_ALL=C sed -n "s|^[.][.][.] \\(//.*\\)#[0-9a-z]* \\([a-z/]*\\)\\$|\\2$tab\\1|p" | head -n 100000 >files

  {
    printf 'changelist=%s&timestamp=' "$change" && printf %s "$now" | encode
    [ -z "$shelved" ] || printf '&status=shelved'
    [ -z "$user" ] || { printf '&user=' && printf %s "$user" | encode; }
    [ ! -s description ] || { printf '&description=' && encode <description; }
    [ ! -s files ] || { printf '&files=' && encode <files; }
  } >form
  # The address holds the token: handed over on standard input, it does not show in the list of processes.
  { printf 'url = "%s"\\n' "$url"; sign <form; } |
    curl --silent --max-time 30 --retry 3 --retry-connrefused --config - --data-binary @form
}

tell </dev/null >/dev/null 2>&1 &
`

export const setup: Setup = (context) => `## Perforce Helix Core

Your Perforce server runs this script after every submit, and the script reports the changelist.

1. On the server save this as \`/opt/perforce/goldmaster.sh\`, owned by the account that runs \`p4d\` and readable only by it (\`chmod 700\`), because it contains the token. It needs \`p4\` and \`curl\`:

\`\`\`sh
${perforceTrigger(context)}\`\`\`

2. Give that account a login that can read the depot: \`P4PORT\`, \`P4USER\`, on a Unicode server \`P4CHARSET=utf8\`, and a ticket that does not expire (\`p4 login\` as a user of a group with \`Timeout: unlimited\`).
3. As a super user run \`p4 triggers\` and add a line below \`Triggers:\`, indented by a tab. Restrict the path if only one depot belongs to this project:

\`\`\`
	goldmaster change-commit //... "/opt/perforce/goldmaster.sh %changelist%"
\`\`\`

4. Submit a change. It appears within seconds. To test it by hand: \`/opt/perforce/goldmaster.sh 1234\`.

### Shelves and P4 Code Review

A shelved changelist is on no branch, and a build of it is a preflight. To report shelves, add a second line:

\`\`\`
	goldmaster shelve-commit //... "/opt/perforce/goldmaster.sh %changelist% shelved"
\`\`\`

P4 Code Review (Swarm) can report the changelists of its reviews instead, with a test definition. URL: \`${context.base_url}/webhooks/perforce\`. Header: \`X-Service-Token: ${context.token}\`. Body, as JSON:

\`\`\`json
{ "change": "{change}", "status": "{status}", "review": "{review}", "version": "{version}", "update": "{update}" }
\`\`\`

If results are written back, the test run gets the verdict of the shelf's preflights. Otherwise it would wait forever: don't make it blocking then. The bodies of Jenkins' and BlueKing's published triggers are read too, if you change their URL and they send a token.

### Windows servers

On a Windows server, this trigger line works without a script. It sends only the number, unsigned. If only signed deliveries are accepted, use the bridge below. Details are fetched if you configure a Perforce server for this integration:

\`\`\`
	goldmaster change-commit //... "curl.exe -s -m 5 -d changelist=%changelist% ${context.url}"
\`\`\`

### If the server can't make outgoing connections

Run this bridge on any machine that can read the depot with \`p4\`. It only makes outgoing connections. It remembers what it has reported and catches up after a restart:

\`\`\`sh
export GOLDMASTER_WEBHOOK_TOKEN='${context.token}'
goldmaster bridge perforce --host '${context.base_url}' --state /var/lib/goldmaster/perforce.json
\`\`\`

### Details from the server

If only the number is reported, Goldmaster can fetch the details from the Perforce server. The password (better: a ticket) is stored encrypted. A private address must be allowed in \`ALLOW_PRIVATE_HOSTS\`:

\`\`\`sh
goldmaster admin integration config ${context.id} - <<'END'
{ "server": "ssl:perforce.example.com:1666", "user": "goldmaster", "password": "…", "charset": "utf8", "fingerprint": "…" }
END
\`\`\`

### Good to know

The script never blocks or fails a submit. A changelist that is reported twice is recorded once, so you can report older changelists in a loop.

${signedDeliveries(context.id)}
The trigger runs in the environment of \`p4d\`: set \`GOLDMASTER_WEBHOOK_SECRET='…'\` in the script itself, below the URL.

${ADDRESS_LIMIT}
`
