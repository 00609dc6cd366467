import { expect, test } from 'vitest'
import { Vault } from '../privacy/secrets.ts'
import { openConfig, sealConfig, shownConfig } from './config.ts'

const vault = new Vault('a secret that only tests know, 32 or more')
const config = { server: 'https://ci.example.com', user: 'gold', api_token: 'abc', password: 'def' }

test('credentials of other servers are stored encrypted, decrypted for jobs, and never shown', () => {
  const stored = sealConfig(vault, 7, config)
  expect(JSON.stringify(stored)).not.toMatch(/abc|def/)
  expect(openConfig(vault, { integration_id: 7, config: stored })).toEqual(config)
  expect(() => openConfig(vault, { integration_id: 8, config: stored })).toThrow()
  expect(shownConfig(stored)).toEqual({ ...config, api_token: '[kept secret]', password: '[kept secret]' })
})
