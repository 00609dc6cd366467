import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../queries.ts'
import { useAccount, useMay } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { guideOf } from './guide.ts'
import { NewUgsToken } from './new-ugs-token.tsx'
import { UgsTokens } from './ugs-tokens.tsx'

/** Tokens for Unreal Game Sync clients, and their setup guide. */
export default function UnrealGameSync() {
  const { projectId = '' } = useParams({ strict: false })
  const owner = useMay('lead')
  return (
    <Page title="Unreal Game Sync" up={['Project settings', `/projects/${projectId}/settings`]}>
      {owner ? <Owned projectId={projectId} /> : <Notice>Only owners of the project or its account can see this page.</Notice>}
    </Page>
  )
}

function Owned({ projectId }: { projectId: string }) {
  const locked = Boolean(useAccount()?.read_only)
  const [making, setMaking] = useState(false)
  /** Known only until the page is closed. */
  const [token, setToken] = useState<string>()
  const query = useApi('listUgsTokens', { project_id: projectId })
  const make = (
    <Button look="main" disabled={locked} onClick={() => setMaking(true)}>
      <Icon name="plus" /> New token
    </Button>
  )
  return (
    <>
      <p className="max-w-prose text-sm text-soft">
        Unmodified Unreal Game Sync clients show this project’s builds as badges and share votes, stars, comments and sync times.
        A token gives access to this data only.
      </p>
      <Section title="Tokens" actions={make}>
        {token && <Notice kind="warn">The lines below contain the new token. Copy them now: the token isn’t shown again.</Notice>}
        <Loaded query={query}>
          {({ ugs_tokens }) =>
            ugs_tokens.length === 0 ? (
              <Empty title="No tokens yet">One token is enough for the whole team. You can create a separate one for CI.</Empty>
            ) : (
              <UgsTokens projectId={projectId} tokens={ugs_tokens} />
            )
          }
        </Loaded>
      </Section>
      <Section title="Setup">
        <Markdown text={guideOf(location.origin, token)} />
      </Section>
      {making && <NewUgsToken projectId={projectId} onMade={setToken} onClose={() => setMaking(false)} />}
    </>
  )
}
