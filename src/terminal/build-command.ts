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
  const option = new Option(`${short}${longName(name)}${flag.value ? ` <${flag.value}>` : ''}`, flag.help)
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

function helpAfter({ examples, details, prints }: Command): string {
  const fields = typeof prints === 'object' && prints.fields ? `\nFields for --json: ${prints.fields.join(', ')}\n` : ''
  const more = details ? `\n${details}\n` : ''
  return `${more}${fields}\nExamples:\n${examples.map((line) => `  goldmaster ${line}`).join('\n')}`
}

/** A command for the parser. */
export function buildCommand(made: Command): Commander {
  const { args = {}, flags = {}, prints } = made
  const built = new Commander(made.name).description(made.summary)
  for (const [name, argument] of Object.entries(args)) built.addArgument(argumentOf(name, argument))
  for (const [name, flag] of Object.entries(flags)) built.addOption(optionOf(name, flag))
  if (prints && prints !== 'anything') built.option('--wide', 'show every column and whole ids, however long the lines get')
  if (prints && prints !== 'anything') built.option('--json [fields]', 'print JSON, with all fields or only these')
  if (typeof prints === 'object' && prints.rows)
    built.option('--envelope', 'print the page around the list, too: its name and pagination')
  if (prints) {
    built.option('--pick <path>', 'print only what a path finds, such as links.changes[].id; one value a line')
    built.option('--jq <query>', 'print what a query of jq finds in that JSON; one value a line')
    built.option('--template <text>', "print a line for each row, such as '{{id}} {{title}}'")
  }
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
