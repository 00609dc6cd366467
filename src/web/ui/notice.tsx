import type { ReactNode } from 'react'
import { ApiError, wordsOf } from '../api.ts'
import { Button } from './form/button.tsx'
import { NotFound } from './not-found.tsx'

const LOOKS = {
  err: 'border-err/40 bg-err-wash text-err',
  warn: 'border-warn/40 bg-warn-wash text-warn',
  info: 'border-info/40 bg-info-wash text-info',
  ok: 'border-ok/40 bg-ok-wash text-ok',
}

export const Notice = ({ kind = 'info', children }: { kind?: keyof typeof LOOKS; children: ReactNode }) => (
  <div role={kind === 'err' ? 'alert' : 'status'} className={`wrap-anywhere rounded-md border px-3 py-2 text-sm ${LOOKS[kind]}`}>
    {children}
  </div>
)

/** An error with a retry. */
export const Failed = ({ error, retry }: { error: unknown; retry?: () => void }) =>
  error instanceof ApiError && error.status === 404 ? (
    <NotFound />
  ) : (
    <Notice kind="err">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span>{wordsOf(error)}</span>
        {retry && <Button onClick={retry}>Try again</Button>}
      </div>
    </Notice>
  )
