import { parentPort } from 'node:worker_threads'
import { ApiError } from '../contract/errors.ts'
import { readOwnRules } from '../diagnosis/own-rules.ts'
import { tryRule } from '../diagnosis/try-rule.ts'
import type { RuleAnswer, RuleWork } from './rules-beside.ts'

function answerOf(work: RuleWork): RuleAnswer {
  try {
    return { done: work.kind === 'prove' ? readOwnRules(work.given) : tryRule(work.given, work.log, work.others) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, code, message, extra } = error
    return { refused: { status, code, message, extra } }
  }
}

parentPort!.on('message', (work: RuleWork) => parentPort!.postMessage(answerOf(work)))
parentPort!.postMessage('ready')
