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
    summary: 'give a command line a short name',
    offline: true,
    args: { name: { help: 'the short name' }, words: { help: 'what it stands for, in quotes; $1 takes a word that follows it' } },
    examples: ["alias set red 'builds list --status failed'", "alias set why 'builds investigate $1 --jq .diagnosis'"],
    run({ args: { name, words }, env, out }) {
      if (!/^[a-z][\w-]{0,31}$/.test(name)) throw usage('A short name is made of letters, digits and dashes')
      if (isTaken(name)) throw usage(`${name} is a command already`)
      if (wordsOf(words).length === 0) throw usage('Say what it stands for')
      const { settings, aliases } = readPreferences(env)
      writePreferences(env, { settings, aliases: { ...aliases, [name]: words } })
      out.note(`goldmaster ${name} now stands for: goldmaster ${words}`)
    },
  })

const list = command({
  name: 'list',
  summary: 'list your short names',
  offline: true,
  examples: ['alias list'],
  run({ env, out }) {
    const rows = Object.entries(readPreferences(env).aliases).map(([name, words]) => ({ name, words }))
    out.list('aliases', rows, ['name', main('words', 'stands for')])
  },
})

const remove = command({
  name: 'delete',
  summary: 'forget a short name',
  offline: true,
  args: { name: { help: 'the short name' } },
  examples: ['alias delete red'],
  run({ args: { name }, env }) {
    const { settings, aliases } = readPreferences(env)
    if (!Object.hasOwn(aliases, name)) throw new Failure(`There is no alias ${name}.`, EXIT.notFound)
    delete aliases[name]
    writePreferences(env, { settings, aliases })
  },
})

export const alias = (isTaken: (name: string) => boolean): Noun => ({
  name: 'alias',
  summary: SUMMARIES.alias,
  commands: [set(isTaken), list, remove],
})
