import { parentPort } from 'node:worker_threads'
import { ApiError, serializeError } from '../../contract/errors.ts'
import { diagnoseWithOwn, problemOf, readOwnRules } from '../../diagnosis/own-rules/own-rules.ts'
import { tryRule } from '../../diagnosis/own-rules/try-rule.ts'
import type { RuleAnswer, RuleResults, RuleWork } from './rule-checks.ts'

const WORK: { [K in keyof RuleResults]: (work: Extract<RuleWork, { kind: K }>) => RuleResults[K] } = {
  prove: ({ given }) => readOwnRules(given),
  try: ({ given, log, others }) => tryRule(given, log, others),
  diagnose: ({ log, options }) => diagnoseWithOwn(log, options),
  problems: ({ definitions }) => definitions.map(problemOf),
}

function answerOf(work: RuleWork): RuleAnswer {
  try {
    return { done: WORK[work.kind](work as never) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refused: serializeError(error) }
  }
}

parentPort!.on('message', (work: RuleWork) => parentPort!.postMessage(answerOf(work)))
parentPort!.postMessage('ready')
