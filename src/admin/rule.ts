import type { Command } from 'commander'
import { diagnoseWithOwn, readOwnRules } from '../diagnosis/own-rules/own-rules.ts'
import * as failureRules from '../domain/builds/failure-rules.ts'
import { accountId } from './arguments.ts'
import { readJson, readText } from './files.ts'
import { type OutputOptions, printJson, printMany, printOne } from './output.ts'
import { type Open, using } from './store.ts'

interface Flags extends OutputOptions {
  account: number
}

/** What people look for in a list; the definition is for `show`. */
const shown = ({ definition, ...rest }: failureRules.FailureRule) => {
  const { tool, category, role, score } = definition
  return { ...rest, tool, category, role, score }
}

const printList = (rules: failureRules.FailureRule[], flags: OutputOptions) =>
  printMany(rules.map(shown), ['rule_id', 'tool', 'category', 'role', 'score', 'replaces_ours', 'problem', 'updated_at'], flags)

export function rule(admin: Command, open: Open) {
  const noun = admin.command('rule').description("an account's own failure rules; see docs/failure-rules.md")
  const ofAccount = (verb: string, description: string) =>
    noun
      .command(verb)
      .description(description)
      .requiredOption('--account <account>', 'whose: its id', accountId)
      .option('--json', 'print JSON')

  ofAccount('add', 'add the rule or rules of a file, all or nothing; one with a known id replaces it')
    .argument('<file>', 'a JSON file, or - for standard input')
    .addHelpText('after', '\nExample:\n  goldmaster admin rule add rules.json --account 1')
    .action(async (file: string, flags: Flags) => {
      const given = await readJson(file)
      await using(open, async ({ db }) => printList(await failureRules.put(db, flags.account, given), flags))
    })

  ofAccount('list', 'the rules of an account')
    .addHelpText('after', '\nExample:\n  goldmaster admin rule list --account 1')
    .action((flags: Flags) => using(open, async ({ db }) => printList(await failureRules.list(db, flags.account), flags)))

  ofAccount('show', 'the definition of a rule, as add takes it')
    .argument('<rule>', 'its id, such as baker.missing-lightmap')
    .addHelpText('after', '\nExample:\n  goldmaster admin rule show baker.missing-lightmap --account 1 > rule.json')
    .action((ruleId: string, { account, json }: Flags) =>
      using(open, async ({ db }) => {
        const found = await failureRules.find(db, account, ruleId)
        if (json) printJson(found)
        else process.stdout.write(`${JSON.stringify(found.definition, null, 2)}\n`)
      }),
    )

  ofAccount('remove', 'forget a rule; one of ours that it replaced holds again')
    .argument('<rule>', 'its id')
    .addHelpText('after', '\nExample:\n  goldmaster admin rule remove baker.missing-lightmap --account 1')
    .action((ruleId: string, flags: Flags) =>
      using(open, async ({ db }) => {
        await failureRules.remove(db, flags.account, ruleId)
        printOne({ rule_id: ruleId, removed: true }, flags)
      }),
    )

  noun
    .command('test')
    .description('check a file of rules and print what would be found in logs with them; changes nothing')
    .argument('<file>', 'a JSON file, or - for standard input')
    .argument('<logs...>', 'logs of failed builds')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  goldmaster admin rule test rules.json broken.log')
    .action(async (file: string, logs: string[], flags: OutputOptions) => {
      const own = readOwnRules(await readJson(file))
      const found = []
      for (const log of logs) {
        const { clues, category, confidence, evidence, diagnosis, suggested_fix } = diagnoseWithOwn(await readText(log), {
          own,
        })
        found.push({ log, rule_id: clues.rule, category, confidence, line: evidence[0]?.line ?? null, diagnosis, suggested_fix })
      }
      printMany(found, ['log', 'rule_id', 'category', 'confidence', 'line', 'diagnosis'], flags)
    })
}
