import { sizeOf } from '../../../contract/labels/size.ts'
import { DEFAULT_RULES, ONLY_STAGE } from '../../../contract/routes/approval-defaults.ts'
import type { ApprovalRule, ApprovalStage } from '../../../contract/routes/approval-rules.ts'
import type { ReplyOf } from '../../../contract/routes.ts'
import { ACCOUNT_ROLES, ASSET_TYPES, DECIDING_ROLES } from '../../../contract/sets.ts'
import { usage } from '../../../terminal/failures.ts'
import type { GivenFlags } from '../../../terminal/flags.ts'
import type { Output } from '../../../terminal/output.ts'
import { main } from '../../../terminal/table.ts'
import type { Reach } from '../../program/call.ts'
import { command } from '../../program/command.ts'

/** The approval rules of a project: `goldmaster approvals …`. */

const shared = { project: true, web: ({ project }: Reach) => `/projects/${project}/settings` } as const

const RULE = {
  path: { help: 'Path pattern such as Content/Art/* or *.psd (default: any)', value: 'pattern' },
  type: { help: 'Asset type (default: all); repeat for several', value: 'type', values: ASSET_TYPES, many: true },
  branch: { help: 'Branch or stream, * for any text (default: any)', value: 'pattern' },
  author: { help: 'Author of the change, * for any text (default: any)', value: 'pattern' },
  'author-role': {
    help: 'Role of the author in the account (default: any); repeat for several',
    value: 'role',
    values: ACCOUNT_ROLES,
    many: true,
  },
  'larger-than': { help: 'Only files larger than this, such as 500KB or 20MB', value: 'size', read: readSize },
  stage: {
    help: 'Stage NAME[:ROLE[:COUNT]]: lead or approver, and how many approve; repeat in order',
    value: 'stage',
    many: true,
  },
  gate: { help: 'Passed builds of the change wait for the approval' },
} as const

const ruleOf = (flags: GivenFlags<typeof RULE>): ApprovalRule => {
  const { path = '', type = [], branch = '', author = '', stage = [] } = flags
  const [roles, size] = [flags['author-role'], flags['larger-than']]
  return {
    path,
    asset_types: [...type],
    branch,
    author,
    ...(roles && { author_roles: [...roles] }),
    ...(size !== undefined && { larger_than: size }),
    ...(stage.length > 0 && { stages: stage.map(readStage) }),
    gate: flags.gate ?? false,
  }
}

function readSize(text: string): number {
  const [, number, unit = ''] = /^(\d{1,9})\s*([kmg]?)b?$/i.exec(text.trim()) ?? []
  if (number === undefined) throw new Error('It must be a size such as 500KB or 20MB.')
  return Number(number) * 1000 ** ' kmg'.indexOf(unit.toLowerCase() || ' ')
}

function readStage(text: string): ApprovalStage {
  const [name = '', role = 'approver', count = '1', ...rest] = text.split(':')
  if (name.trim() === '' || rest.length > 0) throw usage(`A stage is NAME, NAME:ROLE or NAME:ROLE:COUNT, not ${text}`)
  const project_role = DECIDING_ROLES.find((one) => one === role)
  if (project_role === undefined) throw usage(`The role of a stage must be one of ${DECIDING_ROLES.join(', ')}, not ${role}`)
  if (!/^\d{1,2}$/.test(count)) throw usage(`How many approve must be a number, not ${count}`)
  return { name, project_role, user_ids: [], approvals: Number(count) }
}

const rulesIn = ({ approval_rules }: ReplyOf<'listApprovalRules'>) => approval_rules ?? DEFAULT_RULES

const stageWords = ({ name, project_role, user_ids, approvals }: ApprovalStage) =>
  `${name} (${[approvals > 1 ? `${approvals} of ${project_role}` : project_role, ...user_ids.map((id) => `user:${id}`)].join(', ')})`

const any = (text: string) => text || 'any'

