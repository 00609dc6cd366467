import type { ReactNode } from 'react'
import { useTitle } from '../../title.ts'

interface Props {
  title: string
  children: ReactNode
  below?: ReactNode
  wide?: boolean
}

/** The frame of pages for people who are not signed in, or have a single question to answer. */
export function OutsideFrame({ title, children, below, wide = false }: Props) {
  useTitle(title)
  return (
    <main className="grid min-h-dvh content-center justify-items-center px-4 py-10">
      <div className={`w-full ${wide ? 'max-w-xl' : 'max-w-sm'}`}>
        <img src="/icon.svg" alt="" className="mb-4 size-9" />
        <h1 className="mb-5 break-words text-xl font-semibold tracking-tight">{title}</h1>
        {children}
        {below && <div className="mt-6 text-sm text-soft">{below}</div>}
      </div>
    </main>
  )
}
