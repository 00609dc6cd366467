import { useState } from 'react'
import { labelOf } from '../../../contract/labels.ts'
import { PROVIDER_CATEGORIES, type ProviderName } from '../../../contract/sets.ts'
import { wordsOf } from '../../api.ts'
import { useProviders } from '../../providers.ts'
import { useWrite } from '../../queries.ts'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'

interface Props {
  projectId: string | number
  onMade(integrationId: number, provider: ProviderName): void
}

/** Every available tool; choosing one connects it, then its URL and guide are shown. */
export function ToolChoice({ projectId, onMade }: Props) {
  const providers = useProviders()
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
      {PROVIDER_CATEGORIES.map((category) => (
        <section key={category} aria-label={labelOf('provider_category', category)} className="grid gap-2">
          <h2 className="text-xs font-medium text-soft">{labelOf('provider_category', category)}</h2>
          <div className="grid gap-2 sm:grid-cols-2">
            {providers
              .filter((one) => one.category === category)
              .map(({ name, label, reports }) => (
                <button
                  key={name}
                  type="button"
                  disabled={create.isPending}
                  aria-busy={create.isPending && chosen === name}
                  onClick={() => void choose(name)}
                  className="flex items-center gap-3 rounded-lg border border-line bg-panel px-3 py-2.5 text-left hover:border-strong-line hover:bg-hover disabled:opacity-60"
                >
                  <span className="grid min-w-0 flex-1">
                    <span className="text-sm font-medium">{label}</span>
                    <span className="text-xs text-soft">{reports}</span>
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
