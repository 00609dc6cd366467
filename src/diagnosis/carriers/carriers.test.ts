import { describe, expect, it } from 'vitest'
import { linesAt } from '../log.ts'
import { normalize } from '../stages/normalize.ts'

const LINES = [
  'Cloning the game',
  'Compiling 40 files',
  '  src/hero.c',
  'src/hero.c:12:3: error: unknown type name hits',
  '    12 |   hits twice;',
  'make: *** [Makefile:4: game] Error 1',
  '',
  'Uploading what there is',
  'Finished',
]
const clock = (i: number) => `10:0${Math.floor(i / 6)}:${String((i * 7) % 60).padStart(2, '0')}`

const WIDTH = 60
const whole = ['hero', 'menu', 'cave', 'lake'].map(
  (name) =>
    `e: file:///C:/studio/agents/game/app/src/main/java/com/studio/game/features/${name}/view/Screen.kt:7:41 Unresolved reference: ${name}`,
)
const broken = whole.flatMap((line) => line.match(new RegExp(`.{1,${WIDTH}}`, 'g'))!)

describe('the prefix that a carrier puts before each line is learned from the log', () => {
  it.each<[string, (line: string, i: number) => string]>([
    ['a time and two blanks', (line, i) => `${clock(i)}  ${line}`],
    ['a date and a time in brackets', (line, i) => `[2026-03-07 ${clock(i)}] ${line}`],
    ['a month by its name', (line, i) => `07-Mar-2026 ${clock(i)} ${line}`],
    ['an escape that holds the time', (line, i) => `\x1b_ci;t=17000${i}\x07${line}`],
    ['a time and the letter of a stream', (line, i) => `2026-03-07T${clock(i)}.123456Z 0${i % 2}O ${line}`],
    ['a time, a level and a step', (line, i) => `[${clock(i)}]${i % 3 ? ' ' : 'W'}:\t [Step 2/5] ${line}`],
    ['a host and a process', (line, i) => `Mar  7 ${clock(i)} agent-7 runner[4711]: ${line}`],
    ['a job, a step and a time', (line, i) => `build (linux)\tRun make\t2026-03-07T${clock(i)}.1234567Z ${line}`],
    ['the name of a service', (line) => `game-server_1  | ${line}`],
    ['an object for each line', (line, i) => JSON.stringify({ time: `2026-03-07T${clock(i)}Z`, level: 'info', msg: line })],
    ['a service message', (line) => `##teamcity[message text='${line.replace(/[|'[\]]/g, '|$&')}' status='NORMAL']`],
    ['the number of the line', (line, i) => `${String(i + 1).padStart(4)}: ${line}`],
    ['the number of the line and a tab', (line, i) => `${i + 1}\t${line}`],
    ['a date and a frame', (line, i) => `[2026.03.07-${clock(i).replaceAll(':', '.')}:123][${String(i).padStart(3)}]${line}`],
    ['a date and a colon', (line, i) => `[2026-03-07 ${clock(i)}]: ${line}`],
    ['the number of a build node', (line) => `12>${line}`],
    ['the stream of a container', (line, i) => `2026-03-07T${clock(i)}.123456789Z std${i % 3 ? 'out' : 'err'} F ${line}`],
    ['a tab', (line) => `\t${line}`],
    ['nothing but a blank behind it', (line) => `${line} `],
    ['an object around a time', (line, i) => JSON.stringify({ log: `[${clock(i)}] ${line}\n`, stream: 'stdout', n: i })],
    ['an object around the end of a line', (line, i) => JSON.stringify({ log: `${line}\r`, stream: 'stdout', n: i })],
  ])('%s', (_, carry) => {
    expect(normalize(LINES.map(carry).join('\n')).text).toEqual(LINES)
  })

  it("but a tool's own words stay: levels, verdicts, progress", () => {
    for (const line of [
      '[INFO] building',
      '[ 12%] Building hero.o',
      '[12/40] Compile Hero.cpp',
      'ok\tgame/hero\t0.1s',
      'LogCook: Display: cooking',
    ])
      expect(normalize(Array.from({ length: 12 }, (_, i) => `${line} ${i}`).join('\n')).text[3]).toBe(`${line} 3`)
  })
})

