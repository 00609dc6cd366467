import { at, objects, text } from '../../reading.ts'
import type { Issue, TrackerWriteBack } from '../../write-back/server.ts'
import { Refused } from '../ci-replies.ts'
import { linearAt } from './server.ts'

/** `https://linear.app/owl/issue/ENG-12` of a page that has the title too. */
const PAGE = /^(https:\/\/[^/]+\/[^/]+\/issue\/([A-Z][A-Z0-9]*)-\d+)(?:\/|$)/i

const NOWHERE = '00000000-0000-4000-8000-000000000000'

const CREATE = `mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { comment { id } } }`

export const writeBack: TrackerWriteBack = {
  repositoryOf: (_config, page) => PAGE.exec(page)?.[2]?.toUpperCase(),
  open(config, allowed, signal) {
    const ask = linearAt(config, allowed, signal)
    /** The issue in the workspace of the key, which may have another issue of this number. */
    const find = async ({ key, page }: Issue, fields: string) => {
      const { issue } = await ask(`query ($id: String!) { issue(id: $id) { id url ${fields} } }`, { id: key })
      const [asked, found] = [page, text(at(issue, 'url')) ?? ''].map((url) => PAGE.exec(url)?.[1]?.toLowerCase())
      if (asked === undefined || asked !== found) throw new Refused('Linear has another issue with this key.', 404)
      return issue
    }
    return {
      async findComment(issue, mark) {
        const query = `comments(first: 1, filter: { body: { contains: $mark }, user: { isMe: { eq: true } } }) { nodes { id } }`
        const { issue: found } = await ask(`query ($id: String!, $mark: String!) { issue(id: $id) { ${query} } }`, {
          id: issue.key,
          mark,
        })
        return text(at(found, 'comments', 'nodes', 0, 'id'))
      },
      async createComment(issue, body) {
        const issueId = text(at(await find(issue, ''), 'id'))
        const { commentCreate } = await ask(CREATE, { input: { issueId, body, doNotSubscribeToIssue: true } })
        const id = text(at(commentCreate, 'comment', 'id'))
        if (id === undefined) throw new Refused('Linear answers without the id of the comment.')
        return id
      },
      editComment: (_issue, id, body) =>
        ask(`mutation ($id: String!, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input) { success } }`, {
          id,
          input: { body },
        }),
      async finish(issue, state) {
        const found = await find(issue, 'state { type } team { states { nodes { id name type } } }')
        if (at(found, 'state', 'type') === 'completed' || at(found, 'state', 'type') === 'canceled') return
        const done = objects(at(found, 'team', 'states', 'nodes')).find(
          ({ name, type }) => type === 'completed' && text(name)?.toLowerCase() === state.toLowerCase(),
        )
        if (done)
          await ask(`mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }`, {
            id: at(found, 'id'),
            input: { stateId: done.id },
          })
      },
    }
  },
  async check(config, allowed) {
    const ask = linearAt(config, allowed)
    await ask('query { viewer { id } }')
    // A comment on an issue that does not exist shows whether the key may comment.
    const refused = await ask(CREATE, { input: { issueId: NOWHERE, body: 'Goldmaster' } }).catch((error: unknown) => error)
    if (!(refused instanceof Error)) throw new Refused('Linear accepts a comment on an issue that does not exist.')
    if (!(refused instanceof Refused && (refused.status === 404 || refused.status === 400))) throw refused
    const name = text(config.done_state)?.toLowerCase()
    if (name === undefined) return
    const { workflowStates } = await ask(
      'query { workflowStates(first: 250, filter: { type: { eq: "completed" } }) { nodes { name } } }',
    )
    if (!objects(at(workflowStates, 'nodes')).some((state) => text(state.name)?.toLowerCase() === name))
      throw new Refused(
        `Linear has no completed status ${text(config.done_state)}. Check the done status in the integration settings.`,
      )
  },
}
