import { Link } from '@tanstack/react-router'
import type { BuildContext, BuildLine } from '../../../contract/app/builds.ts'
import { labelOf, lowered } from '../../../contract/labels.ts'
import { buildPage } from '../../record-pages.ts'

/** The builds of the same job and branch before and after one. */
export const AdjacentBuilds = ({ projectId, context }: { projectId: string; context: BuildContext | undefined }) => (
  <nav aria-label="Builds of this job" className="flex min-h-5 flex-wrap justify-between gap-x-4 text-sm text-soft">
    {context?.previous ? <AdjacentBuild projectId={projectId} build={context.previous} way="←" /> : <span />}
    {context?.next && <AdjacentBuild projectId={projectId} build={context.next} way="→" />}
  </nav>
)

function AdjacentBuild({ projectId, build, way }: { projectId: string; build: BuildLine; way: '←' | '→' }) {
  const words = `#${build.build_number || build.id} ${lowered(labelOf('build_status', build.status))}`
  return (
    <Link {...buildPage(projectId, build.id)} rel={way === '←' ? 'prev' : 'next'} className="hover:text-ink hover:underline">
      {way === '←' ? `${way} ${words}` : `${words} ${way}`}
    </Link>
  )
}
