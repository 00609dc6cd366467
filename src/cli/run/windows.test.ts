import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { scratch } from '../../../test/support/stand-in.ts'
import { commandLine } from './windows.ts'

const { folder, remove } = scratch()
afterAll(remove)

/** What a command processor makes of a line without quotes of its own: a caret protects the next character. */
function readByCommandProcessor(line: string): string {
  let read = ''
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '^') at++
    else if (/["&|<>()%!]/.test(line[at]!)) throw new Error(`${line[at]} is not protected in ${line}`)
    read += line[at] ?? ''
  }
  return read
}

/** The words that a program of Windows reads from its command line. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  let [word, quoted] = ['', false]
  for (let at = 0; at < line.length; at++) {
    const [slashes] = /^\\*/.exec(line.slice(at))!
    if (line[at + slashes.length] === '"') {
      word += '\\'.repeat(slashes.length >> 1)
      at += slashes.length
      if (slashes.length % 2 === 1) word += '"'
      else quoted = !quoted
    } else if (line[at] === ' ' && !quoted) {
      words.push(word)
      word = ''
    } else word += line[at]
  }
  return [...words, word]
}

const SIGNS = [...' "\\%^&|<>()!;,=*?[]`a~é日']

test('the words of a script arrive at the program that it starts, whatever signs they have', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom(...SIGNS) }), { minLength: 1 }), (words) => {
      const { file, args, verbatim } = commandLine('C:\\My Game\\Build & Cook.cmd', words, { comspec: 'C:\\cmd.exe' })
      expect([file, args.slice(0, -1), verbatim]).toEqual(['C:\\cmd.exe', ['/d', '/s', '/c'], true])
      const line = readByCommandProcessor(/^"(.*)"$/s.exec(args.at(-1)!)![1]!)
      const script = '"C:\\My Game\\Build & Cook.cmd" '
      expect(line.startsWith(script)).toBe(true)
      expect(wordsOf(readByCommandProcessor(line.slice(script.length)))).toEqual(words)
    }),
  )
})

test('a program gets its words from Node, which quotes them', () => {
  const words = ['two words', '50%']
  expect(commandLine('node.exe', words, {})).toEqual({ file: 'node.exe', args: words, verbatim: false })
})

test.each(['Path', 'PATH'])('a name without an ending is found by the order of %s, programs before scripts', (name) => {
  for (const file of ['first/RunUAT.bat', 'second/RunUAT.exe', 'second/cook.exe', 'second/cook.cmd']) {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    writeFileSync(join(folder, file), '')
  }
  const env = { [name]: ['first', 'second'].map((each) => join(folder, each)).join(delimiter), PATHEXT: '.exe;.bat;.cmd' }
  const endOf = (word: string) => commandLine(word, [], env).args.at(-1)?.replaceAll('^', '')
  expect(endOf('RunUAT')).toBe(`""${join(folder, 'first/RunUAT.bat')}""`)
  expect(endOf(join(folder, 'first/RunUAT'))).toBe(`""${join(folder, 'first/RunUAT.bat')}""`)
  expect(commandLine('cook', [], env).file).toBe(join(folder, 'second/cook.exe'))
  expect(commandLine('RunUAT.sh', [], env).file).toBe('RunUAT.sh')
})
