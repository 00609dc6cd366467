import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { PROVIDERS } from '../src/contract/sets.ts'

const SRC = resolve(import.meta.dirname, '../src')

/** Where a provider may be named outside its folder, and why. */
const MAY_NAME: [RegExp, string][] = [
  [/^intake\/providers\//, 'its own folder, and the lists of all of them'],
  [/^contract\/sets\.ts$/, 'the closed set'],
  [/^cli\//, 'commands that run beside a tool and pass on what it says'],
  [/^(?:demo\/|service\/welcome\.ts$)/, 'the demo studio uses some tools, and its tour shows one'],
  [/^admin\/(?:.*\/)?(?:integration|people)\.ts$/, 'examples in the help'],
  [/^web\/features\/unreal-game-sync\/guide\.ts$/, 'a guide to posting badges from a CI, connected or not'],
  [/^web\/features\/builds\/log\/group-marks\.ts$/, 'marks that tools leave in build logs, connected or not'],
  [/^intake\/signatures\.ts$/, 'a signature header that scripts of several tools send'],
  [/^diagnosis\//, 'tools whose output stands in build logs, connected or not'],
  [/^measures\/other-tools\.ts$/, 'tools whose output has measures, connected or not'],
  [/^contract\/spellings\/stores\.ts$/, 'stores, some of which belong to the maker of a tool'],
  [/^domain\/access\/common-passwords\.ts$/, 'words that people choose as passwords'],
  [/^domain\/contents\/release\.ts$/, 'words in titles of tasks about build machines'],
  [/^domain\/privacy\/secret-shapes\.ts$/, 'vendors whose credentials can be told by their shape'],
]
/** These are common words too, and only counted as separate words. A deployment is also one of our nouns. */
const COMMON = ['linear', 'monday', 'lore', 'shortcut']
const OURS = ['deployment']

const distinct = PROVIDERS.filter((name) => ![...COMMON, ...OURS].includes(name)).map((name) => name.replace('_', '[_-]?'))
const NAMED = new RegExp(`${distinct.join('|')}|['"\`](?:${COMMON.join('|')})['"\`]|\\b(?:${COMMON.join('|')}): `, 'i')

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.test|\.d)\.tsx?$/.test(file))
  .filter((file) => !MAY_NAME.some(([place]) => place.test(file)))

test("no code outside a provider's folder names it: differences are fields of its declaration", () => {
  const named = files.flatMap((file) =>
    readFileSync(join(SRC, file), 'utf8')
      .replaceAll(COMMENT, '')
      .split('\n')
      .filter((line) => NAMED.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(named).toEqual([])
})
