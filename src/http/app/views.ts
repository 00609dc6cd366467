import * as savedViews from '../../domain/projects/saved-views.ts'
import { idOf } from '../rest/path-ids.ts'
import { type AppCall, type AppHandlers, done } from './app.ts'

type Name = 'listViews' | 'saveView' | 'deleteView'

const owner = ({ account_id, caller }: Pick<AppCall<Name>, 'account_id' | 'caller'>) => ({ account_id, user_id: caller.user_id })

export const viewHandlers: Pick<AppHandlers, Name> = {
  listViews: async ({ db, ...call }) => ({ views: await savedViews.list(db, owner(call)) }),
  saveView: ({ db, body, ...call }) => savedViews.save(db, owner(call), body),
  deleteView: async ({ db, path, ...call }) => {
    await savedViews.remove(db, owner(call), idOf(path.id, 'View'))
    return done
  },
}
