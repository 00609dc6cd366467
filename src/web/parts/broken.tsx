import { Link, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { ApiError, wordsOf } from '../api.ts'
import { connection } from '../connection.ts'
import { passes } from '../queries.ts'
import { Button } from './button.tsx'
import { Empty } from './empty.tsx'

/** When a page cannot be shown: why, and two ways on. */
export function Broken({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter()
  const again = () => {
    reset?.()
    void router.invalidate()
  }
  const latest = useRef(again)
  latest.current = again
  useEffect(() => {
    let here = true
    if (passes(error)) void connection.back().then(() => here && latest.current())
    return () => {
      here = false
    }
  }, [error])
  const missing = error instanceof ApiError && error.status === 404
  return (
    <div className="p-8">
      <Empty
        title={missing ? 'This is not here' : 'This page could not be shown'}
        action={
          <div className="mt-2 flex gap-2">
            <Button look="main" onClick={again}>
              Try again
            </Button>
            <Link to="/feed" className="px-3 py-1.5 text-sm underline">
              To the feed
            </Link>
          </div>
        }
      >
        {missing ? 'It does not exist, or it belongs to somebody else.' : wordsOf(error)}
      </Empty>
    </div>
  )
}
