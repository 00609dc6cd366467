import { expect, test } from 'vitest'
import { newSecret, signatureOf } from './webhook-signature.ts'

// The example from the test suites of the Standard Webhooks libraries.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
const sign = (...secrets: string[]) => signatureOf(secrets, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}')

test('the signature equals the Standard Webhooks example', () => {
  expect(sign(SECRET)).toBe(SIGNATURE)
})

test('a message is signed with each of several secrets', () => {
  const other = newSecret()
  expect(sign(other, SECRET)).toBe(`${sign(other)} ${SIGNATURE}`)
  expect(sign(other)).not.toBe(SIGNATURE)
})

test('a new secret has 32 random bytes', () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newSecret()).not.toBe(newSecret())
})
