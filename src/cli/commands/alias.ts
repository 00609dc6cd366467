import type { Noun } from '../../terminal/command.ts'
import { EXIT, Failure, usage } from '../../terminal/failures.ts'
import { main } from '../../terminal/table.ts'
import { readPreferences, writePreferences } from '../connection/settings.ts'
import { wordsOf } from '../program/aliases.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

const set = (isTaken: (name: string) => boolean) =>
  command({
    name: 'set',
    summary: 'Define a short name for a command',
    offline: true,
    args: { name: { help: 'Short name' }, words: { help: 'Command and flags, in quotes; $1 is the first argument' } },
    examples: ["alias set red 'builds list --status failed'", "alias set why 'builds investigate $1 --jq .diagnosis'"],
    run({ args: { name, words }, env, out }) {
      if (!/^[a-z][\w-]{0,31}$/.test(name))
        throw usage('An alias has lowercase letters, digits and dashes, and starts with a letter')
      if (isTaken(name)) throw usage(`${name} is a command. Choose another name`)
      if (wordsOf(words).length === 0)
        throw usage('Missing command, such as: goldmaster alias set red "builds list --status failed"')
      const { settings, aliases } = readPreferences(env)
      writePreferences(env, { settings, aliases: { ...aliases, [name]: words } })
      out.note(`goldmaster ${name} now runs: goldmaster ${words}`)
    },
  })

const list = command({
  name: 'list',
  summary: 'List your aliases',
  offline: true,
  examples: ['alias list'],
  run({ env, out }) {
    const rows = Object.entries(readPreferences(env).aliases).map(([name, words]) => ({ name, words }))
    out.list('aliases', rows, ['name', main('words', 'command')], 'Create one with goldmaster alias set.')
  },
})

const remove = command({
  name: 'delete',
  summary: 'Delete an alias',
  offline: true,
  args: { name: { help: 'Short name' } },
  examples: ['alias delete red'],
  run({ args: { name }, env }) {
    const { settings, aliases } = readPreferences(env)
    if (!Object.hasOwn(aliases, name))
      throw new Failure(`Alias not found: ${name}. To see yours, run: goldmaster alias list`, EXIT.notFound)
    delete aliases[name]
    writePreferences(env, { settings, aliases })
  },
})

export const alias = (isTaken: (name: string) => boolean): Noun => ({
  name: 'alias',
  summary: SUMMARIES.alias,
  commands: [set(isTaken), list, remove],
})
