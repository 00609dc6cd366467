import { diagnoseWithOwn, readOwnRules } from '../diagnosis/own-rules/own-rules.ts'
import * as failureRules from '../domain/investigations/failure-rules.ts'
import type { Noun } from '../terminal/command.ts'
import { fileJson, fileText } from '../terminal/given-text.ts'
import type { Output } from '../terminal/output.ts'
import { extra, field, main } from '../terminal/table.ts'
import { accountId } from './arguments.ts'
import { type AdminCommand, command } from './command.ts'

const account = { help: 'Account id', value: 'account', read: accountId, required: true } as const
const file = { help: 'JSON file with one rule or a list, or - for standard input' } as const

/** The columns of a list; `show` prints the definition. */
const shown = ({ definition, ...rest }: failureRules.FailureRule) => {
  const { tool, category, role, score } = definition
  return { ...rest, tool, category, role, score }
}

function tell(out: Output, rules: failureRules.FailureRule[]) {
  const rows = rules.map(shown)
  out.answer(rows, () =>
    out.list(
      'rules',
      rows,
      [
        { ...main('rule_id', 'rule'), ends: true },
        'tool',
        'category',
        extra('role'),
        extra('score'),
        extra('replaces_ours'),
        'problem',
        extra('updated_at'),
      ],
      'Add some with goldmaster admin rule add FILE --account ID.',
    ),
  )
}

const add = command({
  name: 'add',
  summary: 'Add failure rules from a file, or replace them by id',
  args: { file },
  flags: { account },
  examples: ['admin rule add rules.json --account 1'],
  async run({ args, flags, out, store }) {
    const given = await fileJson(args.file)
    const { change } = await store()
    tell(out, await change('failure_rules', flags.account, (db) => failureRules.put(db, flags.account, given)))
  },
})

const list = command({
  name: 'list',
  summary: 'List the failure rules of an account',
  flags: { account },
  examples: ['admin rule list --account 1'],
  run: async ({ flags, out, store }) => tell(out, await failureRules.list((await store()).db, flags.account)),
})

const show = command({
  name: 'show',
  summary: 'Print a failure rule as JSON, as add accepts it',
  args: { rule: { help: 'Rule id, such as baker.missing-lightmap' } },
  flags: { account },
  examples: ['admin rule show baker.missing-lightmap --account 1 > rule.json'],
  async run({ args, flags, out, store }) {
    const found = await failureRules.find((await store()).db, flags.account, args.rule)
    out.answer(found, () => out.line(JSON.stringify(found.definition, null, 2)))
  },
})

const remove = command({
  name: 'remove',
  summary: 'Delete a failure rule; a built-in one applies again',
  args: { rule: { help: 'Rule id' } },
  flags: { account },
  examples: ['admin rule remove baker.missing-lightmap --account 1'],
  async run({ args, flags, out, store }) {
    const { change } = await store()
    const after = { removed: args.rule }
    await change('failure_rules', flags.account, (db) => failureRules.remove(db, flags.account, args.rule), { after })
    out.record({ rule_id: args.rule, removed: true })
  },
})

const findingIn = (text: string, own: ReturnType<typeof readOwnRules>) => {
  const { clues, category, confidence, evidence, diagnosis, suggested_fix } = diagnoseWithOwn(text, { own })
  return { rule_id: clues.rule, category, confidence, line: evidence[0]?.line ?? null, diagnosis, suggested_fix }
}

const test = command({
  name: 'test',
  summary: 'Try a file of failure rules on logs; saves nothing',
  args: { file, logs: { help: 'Logs of failed builds', many: true } },
  examples: ['admin rule test rules.json broken.log'],
  async run({ args, out }) {
    const own = readOwnRules(await fileJson(args.file))
    const found = await Promise.all(args.logs.map(async (log) => ({ log, ...findingIn(await fileText(log), own) })))
    out.answer(found, () =>
      out.table(found, ['log', field('rule_id', 'rule'), 'category', extra('confidence'), extra('line'), main('diagnosis')]),
    )
  },
})

export const rule: Noun<AdminCommand> = {
  name: 'rule',
  summary: 'Add, list, test and delete failure rules of an account',
  commands: [add, list, show, remove, test],
}
