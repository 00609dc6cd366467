import { diagnose } from '../../src/diagnosis/diagnose.ts'
import { CARRIERS } from './carriers.ts'
import { type LabelledLog, labeledLogs } from './labeled-logs.ts'
import { leftOut } from './left-out.ts'
import { passedBefore } from './passed.ts'
import { speed } from './speed.ts'
import { suspects } from './suspects.ts'
import { count, HEADING, rowOf, sureness, type Tally, zero } from './tally.ts'

/** How well the labeled logs are read: one line for each set, one for all. */
function plain(logs: readonly LabelledLog[]): Tally {
  console.log(HEADING)
  const all = zero()
  for (const set of new Set(logs.map((log) => log.set))) {
    const tally = zero()
    for (const { label, raw } of logs.filter((log) => log.set === set)) {
      const found = diagnose(raw)
      for (const each of [tally, all]) count(each, label, found)
    }
    console.log(rowOf(set, tally))
  }
  console.log(rowOf('all', all))
  console.log(sureness(all))
  return all
}

/** The same logs as other carriers pass them on: the cost of each. */
function carried(logs: readonly LabelledLog[], before: Tally): void {
  for (const [name, carry] of Object.entries(CARRIERS)) {
    const tally = zero()
    for (const { label, raw } of logs) {
      const { raw: text, at } = carry(raw.split('\n'))
      count(tally, label, diagnose(text), (line) => at[line - 1]!)
    }
    const lost = [(before.first - tally.first) / tally.logs, (before.kind - tally.kind) / tally.kinds].map((share) =>
      (100 * share).toFixed(1),
    )
    console.log(`${rowOf(name, tally)}   lost: first ${lost[0]}, kind ${lost[1]}`)
  }
}

/** Logs of projects that have several, without and with the lines of their other logs. */
function compared(logs: readonly LabelledLog[]): void {
  const [alone, beside] = [zero(), zero()]
  for (const log of logs) {
    const passed = passedBefore(log, logs)
    if (!passed) continue
    count(alone, log.label, diagnose(log.raw))
    count(beside, log.label, diagnose(log.raw, { passed }))
  }
  console.log(rowOf('read alone', alone))
  console.log(rowOf('beside passed (proxy)', beside))
}

/** How well labeled logs are read, if there are some, and how long a log takes. */
export async function benchDiagnosis() {
  const root = process.argv[3]
  if (root === undefined) console.log('No folder of labelled logs is given: only the time is measured, on made-up ones.')
  else {
    const logs = labeledLogs(root)
    const before = plain(logs)
    const folds = leftOut(logs, before)
    carried(logs, before)
    compared(logs)
    suspects(root, folds)
  }
  speed(root)
}
