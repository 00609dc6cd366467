import type { ReactNode } from 'react'
import { withoutKeys } from '../without-keys.ts'
import { CodeBlock } from './code-block.tsx'
import { type Block, blocksOf } from './markdown-blocks.ts'

/** A guide to follow; every block of code has a button that copies it. */
export const Markdown = ({ text }: { text: string }) => (
  <div className="grid min-w-0 gap-3 text-sm">{withoutKeys(blocksOf(text).map(shown))}</div>
)

function shown(block: Block): ReactNode {
  if (block.kind === 'heading')
    return block.level < 3 ? (
      <h3 className="mt-2 text-base font-semibold first:mt-0">{spansOf(block.text)}</h3>
    ) : (
      <h4 className="mt-2 font-semibold">{spansOf(block.text)}</h4>
    )
  if (block.kind === 'code') return <CodeBlock code={block.text} label="Code" />
  if (block.kind === 'paragraph') return <p className="max-w-prose leading-6">{spansOf(block.text)}</p>
  const items = withoutKeys(block.items.map(itemOf))
  return block.ordered ? (
    <ol start={block.start} className="grid list-decimal gap-3 pl-6 marker:text-soft">
      {items}
    </ol>
  ) : (
    <ul className="grid list-disc gap-2 pl-6 marker:text-soft">{items}</ul>
  )
}

const itemOf = (blocks: Block[]) => (
  <li className="min-w-0 pl-1">
    <div className="grid min-w-0 gap-2">{withoutKeys(blocks.map(shown))}</div>
  </li>
)

const SPANS = /(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*|<https?:[^<>\s]+>)/

const spansOf = (text: string) => withoutKeys(text.split(SPANS).map(spanOf))

function spanOf(part: string): ReactNode {
  if (part.startsWith('`') && part.length > 2)
    return <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs break-words">{part.slice(1, -1)}</code>
  if (part.startsWith('**') && part.length > 4) return <strong>{part.slice(2, -2)}</strong>
  if (part.startsWith('*') && part.length > 2) return <em>{part.slice(1, -1)}</em>
  if (!part.startsWith('<http')) return part
  return (
    <a href={part.slice(1, -1)} target="_blank" rel="noreferrer" className="break-all underline">
      {part.slice(1, -1)}
    </a>
  )
}
