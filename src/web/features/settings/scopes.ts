import type { Scope } from '../../../contract/sets.ts'

/** What each scope lets a token do, for people who choose. */
export const SCOPE_WORDS: Record<Scope, string> = {
  ping: 'check that the token works; every token can',
  'read:projects': 'see projects and their counts',
  'read:workspace_events': 'read the feed across all projects of your accounts',
  'read:tasks': 'read tasks and what is linked to them',
  'write:tasks': 'create and change tasks',
  'read:builds': 'read builds, steps, logs, diagnoses and deployments',
  'write:builds': 'have failed builds investigated, which may cost credits',
  'read:assets': 'read assets and approvals',
  'write:assets': 'approve, deny and ignore assets',
  'read:members': 'read ids, roles and connected accounts of members, never names',
  'read:changes': 'read commits and changelists',
  'write:breakages': 'claim, mute and resolve what is broken',
  'write:deployments': 'set the status of deployments and pick their build',
  'admin:projects': 'make projects and change their settings, where you are an owner',
  'admin:integrations': 'connect tools, see their webhook tokens and deliveries, where you are an owner',
  'admin:webhooks': 'register and change outbound webhooks, where you are an owner',
  'admin:tokens': 'make tokens that may no more than this one, list and revoke yours',
}
