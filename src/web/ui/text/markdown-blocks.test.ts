import { expect, test } from 'vitest'
import { providers } from '../../../intake/providers/index.ts'
import { type Block, blocksOf } from './markdown-blocks.ts'

test('reads headings, numbered steps with code inside, and paragraphs', () => {
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
    { kind: 'paragraph', text: 'Done, really.' },
  ])
})

const linesOf = (blocks: Block[]): string[] =>
  blocks.flatMap((block) => (block.kind === 'list' ? block.items.flatMap(linesOf) : block.kind === 'code' ? [] : [block.text]))

test.each(Object.entries(providers))('reads the guide of %s without a fence or a heading left over', (_, { setup }) => {
  const blocks = blocksOf(
    setup({ url: 'https://x.example/webhooks/a?token=b', token: 'b', base_url: 'https://x.example', id: 7 }),
  )
  expect(blocks[0]).toMatchObject({ kind: 'heading' })
  for (const line of linesOf(blocks)) expect(line).not.toMatch(/^#|```/)
})
