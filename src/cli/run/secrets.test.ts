import { expect, test } from 'vitest'
import { Mask, secretsIn } from './secrets.ts'

test("values of variables with a secret's name are hidden, byte for byte", () => {
  const env = { DEPLOY_PASSWORD: 'größer als ß', PATH: '/usr/bin:/bin', API_KEY: 'short' }
  const mask = new Mask(secretsIn(env, 'ab'.repeat(32)))
  const line = Buffer.from(`login größer als ß, ${'ab'.repeat(32)} /usr/bin:/bin short\n`)
  const hidden = mask.hide(line)
  expect(hidden.toString()).toBe(`login ${'*'.repeat(15)}, ${'*'.repeat(64)} /usr/bin:/bin short\n`)
  expect(hidden.length).toBe(line.length)
})

test('every line of a multi-line key is hidden', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----'
  const mask = new Mask(secretsIn({ SIGNING_SECRET: key }, undefined))
  expect(mask.hide(Buffer.from('indented: MIIEvQIBADANBg')).toString()).toBe(`indented: ${'*'.repeat(14)}`)
})

test('switches and paths are not secrets, whatever their name', () => {
  const env = { USE_TOKEN_CACHE: 'true    ', SECRET_FILE: '/run/secrets/deploy', TOKEN_DIR: 'C:\\secrets\\here' }
  expect(secretsIn(env, undefined)).toEqual([])
})

test('a secret that contains another is hidden as a whole', () => {
  const env = { A_TOKEN: 'open-sesame', B_TOKEN: 'open-sesame-twice' }
  expect(new Mask(secretsIn(env, undefined)).hide(Buffer.from('say open-sesame-twice')).toString()).toBe(`say ${'*'.repeat(17)}`)
})
