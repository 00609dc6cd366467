import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Unreadable } from '../../reading.ts'
import { describedChange } from './describe.ts'

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')

test.each(['describe__move.jsonl', 'describe__move.txt'])('%s is read with author and files', (name) => {
  const source = '//some-depot/ue4/Release-4.24/Engine/Source/ThirdParty/ADO'
  const target = '//other-depot/third_party/unreal/4.24/Engine/Source/ThirdParty/ADO'
  expect(describedChange(fixture(name))).toEqual({
    kind: 'change',
    source_type: 'Changelist',
    identifier: '6000',
    author: 'abc',
    author_uids: ['abc'],
    description: `move ${source}/... ${target}/...`,
    timestamp: '2020-05-20T17:25:35.000Z',
    branch: '',
    files: [
      { path: `${source}/ADO.Build.cs`, action: 'move/delete' },
      { path: `${source}/ADO.tps`, action: 'move/delete' },
      { path: `${target}/ADO.Build.cs`, action: 'move/add' },
    ],
  })
})

test('a change that was never submitted is pending, and a change without a time stays without one', () => {
  expect(describedChange(fixture('describe__pending.jsonl'))).toMatchObject({
    pending: true,
    identifier: '42',
    author: 'ExampleAuthor',
    timestamp: null,
    files: [{ path: '//SampleDepot/a.txt', action: 'edit' }],
  })
})

test('a description may run over many lines, empty ones and ones with dots', () => {
  const output = [
    '... change 7',
    '... user DICE\\ada',
    '... time 1589995535',
    '... desc Paint the dragon',
    '',
    '... and its wings',
    '... user eve',
    '... status submitted',
    '... path //depot/art/*',
    '... depotFile0 //depot/art/T Dragon.png',
    '... action0 add',
    '... fileSize0 2048',
    '',
  ]
  for (const end of ['\n', '\r\n'])
    expect(describedChange(output.join(end))).toMatchObject({
      author: 'DICE\\ada',
      author_uids: ['DICE\\ada', 'ada'],
      description: 'Paint the dragon\n\n... and its wings',
      files: [{ path: '//depot/art/T Dragon.png', action: 'add', size_bytes: 2048 }],
    })
})

test('a server message before the record is skipped', () => {
  const output = `{"data":"Your password expires soon.","level":0}\n{"change":"7","user":"ada","desc":"Paint\\n"}\n`
  expect(describedChange(output)).toMatchObject({ identifier: '7', description: 'Paint', files: [] })
})

test('a server error is passed on', () => {
  const output = '{"data":"9 - no such changelist.\\n","generic":17,"severity":3}\n'
  expect(() => describedChange(output)).toThrow(new Unreadable('9 - no such changelist.'))
  expect(() => describedChange('')).toThrow(Unreadable)
})

test('every output is handled', () => {
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom('... change 7', '... desc x', '... depotFile0 //a', '...', '{"change":{}}'),
  )
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      try {
        describedChange(lines.join('\n'))
      } catch (error) {
        expect(error).toBeInstanceOf(Unreadable)
      }
    }),
  )
})
