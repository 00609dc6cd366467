import { Link, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { ApiError, wordsOf } from '../api.ts'
import { connection } from '../connection.ts'
import { isTransient } from '../queries.ts'
import { Empty } from './empty.tsx'
import { Button } from './form/button.tsx'
import { NotFound } from './not-found.tsx'
import { Page } from './page.tsx'

/** A page that cannot be shown: the reason, and two actions. */
export function PageError({ error }: { error: unknown }) {
  const router = useRouter()
  const again = () => void router.invalidate()
  const latest = useRef(again)
  latest.current = again
  useEffect(() => {
    let here = true
    // While a request is running the same failure is rendered again: an automatic retry then would loop.
    if (isTransient(error) && connection.isWaiting()) void connection.back().then(() => here && latest.current())
    return () => {
      here = false
    }
  }, [error])
  if (error instanceof ApiError && error.status === 404)
    return (
      <Page title="Not found">
        <NotFound />
      </Page>
    )
  return (
    <Page title="Something went wrong">
      <Empty
        title="This page can’t be shown"
        action={
          <div className="mt-2 flex gap-2">
            <Button look="main" onClick={again}>
              Try again
            </Button>
            <Link to="/feed" className="px-3 py-1.5 text-sm underline">
              Go to the feed
            </Link>
          </div>
        }
      >
        {wordsOf(error)}
      </Empty>
    </Page>
  )
}
