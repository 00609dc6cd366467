import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diagnose } from './diagnose.ts'
import type { Rule } from './rule.ts'
import { passedLines } from './stages/passed.ts'

const log = (...lines: string[]) => lines.join('\n')
const linesOf = (raw: string) => diagnose(raw).evidence.map((each) => each.line)

describe('a diagnosis', () => {
  it('names the first compiler error, its file and its line', () => {
    const finding = diagnose(
      log(
        'Building 2 actions',
        'D:\\ws\\Source\\Hero.cpp(12): warning C4996: old',
        "D:\\ws\\Source\\Hero.cpp(40): error C2065: 'Hits': undeclared identifier",
        'D:\\ws\\Source\\Hero.cpp(41): error C2065: „Hits“: nichtdeklarierter Bezeichner',
        "LINK : fatal error LNK1104: cannot open file 'Hero.lib'",
      ),
    )
    expect(finding).toMatchObject({
      category: 'compile_error',
      confidence: 'high',
      file_path: 'Source\\Hero.cpp',
      line: 40,
    })
    expect(finding.evidence[0]).toEqual({
      line: 3,
      text: "D:\\ws\\Source\\Hero.cpp(40): error C2065: 'Hits': undeclared identifier",
    })
    expect(finding.suggested_fix).toContain('C2065')
  })

  it.each([
    ['LogWindows: Error: Assertion failed: Index >= 0 [File:D:\\ws\\Array.h] [Line: 772]', 'D:\\ws\\Array.h'],
    ['LogWindows: Error: LowLevelFatalError [File:d:/farm/RHI/Private/RHI.cpp] [Line: 12]', 'd:/farm/RHI/Private/RHI.cpp'],
    ['LogOutputDevice: Error: Assertion failed: Ok [File:/Users/farm/Game/Array.h] [Line: 7]', '/Users/farm/Game/Array.h'],
  ])('names the file of %s without the label before it', (line, file) => {
    expect(diagnose(line).file_path).toBe(file)
  })

  it('shows the whole block of a failed test, not its progress line', () => {
    const raw = log(
      '    ✓ starts',
      '    1) hits twice',
      '',
      '  1 passing (2s)',
      '  1 failing',
      '',
      '  1) Hero hits twice:',
      '',
      '      AssertionError: expected 1 to equal 2',
      '      at Context.<anonymous> (test/hero.js:12:5)',
      '',
      'npm ERR! Test failed.  See above for more details.',
    )
    expect(linesOf(raw)).toEqual([7, 9, 10])
    expect(diagnose(raw).category).toBe('test_failure')
  })

  it('prefers the failed step to errors in other steps', () => {
    const finding = diagnose(
      log(
        '$ make docs',
        'Error: no dictionary, skipping',
        'The command "make docs" exited with 0.',
        '$ make game',
        'src/hero.c:3:1: error: expected identifier',
        'The command "make game" exited with 2.',
      ),
    )
    expect(finding.evidence[0]!.line).toBe(5)
  })

  it('looks above a line that only repeats that something failed', () => {
    const finding = diagnose(
      log(
        '$ ./check',
        'compiling',
        'hero.fx: the value of Hits must not be negative',
        'make: *** [check] Error 1',
        'The command "./check" exited with 2.',
      ),
    )
    expect(finding.evidence[0]!.line).toBe(3)
    expect(finding.confidence).toBe('low')
  })

  it('gives the most salient lines of an unknown failure, with low confidence', () => {
    const finding = diagnose(log('loading', 'weaving 12 threads', 'weaver: thread 7 could not be tied, giving up', 'goodbye'))
    expect(finding).toMatchObject({ category: 'unknown', confidence: 'low' })
    expect(finding.evidence[0]!.line).toBe(3)
  })

  it('separates infrastructure from code: a full disk is nobody’s change', () => {
    expect(diagnose('docker: failed to register layer: write /opt/a.c: no space left on device').category).toBe('out_of_disk')
  })

  it('reports that there is no log', () => {
    const finding = diagnose('  \n')
    expect(finding).toMatchObject({ category: 'infrastructure', confidence: 'low', evidence: [], file_path: null })
    expect(finding.diagnosis).toContain('no log')
  })

  it('finds nothing in a log that ends well, whatever its warnings', () => {
    const finding = diagnose(log('Error: cannot reach the licence server, retrying', 'Exiting batchmode successfully now!'))
    expect(finding).toMatchObject({ category: 'none', confidence: 'low', evidence: [] })
  })

  it('still finds a failure after a step that passed', () => {
    expect(diagnose(log('BUILD SUCCESSFUL in 3s', 'Hero.cs(4,2): error CS0103: The name does not exist')).category).toBe(
      'compile_error',
    )
  })

  it('has a lower confidence when the beginning of the log is missing', () => {
    const error = "Hero.cpp(40): error C2065: 'Hits': undeclared identifier"
    const filler = `${'linking the world, please wait\n'.repeat(9000)}`.slice(0, 256_000 - error.length - 1)
    expect(diagnose(error).confidence).toBe('high')
    expect(diagnose(`${filler}\n${error}`).confidence).not.toBe('high')
  })

  it('records a step for every stage, with lines', () => {
    const { steps } = diagnose('a.c:1:1: error: boom')
    expect(steps.map((step) => step.name)).toEqual(['normalize', 'segment', 'match', 'group', 'rank', 'classify', 'compose'])
    expect(steps.at(-1)!.evidence).toEqual([1])
  })

  it('gives the same failure the same fingerprint in any checkout folder', () => {
    const on = (root: string, file: string) =>
      diagnose(`${root}${file}(41): error C2065: 'Lantern': undeclared identifier, see ${root}Source\\Game\\Lamp.h`).fingerprint
    const first = on('D:\\agents\\7\\ws\\', 'Source\\Game\\Cave.cpp')
    expect(on('C:\\build\\Game@2\\', 'Source\\Game\\Cave.cpp')).toBe(first)
    expect(on('/mnt/ws/', 'Source/Game/Cave.cpp')).toBe(on('/home/agent/a1/', 'Source/Game/Cave.cpp'))
    expect(on('D:\\agents\\7\\ws\\', 'Source\\Game\\Lake.cpp')).not.toBe(first)
    expect(on('D:\\agents\\7\\ws\\', 'Source\\Menu\\Cave.cpp')).not.toBe(first)
  })

  it('recognizes the same failure on another day, after its line has moved', () => {
    const first = diagnose('2024-05-01T10:00:00.0Z src/a.c:12:1: error: lost 0x7ffe12 at 4711')
    const joins = (log: string) => diagnose(log).joins_keys.some((key) => first.cause_keys.includes(key))
    expect(joins('2024-06-02T11:11:11.0Z src/a.c:14:9: error: lost 0x7ffa99 at 4812')).toBe(true)
    expect(joins('src/b.c:12:1: error: lost 0x7ffe12 at 4711')).toBe(false)
    expect(joins('src/a.c:14:9: error: another thing')).toBe(false)
  })
})

