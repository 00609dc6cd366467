import { Type } from 'typebox'
import { BuildTests, ProjectTests, TestHistory } from '../contract/routes/test-shapes.ts'
import { RECORD_NUMBER } from './inputs.ts'
import { routeTool, tellWhole } from './route-tools.ts'
import { outputOf } from './schemas.ts'
import type { Tool, ToolCall } from './tool.ts'
import { WORDS } from './words.ts'

async function run({ client, args: { project_id, build_run_id, test_id, job } }: ToolCall) {
  const project = { project_id: String(project_id) }
  const data =
    test_id !== undefined
      ? { test: await client.showTest({ ...project, id: String(test_id) }) }
      : build_run_id !== undefined
        ? { of_build: await client.listBuildTests({ ...project, build_run_id: String(build_run_id) }) }
        : { of_project: await client.listTests({ ...project, query: job === undefined ? {} : { job: String(job) } }) }
  return tellWhole('listTests', data, WORDS.listTests)
}

const tool = routeTool('listTests', WORDS.listTests)

/** Tests of a project or a build, or one test: every tool costs in each conversation, so that three routes share one. */
export const listTests: Tool = {
  ...tool,
  input: {
    ...tool.input,
    build_run_id: Type.Optional(Type.String({ pattern: RECORD_NUMBER })),
    test_id: Type.Optional(Type.String({ pattern: RECORD_NUMBER, description: 'Id of a test, for its history' })),
  },
  output: outputOf({
    of_project: Type.Optional(ProjectTests),
    of_build: Type.Optional(BuildTests),
    test: Type.Optional(TestHistory),
  }),
  run,
}
