import { type Beside, buildProgram } from '../main.ts'
import { HELP_WIDTH, type Prepared } from '../prepared.ts'
import { SUMMARIES } from '../summaries.ts'
import { helpOf } from './manual.ts'

/** What the bundler puts into `prepared.ts`, but for the advice: with the names of the commands that run beside the client. */
export async function prepare(beside: readonly string[]): Promise<Omit<Prepared, 'advice'> & { width: number; names: string[] }> {
  const nothing = () => Promise.reject(new Error('Only the names are needed'))
  const given: Beside = Object.fromEntries(beside.map((name) => [name, nothing]))
  const program = await buildProgram(given, [])
  return {
    width: HELP_WIDTH,
    help: `${helpOf(program, HELP_WIDTH)}\n`,
    words: [...Object.keys(SUMMARIES), 'help', '__complete'],
    names: [...program.commands.map((command) => command.name()), 'help'],
  }
}
