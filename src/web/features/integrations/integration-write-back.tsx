import type { AppReply } from '../../../contract/app/routes.ts'
import { useProviders } from '../../providers.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'

/** Whether results are written to the tool's server, and what that needs. */
export function IntegrationWriteBack({ integration, locked }: { integration: AppReply<'showIntegration'>; locked: boolean }) {
  const { id, project_id, provider, config, write_back, write_back_problem } = integration
  const tool = useProviders().find(({ name }) => name === provider)
  const turn = useWrite('switchWriteBack', ['showIntegration', 'listIntegrations'])
  if (!tool?.write_back_needs) return null
  const set = (on: boolean) => turn.mutateAsync({ project_id, id, body: { write_back: on } })
  return (
    <Section title="Write results back">
      <p className="max-w-prose text-sm text-soft">
        {tool.write_back_does} The access token needs: {tool.write_back_needs}.
      </p>
      {write_back && write_back_problem && <Notice kind="warn">Nothing is written: {write_back_problem}</Notice>}
      {!config.server ? (
        <Notice>Enter the server and an access token under Server access first.</Notice>
      ) : write_back && !write_back_problem ? (
        <Form action="Switch off" done="Write-back is off" disabled={locked} submit={() => set(false)}>
          <p>On.</p>
        </Form>
      ) : (
        <Form
          action={write_back ? 'Check again' : 'Switch on'}
          done="Write-back is on"
          disabled={locked}
          submit={() => set(true)}
          beside={
            write_back && (
              <Button disabled={locked} onClick={() => void set(false).catch(() => {})}>
                Switch off
              </Button>
            )
          }
        >
          <p>{write_back ? 'On, but paused.' : 'Off.'}</p>
        </Form>
      )}
    </Section>
  )
}
