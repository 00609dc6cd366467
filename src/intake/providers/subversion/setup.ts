import { ADDRESS_LIMIT, ENCODE, type Setup, SIGN, signedDeliveries } from '../../setup.ts'

/** Runs inside a commit, so it leaves at once and does its work behind; whatever fails, the commit does not. */
export const subversionHook: Setup = ({ url }) => `#!/bin/sh
# Reports a committed revision to Goldmaster: author, date, message, changed paths.
url='${url}'

# Hooks start with an empty environment. Without a UTF-8 locale svnlook would change names such as Größe.
[ -n "$PATH" ] || PATH=/usr/local/bin:/usr/bin:/bin
LC_ALL=$(locale -a 2>/dev/null | grep -i -m 1 -E '^(C|en_US)[.]utf-?8$')
export PATH LC_ALL

repository=$1 revision=$2
case $revision in '' | *[!0-9]*) exit 0 ;; esac
${SIGN}
${ENCODE}
tell() {
  umask 077
  work=$(mktemp -d) && cd "$work" || exit
  trap 'rm -rf "$work"' EXIT
  {
    printf 'revision=%s&repository=' "$revision" && printf %s "$repository" | encode
    printf '&repository_uuid=' && svnlook uuid "$repository" | encode
    printf '&author=' && svnlook author -r "$revision" "$repository" | encode
    printf '&date=' && svnlook date -r "$revision" "$repository" | encode
    printf '&log=' && svnlook log -r "$revision" "$repository" | encode
    # A list without end would make the whole message too large.
    printf '&changed=' && svnlook changed -r "$revision" "$repository" | head -n 100000 | encode
  } >form
  # The address holds the token: handed over on standard input, it does not show in the list of processes.
  { printf 'url = "%s"\\n' "$url"; sign <form; } |
    curl --silent --max-time 30 --retry 3 --retry-connrefused --config - --data-binary @form
}

tell </dev/null >/dev/null 2>&1 &
exit 0
`

export const setup: Setup = (context) => `## Subversion

Your Subversion server runs this script after every commit, and the script reports the revision.

1. On the server save this as \`hooks/post-commit\` in the folder of the repository, owned by the account that runs the server and accessible only to it (\`chmod 700\`), because it contains the token. It needs \`svnlook\` and \`curl\`:

\`\`\`sh
${subversionHook(context)}\`\`\`

   If there is a \`post-commit\` already, save it as \`hooks/goldmaster.sh\` and call it there: \`"$1/hooks/goldmaster.sh" "$1" "$2"\`.
2. Commit something. It appears within seconds. To test it by hand: \`hooks/post-commit /srv/svn/game 1234\`.
3. If messages can be corrected afterwards, call the script in \`hooks/post-revprop-change\` too, with the same two arguments.

To report older revisions, run it in a loop:

\`\`\`sh
for revision in $(seq 1200 1234); do hooks/post-commit /srv/svn/game "$revision"; sleep 1; done
\`\`\`

A revision has the name of the repository in front of its number: \`game@61\`. If your CI builds it, report that as the commit, for example with \`GOLDMASTER_COMMIT="game@$SVN_REVISION"\` for \`goldmaster run\`. A number alone would be read as a changelist of Perforce.

The branch is the path up to \`trunk\` or \`branches/NAME\`. A commit to several branches, or to a repository without these folders, has no branch. If a folder is deleted, Subversion does not list the files in it. Changed properties are not reported as changed files.

${signedDeliveries(context.id)}
Hooks start with an empty environment: set \`GOLDMASTER_WEBHOOK_SECRET='…'\` in the script itself, below the URL.

${ADDRESS_LIMIT}
`
