import { expect, test } from 'vitest'
import { withShownSuspects } from './suspects.ts'

const clear = { change_id: 1, score: 0.7, reasons: ['changes src/a.c'], reason_codes: ['file_named'] }
const innocent = { change_id: 2, score: 0, reasons: [], reason_codes: [] }

test('an assistant gets the suspects of a build and of each breakage, without changes that nothing speaks against', () => {
  expect(
    withShownSuspects({
      id: '1',
      investigation: { suspects: [clear, innocent], diagnosis: null },
      breakages: [{ suspects: [innocent, innocent] }, { suspects: [clear] }],
    }),
  ).toEqual({
    id: '1',
    investigation: { suspects: [clear], diagnosis: null },
    breakages: [{ suspects: [] }, { suspects: [clear] }],
  })
})
