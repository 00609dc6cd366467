import type { Command } from 'commander'

const WIDTH = 100

/** A command's own help, as it prints it. */
export function helpOf(command: Command): string {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => WIDTH, getOutHasColors: () => false })
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

**Output.** At a terminal lists are tables that fit the window, with times told from now. In a pipe they are lines of fields
separated by tabs, without headings, uncut, with times in UTC. \`--json\` prints the record, or the array of records of
a list; \`--json id,title\` keeps only these fields of each, except for \`diagnose\`, which prints all. \`--envelope\` prints the page around a
list as the API answers it: \`{"tasks": […], "pagination": …}\`.

**Narrow windows.** Long ids are shown by their last eight characters, which every command takes for the whole; columns of less
importance go before a name or a title is cut. \`--wide\` shows everything whole; [lists.md](../lists.md) has a picture of every list. Colors mean one thing: red is broken, refused or urgent,
yellow is waiting or pending, cyan is running, green is good, dim is ignored; they obey \`NO_COLOR\`.

**Picking.** \`--pick PATH\` prints what a path finds in that JSON, one value a line, text without quotes. A path is made of names
(\`urls.web\`), \`[]\` for every entry of a list (\`[].id\`), and \`[0]\` or \`[-1]\` for one of them (\`[0].id\`).

**Asking JSON.** \`--jq QUERY\` prints what a query in the language of [jq](https://jqlang.org) finds, text without quotes:
\`--jq '.[] | [.id, .status] | @tsv'\`. \`--template TEXT\` prints a line for each row in which \`{{path}}\` stands for what a path
finds in it: \`--template '{{id}}\\t{{urls.web}}'\`.

**At a terminal** answers longer than the screen go through \`GOLDMASTER_PAGER\`, \`PAGER\` or \`less\`; \`cat\` or nothing turns that off.
\`--web\` shows the same in the browser and does nothing else, also where a command would write. \`goldmaster alias\` gives command lines short names, \`goldmaster config\` keeps host, pager,
browser and timeout; both stand in \`config.json\` beside the tokens. Man pages come with the package: \`man goldmaster\`, \`man goldmaster-builds\`.

**Paging.** \`--limit\` asks for as many pages as it takes. The API shows at most 50 builds and assets; the command says when there are
more and how to narrow them.

**Who you are.** \`goldmaster login\` keeps a token for each host in \`$XDG_CONFIG_HOME/goldmaster/hosts.json\` (else \`~/.config\`).
\`GOLDMASTER_TOKEN\` and \`GOLDMASTER_HOST\` come first. \`GOLDMASTER_TIMEOUT\` is how many seconds an answer may take (30). On a machine
without a browser \`goldmaster login --no-browser\` prints an address for any other one and takes what the browser there ends at.

**On the way.** \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`ALL_PROXY\` and \`NO_PROXY\` are obeyed, in either case; this machine is never reached through
a proxy. \`--verbose\` or \`GOLDMASTER_DEBUG=1\` tells every request on standard error, without its token.

**In CI** \`diagnose\`, \`builds watch\` and \`builds investigate\` also say why a build failed where people look: as an annotation on GitHub
Actions and, through its agent, on Buildkite.

**Beside the service.** \`serve\`, \`work\`, \`migrate\` and \`admin\` open the database itself and read the
[settings of the service](../configuration.md): run them where it was started, or with its \`DATA_DIR\`, or its \`DATABASE_URL\` and
\`SECRET_KEY\`. The others are clients of its API, and all there is in the one file \`dist/goldmaster.mjs\`.

**How it ends.** 0: it worked. 1: it failed. 2: the command was not understood. 4: not signed in. 8: not found. When the service is
asked too often, the command waits as long as the service says, up to five minutes.`
