import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'
import { buildProgram } from '../src/cli/main.ts'
import { openapi } from '../src/contract/openapi/openapi.ts'
import { operatorCommands } from '../src/service/operate.ts'

/** Words that people had to translate, each with the reason and what to write instead. Nothing that people read has one of them. */
const WORST: readonly (readonly [word: RegExp, why: string])[] = [
  [/\b(?:room|address|channel)s? (?:is|are) told\b/i, 'a channel gets messages, a webhook gets events'],
  [/\bhears? (?:of|nothing|what)\b/i, 'people are notified, channels get messages'],
  [/\bsees? to (?:it|them|breakages)\b/i, 'the owner of a breakage claimed it'],
  [/\bset aside\b/i, 'a decision is approve, deny or ignore: ignored'],
  [/\bmend(?:ed|ing|s)?\b/i, 'a problem is fixed'],
  [/\bflicker(?:s|ing)?\b/i, 'a breakage that comes and goes is flaky'],
  [/\bfor good\b/i, 'permanently, or forever'],
  [/\bgiven back\b/i, 'credits are refunded'],
  [/\bis like that\b|\bno such (?:build|change|breakage|branch|task)\b/i, 'a filter without a result: no matching builds'],
  [/\b(?:may|can) more\b|\bthis takes the role\b/i, 'name the role: you need the Member role to do this'],
  [/\bkept out\b/i, 'somebody can’t sign in, or has no access'],
  [/\bstands? (?:here|there|under|below|beside)\b/i, 'something appears here, or is listed under'],
  [/\bno mail leaves\b/i, 'this service can’t send email'],
  [/\bnobody knows\b/i, 'say what is unknown: can’t tell whether it arrived'],
  [/\b(?:went|goes) out\b|\bcomes? along\b/i, 'a build is deployed, a message is sent'],
  [/\bput its address\b/i, 'enter its URL'],
  [/\banew\b/i, 'again'],
  [/\bwhat concerns\b|\bconcerned you\b/i, 'notifications'],
  [/\bthere is none yet\b/i, 'name what is missing: no rules yet'],
  [/\bbe(?:gin|gan|gins) to fail\b/i, 'started failing'],
  [
    /\b(?:is|are|was|were) not told\b|\bnothing (?:is|more is) told\b|\btell(?:s|ing)? of\b/i,
    'a build is reported, a request is logged',
  ],
  [/\bof (?:its|their|his) own\b/i, 'say what belongs to it: its settings'],
  [/\bwho(?:m|ever|mever)\b/i, 'name the person: the owner, a member, the operator'],
  [/\bwhat is not (?:given|sent|named)\b/i, 'other fields stay as they are'],
  [/\bmake an? (?:token|user|account|project|task)\b/i, 'records are created'],
  [/\bforgets? (?:a|an|the|its|their)\b/i, 'records are deleted, tokens are revoked, tools are disconnected'],
  [/\bas the (?:CI|service|tool) (?:says|has)\b/i, 'a default comes from the CI'],
]

/** All sources but those whose strings are invented people, lines of logs and names of columns. */
const SRC = join(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /(?<!\.test|\.d)\.tsx?$/.test(file) && !/^(?:demo|diagnosis)[\\/]|^world[\\/]tables\.ts$/.test(file),
)

interface Node {
  type: string
  [key: string]: unknown
}

/** Strings, markup and templates of a file, without comments, names, classes and SQL. */
function textsOf(file: string): string[] {
  const texts: string[] = []
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) {
      for (const one of node) look(one)
      return
    }
    const { type, ...parts } = node as Node
    if (type === 'ImportDeclaration') return
    if (type === 'TaggedTemplateExpression' && (parts.tag as { name?: string }).name === 'sql') return
    if (type === 'JSXAttribute' && (parts.name as { name?: string }).name === 'className') return
    if (type === 'TemplateElement') texts.push((parts.value as { raw: string }).raw)
    else if ((type === 'Literal' || type === 'JSXText') && typeof parts.value === 'string') texts.push(parts.value)
    for (const part of Object.values(parts)) look(part)
  }
  look(parseAst(readFileSync(join(SRC, file), 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file))
  return texts.map((text) => text.replaceAll(/\s+/g, ' '))
}

/** Summaries and descriptions of the API reference. */
const described = (node: unknown): string[] =>
  typeof node !== 'object' || node === null
    ? []
    : Object.entries(node).flatMap(([key, value]) =>
        (key === 'description' || key === 'summary') && typeof value === 'string' ? [value] : described(value),
      )

const faults = (texts: readonly string[]) =>
  texts.flatMap((text) => WORST.flatMap(([word, why]) => (word.test(text) ? [`${text.trim()} (${why})`] : [])))

test('nothing that people read has one of the worst words', () => {
  const found = files.map((file) => [file, textsOf(file)] as const)
  expect(found.flatMap(([, texts]) => texts).length).toBeGreaterThan(5000)
  expect(found.flatMap(([file, texts]) => faults(texts).map((fault) => `${file}: ${fault}`))).toEqual([])
})

test('the API reference has none of the worst words', () => {
  const texts = described(openapi('https://gold.example', '1.0.0'))
  expect(texts.length).toBeGreaterThan(100)
  expect(faults(texts)).toEqual([])
})

test('markup, strings and templates are read, comments and statements are not', () => {
  expect(faults(textsOf('web/features/channels/channels-page.tsx'))).toEqual([])
  expect(textsOf('web/features/channels/channels-page.tsx')).toContain('No channels yet')
  expect(textsOf('web/features/changes/contents.tsx').join(' ')).toContain('A force push may have replaced these.')
  expect(faults(['No room is told anything yet', 'The channel gets no messages'])).toEqual([
    'No room is told anything yet (a channel gets messages, a webhook gets events)',
  ])
})

/** Of a summary that does not say what the command does. */
const NO_VERB = /^(?:[a-z]|(?:The|An?|All|One|Your|Its|What|Who|How|Which|Whether|Where)\b)/

const SUMMARY_MAX = 60

test('every command has a summary of at most 60 characters that starts with a verb, and flags that start with a capital', async () => {
  const operators = Object.fromEntries(Object.entries(operatorCommands).map(([name, make]) => [name, async () => make()]))
  const faultsOf = (command: Command, name: string): string[] => {
    const summary = command.description()
    const words = [...command.options, ...command.registeredArguments].map(({ description }) => description)
    return [
      ...(summary.length > SUMMARY_MAX || NO_VERB.test(summary) || summary.endsWith('.') ? [`${name}: ${summary}`] : []),
      ...words.filter((text) => !/^(?:[A-Z]|-)/.test(text)).map((text) => `${name}: ${text}`),
      ...command.commands.flatMap((inner) => faultsOf(inner as Command, `${name} ${inner.name()}`)),
    ]
  }
  const program = await buildProgram(operators)
  expect(program.commands.length).toBeGreaterThan(25)
  expect(program.commands.flatMap((command) => faultsOf(command as Command, command.name()))).toEqual([])
})
