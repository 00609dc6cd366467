import { ApiError } from '../../contract/errors.ts'
import type { Decision } from '../../contract/sets.ts'
import type { DecidedApproval } from '../../contract/shapes.ts'
import type { Noun } from '../../terminal/command.ts'
import { usage } from '../../terminal/failures.ts'
import { extra, field, main } from '../../terminal/table.ts'
import type { Reach } from '../program/call.ts'
import { command } from '../program/command.ts'
import { listCommand } from '../program/list-command.ts'
import { findThing, showCommand } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'
import { approvalRules } from './approvals/rules.ts'

const list = listCommand({
  route: 'listApprovals',
  rows: 'approvals',
  noun: 'approvals',
  summary: 'List the approvals of a project, newest first',
  empty: 'The approval rules in the project settings decide which files need approval.',
  page: 'approvals',
  columns: [
    'id',
    'status',
    { ...main('asset_name', 'asset'), ends: true },
    field('asset_version', 'version'),
    extra('approval_stage', 'stage'),
    'created_at',
  ],
  examples: ['approvals list --status pending', "approvals list --status denied --pick '[].asset_name'"],
})

const show = showCommand({
  route: 'showApproval',
  noun: 'approval',
  summary: 'Show an approval: asset, stage, decision and comment',
  page: (approval) => `assets/${approval.asset_id}`,
  examples: ['approvals show $(goldmaster approvals list --pick "[0].id")'],
  tell(approval, { out }) {
    const { id, status, approval_stage, asset_id, asset_version, commit_sha, approver_user_id, decided_at, created_at } = approval
    out.title(approval.asset_name)
    out.facts({ status, approval_stage, id, asset_id, asset_version, commit_sha, approver_user_id, decided_at, created_at })
    out.prose(approval.comments)
  },
})

/** The asset of an approval, and the version to decide; an id that is not an approval's is used as an asset's. */
async function assetOf(call: Reach, id: string): Promise<{ asset_id: string; version: number }> {
  try {
    const { asset_id, asset_version } = await findThing(call, 'showApproval', id)
    return { asset_id, version: asset_version }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error
    const asset = await findThing(call, 'showAsset', id)
    return { asset_id: asset.id, version: asset.version }
  }
}

const readVersion = (text: string) => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw usage('--asset-version needs the number of a version, such as 3.')
  return Number(text)
}

/** What a decision did, and what the asset waits for now. */
function decisionWords(status: Decision, decided: DecidedApproval): string {
  const { asset_name, asset_version, approval_stage, next_stage } = decided
  const now = `${asset_name} version ${asset_version} is ${decided.status}.`
  if (status !== 'approved' || next_stage === null) return now
  const isSame = decided.status === 'pending'
  return isSame
    ? `Approved ${asset_name} version ${asset_version}. Stage ${approval_stage} needs more people.`
    : `Approved stage ${approval_stage} of ${asset_name} version ${asset_version}. It now waits for ${next_stage}.`
}

const decide = (name: string, status: Decision, summary: string, example: string) =>
  command({
    name,
    summary,
    project: true,
    args: { id: { help: 'Ids of approvals or assets', many: true } },
    flags: {
      comments: { help: 'Comment: the reason for the decision', value: 'text', short: 'm' },
      stage: { help: 'Approval stage (default: the stage of the approval)', value: 'stage' },
      'asset-version': {
        help: 'Version you looked at: refused if there is a newer one',
        value: 'number',
        read: readVersion,
      },
    },
    web: (call) =>
      Promise.all(call.args.id.map(async (id) => `/projects/${call.project}/assets/${(await assetOf(call, id)).asset_id}`)),
    shows: { route: 'decideAsset' },
    examples: [example, `${example} -m "As agreed on Monday"`],
    async run(call) {
      const { client, project, args, flags, out } = call
      const { comments, stage } = flags
      const body = { status, ...(comments === undefined ? {} : { comments }), ...(stage === undefined ? {} : { stage }) }
      if (flags['asset-version'] !== undefined && args.id.length > 1) throw usage('--asset-version is for one asset.')
      for (const id of args.id) {
        const { asset_id, version } = await assetOf(call, id)
        const headers = { 'if-match': `"${flags['asset-version'] ?? version}"` }
        const decided = await client.decideAsset({ project_id: project, asset_id, body, headers })
        out.answer(decided, () => out.say(decisionWords(status, decided)))
      }
    },
  })

const ID = '$(goldmaster approvals list --status pending --pick "[0].id")'

export const approvals: Noun = {
  name: 'approvals',
  summary: SUMMARIES.approvals,
  commands: [
    list,
    show,
    decide('approve', 'approved', 'Approve assets', `approvals approve ${ID}`),
    decide('deny', 'denied', 'Deny assets', `approvals deny ${ID}`),
    decide('ignore', 'ignored', 'Ignore assets: they need no approval', `approvals ignore ${ID}`),
    ...approvalRules,
  ],
}
