import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf, lowered, type TermSet } from '../../../contract/labels.ts'
import { dateOf } from '../../ui/text/dates.ts'
import { AUDIT_ACTIONS, type AuditNames, type Fields } from './audit-actions.ts'

type Entry = Pick<
  AppReply<'listAuditLog'>['entries'][number],
  'actor' | 'user_id' | 'action' | 'project_id' | 'subject' | 'before' | 'after'
>

/** Field names for people, and the set of their values. */
const FIELDS: Record<string, [name: string, set?: TermSet]> = {
  role: ['role', 'account_role'],
  project_role: ['role', 'project_role'],
  plan: ['plan', 'plan'],
  state: ['state', 'task_state'],
  priority: ['priority', 'priority'],
  task_type: ['type', 'task_type'],
  user_id: ['assignee'],
  owner_user_id: ['owner'],
  muted_until: ['mute until'],
  build_run_id: ['build'],
  timezone: ['time zone'],
  members_see_projects: ['members see every project'],
  uses_language_model: ['language model'],
  token_days_max: ['maximum token age (days)'],
  allowed_addresses: ['allowed IP addresses'],
  requires_second_factor: ['second factor required'],
  share_policy: ['share links'],
  share_days_max: ['maximum age of share links (days)'],
  share_anywhere: ['share links work from any address'],
  retention: ['data retention'],
  investigates_failures: ['automatic investigations'],
  bisect_builds_per_day: ['bisection builds per day'],
  assignment: ['automatic assignment'],
  test_gate: ['test gate'],
  required_jobs: ['required jobs'],
  job_patterns: ['platforms of jobs'],
  approval_rules: ['approval rules'],
  requires_signature: ['only signed deliveries'],
  secrets: ['signing secrets'],
  event_types: ['event types'],
  trusts_email: ['trusted email addresses'],
  role_groups: ['roles by group'],
  groups_claim: ['groups claim'],
  default_role: ['default role', 'account_role'],
  required: ['required'],
  payment_method: ['payment method'],
}
/** The set of a status depends on the kind of the subject. */
const STATUS_SETS: Record<string, TermSet> = { project: 'project_status', deployment: 'deployment_status' }

const PEOPLE = ['user_id', 'owner_user_id']
const isPlain = (value: unknown) => value === null || value === undefined || typeof value !== 'object'

function shownAs(field: string, set: TermSet | undefined, value: unknown, names: AuditNames): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (PEOPLE.includes(field)) return names.user(Number(value))
  if (field === 'muted_until') return dateOf('moment', String(value))
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return set ? labelOf(set, String(value)) : String(value)
}

function changesOf(before: Fields, after: Fields, kind: string, names: AuditNames): string {
  return Object.keys(after)
    .filter((field) => field in before)
    .map((field) => {
      const [name = field.replaceAll('_', ' '), set = field === 'status' ? STATUS_SETS[kind] : undefined] = FIELDS[field] ?? []
      // Lists and rules are in the details.
      if (!isPlain(before[field]) || !isPlain(after[field])) return name
      return `${name} from ${shownAs(field, set, before[field], names)} to ${shownAs(field, set, after[field], names)}`
    })
    .join(', ')
}

const fieldsOf = (side: unknown): Fields => (typeof side === 'object' && side !== null ? (side as Fields) : {})

/** Subjects that are people. */
const PERSONS = ['member', 'project_member', 'user']

/** Who did what: "Ada changed Kim’s role from Member to Admin". */
export function auditSentence(entry: Entry, names: AuditNames): string {
  const who = entry.user_id === null ? labelOf('audit_actor', entry.actor) : names.user(entry.user_id)
  const [kind = '', ...rest] = entry.subject.split('/')
  const id = rest.length === 0 ? kind : rest.join('/')
  const isPerson = PERSONS.includes(kind) && /^\d+$/.test(id)
  if (entry.action.startsWith('admin ')) {
    const about = isPerson ? ` for ${names.user(Number(id))}` : id && kind !== id ? ` for ${kind.replaceAll('_', ' ')} ${id}` : ''
    return `${who} ran goldmaster ${entry.action}${about}`
  }
  const [before, after] = [fieldsOf(entry.before), fieldsOf(entry.after)]
  const action = AUDIT_ACTIONS[entry.action]
  if (!action) return `${who}: ${lowered(entry.action.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')).toLowerCase()}`
  const project = entry.project_id === null ? 'a project' : names.project(entry.project_id)
  return `${who} ${action[1]({
    names,
    id,
    person: isPerson ? names.user(Number(id)) : 'a person',
    isSelf: isPerson && Number(id) === entry.user_id,
    inProject: entry.project_id === null ? '' : ` in ${project}`,
    project,
    before,
    after,
    isNew: entry.before === null,
    changes: changesOf(before, after, kind, names),
  })}`
}

/** Suggestions of the filter: the stored action and its label. */
export const AUDIT_SUGGESTIONS = Object.entries(AUDIT_ACTIONS).map(([action, [label]]) => [action, label] as const)
