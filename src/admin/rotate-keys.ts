import { rotateKeys as rotate } from '../domain/access/key-rotation.ts'
import { recordEverywhere } from '../domain/audit/operators.ts'
import { command } from './command.ts'
import { showProgress } from './progress.ts'

export const rotateKeys = command({
  name: 'rotate-keys',
  summary: 'Re-encrypt all stored secrets with a new SECRET_KEY',
  details:
    'Reads secrets with SECRET_KEY_PREVIOUS and writes them with SECRET_KEY, while the service runs. If it is interrupted, run it again.\nAfterwards the service needs only SECRET_KEY. docs/operations.md has all the steps.',
  examples: ['$ SECRET_KEY=$NEW SECRET_KEY_PREVIOUS=$OLD goldmaster admin rotate-keys'],
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
