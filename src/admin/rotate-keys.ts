import { rotateKeys as rotate } from '../domain/access/key-rotation.ts'
import { recordEverywhere } from '../domain/audit/operators.ts'
import { command } from './command.ts'
import { showProgress } from './progress.ts'

export const rotateKeys = command({
  name: 'rotate-keys',
  summary: 'seal every stored secret with SECRET_KEY, opening what SECRET_KEY_PREVIOUS sealed',
  details:
    'The service runs on meanwhile. A run that broke off is simply started again. Afterwards a start needs SECRET_KEY, and the previous key opens nothing that is stored: docs/operations.md tells the whole way.',
  examples: ['SECRET_KEY=$NEW SECRET_KEY_PREVIOUS=$OLD goldmaster admin rotate-keys'],
  async run({ out, store }) {
    const { db, vault, action } = await store()
    const progress = showProgress(process.stderr)
    const done = await rotate(db, vault, ({ looked, resealed }) => progress.update({ looked, resealed }))
    await recordEverywhere(db, action)
    progress.clear()
    out.record(done)
    // No key can decrypt these values; the operator should know it nevertheless.
    return done.lost.length > 0 ? 1 : 0
  },
})
