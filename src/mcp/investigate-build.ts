import { Type } from 'typebox'
import type { Investigation } from '../contract/shapes.ts'
import { routeTool, tellWhole } from './route-tools.ts'
import type { Tool, ToolCall } from './tool.ts'
import { WORDS } from './words.ts'

const EVERY_MS = 500
const WAIT_S = 30
/** Assistants give up on a call after a minute. */
const WAIT_MAX_S = 45

const isOver = ({ status }: Investigation) => status === 'completed' || status === 'failed'

async function run({ client, scopes, args, stopped, progress }: ToolCall) {
  const place = { project_id: String(args.project_id), build_run_id: String(args.build_run_id) }
  let found = await client.investigateBuild(place)
  // Calling it again instead of reading could start, and cost, another one.
  const mayLook = scopes.includes('read:builds')
  const wait = mayLook ? Number(args.wait_seconds ?? WAIT_S) : 0
  const began = performance.now()
  const waited = () => (performance.now() - began) / 1000
  while (!isOver(found) && waited() < wait) {
    await progress(waited(), wait, `The investigation is ${found.status}.`)
    await new Promise((done) => setTimeout(done, EVERY_MS))
    if (stopped()) break
    found = (await client.showBuild(place)).investigation ?? found
  }
  const { data, notes } = tellWhole('investigateBuild', found, WORDS.investigateBuild)
  if (isOver(found)) return { data, notes }
  const later = mayLook ? 'check it with show_build' : 'call investigate_build again later'
  return { data, notes: [...notes, `The investigation is still ${found.status}; ${later}. That costs no credit.`] }
}

const tool = routeTool('investigateBuild', WORDS.investigateBuild)

export const investigateBuild: Tool = {
  ...tool,
  input: {
    ...tool.input,
    wait_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: WAIT_MAX_S,
        default: WAIT_S,
        description: 'Seconds; 0 only starts it',
      }),
    ),
  },
  run,
}
