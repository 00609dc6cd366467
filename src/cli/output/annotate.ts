interface Annotation {
  title: string
  message: string
  file?: string | null | undefined
  line?: number | null | undefined
}

const escaped = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string) => escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** Paths in a repository, as GitHub shows them next to a change. */
const inRepository = (file: string, env: NodeJS.ProcessEnv) => {
  const [path, root] = [file, env.GITHUB_WORKSPACE ?? ''].map((each) => each.replaceAll('\\', '/'))
  return root && path!.startsWith(`${root}/`) ? path!.slice(root.length + 1) : path!
}

function workflowCommand({ title, message, file, line }: Annotation, env: NodeJS.ProcessEnv): string {
  const properties = [
    ...(file ? [`file=${property(inRepository(file, env))}`] : []),
    ...(file && line ? [`line=${line}`] : []),
    `title=${property(title)}`,
  ]
  return `::error ${properties.join(',')}::${escaped(message)}`
}

/** Shows why a build failed where users of a CI server look: next to the code on GitHub, at the top of the build on Buildkite. */
export async function annotate(annotation: Annotation, env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<void> {
  if (env.GITHUB_ACTIONS === 'true') print(workflowCommand(annotation, env))
  if (env.BUILDKITE !== 'true') return
  const { spawnSync } = await import('node:child_process')
  const { title, message, file, line } = annotation
  const place = file ? `\n\n\`${file}${line ? `:${line}` : ''}\`` : ''
  // Without the agent's program there is no annotation; the report is in the log anyway.
  spawnSync('buildkite-agent', ['annotate', '--style', 'error', '--context', `goldmaster-${title}`], {
    input: `**${title}**\n\n${message}${place}\n`,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}
