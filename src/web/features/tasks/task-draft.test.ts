import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TASK_FIELD_NAMES } from '../../../contract/task-fields.ts'
import { assigneeFields, assigneeOf, labelsOf, NEW_TASK, taskOf } from './task-draft.ts'

/** Tools write the metadata; people do not. */
const WRITTEN_BY_PEOPLE = TASK_FIELD_NAMES.filter((name) => name !== 'metadata')

const sourceOf = (...files: string[]) => files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n')

describe('every field that people write', () => {
  test('is sent by the form for a new task', () => {
    const sent = ['user:7', 'handle:triage-bot'].flatMap((assignee) => Object.keys(taskOf({ ...NEW_TASK, assignee })))
    expect([...new Set(sent)].sort()).toEqual(WRITTEN_BY_PEOPLE.toSorted())
  })

  test.each(Object.keys(NEW_TASK))('has an input in that form: %s', (name) => {
    expect(sourceOf('task-new.tsx')).toContain(`{...input('${name}')}`)
  })

  test.each(WRITTEN_BY_PEOPLE)('can be edited on the page of the task: %s', (name) => {
    expect(sourceOf('task-page.tsx', 'task-fields.tsx', 'task-draft.ts')).toMatch(new RegExp(`\\b${name}\\b`))
  })
})

test('a new task has no assignee, and no empty labels', () => {
  expect(taskOf({ ...NEW_TASK, title: 'Fix the moon', labels: 'ui, ,regression,ui' })).toEqual({
    title: 'Fix the moon',
    description: '',
    state: 'to_do',
    task_type: 'chore',
    priority: 'medium',
    labels: ['ui', 'regression'],
  })
  expect(labelsOf('')).toEqual([])
})

test.each([
  ['user:7', { user_id: 7 }],
  ['handle:triage-bot', { assignee_handle: 'triage-bot' }],
  ['', { user_id: null, assignee_handle: null }],
])('the assignee %j is %j, and back', (assignee, fields) => {
  expect(assigneeFields(assignee)).toEqual(fields)
  expect(assigneeOf({ user_id: null, assignee_handle: null, ...fields })).toBe(assignee)
})
