import { SCOPES, type Scope } from '../../../src/contract/sets.ts'

/** Two accounts without access to each other, a demo, an ended trial, and a project with a few records of everything. */

const day = (n: number) => new Date(Date.UTC(2026, 9, 1 + n, 12)).toISOString()
/** Rows in threes share a time, so that every page order has ties. */
const tied = (i: number) => day(Math.floor(i / 3))
export const sha = (i: number) => i.toString(16).padStart(40, 'a')

export const ROWS = 23

const rows = <T>(make: (i: number) => T) => Array.from({ length: ROWS }, (_, i) => make(i))
const token = (key: string, user: string, scopes: readonly Scope[], more: object = {}) => ({
  key,
  user,
  name: key,
  scopes,
  ...more,
})
const pipeline = (project: string, mark: string, person = 'lead') => ({
  changes: rows((i) => ({
    key: `${mark}change${i}`,
    project,
    identifier: sha(i),
    source_type: i % 3 === 0 ? 'Changelist' : i % 3 === 1 ? 'GitCommit' : 'AssetCommit',
    author: `Lead Dev <lead${i}@example.com>`,
    description: `Tune it, as asked by someone@example.com (#${i})`,
    timestamp: tied(i),
    created_at: tied(i),
    updated_at: tied(i),
    files: i % 2 ? [{ path: `Content/T_${i}.png`, action: 'edit' }] : undefined,
    ...(i === 4 && { branches: ['main'] }),
  })),
  build_runs: rows((i) => ({
    key: `${mark}build${i}`,
    project,
    status: i % 2 ? 'failed' : 'completed',
    ci_job_name: 'night',
    build_number: String(i),
    commit_hash: sha(i),
    branch: `line/${i}`,
    agent: 'BUILD-07',
    created_at: tied(i),
    updated_at: tied(i),
    started_at: tied(i),
    finished_at: tied(i),
    output_log: `line one by owner@example.com\nerror: it broke\nlast line\n`,
  })),
  assets: rows((i) => ({
    key: `${mark}asset${i}`,
    project,
    name: `T_${i}.png`,
    path: `Content/T_${i}.png`,
    asset_type: 'texture',
    created_at: tied(i),
    updated_at: tied(i),
    approvals: [
      {
        key: `${mark}approval${i}`,
        status: i % 2 ? 'approved' : 'pending',
        stage: 'review',
        commit_sha: sha(i),
        comments: `looks right to art@example.com`,
        ...(i % 2 ? { approver: person, decided_at: tied(i) } : {}),
        created_at: tied(i),
        updated_at: tied(i),
      },
    ],
  })),
  deployments: rows((i) => ({
    key: `${mark}deployment${i}`,
    project,
    platform: 'steam',
    status: 'live',
    version: `1.${i}`,
    build_run: `${mark}build${i}`,
    created_at: tied(i),
    updated_at: tied(i),
  })),
  breakages: rows((i) => ({
    key: `${mark}breakage${i}`,
    project,
    builds: [`${mark}build${i}`],
    jobs: ['night'],
    state: i % 2 ? 'open' : 'fixed',
    branch: `line/${i}`,
    category: 'compile_error',
    confidence: 'high',
    cause: `It broke, says someone@example.com`,
    evidence: [{ line: 2, text: 'error: it broke at owner@example.com' }],
    suspects: [`${mark}change${i}`],
    opened_at: tied(i),
    bisection: { changes: [`${mark}change${i}`], user: person },
  })),
  // Of deleted builds, so that they apply to none.
  corrections: rows((i) => ({
    key: `${mark}correction${i}`,
    project,
    line: 2,
    line_text: 'error: it broke at owner@example.com',
    cause: 'It broke, says someone@example.com',
    user: person,
    corrected_at: tied(i),
  })),
  tasks: rows((i) => ({
    key: `${mark}task${i}`,
    project,
    title: `Task ${i}`,
    state: i % 2 ? 'to_do' : 'blocked',
    labels: ['all', `label-${i}`],
    assignee_handle: i % 5 === 0 ? `agent-${i}` : null,
    user: i % 5 === 1 ? person : null,
    created_at: tied(i),
    updated_at: tied(i),
    links: { changes: [`${mark}change${i}`], build_runs: [`${mark}build${i}`], deployments: [`${mark}deployment${i}`] },
  })),
  // Enough for several pages on one record of each kind.
  comments: [
    { task: `${mark}task4`, key: `${mark}comment` },
    { build_run: `${mark}build4` },
    { breakage: `${mark}breakage4` },
    { change: `${mark}change4` },
    { key: `${mark}point`, asset: `${mark}asset4`, asset_version: 1, point: { x: 0.25, y: 0.5 } },
    { deployment: `${mark}deployment4` },
  ].flatMap(({ key, ...on }) =>
    rows((i) => ({
      ...(key && { key: `${key}${i}` }),
      project,
      ...on,
      user: person,
      body: 'Looks right to art@example.com',
      created_at: tied(i),
    })),
  ),
})