function tellRules(answer: ReplyOf<'listApprovalRules'>, out: Output) {
  const rules = rulesIn(answer).map((rule, index) => ({ number: index + 1, ...rule }))
  if (rules.length === 0)
    return out.note('No approval rules: nothing needs approval. Add one with goldmaster approvals add-rule.')
  out.table(rules, [
    'number',
    { ...main('path'), cell: ({ path }) => any(path) },
    { title: 'types', cell: ({ asset_types }) => any(asset_types.join(', ')) },
    { title: 'branch', cell: ({ branch }) => any(branch) },
    { title: 'author', cell: ({ author, author_roles = [] }) => any([author, ...author_roles].filter(Boolean).join(', ')) },
    { title: 'larger than', cell: ({ larger_than }) => (larger_than === undefined ? 'any' : sizeOf(larger_than)) },
    { title: 'stages', cell: ({ stages = [] }) => stages.map(stageWords).join(', ') || ONLY_STAGE },
    { title: 'builds wait', cell: ({ gate = true }) => (gate ? 'yes' : 'no') },
  ])
  if (answer.approval_rules === null) out.note('The project uses the default rule.')
}

const current = ({ client, project }: Reach) => client.listApprovalRules({ project_id: project })

async function save({ client, project, out }: Reach & { out: Output }, approval_rules: readonly ApprovalRule[] | null) {
  const saved = await client.setApprovalRules({ project_id: project, body: { approval_rules } })
  out.answer(saved, () => tellRules(saved, out))
}

const rules = command({
  ...shared,
  name: 'rules',
  summary: 'List the rules that decide which files need approval',
  shows: { route: 'listApprovalRules' },
  examples: ['approvals rules', "approvals rules --pick 'approval_rules[].path'"],
  async run(call) {
    const answer = await current(call)
    call.out.answer(answer, () => tellRules(answer, call.out))
  },
})

const addRule = command({
  ...shared,
  name: 'add-rule',
  summary: 'Add an approval rule',
  flags: RULE,
  shows: { route: 'setApprovalRules' },
  examples: [
    'approvals add-rule --path "Content/Art/*" --type texture --branch main',
    'approvals add-rule --path "*.psd" --author-role guest --stage art:approver:2 --stage tech:lead',
  ],
  run: async (call) => save(call, [...rulesIn(await current(call)), ruleOf(call.flags)]),
})

const removeRule = command({
  ...shared,
  name: 'remove-rule',
  summary: 'Remove an approval rule',
  args: { number: { help: 'Number of the rule in goldmaster approvals rules', read: readNumber } },
  shows: { route: 'setApprovalRules' },
  examples: ['approvals remove-rule 2'],
  async run(call) {
    const before = rulesIn(await current(call))
    if (call.args.number > before.length)
      throw usage(`No rule ${call.args.number}. To see the rules, run goldmaster approvals rules`)
    await save(
      call,
      before.filter((_, index) => index + 1 !== call.args.number),
    )
  },
})

function readNumber(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error('It must be the number of a rule; goldmaster approvals rules lists them.')
  return Number(text)
}

const resetRules = command({
  ...shared,
  name: 'reset-rules',
  summary: 'Reset to the default approval rule, which covers art',
  shows: { route: 'setApprovalRules' },
  examples: ['approvals reset-rules'],
  run: (call) => save(call, null),
})

const previewRule = command({
  ...shared,
  name: 'preview-rule',
  summary: 'Preview a new rule on the last 30 days; saves nothing',
  flags: RULE,
  shows: { route: 'previewApprovalRules' },
  examples: ['approvals preview-rule --path "Content/Art/*" --type texture'],
  async run(call) {
    const { client, project, flags, out } = call
    const approval_rules = [...rulesIn(await current(call)), ruleOf(flags)]
    const found = await client.previewApprovalRules({ project_id: project, body: { approval_rules } })
    out.answer(found, () => {
      out.say(`In the last ${found.days} days: ${found.assets} assets in ${found.changes} changes.`)
      for (const { path, change } of found.first) out.say(`  ${change.display_identifier}  ${path}`)
      if (found.sizes_unknown > 0)
        out.note(`${found.sizes_unknown} more files would match if they are large enough: their sizes are unknown.`)
      if (!found.complete) out.note(`Only the newest ${found.looked_at} changes were read.`)
    })
  },
})

export const approvalRules = [rules, addRule, removeRule, resetRules, previewRule]
