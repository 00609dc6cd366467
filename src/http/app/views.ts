import type { viewRoutes } from '../../contract/app/views.ts'
import * as savedViews from '../../domain/projects/saved-views.ts'
import { type Call, done, type Handlers } from '../routes/call.ts'
import { idOf } from '../routes/path-ids.ts'

type Name = keyof typeof viewRoutes

const owner = ({ account_id, caller }: Pick<Call<Name>, 'account_id' | 'caller'>) => ({ account_id, user_id: caller.user_id })

export const viewHandlers: Handlers<Name> = {
  listViews: async ({ db, ...call }) => ({ views: await savedViews.list(db, owner(call)) }),
  saveView: ({ db, body, ...call }) => savedViews.save(db, owner(call), body),
  deleteView: async ({ db, path, ...call }) => {
    await savedViews.remove(db, owner(call), idOf(path.id, 'View'))
    return done
  },
}
