import { expect, test } from 'vitest'
import { openStudio } from '../../../test/support/studio.ts'

test('security.txt has a contact and expires in less than a year, and is missing without a contact', async () => {
  const studio = await openStudio({}, { service: { securityContact: 'mailto:security@studio.example' } })
  const silent = await openStudio({}, { beside: studio })
  const { status, text, headers } = await studio.ask('/.well-known/security.txt')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const fields = Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/).slice(0, 2)),
  )
  expect(fields).toMatchObject({
    Contact: 'mailto:security@studio.example',
    Canonical: 'https://gold.example/.well-known/security.txt',
  })
  const days = (Date.parse(fields.Expires) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(30)
  expect(days).toBeLessThan(365)
  expect((await silent.ask('/.well-known/security.txt')).text).not.toContain('Contact:')
  await silent.close()
  await studio.close()
})
