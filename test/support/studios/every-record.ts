import type { Studio } from '../studio.ts'

const LISTS = {
  changes: 'changes',
  build_runs: 'build_runs',
  assets: 'assets',
  approvals: 'approvals',
  deployments: 'deployments',
  breakages: 'breakages',
  tasks: 'tasks',
}

/** Everything that the API returns about a project: every list to its end, every record, every log, the feed. */
export async function everyAnswer(studio: Studio, projectId: number, token: string): Promise<{ text: string; records: number }> {
  const texts: string[] = []
  let records = 0
  const read = async (path: string) => {
    const answer = await studio.ask(`/api/v1/${path}`, { token })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    texts.push(answer.text)
    return answer.json
  }
  const walk = async (path: string, key: string): Promise<{ id: string }[]> => {
    const found: { id: string }[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await read(
        `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      found.push(...page[key])
      cursor = page.pagination?.next_cursor ?? null
    }
    return found
  }
  for (const [list, kind] of Object.entries(LISTS))
    for (const { id } of await walk(`projects/${projectId}/${list}`, kind)) {
      records++
      await read(`projects/${projectId}/${kind}/${id}`)
      if (kind === 'build_runs')
        texts.push((await studio.ask(`/api/v1/projects/${projectId}/build_runs/${id}/log`, { token })).text)
    }
  await read(`projects/${projectId}`)
  await read(`projects/${projectId}/members`)
  await walk('workspace/events', 'events')
  return { text: texts.join('\n'), records }
}
