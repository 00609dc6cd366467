import { useMemo } from 'react'
import type { BuildContext } from '../../../contract/app/builds.ts'
import { isKnown, useApi } from '../../queries.ts'
import { useBuildChanges } from './build-changes.tsx'
import type { Whereabouts } from './log/links.ts'
import { fileAddress } from './log/repository-files.ts'

interface Of {
  projectId: string
  buildId: string
}

const useAsked = ({ projectId, buildId }: Of) => useApi('showBuildContext', { project_id: projectId, build_run_id: buildId })

/** The context of a build, once loaded. */
export function useBuildContext(of: Of): BuildContext | undefined {
  const { data, isPlaceholderData } = useAsked(of)
  return isPlaceholderData ? undefined : data
}

/** Whether it is loaded. */
export const useBuildContextKnown = (of: Of): boolean => isKnown(useAsked(of))

/** The length of an abbreviated hash. */
const SHORT = 7

/** The URLs of files and changes in a log. */
export function useWhereabouts(of: Of): Whereabouts {
  const context = useBuildContext(of)
  const changes = useBuildChanges(of).data?.changes
  return useMemo(() => {
    const known = new Map((changes ?? []).map(({ id, identifier }) => [identifier.slice(0, SHORT), { id, identifier }]))
    return {
      fileAt: (path, line) => context && fileAddress(path, line, context),
      changeAt: (named) => {
        const change = known.get(named.slice(0, SHORT))
        return change?.identifier.startsWith(named) ? `/projects/${of.projectId}/changes/${change.id}` : undefined
      },
    }
  }, [changes, context, of.projectId])
}
