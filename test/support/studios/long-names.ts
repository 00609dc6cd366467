import { SCOPES, type Scope } from '../../../src/contract/sets.ts'

/** Long enough ago that a few minutes more make no difference to `3 h ago`. */
const hours = (count: number) => new Date(Date.now() - (count + 0.5) * 3_600_000).toISOString()
const BRANCH = '//CinderCoast/Release-0.9-Console-Certification'
const token = (key: string, name: string, scopes: readonly Scope[], more: object = {}) => ({
  key,
  user: 'mira',
  name,
  scopes,
  ...more,
})

const build = (key: string, status: string, ci_job_name: string, build_number: number, age: number, more: object = {}) => ({
  key,
  project: 'cinder',
  integration: 'ci',
  status,
  ci_job_name,
  build_number,
  branch: BRANCH,
  changelist: 184_200 + build_number,
  target_type: 'shipping',
  started_at: hours(age),
  finished_at: hours(age - 0.7),
  created_at: hours(age),
  ...more,
})

const asset = (name: string, asset_type: string, status: string, age: number) => ({
  project: 'cinder',
  name,
  path: `Content/Environments/Lighthouse/${name}`,
  asset_type,
  version: 3,
  created_at: hours(age),
  approvals: [{ status, stage: 'technical_art_review', commit_sha: 184_203, created_at: hours(age), ...decided(status, age) }],
})
const decided = (status: string, age: number) => (status === 'pending' ? {} : { approver: 'mira', decided_at: hours(age - 1) })

