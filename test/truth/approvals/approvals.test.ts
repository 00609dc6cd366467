import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../support/callers/visitor.ts'
import { advanceClock } from '../../support/clock.ts'
import { openStudio, type Studio } from '../../support/studio.ts'
import { commit, push } from '../../support/tools.ts'
import { groupsOf, PATIENCE_MS } from '../groups.ts'
import { after, type Review, stagesOf, submitted } from './oracle.ts'
import { makeReviews, REVIEWERS, type Reviewer } from './world.ts'

const PASSWORD = 'a long enough password'
const ROLES = { lead: 'owner', ann: 'approver', ben: 'approver', guest: 'contributor' } as const
const RULES = [
  {
    path: 'Staged/*',
    stages: [
      { name: 'look', project_role: 'approver', approvals: 2 },
      { name: 'tech', project_role: 'lead' },
    ],
  },
  { path: 'Content/*' },
]

const groups = groupsOf('1-6')
const seeds = groups.flatMap((group) => group.seeds)
let studio: Studio
const who = {} as Record<Reviewer, Visitor>
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'enterprise', credits: null }],
    users: REVIEWERS.map((key) => ({
      key,
      email: `${key}@example.com`,
      name: key,
      password: PASSWORD,
      accounts: { owl: key === 'lead' ? 'owner' : 'member' },
    })),
    projects: seeds.map((seed) => ({
      key: `p${seed}`,
      account: 'owl',
      name: `Reviews ${seed}`,
      members: ROLES,
      approval_rules: RULES,
    })),
    integrations: seeds.map((seed) => ({ key: `p${seed}`, project: `p${seed}`, provider: 'github' })),
  })
  for (const key of REVIEWERS) who[key] = await signIn(studio, `${key}@example.com`, PASSWORD)
  // On a slow machine too, a decision made now is only a moment old.
  await advanceClock(studio.db, '-1 hour')
})
afterAll(() => studio.close())

function openReviews(seed: number) {
  const project = studio.world.projects[`p${seed}`]!.id
  const place = `/projects/${project}`
  const asked = `token=${studio.world.integrations[`p${seed}`]!.webhook_token}`
  const pushes: object[] = []
  const submit = async (files: string[], known: ReadonlySet<string>) => {
    const sha = String(pushes.length + 1).padStart(40, 'a')
    const [added, modified] = [files.filter((file) => !known.has(file)), files.filter((file) => known.has(file))]
    pushes.push(push([commit(sha, { added, modified })]))
    await send(pushes.at(-1)!)
    return (await who.lead.app(`${place}/approvals?commit_sha=${sha}`)).json.approvals as {
      asset_id: string
      asset_name: string
    }[]
  }
  const send = async (body: object) => {
    const answer = await studio.ask(`/webhooks/github?${asked}`, { method: 'POST', body, headers: { 'x-github-event': 'push' } })
    expect(answer.status).toBeLessThan(300)
  }
  return {
    submit,
    repeat: async () => {
      for (const body of pushes) await send(Object.fromEntries(Object.entries(body).reverse()))
    },
    decide: (by: Reviewer, id: string, status: string, version: number | null) =>
      who[by].app(`${place}/assets/${id}/approvals`, {
        method: 'POST',
        body: { status },
        headers: version === null ? {} : { 'if-match': `"${version}"` },
      }),
    undo: (by: Reviewer, id: string) => who[by].app(`${place}/approvals/undo`, { method: 'POST', body: { asset_ids: [id] } }),
    assetOf: async (id: string) => (await who.lead.app(`${place}/assets/${id}`)).json,
  }
}

async function review(seed: number) {
  const { submit, repeat, decide, undo, assetOf } = openReviews(seed)
  const reviews = new Map<string, Review>()
  const ids = new Map<string, string>()
  const check = async (file: string, where: string) => {
    const { version, status, stage } = reviews.get(file)!
    expect(await assetOf(ids.get(file)!), where).toMatchObject({
      version,
      approval_status: status,
      next_stage: status === 'pending' && stagesOf(file).length > 1 ? stagesOf(file)[stage]!.name : expect.toSatisfy(() => true),
    })
  }
  for (const [index, step] of makeReviews(seed).entries()) {
    const where = `seed ${seed}, step ${index}: ${JSON.stringify(step)}`
    if (step.kind === 'submit') {
      for (const { asset_id, asset_name } of await submit(step.files, new Set(ids.keys())))
        ids.set(step.files.find((file) => file.endsWith(asset_name))!, asset_id)
      for (const file of step.files) reviews.set(file, submitted(reviews.get(file)))
      for (const file of reviews.keys()) await check(file, where)
    } else {
      const before = reviews.get(step.file)!
      const next = after(before, step)
      if (!next) continue
      const id = ids.get(step.file)!
      const seen = step.kind === 'decide' && step.seen !== null ? Math.max(1, before.version - step.seen) : null
      const isLate = step.kind === 'undo' && step.isLate
      if (isLate) await advanceClock(studio.db, '2 hours')
      const { status, text } = step.kind === 'undo' ? await undo(step.by, id) : await decide(step.by, id, step.decision, seen)
      if (isLate) await advanceClock(studio.db, '-2 hours')
      expect(status, `${where} answered ${text}`).toBe(next.answer)
      reviews.set(step.file, next.review)
      await check(step.file, where)
    }
  }
  await repeat()
  for (const file of reviews.keys()) await check(file, `seed ${seed}: all pushes once more`)
}

test.each(groups)(
  'reviews follow their stages and the versions that were seen in worlds $first to $last',
  { timeout: PATIENCE_MS },
  async ({ seeds }) => {
    for (const seed of seeds) await review(seed)
  },
)
