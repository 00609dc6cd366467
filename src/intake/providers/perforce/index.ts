import type { ChangedFile } from '../../facts.ts'
import { type Provider, Unreadable } from '../../provider.ts'
import { at, files, link, text, time } from '../../reading.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { perforceUser, reviewPage } from './describe.ts'
import { followUp } from './follow-up.ts'
import { history } from './history.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

/** A submit trigger sends a number, in a form or as JSON; a trigger may send more. */
export const perforce: Provider = {
  name: 'perforce',
  label: 'Perforce',
  reports: 'Submitted changelists and their files',
  category: 'version_control',
  paths: ['perforce'],
  listsUsers: true,
  tokenHeader: 'x-service-token',
  answers: 202,
  // A submit trigger may have its token in the form.
  tokenInBody: true,
  verify: (delivery, secrets, required) => isAuthentic(secrets, required, senderSignature(delivery, secrets)),
  deliveryKey: ({ body }) => changelist(body),
  event: () => 'change-commit',
  read({ body, config }) {
    const identifier = changelist(body)
    if (identifier === undefined) throw new Unreadable('changelist must be a positive integer.')
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
        ...(!complete && { incomplete: true }),
      },
    ]
  },
  server,
  followUp,
  history,
  setup,
  sample,
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
