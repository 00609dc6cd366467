import { expect, test } from 'vitest'
import { providers } from '../../../intake/providers/index.ts'
import { type Block, blocksOf } from './markdown-blocks.ts'
import { spansOf } from './markdown-spans.ts'

test('headings, numbered steps with code inside, and paragraphs are parsed', () => {
  const blocks = blocksOf('## Tool\n\n1. Open it.\n2. Paste:\n\n   ```\n   curl\n     -d 1\n   ```\n\nDone,\nreally.\n')
  expect(blocks).toEqual([
    { kind: 'heading', level: 2, text: 'Tool' },
    {
      kind: 'list',
      ordered: true,
      start: 1,
      items: [
        [{ kind: 'paragraph', text: 'Open it.' }],
        [
          { kind: 'paragraph', text: 'Paste:' },
          { kind: 'code', text: 'curl\n  -d 1' },
        ],
      ],
    },
    { kind: 'paragraph', text: 'Done,\nreally.' },
  ])
})

const linesOf = (blocks: Block[]): string[] =>
  blocks.flatMap((block) => (block.kind === 'list' ? block.items.flatMap(linesOf) : block.kind === 'code' ? [] : [block.text]))

test.each(Object.entries(providers))('the guide of %s is parsed without a fence or a heading left over', (_, { setup }) => {
  const blocks = blocksOf(
    setup({ url: 'https://x.example/webhooks/a?token=b', token: 'b', base_url: 'https://x.example', id: 7 }),
  )
  expect(blocks[0]).toMatchObject({ kind: 'heading' })
  for (const line of linesOf(blocks)) expect(line).not.toMatch(/^#|```/)
})

test('nested lists are limited, so that no text can exhaust the page', () => {
  const depthOf = (blocks: Block[]): number =>
    Math.max(0, ...blocks.map((block) => (block.kind === 'list' ? 1 + Math.max(...block.items.map(depthOf)) : 0)))
  expect(depthOf(blocksOf('- '.repeat(30_000)))).toBeLessThan(10)
})

test('URLs, and tasks if there are some, become links, but nothing executable', () => {
  const kinds = (text: string, tasks = true) =>
    spansOf(text, tasks).map((span) => [span.kind, span.kind === 'link' ? span.url : span.text])
  expect(kinds('See https://a.example/x?y=1. And [this](https://b.example), #12, GM-7, `#1`, **all**')).toEqual([
    ['text', 'See '],
    ['link', 'https://a.example/x?y=1'],
    ['text', '.'],
    ['text', ' And '],
    ['link', 'https://b.example'],
    ['text', ', '],
    ['task', '#12'],
    ['text', ', '],
    ['task', 'GM-7'],
    ['text', ', '],
    ['code', '#1'],
    ['text', ', '],
    ['strong', 'all'],
  ])
  for (const text of ['[x](javascript:alert(1))', '<javascript:alert(1)>', '<b>#12</b>', '2 * 3 * 4'])
    expect(kinds(text, false)).toEqual(kinds(text, false).map(([, words]) => ['text', words]))
})

test('a number sign within a word or an entity is no task', () => {
  for (const text of ['page#12', '&#39;', 'C#7', '# 12']) expect(spansOf(text, true)).toEqual([{ kind: 'text', text }])
})
