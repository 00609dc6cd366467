import type { Noun } from '../../terminal/command.ts'
import { extra, field, main } from '../../terminal/table.ts'
import { listCommand } from '../program/list-command.ts'
import { showCommand } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'

const list = listCommand({
  route: 'listAssets',
  rows: 'assets',
  noun: 'assets',
  summary: 'list the assets of a project, newest first',
  page: 'assets',
  columns: [
    'id',
    { ...main('name'), ends: true },
    field('asset_type', 'type'),
    field('approval_status', 'approval'),
    extra('version'),
    'updated_at',
  ],
  help: { pending_approval: 'only those that wait for a decision' },
  examples: [
    'assets list --pending-approval',
    'assets list --query hero.uasset',
    "assets list --asset-type texture --pick '[].path'",
  ],
})

const show = showCommand({
  route: 'showAsset',
  noun: 'asset',
  summary: 'show an asset and what was decided about it',
  page: (asset) => `assets/${asset.id}`,
  examples: ['assets show 0b7c9d3e-5a1f-4f43-9d53-7f0d4f1c2a11'],
  tell(asset, { out }) {
    const { id, path, asset_type, approval_status, version, size_bytes, last_change_id, updated_at } = asset
    out.title(asset.name)
    out.facts({ id, path, asset_type, approval_status, version, size_bytes, last_change_id, updated_at })
    out.section('Approvals', asset.approvals_history, ['status', 'approver_user_id', 'comments', 'decided_at'])
  },
})

export const assets: Noun = { name: 'assets', summary: SUMMARIES.assets, commands: [list, show] }
