import type { Command } from 'commander'

const WIDTH = 100

/** A command's own help, as it prints it. */
export function helpOf(command: Command, width = WIDTH): string {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => width, getOutHasColors: () => false })
  command.outputHelp()
  return help.trimEnd()
}

/** A manual page for every command, by file name, and one that lists them. */
export function manual(program: Command): Map<string, string> {
  const pages = new Map<string, string>()
  const index: string[] = []
  const walk = (command: Command, words: string[]) => {
    for (const inner of command.commands) walk(inner as Command, [...words, inner.name()])
    if (command.commands.length > 0) return
    const name = words.join(' ')
    const file = `${words.slice(1).join('-')}.md`
    pages.set(file, `# ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`)
    index.push(`| [\`${name}\`](${file}) | ${command.description()} |`)
  }
  walk(program, ['goldmaster'])
  pages.set('README.md', `# Commands\n\n${INTRODUCTION}\n\n| Command | What it does |\n|---|---|\n${index.join('\n')}\n`)
  return pages
}

export const INTRODUCTION = `Each page is what the command prints with \`--help\`.

**Sign in.** \`goldmaster login\` saves a token for each host in \`$XDG_CONFIG_HOME/goldmaster/hosts.json\` (default: \`~/.config\`, on Windows \`%APPDATA%\`).
\`GOLDMASTER_TOKEN\` and \`GOLDMASTER_HOST\` override it; set both in CI. On a machine without a browser, \`goldmaster login --no-browser\`
prints a URL. Open it on any machine, sign in, and paste the URL your browser ends up on.

**Project.** \`goldmaster use PROJECT\` chooses the project for a folder and its subfolders. \`--project ID\` overrides it for one command.

**Output.** In a terminal, lists are tables that fit the window, with relative times. In a pipe, each row is one line with fields separated
by tabs, no headings, full values and UTC times. \`--json\` prints the record, or the array of records of a list; \`--json id,title\`
prints only these fields (\`diagnose\` always prints all). \`--envelope\` prints the whole API response of a list:
\`{"tasks": […], "pagination": …}\`.

**Select values.** \`--pick PATH\` prints the values at a path, one per line, without quotes. A path has field names (\`urls.web\`), \`[]\` for
all entries of a list (\`[].id\`), and \`[0]\` or \`[-1]\` for the first or last one (\`[0].id\`). \`--jq QUERY\` prints the results of a
[jq](https://jqlang.org) query: \`--jq '.[] | [.id, .status] | @tsv'\`. \`--template TEXT\` prints one line per row and replaces
\`{{path}}\` with the value at that path: \`--template '{{id}}\\t{{urls.web}}'\`.

**Narrow windows.** Tables show the last eight characters of long ids; every command accepts these. If the window is too narrow, less
important columns are left out before names are cut. \`--wide\` shows everything; [lists.md](../lists.md) has a picture of every list.

**Colors.** Red: broken, denied or urgent. Yellow: waiting or pending. Cyan: running. Green: good. Dim: ignored. \`NO_COLOR\` turns colors off.

**Pager and browser.** In a terminal, long output opens in \`GOLDMASTER_PAGER\`, \`PAGER\` or \`less\`; \`cat\` or an empty value turns that
off. \`--web\` opens the page in the browser instead and changes nothing.

**Aliases and settings.** \`goldmaster alias\` defines short names for commands. \`goldmaster config\` saves host, pager, browser and timeout.
Both are stored in \`config.json\` in the same folder as the tokens. The package includes man pages: \`man goldmaster\`, \`man goldmaster-builds\`.

**Paging.** \`--limit\` fetches as many pages as needed. The command says when there are more rows.

**Network.** The CLI uses \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`ALL_PROXY\` and \`NO_PROXY\`, in upper or lower case, but never a proxy for this
machine. \`GOLDMASTER_TIMEOUT\` is the number of seconds to wait for a response (default: 30). \`--verbose\` or \`GOLDMASTER_DEBUG=1\` logs
every request to standard error, without the token. If the service limits your requests, the command waits as long as the service asks,
up to five minutes.

**CI.** On GitHub Actions and Buildkite, \`diagnose\`, \`builds watch\` and \`builds investigate\` also add an annotation with the cause of a
failure.

**Service commands.** \`serve\`, \`work\`, \`migrate\` and \`admin\` open the database and read the
[settings of the service](../configuration.md). Run them in the folder where you started the service, or set its \`DATA_DIR\`, or its
\`DATABASE_URL\` and \`SECRET_KEY\`. All other commands are API clients; the single file \`dist/goldmaster.mjs\` contains them.

**Exit codes.** 0: success. 1: failure. 2: wrong usage. 4: not signed in. 8: not found. \`goldmaster run\` exits with the code of the build.`