const star = pipeline('star', '')
const moon = pipeline('moon', 'moon-')
const fox = pipeline('fox', 'fox-', 'rival')
const both = <K extends keyof typeof star>(kind: K) => [...star[kind], ...moon[kind], ...fox[kind]]

export const nightOwl = {
  accounts: [
    { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true, credits: 5 },
    { key: 'fox', name: 'Red Fox', plan: 'team', payment_method: true },
    { key: 'demo', name: 'Demo', plan: 'studio', demo: true },
    { key: 'lapsed', name: 'Lapsed', plan: 'team', trial_ends_at: '2026-01-01T00:00:00Z', payment_method: false },
  ],
  users: [
    {
      key: 'lead',
      email: 'lead@example.com',
      name: 'Leading Lady',
      accounts: { owl: 'owner', demo: 'member', lapsed: 'owner' },
      connected_accounts: [
        { provider: 'github', uid: 'lead-dev' },
        { provider: 'jira', uid: 'lead@example.com' },
      ],
    },
    { key: 'rival', email: 'rival@example.com', name: 'Rival', accounts: { fox: 'owner' } },
  ],
  projects: [
    { key: 'star', account: 'owl', name: 'Starfall', engine: 'unreal', members: { lead: 'owner' } },
    { key: 'moon', account: 'owl', name: 'Moonrise', engine: 'unity', members: { lead: 'member' } },
    { key: 'fox', account: 'fox', name: 'Foxhole', engine: 'unity', members: { rival: 'owner' } },
    { key: 'demo', account: 'demo', name: 'Showcase', engine: 'unreal' },
    { key: 'lapsed', account: 'lapsed', name: 'Old Trial', engine: 'unreal' },
  ],
  tokens: [
    token('all', 'lead', SCOPES),
    token('rival', 'rival', SCOPES),
    token('bare', 'lead', []),
    token('revoked', 'lead', SCOPES, { revoked_at: '2026-01-01T00:00:00Z' }),
    token('expired', 'lead', SCOPES, { expires_at: '2026-01-01T00:00:00Z' }),
    ...SCOPES.map((scope) =>
      token(
        `without ${scope}`,
        'lead',
        SCOPES.filter((other) => other !== scope),
      ),
    ),
  ],
  changes: [
    ...both('changes'),
    { key: 'demo-change', project: 'demo', identifier: sha(0) },
    { key: 'lapsed-change', project: 'lapsed', identifier: sha(0) },
  ],
  build_runs: [
    ...both('build_runs'),
    { key: 'demo-build_run', project: 'demo', status: 'failed', branch: 'main', agent: 'BUILD-07' },
    { key: 'lapsed-build_run', project: 'lapsed', status: 'failed', branch: 'main', agent: 'BUILD-07' },
  ],
  assets: [
    ...both('assets'),
    { key: 'demo-asset', project: 'demo', name: 'logo', path: 'logo.png', asset_type: 'texture' },
    { key: 'lapsed-asset', project: 'lapsed', name: 'logo', path: 'logo.png', asset_type: 'texture' },
  ],
  deployments: [
    ...both('deployments'),
    { key: 'demo-deployment', project: 'demo', platform: 'steam' },
    { key: 'lapsed-deployment', project: 'lapsed', platform: 'steam' },
  ],
  breakages: [
    ...both('breakages'),
    { key: 'demo-breakage', project: 'demo', builds: ['demo-build_run'], opened_at: day(1) },
    { key: 'lapsed-breakage', project: 'lapsed', builds: ['lapsed-build_run'], opened_at: day(1) },
  ],
  corrections: [
    ...both('corrections'),
    { key: 'demo-correction', project: 'demo', cause: 'It broke' },
    { key: 'lapsed-correction', project: 'lapsed', cause: 'It broke' },
  ],
  tasks: [
    ...both('tasks'),
    { key: 'demo-task', project: 'demo', title: 'Look around' },
    { key: 'lapsed-task', project: 'lapsed', title: 'Pay' },
  ],
  comments: [
    ...both('comments'),
    { key: 'demo-comment', project: 'demo', task: 'demo-task', body: 'Seen' },
    { key: 'lapsed-comment', project: 'lapsed', task: 'lapsed-task', user: 'lead', body: 'Seen' },
  ],
}
