import { describe, expect, test } from 'vitest'
import { appRoutes } from '../../../contract/app/routes.ts'
import { isAudited } from '../../../contract/routes/route.ts'
import { AUDIT_ACTIONS } from './audit-actions.ts'
import { auditSentence } from './audit-sentences.ts'

const PEOPLE: Record<number, string> = { 1: 'Ada', 2: 'Kim' }
const names = {
  user: (id: number) => PEOPLE[id] ?? 'Former member',
  project: (id: number) => (id === 7 ? 'Starfall' : 'a deleted project'),
  provider: (name: string) => (name === 'github' ? 'GitHub' : name),
}
const entry = (action: string, more: object = {}) =>
  auditSentence({ actor: 'user', user_id: 1, action, project_id: null, subject: '', before: null, after: null, ...more }, names)

test('every action in the audit log has a sentence', () => {
  const audited = Object.entries(appRoutes).flatMap(([name, route]) => (isAudited(route) ? [name] : []))
  expect(audited.length).toBeGreaterThan(50)
  expect(audited.filter((name) => !(name in AUDIT_ACTIONS))).toEqual([])
})

describe('an entry', () => {
  test.each([
    [
      'editAccountMember',
      { subject: 'member/2', before: { role: 'member' }, after: { role: 'admin' } },
      'Ada changed Kim’s role from Member to Admin',
    ],
    ['removeAccountMember', { subject: 'member/2', before: { role: 'member' } }, 'Ada removed Kim from the account'],
    ['removeAccountMember', { subject: 'member/1', before: { role: 'member' } }, 'Ada left the account'],
    [
      'setProjectMember',
      { subject: 'project_member/2', project_id: 7, after: { project_role: 'lead' } },
      'Ada added Kim to Starfall as Lead',
    ],
    [
      'editProject',
      { subject: 'project/7', project_id: 7, before: { status: 'active' }, after: { status: 'paused' } },
      'Ada changed the settings of Starfall: status from Active to Paused',
    ],
    [
      'editAccount',
      { subject: 'account/3', before: { members_see_projects: true }, after: { members_see_projects: false } },
      'Ada changed the account settings: members see every project from on to off',
    ],
    [
      'editProject',
      { subject: 'project/7', project_id: 7, before: { approval_rules: [] }, after: { approval_rules: [{ path: 'Art' }] } },
      'Ada changed the settings of Starfall: approval rules',
    ],
    ['editBreakage', { subject: 'breakage/4', before: { state: 'fixed' }, after: { state: 'open' } }, 'Ada reopened breakage #4'],
    [
      'editBreakage',
      { subject: 'breakage/4', before: { state: 'claimed' }, after: { state: 'open' } },
      'Ada released breakage #4',
    ],
    [
      'editBreakage',
      { subject: 'breakage/4', before: { state: 'open', owner_user_id: null }, after: { state: 'claimed', owner_user_id: 2 } },
      'Ada claimed breakage #4 for Kim',
    ],
    [
      'editTask',
      { subject: 'task/9', before: { state: 'to_do', user_id: null }, after: { state: 'in_progress', user_id: 2 } },
      'Ada changed task #9: state from To do to In progress, assignee from none to Kim',
    ],
    ['decideAssets', { subject: 'assets', after: { ids: ['a', 'b'], status: 'ignored' } }, 'Ada ignored 2 assets'],
    [
      'decideAssets',
      { subject: 'assets', after: { ids: [], status: 'approved', levels: ['Content/Maps/L_City'] } },
      'Ada approved the level Content/Maps/L_City',
    ],
    [
      'undoDecisions',
      { subject: 'assets', after: { ids: ['a'], levels: ['Maps/One', 'Maps/Two'] } },
      'Ada undid the decision about 1 asset and 2 levels (Maps/One, Maps/Two)',
    ],
    ['createIntegration', { project_id: 7, after: { provider: 'github' } }, 'Ada connected GitHub in Starfall'],
    ['editIntegration', { before: { active: true }, after: { active: false } }, 'Ada disabled an integration'],
    ['editChannel', { before: { status: 'active' }, after: { status: 'paused' } }, 'Ada paused a chat channel'],
    ['signIn', { subject: 'user/1', after: { method: 'second_factor' } }, 'Ada signed in with a password and a code'],
    [
      'signInRefused',
      { after: { method: 'password', reason: 'wrong_password' } },
      'Ada failed to sign in with a password (wrong password)',
    ],
    ['switchOffWebhook', { actor: 'job', user_id: null }, 'Goldmaster disabled an outbound webhook after failed deliveries'],
    [
      'admin user promote',
      { actor: 'operator', user_id: null, subject: 'user/2' },
      'An operator ran goldmaster admin user promote for Kim',
    ],
    [
      'scim',
      { actor: 'provider', user_id: null, subject: 'member/2', before: { active: true }, after: { active: false } },
      'The identity provider deactivated Kim',
    ],
    ['editThing', {}, 'Ada: edit thing'],
  ])('of %s is a sentence: %o', (action, more, sentence) => expect(entry(action, more)).toBe(sentence))
})
