import { Command as Commander, type CommanderError } from 'commander'
import { VERSION } from '../contract/version.ts'
import { fail } from '../terminal/build-command.ts'
import { EXIT, explain, usage } from '../terminal/failures.ts'
import { CATALOG } from './catalog.ts'
import { applySettings, readPreferences } from './connection/settings.ts'
import { HELP_WIDTH } from './prepared.ts'
import { expand } from './program/aliases.ts'
import { groupOf, SUMMARIES } from './summaries.ts'

/** Additional first words: what runs with the server. */
export type Beside = Readonly<Record<string, (verb?: string) => Promise<Commander>>>

const SUMMARY = "Follow a game studio's delivery pipeline: changes, builds, failures, approvals, releases."

/** The whole program, or only what the words need: loading is the cost of a start. Unknown words only need the names. */
export async function buildProgram(beside: Beside, words?: readonly string[]): Promise<Commander> {
  const program = new Commander('goldmaster').description(SUMMARY).version(VERSION, '-V, --version', 'Print the version')
  // Commands have a --version of their own.
  program.enablePositionalOptions()
  program.configureOutput({ getOutHelpWidth: () => Math.min(process.stdout.columns || HELP_WIDTH, HELP_WIDTH) })

  const all = { ...CATALOG, ...beside }
  const [first, verb] = words?.[0] === 'help' ? words.slice(1) : (words ?? [])
  if (first !== undefined && Object.hasOwn(all, first)) program.addCommand(await all[first]!(verb))
  else
    for (const [name, load] of Object.entries(all))
      program.addCommand(words === undefined ? await load() : new Commander(name).description(SUMMARIES[name as Named]))
  for (const each of program.commands) each.helpGroup(groupOf(each.name()) ?? OTHERS)
  return settled(program.commandsGroup(OTHERS).addHelpText('after', MORE))
}

/** Where `help` and whatever has no other place is listed. */
const OTHERS = 'This command line:'

const MORE = `
Get started:
  goldmaster login --host https://gold.example
  goldmaster use PROJECT
  goldmaster builds list --status failed

Exit codes: 0 success, 1 failure, 2 wrong usage, 4 not signed in, 8 not found. See also: goldmaster COMMAND --help`

type Named = keyof typeof SUMMARIES

/** Their arguments and options are in their own help. */
const subcommandTerm = (command: { name(): string }) => command.name()

/** Usage errors are one line with the help to read, and exit with 2, at any depth. */
function settled(command: Commander, path = command.name()): Commander {
  command.exitOverride((error: CommanderError) => {
    throw Object.assign(error, { path })
  })
  command.configureHelp({ subcommandTerm }).configureOutput({ outputError: () => {} })
  command.helpOption('-h, --help', 'Show help')
  if (command.commands.length > 0) command.helpCommand('help [command]', 'Show help for a command')
  for (const inner of command.commands) settled(inner as Commander, `${path} ${inner.name()}`)
  return command
}

/** The single-file client is often mistaken for the whole program. */
const OPERATORS = ['serve', 'work', 'migrate', 'admin']

function advice({ path }: Misused, [first]: readonly string[], beside: Beside): string {
  const isHere = first !== undefined && (Object.hasOwn(CATALOG, first) || Object.hasOwn(beside, first))
  if (first !== undefined && OPERATORS.includes(first) && !isHere)
    return '; this command is part of the service: run it on the machine where the service is installed'
  if (first !== undefined && Object.hasOwn(SUMMARIES, first) && !isHere)
    return '; this file only has run: download goldmaster.mjs from the service for the other commands'
  return path === undefined ? '' : `; see: ${path} --help`
}

/** Commands whose `--json` takes no field names, or belongs to another program. */
const PLAIN_JSON = ['diagnose', 'run']

/** Elsewhere it takes only those, so that `--json 7` keeps its 7 as an argument. */
const separated = (words: readonly string[]) =>
  PLAIN_JSON.includes(words[0] ?? '')
    ? words
    : words.map((word, index) => (word === '--json' && !/^[a-z_]+(?:,[a-z_]+)*$/.test(words[index + 1] ?? '') ? '--json=' : word))

/** Runs the command of the words; sets the exit code. */
export async function run(words: readonly string[], beside: Beside = {}): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  if (words[0] === '__complete')
    return (await import('./program/complete.ts')).complete(await buildProgram(beside), words.slice(1))
  try {
    // `run` reads them itself: nothing of ours may prevent a build from running.
    if (words[0] !== 'run') applySettings(process.env)
    await perform(known(words, beside) ? words : expand(words, readPreferences(process.env).aliases), beside)
  } catch (error) {
    fail(explain(error, {}))
  }
}

const known = ([first]: readonly string[], beside: Beside) =>
  first === undefined || first.startsWith('-') || Object.hasOwn(CATALOG, first) || Object.hasOwn(beside, first)

/** The same inside a process that does other things too. */
export async function perform(words: readonly string[], beside: Beside): Promise<void> {
  const program = await buildProgram(beside, words)
  if (words.length === 0) return program.outputHelp()
  try {
    await program.parseAsync(separated(words), { from: 'user' })
  } catch (error) {
    if (!isUsage(error)) fail(explain(error, {}))
    else if (error.code === 'commander.help') process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage
    else if (error.exitCode !== 0) {
      const wrong = error.message
        .replace(/^error: /, '')
        .replaceAll('\n', ' ')
        .replace(/\.$/, '')
      fail(usage(`${wrong}${advice(error, words, beside)}`))
    }
  }
}

/** A parser error with its command, or a command's own error. */
type Misused = CommanderError & { path?: string }

const isUsage = (error: unknown): error is Misused =>
  error instanceof Error && 'exitCode' in error && 'code' in error && String(error.code).startsWith('commander.')
