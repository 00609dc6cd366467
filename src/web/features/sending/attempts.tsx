import { Time } from '../../ui/text/time.tsx'

interface Attempt {
  at: string
  /** A chat message is posted, edited and searched for; a webhook is only posted. */
  action?: string
  status: number | null
  milliseconds: number
  error: string | null
  response: string | null
}

const ACTIONS: Record<string, string> = { post: 'Post: ', edit: 'Edit: ', find: 'Search for the message: ' }

/** Every attempt to send a message, with its response. */
export const Attempts = ({ attempts }: { attempts: readonly Attempt[] }) =>
  attempts.length === 0 ? (
    <p className="text-sm text-soft">No attempts yet.</p>
  ) : (
    <ol aria-label="Attempts" className="grid gap-2 text-sm">
      {attempts.map(({ at, action = '', status, milliseconds, error, response }) => (
        <li key={`${at} ${action}`} className="grid gap-1 border-l-2 border-line pl-3">
          <span>
            {ACTIONS[action] ?? action}
            <strong className="font-medium">{status ?? 'no response'}</strong> after {milliseconds} ms, <Time at={at} />
          </span>
          {error && <span className="wrap-anywhere text-err">{error}</span>}
          {response && <span className="break-all font-mono text-xs text-soft">{response.slice(0, 500)}</span>}
        </li>
      ))}
    </ol>
  )
