import { expect, test } from 'vitest'
import { keepLog } from '../../../test/support/log.ts'
import { logOfLibrary } from './library-log.ts'

test('a foreign callback address is no error of the service, and a failure of the library is one', () => {
  const { log, lines } = keepLog()
  const write = logOfLibrary(log)
  write('error', 'Invalid callbackURL: https://evil.example/')
  write('error', 'Invalid origin: https://evil.example')
  write('error', 'Failed to get session')
  write('warn', 'Something is deprecated')
  expect(lines.map(({ level }) => level)).toEqual([20, 20, 50, 20])
})