describe('parallel branches', () => {
  const raw = LINES.flatMap((line, i) => [
    `[linux] ${line}`,
    ...(i % 2 ? [`[windows] Packing ${i}`, `[windows] Packed ${i}`] : []),
  ])
  const log = normalize(['Started', ...raw, 'Ended'].join('\n'))

  it('are read one after the other', () => {
    expect(log.text.join('\n')).toContain(LINES.join('\n'))
  })

  it('and every line keeps its number', () => {
    const index = log.text.indexOf(LINES[3]!)
    expect(linesAt(log, index)).toEqual([2 + raw.indexOf(`[linux] ${LINES[3]}`)])
  })

  it('also if one of them has another carrier, or a console that wraps its lines', () => {
    const own = [...LINES, ...broken]
    const mixed = own.flatMap((line, i) => [`[linux] ${clock(i % 9)} ${line}`, `[windows] Packing ${i}`])
    const split = normalize(mixed.join('\n'))
    expect(split.text.join('\n')).toContain([...LINES, ...whole].join('\n'))
    const index = split.text.indexOf(whole[0]!)
    expect(linesAt(split, index)).toEqual([19, 21, 23])
  })

  it('while sequential steps stay where they are', () => {
    const steps = ['one', 'two'].flatMap((step) => LINES.map((line) => `[step ${step}] ${line}`))
    expect(normalize(steps.join('\n'))).toMatchObject({ branches: [], text: [...LINES, ...LINES] })
  })
})

describe('what a second process says between the lines', () => {
  const all = [...LINES, ...LINES, ...LINES, ...LINES]
  const mixed = all.flatMap((line, i) => (i % 2 ? [line, `Packing textures ${i}`] : [line]))
  const log = normalize(mixed.join('\n'))

  it('is read apart from them', () => {
    expect(log.text.join('\n')).toContain(all.join('\n'))
  })

  it('while every line keeps its number', () => {
    const index = log.text.indexOf(LINES[3]!)
    expect(linesAt(log, index)).toEqual([mixed.indexOf(LINES[3]!) + 1])
  })

  it('unless it is an error', () => {
    const errors = all.flatMap((line, i) => (i % 2 ? [line, `Error reading texture ${i}`] : [line]))
    expect(normalize(errors.join('\n')).text).toEqual(errors)
  })
})

describe('UTF-16 that was read byte by byte', () => {
  it.each(['\0', '\ufffd'])('is whole again, with %j for what is empty', (empty) => {
    const text = ['    ✗ hits twice', ...LINES].join('\n')
    const raw = Buffer.from(text, 'utf16le').toString('utf8').replaceAll('\0', empty)
    expect(normalize(raw).text.join('\n')).toBe(text)
  })
})

it('the time that Steam writes before an error is no part of it', () => {
  expect(normalize('[2026-06-01 10:00:02]: ERROR! Failed to commit build').text).toEqual(['ERROR! Failed to commit build'])
})

describe('lines that a console wrapped', () => {
  const log = normalize(['> Task :app:compile', ...broken, 'BUILD FAILED in 3s'].join('\r\n'))

  it('are joined again', () => {
    expect(log.text).toEqual(['> Task :app:compile', ...whole, 'BUILD FAILED in 3s'])
  })

  it('and are shown with all of their lines', () => {
    expect(linesAt(log, 2)).toEqual([5, 6, 7])
  })

  it('while a list of lines of equal length stays a list', () => {
    const list = Array.from({ length: 30 }, (_, i) => `Compiling ${'x'.repeat(40)}${String(i).padStart(4, '0')}.cpp`)
    expect(normalize(list.join('\n')).text).toEqual(list)
  })
  it('and so do the rows of a table with the same last word', () => {
    const rows = ['Anchor', 'Buoy', 'Crane', 'Dock', 'Eddy', 'Ferry', 'Gale', 'Hull', 'Inlet', 'Jetty'].map(
      (name, i) => `${name.padEnd(44)}${i % 4 ? 'PASS' : 'FAIL'}`,
    )
    expect(normalize(rows.join('\n')).text).toEqual(rows)
  })
})
