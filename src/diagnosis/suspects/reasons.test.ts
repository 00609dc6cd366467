import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AGAINST } from '../../contract/labels/shown-suspects.ts'

test('the schema names no suspect by a reason that speaks against the change', () => {
  const schema = readFileSync(join(import.meta.dirname, '../../db/schema/01_functions.sql'), 'utf8')
  const compared = /create function named_suspect[\s\S]*?not in \(([^)]*)\)/.exec(schema)?.[1]
  expect(compared).toBe(AGAINST.map((code) => `'${code}'`).join(', '))
})
