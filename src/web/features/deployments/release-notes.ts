import type { TaskType } from '../../../contract/sets.ts'

/** The content of a release, in words for players. */
export interface Notes {
  title: string
  tasks: readonly { id: number; title: string; task_type: TaskType }[]
  /** First lines of changes that belong to no task. */
  changes: readonly string[]
}

/** Task types as players call them, in order. */
const HEADINGS: [heading: string, types: readonly TaskType[]][] = [
  ['New', ['feature']],
  ['Art and content', ['art', 'content']],
  ['Balance', ['balance']],
  ['Fixed', ['bug']],
  ['Behind the scenes', ['chore']],
]

interface Format {
  label: string
  title(text: string): string
  heading(text: string): string
  list(items: readonly string[]): string
  /** Escapes markup in a text. */
  escape(text: string): string
}

export const FORMATS = {
  markdown: {
    label: 'Markdown',
    title: (text) => `# ${text}`,
    heading: (text) => `## ${text}`,
    list: (items) => items.map((item) => `- ${item}`).join('\n'),
    escape: (text) => text.replace(/[\\`*_{}[\]<>#|~]/g, '\\$&'),
  },
  plain: {
    label: 'Plain text',
    title: (text) => text,
    heading: (text) => `${text}:`,
    list: (items) => items.map((item) => `- ${item}`).join('\n'),
    escape: (text) => text,
  },
  bbcode: {
    label: 'Steam',
    title: (text) => `[h1]${text}[/h1]`,
    heading: (text) => `[h2]${text}[/h2]`,
    list: (items) => `[list]\n${items.map((item) => `[*]${item}`).join('\n')}\n[/list]`,
    // Steam has a tag that shows its content literally.
    escape: (text) => (text.includes('[') ? `[noparse]${text.replaceAll('[/noparse]', '')}[/noparse]` : text),
  },
} as const satisfies Record<string, Format>
export type FormatName = keyof typeof FORMATS

const OTHER = 'Other changes'
const clean = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** A draft of release notes: the tasks by type, then changes without a task. */
export function releaseNotes({ title, tasks, changes }: Notes, name: FormatName): string {
  const format: Format = FORMATS[name]
  const parts = [
    ...HEADINGS.map(
      ([heading, types]) => [heading, tasks.filter((task) => types.includes(task.task_type)).map((task) => task.title)] as const,
    ),
    [OTHER, changes] as const,
  ].filter(([, items]) => items.length > 0)
  return [
    format.title(format.escape(clean(title))),
    ...parts.flatMap(([heading, items]) => [
      format.heading(heading),
      format.list(items.map((item) => format.escape(clean(item)))),
    ]),
  ].join('\n\n')
}
