import { useState } from 'react'
import type { ProviderName } from '../../../contract/sets.ts'
import { wordsOf } from '../../api.ts'
import { useWrite } from '../../queries.ts'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TOOL_GROUPS, TOOLS } from './tools.ts'

interface Props {
  projectId: string | number
  onMade(integrationId: number, provider: ProviderName): void
}

/** Every tool that can be connected; choosing one connects it, and its address and guide come next. */
export function ToolChoice({ projectId, onMade }: Props) {
  const create = useWrite('createIntegration', ['listIntegrations'])
  const [chosen, setChosen] = useState<ProviderName>()
  const choose = async (provider: ProviderName) => {
    setChosen(provider)
    const made = await create.mutateAsync({ project_id: projectId, body: { provider } }).catch(() => undefined)
    if (made) onMade(made.id, provider)
  }
  return (
    <div className="grid gap-4">
      {create.error && <Notice kind="err">{wordsOf(create.error)}</Notice>}
      {TOOL_GROUPS.map(([title, tools]) => (
        <section key={title} aria-label={title} className="grid gap-2">
          <h3 className="text-xs font-medium text-soft">{title}</h3>
          <div className="grid gap-2 sm:grid-cols-2">
            {tools.map((provider) => (
              <button
                key={provider}
                type="button"
                disabled={create.isPending}
                aria-busy={create.isPending && chosen === provider}
                onClick={() => void choose(provider)}
                className="flex items-center gap-3 rounded-lg border border-line bg-panel px-3 py-2.5 text-left hover:border-strong-line hover:bg-hover disabled:opacity-60"
              >
                <span className="grid min-w-0 flex-1">
                  <span className="text-sm font-medium">{TOOLS[provider].name}</span>
                  <span className="text-xs text-soft">{TOOLS[provider].tells}</span>
                </span>
                <Icon name="right" className="text-faint" />
              </button>
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}
