import { randomBytes, randomUUID } from 'node:crypto'
import { notFound } from '../contract/errors.ts'
import type { ProviderName } from '../contract/sets.ts'
import { type Database, sql } from '../db/database.ts'
import type { Place } from '../domain/integrations/place.ts'
import { deliver } from './deliver.ts'
import type { Delivered } from './keep.ts'
import { providers } from './providers/index.ts'

interface Sample {
  /** Below the provider's own path. */
  event?: string
  headers?: Record<string, string>
  body: unknown
}

const TITLE = 'A test delivery from Goldmaster'
const JOB = 'goldmaster-test'

/** What each tool sends, short but in its own words; `mark` makes every one of them new, `now` is an ISO time. */
const SAMPLES: Record<ProviderName, (mark: number, now: string) => Sample> = {
  perforce: (mark, now) => ({
    body: {
      changelist: mark,
      timestamp: now,
      user: 'goldmaster',
      description: TITLE,
      files: [{ path: '//depot/goldmaster-test.txt', action: 'edit' }],
    },
  }),
  jenkins: (mark) => ({
    body: { job_name: JOB, build_number: mark, status: 'SUCCESS', duration_ms: 1000, logs_tail: `${TITLE}\nFinished: SUCCESS\n` },
  }),
  buildkite: (mark, now) => ({
    headers: { 'x-buildkite-event': 'build.finished', 'x-buildkite-request': randomUUID() },
    body: {
      event: 'build.finished',
      build: { number: mark, state: 'passed', message: TITLE, started_at: now, finished_at: now },
      pipeline: { slug: JOB, name: JOB },
    },
  }),
  game_engine: (mark, now) => ({
    event: 'build_completed',
    body: {
      job_name: JOB,
      build_number: mark,
      engine: 'unreal',
      platform: 'Win64',
      duration_seconds: 1,
      message: TITLE,
      timestamp: now,
    },
  }),
  deployment: (mark) => ({ body: { platform: 'custom', event: 'created', build_number: mark, version: JOB } }),
  github: (_, now) => ({
    headers: { 'x-github-event': 'push', 'x-github-delivery': randomUUID() },
    body: {
      ref: 'refs/heads/goldmaster-test',
      before: '0'.repeat(40),
      repository: { full_name: 'goldmaster/test' },
      commits: [
        {
          id: randomBytes(20).toString('hex'),
          message: TITLE,
          timestamp: now,
          author: { name: 'Goldmaster' },
          added: [],
          modified: ['goldmaster-test'],
          removed: [],
        },
      ],
    },
  }),
  jira: (mark) => ({
    headers: { 'x-atlassian-webhook-identifier': randomUUID() },
    body: {
      webhookEvent: 'jira:issue_created',
      issue: { key: `TEST-${mark}`, fields: { summary: TITLE, status: { name: 'To Do' } } },
    },
  }),
  linear: (mark) => ({
    headers: { 'linear-delivery': randomUUID() },
    body: { action: 'create', type: 'Issue', data: { identifier: `TEST-${mark}`, title: TITLE, state: { name: 'Todo' } } },
  }),
  trello: () => ({
    body: {
      action: {
        id: randomBytes(12).toString('hex'),
        type: 'createCard',
        data: { card: { shortLink: randomBytes(4).toString('hex'), name: TITLE }, list: { name: 'To Do' } },
      },
    },
  }),
  monday: (mark) => ({
    body: { event: { type: 'create_pulse', triggerUuid: randomUUID(), pulseId: mark, pulseName: TITLE } },
  }),
  asana: (mark, now) => ({
    body: {
      events: [{ action: 'added', created_at: now, resource: { gid: String(mark), resource_type: 'task' }, parent: null }],
    },
  }),
  diversion: (mark, now) => ({
    headers: { 'webhook-id': randomUUID() },
    body: {
      type: 'commit_created',
      data: { commit_id: `dv.commit.${mark}`, message: TITLE, author: { name: 'Goldmaster' }, created_at: now },
    },
  }),
  lore: (mark, now) => ({
    body: {
      repository: JOB,
      revision: randomBytes(32).toString('hex'),
      revision_number: mark,
      author: 'Goldmaster',
      message: TITLE,
      timestamp: now,
    },
  }),
}

/** Sends ourselves what the tool would send, past the door: from reading to recording everything is as for a real one. */
export async function testDelivery(db: Database, integrationId: number): Promise<Delivered> {
  const place = await db.one<Place>(sql`
    select i.id as integration_id, i.provider, i.config, p.id as project_id, p.account_id, p.engine, p.approval_types
    from integrations i join projects p on p.id = i.project_id where i.id = ${integrationId} and i.deleted_at is null`)
  if (!place) throw notFound('Integration')
  const received = new Date()
  const { event, headers = {}, body } = SAMPLES[place.provider](received.getTime(), received.toISOString())
  const path = event === undefined ? place.provider : `${place.provider}/${event}`
  return deliver(db, place, providers[place.provider], {
    path,
    headers: { 'content-type': 'application/json', 'user-agent': 'goldmaster (test delivery)', ...headers },
    raw: Buffer.from(JSON.stringify(body)),
    body,
    url: '',
    received,
    config: place.config,
  })
}
