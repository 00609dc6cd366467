import type { Noun } from '../../terminal/command.ts'
import { extra, field, main } from '../../terminal/table.ts'
import { listCommand } from '../program/list-command.ts'
import { showCommand } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'

const list = listCommand({
  route: 'listAssets',
  rows: 'assets',
  noun: 'assets',
  summary: 'List the assets of a project, newest first',
  empty: 'Assets appear with the first change that has asset files.',
  page: 'assets',
  columns: [
    'id',
    { ...main('name'), ends: true },
    field('asset_type', 'type'),
    field('approval_status', 'approval'),
    extra('version'),
    'updated_at',
  ],
  examples: [
    'assets list --pending-approval',
    'assets list --query lantern',
    "assets list --asset-type texture --pick '[].path'",
  ],
})

const show = showCommand({
  route: 'showAsset',
  noun: 'asset',
  summary: 'Show an asset with its approval history',
  page: (asset) => `assets/${asset.id}`,
  examples: ['assets show $(goldmaster assets list --pick "[0].id")'],
  tell(asset, { out }) {
    const { id, path, asset_type, approval_status, next_stage, version, size_bytes, last_change_id, updated_at } = asset
    out.title(asset.name)
    out.facts({ id, path, asset_type, approval_status, next_stage, version, size_bytes, last_change_id, updated_at })
    out.section('Approvals', asset.approvals_history, ['status', 'approver_user_id', 'comments', 'decided_at'])
  },
})

export const assets: Noun = { name: 'assets', summary: SUMMARIES.assets, commands: [list, show] }
