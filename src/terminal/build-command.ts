import { Command as Commander, Argument as CommanderArgument, InvalidArgumentError, Option } from 'commander'
import type { Command, Noun } from './command.ts'
import { explain, type Failure } from './failures.ts'
import type { Argument, Flag } from './flags.ts'
import { Output } from './output.ts'
import { readTemplate } from './template.ts'

const longName = (name: string) => `--${name.replaceAll('_', '-')}`

/** Lists of values from a closed set may also be separated by commas. */
function reader({ many, values, read = (text: string): unknown => text }: Pick<Flag, 'many' | 'values' | 'read'>) {
  return (text: string, before: unknown) => {
    const words = many && values ? text.split(',') : [text]
    try {
      const made = words.map((word) => read(word))
      return many ? [...[before ?? []].flat(), ...made] : made[0]
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message)
    }
  }
}

function optionOf(name: string, flag: Flag): Option {
  const short = flag.short ? `-${flag.short}, ` : ''
  const help = flag.required ? `${flag.help} (required)` : flag.help
  const option = new Option(`${short}${longName(name)}${flag.value ? ` <${flag.value}>` : ''}`, help)
  if (flag.values && !flag.many) option.choices(flag.values)
  else if (flag.value) option.argParser(reader(flag))
  return option.makeOptionMandatory(flag.required === true)
}

/** `--no-x` is a separate switch here; commander treats it as `x` turned off. */
const givenFor = (options: Record<string, unknown>, name: string, flag: Flag) => {
  const key = new Option(longName(name)).attributeName()
  return flag.value ? options[key] : name.startsWith('no_') ? options[key] === false : options[key] === true
}

const argumentOf = (name: string, argument: Argument): CommanderArgument => {
  const shown = `${name}${argument.many ? '...' : ''}`
  const made = new CommanderArgument(argument.optional ? `[${shown}]` : `<${shown}>`, argument.help)
  return argument.values ? made.choices(argument.values) : made.argParser(reader({ ...argument, values: undefined }))
}

/** An example that starts with this is a line of a shell, not only a command of ours. */
const SHELL = '$ '

function helpAfter({ examples, details, prints }: Command): string {
  const fields = typeof prints === 'object' && prints.fields ? `\nFields for --json: ${prints.fields.join(', ')}\n` : ''
  const more = details ? `\n${details}\n` : ''
  return `${more}${fields}\nExamples:\n${examples.map((line) => `  ${line.startsWith(SHELL) ? line.slice(SHELL.length) : `goldmaster ${line}`}`).join('\n')}`
}

type Described = readonly [flags: string, help: string]

const WHOLE: readonly Described[] = [
  ['--wide', 'All columns and full ids, however wide'],
  ['--json [fields]', 'Print JSON: all fields, or a comma-separated list of them'],
]
const ENVELOPE: Described = ['--envelope', 'Use the whole API response, with pagination, for --json, --pick and --jq']
const PARTS: readonly Described[] = [
  ['--pick <path>', 'Print the values at a path, such as links.changes[].id, one per line'],
  ['--jq <query>', 'Print the results of a jq query, one per line'],
  ['--template <text>', "Print one line per row, such as '{{id}} {{title}}'"],
]

/** How programs may ask for the answer of a command that prints one. */
function outputFlags(prints: Command['prints']): readonly Described[] {
  if (!prints) return []
  if (prints === 'anything') return PARTS
  return [...WHOLE, ...(typeof prints === 'object' && prints.rows ? [ENVELOPE] : []), ...PARTS]
}

/** A command for the parser. */
export function buildCommand(made: Command): Commander {
  const { args = {}, flags = {}, prints } = made
  const built = new Commander(made.name).description(made.summary)
  for (const [name, argument] of Object.entries(args)) built.addArgument(argumentOf(name, argument))
  for (const [name, flag] of Object.entries(flags)) built.addOption(optionOf(name, flag))
  for (const [flags, help] of outputFlags(prints)) built.addOption(new Option(flags, help).helpGroup('Output:'))
  built.addHelpText('after', () => helpAfter(made))
  return built.action(async () => {
    const options = built.opts() as Record<string, unknown>
    const given = Object.entries(flags).map(([name, flag]) => [name, givenFor(options, name, flag)])
    const words = Object.entries(args).map(([name, { many }], index) => [
      name,
      built.processedArgs[index] ?? (many ? [] : undefined),
    ])
    try {
      const wanted = {
        ...options,
        jq: options.jq === undefined ? undefined : await (await import('./jq.ts')).readQuery(String(options.jq)),
        template: options.template === undefined ? undefined : readTemplate(String(options.template)),
      }
      const out = new Output(wanted, typeof prints === 'object' ? prints : {}, process.env)
      if (made.pages) out.hold()
      const code = await made.run({ args: Object.fromEntries(words), flags: Object.fromEntries(given), out })
      if (typeof code === 'number') process.exitCode = code
      await out.release()
    } catch (error) {
      fail(explain(error, {}))
    }
  })
}

export const fail = ({ message, exit }: Failure) => {
  process.stderr.write(`goldmaster: ${message}\n`)
  process.exitCode = exit
}

/** A noun with all its commands, or only the requested one. */
export function buildNoun({ name, summary, usual, commands }: Noun, verb?: string): Commander {
  const built = new Commander(name).description(summary)
  const asked = commands.filter((each) => each.name === verb)
  for (const each of asked.length > 0 ? asked : commands) built.addCommand(buildCommand(each), { isDefault: each.name === usual })
  return built
}
