import type { TSchema } from 'typebox'

/** Example values by field name. */
const BY_NAME: Record<string, string | number> = {
  action: 'edit',
  agent: 'BUILD-07',
  actor: 'kim',
  approval_stage: 'art_review',
  approval_type: 'manual',
  artifact_name: 'CinderCoast-Win64.zip',
  asset_name: 'TideWarden',
  assignee_handle: 'triage-bot',
  assignee_handles: 'triage-bot',
  author: 'kim',
  branch: '//game/main',
  branches: '//game/main',
  build_count: 3,
  build_number: '1482',
  cause: 'Door.cpp does not compile: Hinge is not declared.',
  changelist: '4711',
  ci_job_name: 'Win64 Development',
  configuration: 'Development',
  comments: 'The silhouette reads well.',
  commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
  commit_hash: '9fceb02d0ae598e95dc970b74767f19372d61af8',
  commit_sha: '4711',
  cursor_key: 'build|1482',
  currency: 'EUR',
  description: 'Give the door its own hinge',
  detail: 'Door.cpp',
  diagnosis: 'Door.cpp does not compile: Hinge is not declared.',
  display_identifier: 'CL 4711',
  engine: 'unreal',
  evidence: 'Door.cpp(12): error C2065: Hinge: undeclared identifier',
  external_build_id: '1482',
  external_id: '480',
  held_back_by: 'Switch Shipping',
  identifier: '4711',
  investigation_id: '512',
  job: 'Win64 Development',
  jobs: 'Win64 Development',
  labels: 'door',
  line: 204,
  line_text: 'Door.cpp(12): error C2065: Hinge: undeclared identifier',
  message: 'Win64 Development #1482 failed',
  name: 'Cinder Coast',
  next_cursor: 'eyJhdCI6IjIwMjYifQ',
  next_stage: 'art_review',
  note: 'Waiting for the new compiler.',
  path: '/Game/Characters/TideWarden',
  phase: 'cook',
  platform: 'steam',
  platforms: 'Win64',
  prefix: 'gm_3f9a1',
  project_name: 'Cinder Coast',
  provider: 'slack',
  reason: 'Tested by hand on all platforms.',
  reasons: 'changed Door.cpp, which fails',
  scopes: 'read:builds',
  score: 0.82,
  size_bytes: 734003200,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  status: 'completed',
  store: 'steam',
  source_type: 'Changelist',
  stage: 'art_review',
  suggested_fix: 'Include Hinge.h in Door.cpp.',
  target_branch: '//game/main',
  target_ref: 'CL 4711',
  text: 'Door.cpp(12): error C2065: Hinge: undeclared identifier',
  title: 'The door sticks',
  track: 'beta',
  uid: 'kim-p4',
  unit: 'bytes',
  url: 'https://gold.example.com/projects/1/builds/1482',
  version: '0.9.3',
  web: 'https://gold.example.com/projects/1/builds/1482',
}

interface Described {
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: readonly string[]
  anyOf?: TSchema[]
  items?: TSchema
  properties?: Record<string, TSchema>
  minimum?: number
}

/** A value that matches the schema and looks realistic. */
export function exampleOf(schema: TSchema, name = ''): unknown {
  const { type, format, pattern, enum: values, anyOf, items, properties, minimum = 1 } = schema as Described
  if (values) return values.find((value) => value === BY_NAME[name]) ?? values[0]
  if (anyOf) return exampleOf(anyOf[0]!, name)
  const kind = [type].flat()[0]
  if (properties) return Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, exampleOf(part, key)]))
  if (kind === 'object') return {}
  if (kind === 'array') return [exampleOf(items!, name)]
  if (kind === 'boolean') return true
  if (format === 'date-time') return '2026-03-02T09:30:00.000Z'
  if (format === 'uuid') return '0b6f3d0e-4c1a-4c55-9e0d-6a2f8f0f7b11'
  const known = BY_NAME[name]
  if (kind === 'string') return pattern ? '1482' : String(known ?? '')
  return typeof known === 'number' ? known : minimum
}
