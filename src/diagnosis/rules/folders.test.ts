import { describe, expect, it } from 'vitest'
import { diagnose } from '../diagnose.ts'
import type { Example } from '../rule.ts'
import { RULES } from './index.ts'

const FOLDERS: Readonly<Record<string, string>> = {
  'on a drive': 'D:\\ws\\',
  'on a share': '\\\\nas01\\builds\\game\\',
  'with a blank': '/Users/ci/My Game/',
  'with brackets': 'C:\\Program Files (x86)\\Studio\\',
  'of a second checkout': 'D:/jobs/game (2)/src/',
  'above the working directory': '../../Game/Source/',
  'of a content package': '/Game/Maps/',
  'of a mounted drive': '/mnt/c/ws/game/',
  'with letters beyond ASCII': 'D:\\Проекты\\ゲーム\\Größe\\',
  'with a long path': `D:/${'a_rather_long_folder/'.repeat(14)}`,
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const baseOf = (path: string | null) => path?.split(/[\\/]/).at(-1) ?? null

/** The example with its file in another folder. */
function moved({ log, file }: Example, folder: string) {
  const path = `(?:(?<![A-Za-z])[A-Za-z]:[\\\\/]|(?<![\\w.])/)?(?:[\\w.+@~-]+[\\\\/])*(?<!\\w)${escaped(file!)}`
  return log.replace(new RegExp(path, 'g'), () => folder + file)
}

function answerFor(log: string) {
  const { category, evidence, file_path, line, clues } = diagnose(log)
  return { rule: clues.rule, category, lines: evidence.map((each) => each.line), file: baseOf(file_path), line }
}

const examples = RULES.flatMap(({ id, examples }) => examples.flatMap((example) => (example.file ? [{ id, example }] : [])))

describe.each(Object.entries(FOLDERS))('a file in a folder %s', (_, folder) => {
  it('is handled by every rule like any other folder', () => {
    const answers = examples.map(({ id, example }) => ({ id, ...answerFor(moved(example, folder)) }))
    expect(answers).toEqual(examples.map(({ id, example }) => ({ id, ...answerFor(example.log) })))
  })

  it('is shown as printed, from the workspace on', () => {
    for (const { id, example } of examples) {
      const { file_path } = diagnose(moved(example, folder))
      if (file_path !== null) expect(folder + example.file, id).toContain(file_path)
    }
  })
})

describe('a compile error of Clang in MSVC style', () => {
  it.each(['Hero.cpp', 'Source\\Game\\Hero.cpp', 'C:\\Program Files (x86)\\Studio\\Hero.cpp', '/home/ci/My Game/Hero.cpp'])(
    'is recognized for %s',
    (path) => {
      const finding = diagnose(`${path}(12,5): error: use of undeclared identifier 'Guard'`)
      expect(finding).toMatchObject({ category: 'compile_error', confidence: 'high', line: 12 })
      expect(path).toContain(finding.file_path)
    },
  )
})

describe('prose between two paths', () => {
  it.each([
    'error: cannot copy /ws/a/hero.txt to /ws/b/hero.txt',
    'c++ -I/usr/include -c src/hero.cpp -o out/hero.o',
    'see https://docs.example/a b/c.html for more',
  ])('is not a folder: %s', (line) => {
    expect(
      diagnose(line)
        .clues.files.map(({ path }) => path)
        .filter((path) => path.includes(' ')),
    ).toEqual([])
  })
})
