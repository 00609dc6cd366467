import { type ReactNode, useEffect } from 'react'

/** The frame of pages for people who are not signed in. */
export function OutsideFrame({ title, children, below }: { title: string; children: ReactNode; below?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Goldmaster`
  }, [title])
  return (
    <main className="grid min-h-dvh content-center justify-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <img src="/icon.svg" alt="" className="mb-4 size-9" />
        <h1 className="mb-5 text-xl font-semibold tracking-tight">{title}</h1>
        {children}
        {below && <div className="mt-6 text-sm text-soft">{below}</div>}
      </div>
    </main>
  )
}
