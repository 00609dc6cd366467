import type { Provider } from '../../provider.ts'
import { at, object, text, time, Unreadable, uids, word } from '../../reading.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { changedIn } from './changed.ts'
import { sample } from './sample.ts'
import { setup } from './setup.ts'

/** Subversion has no webhooks: a script of the repository sends what svnlook prints, in a form or as JSON. */
export const subversion: Provider = {
  name: 'subversion',
  label: 'Subversion',
  reports: 'Revisions and their files',
  category: 'version_control',
  paths: ['subversion'],
  tokenHeader: 'x-service-token',
  answers: 202,
  verify: (delivery, secrets, required) => isAuthentic(secrets, required, senderSignature(delivery, secrets)),
  // No key: a message that is corrected afterwards is sent with the same revision.
  event: () => 'post-commit',
  read({ body }) {
    if (object(body) === undefined) throw new Unreadable('The body must be a form or a JSON object.')
    const revision = word(at(body, 'revision'))?.trim().replace(/^r/, '')
    const name = nameIn(text(at(body, 'repository')))
    if (revision === undefined || !/^[1-9]\d{0,14}$/.test(revision)) throw new Unreadable('revision must be a positive integer.')
    if (name === undefined) throw new Unreadable('repository must be the path or the name of the repository.')
    const author = text(at(body, 'author'))?.trim()
    const { files, branch, deleted } = changedIn(at(body, 'changed'))
    const repository = { id: text(at(body, 'repository_uuid'))?.trim() ?? name, name }
    return [
      ...deleted.map((gone) => ({ kind: 'branch_deleted' as const, branch: gone, repository })),
      {
        kind: 'change',
        source_type: 'AssetCommit',
        // Every repository counts its own revisions, and numbers alone look like changelists of Perforce.
        identifier: `${name}@${revision}`,
        author: author ?? '',
        author_uids: uids(author),
        description: text(at(body, 'log'))?.trimEnd() ?? '',
        timestamp: timeIn(at(body, 'date')) ?? null,
        branch,
        repository,
        position: Number(revision),
        files,
      },
    ]
  },
  setup,
  sample,
}

/** The last folder: `/srv/svn/game`, `C:\\Repositories\\game\\`. A URL may contain credentials in any part. */
const nameIn = (path: string | undefined): string | undefined =>
  (path?.includes('://') ? undefined : path)
    ?.split(/[/\\]/)
    .filter((part) => part.trim() !== '')
    .at(-1)
    ?.trim()
    .replaceAll('@', '_')

/** `2026-11-15 12:41:03 +0000 (Sun, 15 Nov 2026)` */
const timeIn = (told: unknown): string | undefined => time(text(told)?.replace(/\([^()]*\)\s*$/, '') ?? told)
