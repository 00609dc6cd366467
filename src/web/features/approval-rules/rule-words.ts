import { sentence, TERMS } from '../../../contract/labels.ts'
import type { ApprovalRule } from '../../../contract/routes/approval-rules.ts'

/** A rule as a sentence: "Textures and models in Content/Art/* on main by Mia Sol". */
export function wordsOfRule({ path, asset_types, branch, author }: ApprovalRule): string {
  const types =
    asset_types.length === 0 ? 'All assets' : sentence(listed(asset_types.map((type) => TERMS.asset_type[type].plural ?? type)))
  return [types, path && `in ${path}`, branch && `on ${branch}`, author && `by ${author}`].filter(Boolean).join(' ')
}

const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
