import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Me } from '../contract/app/shapes.ts'
import { queryClient } from './queries.ts'

/** The tab has the title of its page; tabs of several projects are distinguished by their names. */
export function useTitle(title: string) {
  const { projectId } = useParams({ strict: false })
  // Not `useProject`: a page that could not be shown has a title too, and nobody may be signed in.
  const me = queryClient.getQueryData<Me>(['showMe', {}])
  const project = me?.projects.find(({ id }) => String(id) === projectId)?.name
  const whole = [...new Set([title, project])].filter(Boolean).join(' · ')
  useEffect(() => {
    document.title = whole.includes('Goldmaster') ? whole : `${whole} · Goldmaster`
  }, [whole])
}
