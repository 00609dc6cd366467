import { DEFAULT_RULES } from '../../../contract/routes/approval-defaults.ts'
import type { ApprovalRule } from '../../../contract/routes/approval-rules.ts'
import type { ReplyOf } from '../../../contract/routes.ts'
import { ASSET_TYPES } from '../../../contract/sets.ts'
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
} as const

const ruleOf = ({ path = '', type = [], branch = '', author = '' }: GivenFlags<typeof RULE>): ApprovalRule => ({
  path,
  asset_types: [...type],
  branch,
  author,
})

const rulesIn = ({ approval_rules }: ReplyOf<'listApprovalRules'>) => approval_rules ?? DEFAULT_RULES

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
    { title: 'author', cell: ({ author }) => any(author) },
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
  examples: ['approvals add-rule --path "Content/Art/*" --type texture --branch main', 'approvals add-rule --path "*.psd"'],
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
      if (!found.complete) out.note(`Only the newest ${found.looked_at} changes were read.`)
    })
  },
})

export const approvalRules = [rules, addRule, removeRule, resetRules, previewRule]
