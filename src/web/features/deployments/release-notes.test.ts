import { expect, test } from 'vitest'
import { type Notes, releaseNotes } from './release-notes.ts'

const notes: Notes = {
  title: 'Steam 1.2',
  tasks: [
    { id: 1, title: 'Moon is *too* dark', task_type: 'bug' },
    { id: 2, title: 'Fishing\n[b]rod[/b]', task_type: 'feature' },
    { id: 3, title: 'Paint the pier', task_type: 'art' },
  ],
  changes: ['Tidy up'],
}

test('release notes are grouped by task type, with changes without a task at the end', () => {
  expect(releaseNotes(notes, 'plain')).toBe(
    'Steam 1.2\n\nNew:\n\n- Fishing [b]rod[/b]\n\nArt and content:\n\n- Paint the pier\n\nFixed:\n\n- Moon is *too* dark\n\nOther changes:\n\n- Tidy up',
  )
})

test('no title is interpreted as markup', () => {
  expect(releaseNotes(notes, 'markdown')).toContain('# Steam 1.2\n\n## New\n\n- Fishing \\[b\\]rod\\[/b\\]\n')
  expect(releaseNotes(notes, 'markdown')).toContain('- Moon is \\*too\\* dark')
  expect(releaseNotes(notes, 'bbcode')).toContain('[h2]New[/h2]\n\n[list]\n[*][noparse]Fishing [b]rod[/b][/noparse]\n[/list]')
  const sly = { ...notes, tasks: [{ id: 1, title: '[/noparse][url=x]', task_type: 'bug' as const }] }
  expect(releaseNotes(sly, 'bbcode')).toContain('[*][noparse][url=x][/noparse]')
})

test('an empty release has only a title', () => {
  expect(releaseNotes({ title: 'X', tasks: [], changes: [] }, 'markdown')).toBe('# X')
})
