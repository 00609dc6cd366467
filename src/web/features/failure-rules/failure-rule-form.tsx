import { useState } from 'react'
import type { FailureRule } from '../../../contract/app/rules.ts'
import { choicesOf } from '../../../contract/labels.ts'
import { RULE } from '../../../contract/limits.ts'
import { FAILURE_CATEGORIES, RULE_ROLES } from '../../../contract/sets.ts'
import { wordsOf as failureOf } from '../../api.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Select, TextArea, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { numberOf } from '../../ui/text/dates.ts'
import { useToast } from '../../ui/toast.tsx'
import { definitionOf, EMPTY, fieldsOf, type RuleFields } from './failure-rule-fields.ts'
import { FailureRuleTrial } from './failure-rule-trial.tsx'

interface Props {
  accountId: number
  /** The rule to edit; otherwise a new one is created. */
  rule?: FailureRule
  onDone(): void
}

/** A rule and the log excerpt it is tried on, which is saved as its example. */
export function FailureRuleForm({ accountId, rule, onDone }: Props) {
  const begun = rule ? fieldsOf(rule.definition) : EMPTY
  const [draft, setDraft, clear] = useDraft(`failure rule ${accountId} ${rule?.rule_id ?? 'new'}`, JSON.stringify(begun))
  const fields = JSON.parse(draft) as RuleFields
  const [problem, setProblem] = useState<string>()
  const attempt = useWrite('tryFailureRule')
  const create = useWrite('createFailureRule', ['listFailureRules'])
  const edit = useWrite('editFailureRule', ['listFailureRules'])
  const say = useToast()
  const put = (name: keyof RuleFields) => ({
    value: fields[name],
    onChange: (value: string) => {
      setDraft(JSON.stringify({ ...fields, [name]: value }))
      setProblem(undefined)
      attempt.reset()
    },
  })
  const tryIt = async () => {
    setProblem(undefined)
    return attempt.mutateAsync({ account_id: accountId, body: { rule: definitionOf(fields), log: fields.log } })
  }
  const close = () => {
    clear()
    onDone()
  }
  /** The example's line is where the rule matches, so it is tried once more before saving. */
  const submit = async () => {
    const { line } = await tryIt()
    if (line === null) throw new Error('The rule must match a line of the excerpt before you can save it.')
    const known = rule?.definition.examples ?? []
    const [same] = known.filter(({ log }) => log === fields.log)
    const example = { log: fields.log, line, ...(same?.file === undefined ? {} : { file: same.file }) }
    const body = { ...definitionOf(fields), examples: [example, ...known.slice(1)] }
    if (rule) await edit.mutateAsync({ account_id: accountId, rule_id: rule.rule_id, body })
    else await create.mutateAsync({ account_id: accountId, body })
    say(rule ? 'Rule saved' : 'Rule added')
    close()
  }
  return (
    <Form
      action={rule ? 'Save failure rule' : 'Add failure rule'}
      submit={submit}
      beside={
        <>
          <Button
            busy={attempt.isPending}
            disabled={fields.log === ''}
            onClick={() => void tryIt().catch((error: unknown) => setProblem(failureOf(error)))}
          >
            Test rule
          </Button>
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
        </>
      }
    >
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="ID"
          hint="Two names separated by a dot. If you use the ID of a built-in rule, yours replaces it."
          placeholder="baker.missing-lightmap"
          required
          disabled={rule !== undefined}
          {...put('id')}
        />
        <TextField
          label="Tool"
          hint="The name of the tool."
          placeholder="Baker"
          required
          maxLength={RULE.tool}
          {...put('tool')}
        />
        <Select label="Category" options={choicesOf('failure_category', FAILURE_CATEGORIES)} {...put('category')} />
        <Select label="A matching line means" options={choicesOf('rule_role', RULE_ROLES)} {...put('role')} />
      </div>
      <TextArea
        label="Required text"
        hint="One per line, at least 3 characters each. Only lines that contain one of them are checked, so choose rare text."
        required
        rows={2}
        className="font-mono"
        {...put('need')}
      />
      <TextField
        label="Pattern"
        hint="A regular expression. The groups file, line, code, test and msg are used, as in (?<file>\S+)."
        placeholder="^BAKE-\d+ (?<file>\S+): (?<msg>.*)"
        required
        maxLength={RULE.pattern}
        className="font-mono"
        {...put('match')}
      />
      <div className="grid items-start gap-4 sm:grid-cols-[8rem_minmax(0,1fr)]">
        <TextField
          label="Confidence"
          hint="0 to 100. Built-in rules use 75 to 90 for a specific message."
          type="number"
          min={0}
          max={100}
          required
          {...put('score')}
        />
        <TextField
          label="Suggested fix"
          hint="You can use {file}, {line}, {code}, {test} and {msg}."
          maxLength={RULE.fix}
          {...put('fix')}
        />
      </div>
      <details>
        <summary className="text-sm text-soft">More fields</summary>
        <TextArea
          label="As JSON"
          hint="block, header, lead, near and explains, as in a rules file."
          rows={3}
          className="font-mono"
          {...put('more')}
        />
      </details>
      <TextArea
        label="Log excerpt"
        hint={`Part of a real log, up to ${numberOf(RULE.log)} characters. It is saved with the rule as its example.`}
        required
        rows={8}
        maxLength={RULE.log}
        className="font-mono"
        {...put('log')}
      />
      {attempt.data && <FailureRuleTrial trial={attempt.data} ruleId={fields.id} />}
      {problem && <Notice kind="err">{problem}</Notice>}
    </Form>
  )
}
