import { sizeOf } from '../../../contract/labels/size.ts'
import { labelOf, lowered, sentence, TERMS } from '../../../contract/labels.ts'
import { DEFAULT_RULES } from '../../../contract/routes/approval-defaults.ts'
import type { ApprovalRule, ApprovalStage } from '../../../contract/routes/approval-rules.ts'
import { countOf } from '../../ui/text/count.ts'

/** A rule as a sentence: "Textures and models in Content/Art/* on main by Mia Sol". */
export function wordsOfRule({ path, asset_types, branch, author, author_roles = [], larger_than }: ApprovalRule): string {
  const types =
    asset_types.length === 0 ? 'All assets' : sentence(listed(asset_types.map((type) => TERMS.asset_type[type].plural ?? type)))
  const by = [author, ...author_roles.map((role) => `${lowered(labelOf('account_role', role))}s`)].filter(Boolean)
  return [
    types,
    larger_than !== undefined && `larger than ${sizeOf(larger_than)}`,
    path && `in ${path}`,
    branch && `on ${branch}`,
    by.length > 0 && `by ${listed(by)}`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Why an asset waits: the rule that asked. */
export const reasonOf = (rule: ApprovalRule | null): string =>
  rule === null ? 'Rule unknown' : isDefault(rule) ? 'Default rule' : wordsOfRule(rule)

const isDefault = (rule: ApprovalRule) => !rule.stages?.length && wordsOfRule(rule) === wordsOfRule(DEFAULT_RULES[0]!)

/** "art: 2 approvers, then tech: lead"; empty for a rule with the usual stage only. */
export const wordsOfStages = (stages: readonly ApprovalStage[] = [], nameOf: (userId: number) => string): string =>
  stages
    .map(({ name, project_role, user_ids, approvals }) => {
      const role = lowered(labelOf('project_role', project_role))
      const who = listed([approvals > 1 ? countOf(approvals, role) : role, ...user_ids.map(nameOf)], 'or')
      return `${name}: ${who}`
    })
    .join(', then ')

const listed = (words: readonly string[], last = 'and') =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
