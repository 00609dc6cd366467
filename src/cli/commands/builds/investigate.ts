import type { Investigation } from '../../../contract/shapes.ts'
import { EXIT, Failure } from '../../../terminal/failures.ts'
import { annotate } from '../../output/annotate.ts'
import { printInvestigation } from '../../output/print-investigation.ts'
import type { Reach } from '../../program/call.ts'
import { command } from '../../program/command.ts'

const EVERY_MS = 1000
const TIMEOUT_S = 300

const isOver = ({ status }: Investigation) => status === 'completed' || status === 'failed'

async function awaited(call: Reach, build: string, begun: Investigation): Promise<Investigation> {
  const end = performance.now() + TIMEOUT_S * 1000
  let found = begun
  while (!isOver(found)) {
    if (performance.now() > end)
      throw new Failure(
        `The investigation is still ${found.status} after ${TIMEOUT_S} s. Check it later: goldmaster builds show ${build}`,
      )
    await new Promise((done) => setTimeout(done, EVERY_MS))
    found = (await call.client.showBuild({ project_id: call.project, build_run_id: build })).investigation ?? found
  }
  return found
}

export const investigate = command({
  name: 'investigate',
  summary: 'Find out why a build failed (costs a credit if new)',
  project: true,
  pages: true,
  web: ({ project, args }) => `/projects/${project}/builds/${args.build}`,
  args: { build: { help: 'Id of a failed build' } },
  flags: { no_wait: { help: 'Start the investigation and exit' } },
  shows: { route: 'investigateBuild' },
  examples: [
    'builds investigate $(goldmaster builds list --status failed --pick "[0].id")',
    'builds investigate 54 --pick diagnosis',
    'builds investigate 54 --no-wait',
  ],
  async run(call) {
    const { client, project, args, flags, out } = call
    const { build } = args
    const begun = await client.investigateBuild({ project_id: project, build_run_id: build })
    if (!flags.no_wait && !isOver(begun)) out.note('Investigating …')
    const found = flags.no_wait ? begun : await awaited(call, build, begun)
    await out.answer(found, () => printInvestigation(found, call))
    if (!out.wantsDocument && found.diagnosis)
      await annotate({ title: `Build ${build} failed`, message: found.diagnosis }, call.env, (line) => out.line(line))
    return found.status === 'failed' ? EXIT.failed : 0
  },
})
