import { FLICKER, nextStep, priorOf, type Trial } from '../../../diagnosis/bisection/bisection.ts'
import { Failure, usage } from '../../../terminal/failures.ts'
import { reasonOf } from '../../../terminal/given-text.ts'
import type { Reach } from '../../program/call.ts'
import { command } from '../../program/command.ts'
import { readLog } from '../../program/read-log.ts'
import { SUMMARIES } from '../../summaries.ts'
import { tryChange } from './try-change.ts'
import { WorkingTree } from './working-tree.ts'

function share(text: string): number {
  const percent = Number(text)
  if (text.trim() === '' || !(percent >= 0 && percent < 50)) throw new Error('It must be a number from 0 to 49.')
  return percent / 100
}

export const bisect = command({
  name: 'bisect',
  summary: SUMMARIES.bisect,
  project: true,
  args: { command: { help: 'Test command, after --', optional: true, many: true } },
  flags: {
    good: { help: 'Last good commit (default with --breakage: its last good change)', value: 'commit' },
    bad: { help: 'First bad commit (default: that of the breakage, else HEAD)', value: 'commit' },
    changes: {
      help: 'File with the changes in doubt, oldest first, one per line; the last one is bad (- reads standard input)',
      value: 'file',
    },
    breakage: { help: 'Id of a breakage: its range and the scores of its suspects are used', value: 'id' },
    flaky: { help: `How many of 100 good changes fail anyway (default: ${FLICKER * 100})`, value: 'percent', read: share },
  },
  details: `Exit code 0 of the command means good, 125 can't tell, 126 and 127 stop the search, and any other code means bad.
In a git working tree, each change is checked out before the command runs, and your branch is restored at the end. With --changes
nothing is checked out: the command finds the change in GOLDMASTER_CHANGE.

A pass is taken as proof. A failure is repeated at this or another change until one change is the cause with a probability of 90%;
for a test that never fails without a reason, pass --flaky 0.
In a pipe it prints only the change. Exit code 1: no change was found.`,
  examples: [
    'bisect --good v1.4 -- make test',
    'bisect --breakage 12 -- ./build.sh',
    'bisect --good HEAD~40 --flaky 0 -- ctest -R Inventory',
    `bisect --changes changelists.txt -- sh -c 'p4 sync //game/main/...@$GOLDMASTER_CHANGE && ./build.sh'`,
  ],
  async run(call) {
    const { args, flags, out, env } = call
    if (args.command.length === 0)
      throw usage(
        'Missing command. Usage: goldmaster bisect --good COMMIT -- COMMAND, such as: goldmaster bisect --good v1.4 -- make test',
      )
    const known = flags.breakage === undefined ? undefined : await knownOf(call, flags.breakage)
    const good = flags.good ?? known?.good
    const tree = flags.changes === undefined ? new WorkingTree(call.folder) : undefined
    if (tree && good === undefined)
      throw usage('Missing range. Pass --good COMMIT, or --changes FILE, or --breakage ID of a breakage with a last good change')
    const changes = tree ? tree.between(good!, flags.bad ?? known?.bad ?? 'HEAD') : await listed(flags.changes!)
    if (changes.length === 0) throw new Failure('There are no changes in this range.')

    const prior = priorOf(changes.map((change) => known?.scores.get(change) ?? 0))
    const trials: Trial[] = []
    try {
      for (;;) {
        const step = nextStep({ prior, trials, flicker: flags.flaky })
        if (step.kind === 'build') {
          const change = changes[step.index]!
          out.note(`Build ${trials.length + 1}: ${change} (${step.index + 1} of ${changes.length})`)
          tree?.checkOut(change)
          const verdict = await tryChange(args.command, change, env)
          out.note(`Build ${trials.length + 1}: ${change} is ${verdict === 'skip' ? 'skipped' : verdict}`)
          trials.push({ index: step.index, verdict })
        } else if (step.kind === 'found') {
          const change = changes[step.index]!
          if (!out.forPeople) return out.line(change)
          return out.say(`${change} is the first bad change (${Math.round(step.probability * 100)}%, ${countOf(trials.length)}).`)
        } else throw new Failure(reasonFor(step, changes, trials.length))
      }
    } finally {
      tree?.restore()
    }
  },
})

const countOf = (builds: number) => (builds === 1 ? '1 build' : `${builds} builds`)

const reasonFor = (step: { kind: 'no_change' } | { kind: 'stuck'; among: number[] }, changes: string[], builds: number) =>
  step.kind === 'no_change'
    ? `No change is the cause: the last one passes (${countOf(builds)}).`
    : `Not found after ${countOf(builds)}: the cause is one of ${step.among.map((index) => changes[index]).join(', ')}.`

const listed = async (file: string) => {
  const text = await readLog(file).catch((error: unknown) => {
    throw new Failure(`Can't read ${file}: ${reasonOf(error)}`)
  })
  return text.split(/\r?\n/).flatMap((line) => line.trim() || [])
}

/** What the service knows about a breakage: its range, and the scores of its suspects by commit or changelist. */
async function knownOf({ client, project }: Reach, id: string) {
  const { suspects, last_good_change, first_bad_change } = await client.showBreakage({ project_id: project, id })
  const scores = await Promise.all(
    suspects.map(async ({ change_id, score }) => {
      const { identifier } = await client.showChange({ project_id: project, id: String(change_id) })
      return [identifier, score] as const
    }),
  )
  return { scores: new Map(scores), good: last_good_change?.identifier, bad: first_bad_change?.identifier }
}
