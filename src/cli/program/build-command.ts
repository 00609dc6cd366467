import { Argument, Command as Commander, InvalidArgumentError, Option } from 'commander'
import { explain, type Failure } from '../connection/failures.ts'
import { fieldsOf } from '../output/fields.ts'
import { Output } from '../output/output.ts'
import { Call } from './call.ts'
import type { Argument as Arg, Command, Noun } from './command.ts'
import type { Flag, Flags, Given } from './flags.ts'

const HOST: Flag = { help: 'the service, such as https://gold.example (or GOLDMASTER_HOST)', value: 'url' }
const PROJECT: Flag = {
  help: "the project's id (default: the one chosen for this folder with goldmaster use)",
  value: 'id',
  check(text) {
    if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error('It must be the number of a project; goldmaster projects list shows them.')
  },
}

const longName = (name: string) => `--${name.replaceAll('_', '-')}`

function checked(flag: Flag) {
  return (text: string, before: string | string[] | undefined) => {
    const words = flag.many && flag.values ? text.split(',') : [text]
    try {
      for (const word of words) flag.check?.(word)
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message)
    }
    return flag.many ? [...[before ?? []].flat(), ...words] : text
  }
}

function optionOf(name: string, flag: Flag): Option {
  const short = flag.short ? `-${flag.short}, ` : ''
  const option = new Option(`${short}${longName(name)}${flag.value ? ` <${flag.value}>` : ''}`, flag.help)
  if (flag.values && !flag.many) option.choices(flag.values)
  else if (flag.value) option.argParser<string | string[]>(checked(flag))
  return option
}

/** `--no-x` is a switch of its own name here; commander knows it as `x` turned off. */
const givenFor = (options: Record<string, unknown>, name: string, flag: Flag) => {
  const key = new Option(longName(name)).attributeName()
  return flag.value ? options[key] : name.startsWith('no_') ? options[key] === false : options[key] === true
}

const argumentOf = ({ name, help, optional, many, values }: Arg): Argument => {
  const dots = many ? '...' : ''
  const argument = new Argument(optional ? `[${name}${dots}]` : `<${name}${dots}>`, help)
  return values ? argument.choices(values) : argument
}

function helpAfter({ examples, details, shows }: Command): string {
  const fields = shows && shows !== 'anything' ? `\nFields for --json: ${fieldsOf(shows.route, shows.rows).join(', ')}\n` : ''
  const more = details ? `\n${details}\n` : ''
  return `${more}${fields}\nExamples:\n${examples.map((line) => `  goldmaster ${line}`).join('\n')}`
}

const shapeOf = ({ shows }: Command) =>
  shows && shows !== 'anything'
    ? { fields: fieldsOf(shows.route, shows.rows), first: fieldsOf(shows.route), rows: shows.rows }
    : { fields: [] }

/** A command as the parser wants it. */
export function buildCommand(made: Command): Commander {
  const flags: Flags = { ...made.flags, ...(made.project ? { project: PROJECT } : {}), ...(made.offline ? {} : { host: HOST }) }
  const built = new Commander(made.name).description(made.summary)
  for (const arg of made.args ?? []) built.addArgument(argumentOf(arg))
  for (const [name, flag] of Object.entries(flags)) built.addOption(optionOf(name, flag))
  if (made.shows) {
    if (made.shows !== 'anything')
      built.option('--json [fields]', 'print JSON as the API answers it, with all fields or only these')
    built.option('--pick <path>', 'print only what a path finds, such as tasks[].id; one value a line')
  }
  built.addHelpText('after', () => helpAfter(made))
  return built.action(async () => {
    const options = built.opts() as Record<string, unknown>
    const given = Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, givenFor(options, name, flag)]))
    const { host, project } = given as { host?: string; project?: string }
    const args = built.processedArgs.flat().filter((word) => word !== undefined) as string[]
    let call: Call | undefined
    try {
      const out = new Output(options, shapeOf(made), process.env)
      call = new Call({ args, flags: given as Given<Flags>, host, project }, out, { env: process.env, folder: process.cwd() })
      const code = await made.run(call)
      if (typeof code === 'number') process.exitCode = code
    } catch (error) {
      fail(told(error, call))
    }
  })
}

/** Even the address may be what is wrong. */
const told = (error: unknown, call: Call | undefined): Failure => {
  try {
    return explain(error, { site: call?.site, source: call?.source })
  } catch {
    return explain(error, {})
  }
}

export const fail = ({ message, exit }: Failure) => {
  process.stderr.write(`goldmaster: ${message}\n`)
  process.exitCode = exit
}

/** A noun with all it can do, or with the one thing that is asked for. */
export function buildNoun({ name, summary, commands }: Noun, verb?: string): Commander {
  const built = new Commander(name).description(summary)
  const asked = commands.filter((each) => each.name === verb)
  for (const each of asked.length > 0 ? asked : commands) built.addCommand(buildCommand(each))
  return built
}