describe('lines that passed logs also have', () => {
  const grumble = 'tools/gen.c:7:1: error: cannot open display 42'
  const cause = 'Could not find artifact com.acme:net:jar:9.9 in central'

  it('lose to new ones', () => {
    const raw = log(grumble, 'working', cause)
    expect(diagnose(raw).evidence[0]!.line).toBe(1)
    expect(diagnose(raw, { passed: passedLines(log('ready', grumble.replace('42', '17'))) }).evidence[0]!.line).toBe(3)
  })

  it('are remembered without numbers, addresses and temporary paths', () => {
    const lines = passedLines('wrote 12 bytes to /tmp/build-77/a.o at 0xff')
    expect(passedLines('wrote 99 bytes to /tmp/build-81/b.o at 0xa0')).toEqual(lines)
    expect(passedLines('read 99 bytes')).not.toEqual(lines)
  })
})

describe('a studio’s own rules', () => {
  const rule: Rule = {
    id: 'studio.quota',
    tool: 'asset gate',
    category: 'cook_asset_error',
    role: 'root',
    need: ['QUOTA'],
    match: /^QUOTA (?<file>\S+) (?<msg>.*)/,
    score: 95,
    fix: 'Shrink {file}.',
    examples: [],
  }

  it('are added to the built-in ones', () => {
    const finding = diagnose(log('a.c:1:1: error: boom', 'QUOTA Content/Hero.uasset is 12 MB too large'), { rules: [rule] })
    expect(finding).toMatchObject({
      category: 'cook_asset_error',
      file_path: 'Content/Hero.uasset',
      suggested_fix: 'Shrink Content/Hero.uasset.',
    })
  })

  it('replace built-in ones of the same id', () => {
    const muted = { ...rule, id: 'disk.full', need: ['QUOTA'] }
    expect(diagnose('no space left on device').clues.rule).toBe('disk.full')
    expect(diagnose('no space left on device', { rules: [muted] }).clues.rule).not.toBe('disk.full')
  })
})

describe('candidates', () => {
  it('are scored when given, and only then', () => {
    const raw = 'Source/Game/Hero.cpp:40:3: error: use of undeclared identifier Hits'
    const files = [{ path: 'Source/Game/Hero.cpp', action: 'edit' }]
    const candidates = [
      { id: '12', author: 'ann', timestamp: '2024-05-01T10:00:00Z', subject: 'Count hits', files },
      {
        id: '13',
        author: 'ben',
        timestamp: '2024-05-01T11:00:00Z',
        subject: 'New music',
        files: [{ path: 'Content/a.wav', action: 'add' }],
      },
    ]
    expect(diagnose(raw).attribution).toBeUndefined()
    expect(diagnose(raw, { candidates }).attribution!.suspects[0]!.change_id).toBe('12')
  })
})

describe('any text', () => {
  const piece = fc.oneof(
    fc.constantFrom('\n', '\r', '\x1b[31m', 'error: ', 'a.c:1:2: ', '  at ', 'FAIL ', 'npm ERR! ', '$ make', '\0', '✖ ', '1) '),
    fc.string({ maxLength: 12 }),
  )

  it('gets the same well-formed result every time', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const raw = pieces.join('')
        const finding = diagnose(raw)
        const numbers = finding.evidence.map((each) => each.line)
        expect(new Set(numbers).size).toBe(numbers.length)
        for (const number of numbers) expect(number >= 1 && number <= raw.split('\n').length).toBe(true)
        expect(diagnose(raw)).toEqual(finding)
      }),
    )
  })
})
