import { testRun } from '../../build-origin.ts'
import type { ChangedFile } from '../../facts.ts'
import type { Delivery, Provider } from '../../provider.ts'
import { at, files, link, text, time, Unreadable, word } from '../../reading.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { perforceUser, reviewPage } from './describe.ts'
import { followUp, unplaced } from './follow-up.ts'
import { history } from './history.ts'
import { places } from './places.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'
import { stageOf } from './stage.ts'

/** A submit trigger sends a number, in a form or as JSON; a trigger may send more. */
export const perforce: Provider = {
  name: 'perforce',
  label: 'Perforce',
  reports: 'Submitted and shelved changelists and their files',
  category: 'version_control',
  paths: ['perforce'],
  listsUsers: true,
  givesFiles: true,
  tokenHeader: 'x-service-token',
  answers: 202,
  // A submit trigger may have its token in the form.
  tokenInBody: true,
  verify: (delivery, secrets, required) => isAuthentic(secrets, required, senderSignature(delivery, secrets)),
  // The address to answer a test run of P4 Code Review at is its secret.
  secretsInBody: ['update', 'pass', 'fail'],
  deliveryKey,
  event: ({ body }) => EVENTS[stageOf(body)],
  resultAddress({ body }) {
    const [identifier, version, address] = [changelist(body), word(at(body, 'version')), link(at(body, 'update'))]
    const isRun = identifier !== undefined && version !== undefined && address !== undefined && stageOf(body) === 'shelved'
    return isRun ? { subject: testRun(identifier, version), address } : undefined
  },
  read({ body, config }) {
    const [identifier, stage] = [changelist(body), stageOf(body)]
    if (identifier === undefined) throw new Unreadable('changelist must be a positive integer.')
    if (stage === 'other') return []
    const user = text(at(body, 'user'))
    const description = text(at(body, 'description')) ?? text(at(body, 'desc'))
    const reported = files(at(body, 'files'))?.map(withoutRevision) ?? null
    const url = link(at(body, 'url')) ?? reviewPage(config.swarm, identifier)
    const complete = user !== undefined && description !== undefined && reported !== null
    return [
      {
        kind: 'change',
        source_type: 'Changelist',
        identifier,
        ...perforceUser(user),
        description: description?.trimEnd() ?? '',
        timestamp: time(at(body, 'timestamp')) ?? null,
        branch: '',
        files: reported,
        ...(url !== undefined && { url }),
        ...(stage === 'shelved' && { pending: true as const }),
        ...(!complete && { incomplete: true }),
      },
    ]
  },
  server,
  places,
  followUp,
  unplaced,
  history,
  setup,
  sample,
}

const EVENTS = { submitted: 'change-commit', shelved: 'shelve-commit', other: 'other' }

/** A shelf keeps its number while its files change, and may keep it when it is submitted. */
function deliveryKey({ body, received }: Delivery): string | undefined {
  const [identifier, stage] = [changelist(body), stageOf(body)]
  if (identifier === undefined || stage === 'submitted') return identifier
  const version = word(at(body, 'version')) ?? time(at(body, 'timestamp')) ?? received.toISOString().slice(0, 16)
  return `${EVENTS[stage]}:${identifier}:${version}`
}

/** A string of digits or an integer, without leading zeros; the server counts from 1. */
function changelist(body: unknown): string | undefined {
  const given = at(body, 'changelist') ?? at(body, 'change') ?? at(body, 'change_number')
  const digits = typeof given === 'number' && Number.isSafeInteger(given) ? String(given) : text(given)?.trim()
  return digits !== undefined && /^0*[1-9]\d{0,17}$/.test(digits) ? digits.replace(/^0+/, '') : undefined
}

const WITH_REVISION = /^(?:\.\.\. )?(\/\/[^#]+)#(?:\d+|head|have|none)(?: (?:- )?([a-z]+(?:\/[a-z]+)?)\b.*)?$/

/**
 * A script may pass on what p4 printed: `//depot/a.uasset#3`, `//depot/a.uasset#3 - edit change 7 (text)`, `... //depot/a.uasset#3 edit`.
 * The server writes a hash sign that is part of a name as %23.
 */
function withoutRevision(file: ChangedFile): ChangedFile {
  const [, path, action = file.action] = WITH_REVISION.exec(file.path) ?? []
  return path === undefined ? file : { ...file, path, action }
}