/** A studio with realistic names: longer than a line, with common prefixes, and a few in wide characters. */
export const longNames = () => ({
  accounts: [
    { key: 'salt', name: 'Salt & Lantern Interactive Entertainment GmbH & Co. KG', plan: 'enterprise', credits: 4_000 },
    { key: 'owl', name: 'Night Owl', plan: 'team', trial_ends_at: hours(90), payment_method: false },
  ],
  users: [
    {
      key: 'mira',
      email: 'mira.vandenbroucke-oyelaran@build-systems.salt-and-lantern.example',
      name: 'Mira Vandenbroucke-Oyelaran',
      accounts: { salt: 'owner' },
      connected_accounts: [
        { provider: 'github', uid: 'mira-vandenbroucke-oyelaran' },
        { provider: 'perforce', uid: 'mira.vandenbroucke' },
        { provider: 'jira', uid: '5b10ac8d82e05b22cc7d4ef5' },
      ],
    },
    { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { salt: 'member', owl: 'owner' } },
  ],
  projects: [
    {
      key: 'cinder',
      account: 'salt',
      name: 'Cinder Coast: The Lighthouse Keepers, Console Edition',
      engine: 'unreal',
      members: { mira: 'owner', kim: 'member' },
      created_at: hours(9_000),
    },
    {
      key: 'parade',
      account: 'salt',
      name: 'Orchard Parade',
      engine: 'unity',
      members: { mira: 'owner' },
      created_at: hours(20_000),
    },
  ],
  tokens: [
    token('all', 'nightly build machines in the Montréal and Kyoto offices', SCOPES, { created_at: hours(800) }),
    token('old', 'dashboard', ['read:builds'], { created_at: hours(2_000), revoked_at: hours(60) }),
  ],
  integrations: [
    { key: 'ci', project: 'cinder', provider: 'jenkins', signing_secret: 'a secret that signs' },
    { key: 'engine', project: 'cinder', provider: 'game_engine', active: false },
  ],
  changes: [
    {
      key: 'bad',
      project: 'cinder',
      identifier: 184_203,
      source_type: 'Changelist',
      author: 'Mira Vandenbroucke-Oyelaran',
      user: 'mira',
      description: 'Move the beacon parameters of the lighthouse into a data asset so that designers can tune them',
      branches: [BRANCH],
      timestamp: hours(5),
      files: [{ path: 'Source/CinderCoast/Lighthouse/BeaconParameters.cpp', action: 'edit' }],
    },
    {
      project: 'cinder',
      identifier: 184_198,
      source_type: 'Changelist',
      author: 'swarm-integration-robot',
      description: 'ロードマップの翻訳を更新し、灯台の章のすべての字幕を確認済みにする',
      branches: [BRANCH],
      timestamp: hours(8),
    },
    {
      project: 'cinder',
      identifier: 'a9f31c02b7d54e6f8890aa17c3e2d4f5061728ab',
      source_type: 'GitCommit',
      author: 'Kim',
      description: 'Pin the cooker',
      branches: ['main'],
      timestamp: hours(30),
    },
  ],
  build_runs: [
    build('red', 'failed', 'CinderCoast-Console-Certification-Shipping-PS5-Incremental', 4_117, 4),
    build('green', 'completed', 'CinderCoast-Console-Certification-Shipping-XSX-Incremental', 4_116, 9),
    build('live', 'building', 'nightly', 88, 2, { finished_at: undefined, branch: 'main', target_type: 'development' }),
  ],
  assets: [
    asset('SM_Lighthouse_Lantern_Room_Glass_Panel_Destructible_LOD0.uasset', 'model', 'pending', 6),
    asset('SM_Lighthouse_Lantern_Room_Glass_Panel_Destructible_LOD1.uasset', 'model', 'approved', 7),
    asset('T_Sky.png', 'texture', 'denied', 40),
  ],
  deployments: [
    {
      project: 'cinder',
      platform: 'reddit_devvit',
      status: 'in_review',
      version: '0.9.3-certification-candidate-4.184203+console',
      branch: BRANCH,
      build_run: 'green',
      created_at: hours(3),
    },
    { project: 'cinder', platform: 'steam', status: 'live', version: '0.9.2', branch: 'public', created_at: hours(200) },
  ],
  corrections: [
    {
      project: 'cinder',
      build_run: 'red',
      line: 812,
      line_text:
        "D:\\build\\CinderCoast\\Source\\CinderCoast\\Lighthouse\\BeaconParameters.cpp(214): error C2039: 'IntensityCurve': is not a member of 'FBeaconParameters'",
      category: 'missing_module_plugin',
      cause: 'The lighthouse plugin of the console build is a version behind.',
      user: 'mira',
      corrected_at: hours(3),
    },
  ],
  breakages: [
    {
      project: 'cinder',
      builds: ['red'],
      jobs: ['CinderCoast-Console-Certification-Shipping-PS5-Incremental', 'CinderCoast-Editor-Win64'],
      state: 'claimed',
      owner: 'mira',
      branch: BRANCH,
      category: 'compile_error',
      confidence: 'high',
      cause: 'BeaconParameters.cpp does not compile: IntensityCurve is not a member of FBeaconParameters.',
      evidence: [
        {
          line: 812,
          text: "D:\\build\\CinderCoast\\Source\\CinderCoast\\Lighthouse\\BeaconParameters.cpp(214): error C2039: 'IntensityCurve': is not a member of 'FBeaconParameters'",
        },
      ],
      suspects: [{ change: 'bad', user: 'mira', score: 0.91, reasons: ['It touches the file that does not compile.'] }],
      opened_at: hours(4),
    },
    {
      project: 'cinder',
      builds: ['green'],
      jobs: ['nightly'],
      state: 'fixed',
      branch: 'main',
      category: 'test_failure',
      cause: 'A test fails.',
      evidence: [{ line: 3, text: 'Test Failed: Lighthouse.Beacon.TurnsOnAtDusk' }],
      opened_at: hours(70),
      fixed_at: hours(60),
    },
  ],
  comments: [
    {
      project: 'cinder',
      task: 'beacon',
      user: 'mira',
      body: 'The generator only stops turning if the third chapter was started from the main menu, not from a save game',
      created_at: hours(2),
    },
  ],
  tasks: [
    {
      key: 'beacon',
      project: 'cinder',
      title: 'The lighthouse beacon keeps turning after the generator was blown up in the third chapter',
      state: 'in_progress',
      priority: 'critical',
      task_type: 'bug',
      assignee_handle: 'certification-triage-agent-of-the-night-shift',
      created_at: hours(50),
      updated_at: hours(1),
    },
    {
      project: 'cinder',
      title: '灯台の章の字幕をすべて確認し、長すぎる行を二つに分けること',
      user: 'mira',
      created_at: hours(60),
    },
    { project: 'cinder', title: 'Credits', state: 'blocked', priority: 'low', created_at: hours(90) },
  ],
})
