import { cannotWriteBack } from '../../contract/errors.ts'
import type { Database } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import type { Jobs } from '../../db/queue.ts'
import { fullLabelOf } from '../../domain/branches/job-labels.ts'
import type { IntegrationContext } from '../../domain/integrations/context.ts'
import * as subjects from '../../domain/integrations/job-subjects.ts'
import * as addresses from '../../domain/integrations/result-addresses.ts'
import * as store from '../../domain/integrations/write-backs.ts'
import { resultAt, verdictText } from '../../domain/investigations/public-texts.ts'
import { Unreachable } from '../../net/safe-fetch.ts'
import { OWN_PREFIX } from '../build-origin.ts'
import type { Located } from '../provider.ts'
import { abilitiesOf } from '../providers/servers.ts'
import { BY_SETTINGS, ownBy, reach } from '../reach/reach.ts'
import { BUSY_S, claimed, type Outside, pauseIfOurs, unlessRefusedWith } from './claimed.ts'
import { writeReview } from './review.ts'
import type { WritableRepository } from './server.ts'

/** Writes the newest result of a build's job at its commit, and the verdict on its pull request. What the server has is not sent again. */
export async function writeBack(outside: Outside & { site: string }, key: Jobs['write_back'], signal?: AbortSignal) {
  const { db, vault, allowed, site } = outside
  const build = await store.writeBackSubject(db, key)
  if (!build) return
  const pageOf = (id: number | string) => `${site}/projects/${build.project_id}/builds/${id}`
  const asked = { ...outside, signal }
  const reviews = abilitiesOf(build.provider).reviews
  if (reviews) {
    if (build.shelf === '') return
    const addressOf = (subject: string) => addresses.find(db, vault, { ...key, subject })
    return orPause(db, build, key, {}, async () => {
      const config = await reach(asked, build, { external_id: build.shelf })
      return writeReview(db, reviews.open(config, allowed, signal), build, { pageOf, addressOf })
    })
  }
  const tool = abilitiesOf(build.provider).results
  if (!tool || build.commit_hash === '') return
  const url = build.pages.find((page) => tool.repositoryOf(build.config, page) !== undefined)
  if (url === undefined) return
  const repository = tool.repositoryOf(build.config, url)!
  const { account_id, integration_id } = key
  const subject = (name: string) => ({ account_id, integration_id, subject: `${repository} ${name}` })
  await orPause(db, build, key, { url }, async () => {
    const at = tool.open(await reach(asked, build, { url }), repository, allowed, signal)
    return (
      (await writeStatus(db, at, build, subject, pageOf)) &&
      (build.pull_request === '' || (await writeComment(db, at, build, subject, pageOf)))
    )
  })
}

/** Again soon if another job is writing. */
async function orPause(
  db: Database,
  build: store.WriteBackSubject,
  key: Jobs['write_back'],
  located: Located,
  write: () => Promise<boolean>,
) {
  try {
    if (!(await write())) await store.enqueueWriteBack(db, build, key.build_run_id, BUSY_S)
  } catch (error) {
    await pauseIfOurs(db, build, located, error)
  }
}

type Naming = (name: string) => store.Subject

/** False if another job is writing it. */
async function writeStatus(
  db: Database,
  at: WritableRepository,
  build: store.WriteBackSubject,
  named: Naming,
  pageOf: (id: number) => string,
): Promise<boolean> {
  const name = `${OWN_PREFIX}${fullLabelOf(build.job)}`
  const subject = named(`status ${build.commit_hash} ${name.slice(0, 255)}`)
  return claimed(db, subject, async ({ sent, unsure }, claim) => {
    const result = await resultAt(db, build)
    if (!result) return
    const { build_run_id, state, description } = result
    const status = { state, name, description, url: pageOf(build_run_id) }
    const text = JSON.stringify(status)
    if (text === sent && !unsure) return
    if (!unsure || !(await at.hasStatus(build.commit_hash, status))) {
      await store.noteUnsure(db, claim)
      await at.setStatus(build.commit_hash, status).catch(unlessRefusedWith([422]))
    }
    await store.noteSent(db, claim, text)
  })
}

/** One comment for each pull request: created once, then edited. False if another job is writing it. */
async function writeComment(
  db: Database,
  at: WritableRepository,
  build: store.WriteBackSubject,
  named: Naming,
  pageOf: (id: string) => string,
): Promise<boolean> {
  const { pull_request: pull, project_id } = build
  if (!/^\d{1,18}$/.test(pull)) return true
  const subject = named(`comment ${pull}`)
  return claimed(db, subject, async ({ sent, unsure, remote_id, gone }, claim) => {
    const verdict = gone ? undefined : await verdictText(db, build, pageOf)
    if (verdict === undefined || (verdict === sent && !unsure)) return
    const mark = `<!-- goldmaster:project:${project_id} -->`
    const body = `${mark}\n${verdict}`
    try {
      const known = remote_id ?? (await at.findComment(pull, mark))
      await store.noteUnsure(db, claim)
      if (known !== undefined) await at.editComment(pull, known, body)
      await store.noteSent(db, claim, verdict, known ?? (await at.createComment(pull, body)))
    } catch (error) {
      // Somebody deleted the comment, or the number is of no pull request of this repository.
      unlessRefusedWith([404, 422])(error)
      await store.noteSent(db, claim, '', null, true)
    }
  })
}

/** Why results can't be written to the server of an integration; undefined if they can. */
async function problemOf(outside: Outside, integration: IntegrationContext | undefined) {
  const { db, allowed } = outside
  if (!integration) return 'The integration is disabled.'
  const { results, issues, reviews } = abilitiesOf(integration.provider)
  const tool = results ?? issues ?? reviews
  if (!tool) return "Results can't be written to this tool."
  if (!integration.config.server) return 'Enter the server and an access token under Server access first.'
  try {
    const config = await reach(outside, integration, BY_SETTINGS)
    const isOurs = await ownBy(db, integration)
    const pages = (await store.knownPages(db, integration)).filter((url) => isOurs({ url, issue: url.split('/').at(-1) }))
    await tool.check(config, allowed, [...new Set(pages.flatMap((page) => tool.repositoryOf(config, page) ?? []))])
  } catch (error) {
    if (error instanceof Unreachable) return error.message
    throw error
  }
  return undefined
}

/** Switches write-back on, if the server permits it, or off. */
export async function switchWriteBack(outside: Outside, key: RecordKey, on: boolean) {
  const problem = on ? await problemOf(outside, await subjects.integration(outside.db, key)) : undefined
  if (problem !== undefined) throw cannotWriteBack(problem)
  await store.setWriteBack(outside.db, key.id, on)
}

/** Checks what an operator switched on: nothing is written before. */
export async function checkWriteBack(outside: Outside, { account_id, integration_id }: Jobs['check_write_back']) {
  const problem = await problemOf(outside, await subjects.integration(outside.db, { account_id, id: integration_id }))
  await store.pauseWriteBack(outside.db, { account_id, integration_id }, problem ?? '')
}
