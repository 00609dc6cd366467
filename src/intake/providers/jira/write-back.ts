import { at, type Json, number, objects, text, word } from '../../reading.ts'
import type { TrackerWriteBack } from '../../write-back/server.ts'
import { Refused } from '../ci-replies.ts'
import { baseOf, jiraAt } from './server.ts'

const PAGE = 100
const PAGES_MAX = 20

/** Cloud identifies people by account id, Data Center by key. */
const personOf = (person: unknown) => text(at(person, 'accountId')) ?? text(at(person, 'key'))

const PERMISSIONS: Record<string, string> = {
  BROWSE_PROJECTS: 'Browse projects',
  ADD_COMMENTS: 'Add comments',
  EDIT_OWN_COMMENTS: 'Edit own comments',
}
const TO_FINISH = { TRANSITION_ISSUES: 'Transition issues' }

export const writeBack: TrackerWriteBack = {
  repositoryOf(config, page) {
    const base = `${baseOf(config)}/browse/`.toLowerCase()
    return page.toLowerCase().startsWith(base) ? /^(.+)-\d+$/.exec(page.slice(base.length))?.[1]?.toUpperCase() : undefined
  },
  open(config, allowed, signal) {
    const ask = jiraAt(config, allowed, signal)
    const issueOf = (key: string) => `/issue/${encodeURIComponent(key)}`
    return {
      async findComment({ key }, mark) {
        const own = personOf(await ask('/myself'))
        for (let page = 0; page < PAGES_MAX; page++) {
          const reply = await ask(`${issueOf(key)}/comment?startAt=${page * PAGE}&maxResults=${PAGE}`)
          const found = objects(at(reply, 'comments')).find(
            ({ body, author }) => text(body)?.includes(mark) && personOf(author) === own,
          )
          if (found) return word(found.id)
          if ((page + 1) * PAGE >= (number(at(reply, 'total')) ?? 0)) break
        }
        return undefined
      },
      createComment: async ({ key }, body) => idOf(await ask(`${issueOf(key)}/comment`, 'POST', { body })),
      editComment: ({ key }, id, body) => ask(`${issueOf(key)}/comment/${id}`, 'PUT', { body }),
      async finish({ key }, state) {
        const status = at(await ask(`${issueOf(key)}?fields=status`), 'fields', 'status')
        if (isDone(status)) return
        const transitions = objects(at(await ask(`${issueOf(key)}/transitions`), 'transitions'))
        const found = transitions.find(({ to }) => isDone(to) && isNamed(at(to, 'name'), state))
        if (found) await ask(`${issueOf(key)}/transitions`, 'POST', { transition: { id: word(found.id) } })
      },
    }
  },
  async check(config, allowed, projects) {
    const ask = jiraAt(config, allowed)
    await ask('/myself')
    const asked: Record<string, string> = { ...PERMISSIONS, ...(text(config.done_state) && TO_FINISH) }
    const query = `permissions=${Object.keys(asked).join(',')}`
    for (const project of projects.length > 0 ? projects : [undefined]) {
      const { permissions } = (await ask(
        `/mypermissions?${query}${project === undefined ? '' : `&projectKey=${encodeURIComponent(project)}`}`,
      )) as Json
      const missing = Object.keys(asked).filter((key) => at(permissions, key, 'havePermission') !== true)
      if (missing.length > 0)
        throw new Refused(
          `The user of the token lacks the permission ${missing.map((key) => asked[key]).join(' and ')}${project === undefined ? '' : ` in ${project}`}.`,
        )
    }
    const name = text(config.done_state)
    if (name && !objects(await ask('/status')).some((status) => isDone(status) && isNamed(status.name, name)))
      throw new Refused(`Jira has no status ${name} of the category Done. Check the done status in the integration settings.`)
  },
}

const isDone = (status: unknown) => at(status, 'statusCategory', 'key') === 'done'
const isNamed = (name: unknown, state: string) => text(name)?.toLowerCase() === state.toLowerCase()

function idOf(comment: unknown): string {
  const id = word(at(comment, 'id'))
  if (id === undefined) throw new Refused('Jira answers without the id of the comment.')
  return id
}
