import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { taskPage } from '../../record-pages.ts'
import { withoutKeys } from '../without-keys.ts'
import { CodeBlock } from './code-block.tsx'
import { type Block, blocksOf } from './markdown-blocks.ts'
import { type Span, spansOf } from './markdown-spans.ts'

interface Props {
  text: string
  /** For people's texts: a line break is kept, and `#12` links to that task of the project. */
  projectId?: string | number
}

/** Text with headings, lists, links and code; every code block has a copy button. */
export const Markdown = ({ text, projectId }: Props) => (
  <div className="grid min-w-0 gap-3 text-sm">{withoutKeys(blocksOf(text).map((block) => shown(block, projectId)))}</div>
)

type Project = Props['projectId']

function shown(block: Block, project: Project): ReactNode {
  if (block.kind === 'code') return <CodeBlock code={block.text} label="Code" />
  if (block.kind === 'list') {
    const items = withoutKeys(block.items.map((blocks) => itemOf(blocks, project)))
    return block.ordered ? (
      <ol start={block.start} className="grid list-decimal gap-3 pl-6 marker:text-soft">
        {items}
      </ol>
    ) : (
      <ul className="grid list-disc gap-2 pl-6 marker:text-soft">{items}</ul>
    )
  }
  const words = withoutKeys(spansOf(block.text, project !== undefined).map((span) => spanOf(span, project)))
  if (block.kind === 'paragraph')
    return <p className={`wrap-anywhere max-w-prose leading-6 ${project === undefined ? '' : 'whitespace-pre-line'}`}>{words}</p>
  return block.level < 3 ? (
    <h3 className="wrap-anywhere mt-2 text-base font-semibold first:mt-0">{words}</h3>
  ) : (
    <h4 className="wrap-anywhere mt-2 font-semibold">{words}</h4>
  )
}

const itemOf = (blocks: Block[], project: Project) => (
  <li className="min-w-0 pl-1">
    <div className="grid min-w-0 gap-2">{withoutKeys(blocks.map((block) => shown(block, project)))}</div>
  </li>
)

function spanOf(span: Span, project: Project): ReactNode {
  switch (span.kind) {
    case 'code':
      return <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs break-words">{span.text}</code>
    case 'strong':
      return <strong>{span.text}</strong>
    case 'emphasis':
      return <em>{span.text}</em>
    case 'link':
      return (
        <a href={span.url} target="_blank" rel="noreferrer" className="break-all underline">
          {span.text}
        </a>
      )
    case 'task':
      return (
        <Link {...taskPage(project ?? '', span.id)} className="underline">
          {span.text}
        </Link>
      )
    case 'text':
      return span.text
  }
}
