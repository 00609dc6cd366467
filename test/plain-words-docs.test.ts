import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Phrases that readers of the documentation had to translate, each with what to write instead. */
const WORST: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bwho(?:so)?ever\b/i, 'somebody who, anybody who, or name the role'],
  [/\b(?:is|are|be) told\b/i, 'gets a message, is notified, is reported'],
  [/\btells? of\b|\btelling of\b/i, 'reports'],
  [/\bhears? (?:of|from|nothing|what)\b/i, 'is notified'],
  [/\banew\b/i, 'again'],
  [/\bfor good\b/i, 'permanently, forever'],
  [/\bunless told otherwise\b/i, 'by default'],
  [/\b(?:comes?|brings?|takes?|goes) along\b/i, 'is included, includes'],
  [/\b(?:goes|go|went) out\b/i, 'is sent, is deployed'],
  [/\bstands? (?:here|there|in|at|beside|below|above|behind|for itself)\b/i, 'is in, is at, appears in'],
  [/\b(?:may|can) more\b/i, 'name the role or permission'],
  [/\bsees? to (?:it|them)\b/i, 'owns it, the owner'],
  [/\b(?:is|are) left alone\b|\bleft alone for\b/i, 'is skipped, is not called'],
  [/\bopens? the door\b|\bthe same door\b/i, 'no pictures: allows, uses the same path'],
  [/\bthe house\b|\brooms of\b/i, 'the service, folders'],
  [/\bmend(?:ed|s|ing)?\b/i, 'fixed'],
  [
    /\b(?:colour|licence|honoured|recognised|behaviour|e-mail)\b/i,
    'American spelling: color, license, respected, recognized, behavior, email',
  ],
]

const ROOT = resolve(import.meta.dirname, '..')
const below = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    // Pages of commands are generated from texts that plain-words.test.ts reads; lists.md shows invented names.
    .filter((file) => file.endsWith('.md') && !file.startsWith('cli/') && file !== 'lists.md')
    .map((file) => join(ROOT, folder, file))
const pages = [join(ROOT, 'README.md'), join(ROOT, 'SECURITY.md'), ...below('docs'), ...below('deploy')]

/** Prose and tables, without code. */
const proseOf = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').replaceAll(/`[^`\n]*`/g, '`…`')

const faultsIn = (text: string) =>
  proseOf(text)
    .split('\n')
    .flatMap((line) => WORST.flatMap(([phrase, instead]) => (phrase.test(line) ? [`${line.trim()} (${instead})`] : [])))

test.each(pages.map((page) => [relative(ROOT, page), page]))('%s has none of the worst phrases', (_, page) => {
  expect(faultsIn(readFileSync(page, 'utf8'))).toEqual([])
})

test('a riddle is found in prose and in tables, and not in code', () => {
  expect(faultsIn('Whoever has it reads it.\n| a | is told there |\n```\nread anew\n```\n`for good`')).toHaveLength(2)
  expect(faultsIn('Anybody with the URL can read it.')).toEqual([])
})

test('README fits on two screens', () => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(151)
})
