import type { Delivery, Provider } from '../../provider.ts'
import { at, object, text } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { read } from './build.ts'
import { followUp } from './follow-up.ts'
import { history } from './history.ts'
import { places } from './places.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

const TOLERANCE_MS = 5 * 60 * 1000

/** Buildkite's own webhooks, with the HMAC signature enabled; its plain token header is too weak. */
export const buildkite: Provider = {
  name: 'buildkite',
  label: 'Buildkite',
  reports: 'Builds and jobs of a pipeline',
  category: 'builds',
  paths: ['buildkite'],
  tokenHeader: null,
  answers: 200,
  patience: 5_000,
  signing: 'required',
  verify: ({ headers, raw, received }, secrets) => {
    const fields = signatureFields(headers['x-buildkite-signature'])
    const timestamp = fields.get('timestamp') ?? ''
    const fresh = /^\d{1,12}$/.test(timestamp) && Math.abs(received.getTime() - Number(timestamp) * 1000) <= TOLERANCE_MS
    const signed = signedBy(secrets, fields.get('signature'), (secret) =>
      hmac('sha256', secret, `${timestamp}.`, raw).toString('hex'),
    )
    return fresh && signed
  },
  deliveryKey: ({ headers }) => headers['x-buildkite-request'],
  event: (delivery) => eventOf(delivery) ?? 'unknown',
  read: (delivery) => {
    const subject = eventOf(delivery)?.split('.')[0]
    if (subject !== 'build' && subject !== 'job') return []
    return read(delivery.body, subject)
  },
  server,
  places,
  followUp,
  history,
  setup,
  sample,
}

const signatureFields = (header = '') =>
  new Map(
    header.split(',').map((part): [string, string] => {
      const [name = '', ...value] = part.split('=')
      return [name.trim(), value.join('=').trim()]
    }),
  )

/** Payloads of 2015 have their event only in the header; without either, the body shows what it is. */
function eventOf({ headers, body }: Delivery): string | undefined {
  const shown = object(at(body, 'job')) ? 'job' : object(at(body, 'build')) ? 'build' : undefined
  return text(at(body, 'event')) ?? headers['x-buildkite-event'] ?? shown
}
