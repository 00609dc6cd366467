import { Link, useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { NAME_MAX } from '../../../contract/limits.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useAccount, useAssignees, useMay } from '../../session.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { AgentPrices } from '../agents/agent-prices.tsx'
import { ApprovalRules } from '../approval-rules/approval-rules.tsx'
import { BranchSettings } from '../branches/branch-settings.tsx'
import { AssignmentSettings } from '../breakages/assignment-settings.tsx'
import { InvestigationSettings } from '../breakages/investigation-settings.tsx'
import { JobPatterns } from '../builds/job-patterns.tsx'
import { DeleteProject } from '../export-delete/delete-project.tsx'
import { Exports } from '../export-delete/exports.tsx'
import { FailureRules } from '../failure-rules/failure-rules.tsx'
import { GateSettings } from '../tests/gate-settings.tsx'
import { ENGINES } from './engines.ts'
import { PathOwners } from './path-owners.tsx'
import { ProjectState } from './project-state.tsx'

type Settings = AppReply<'showProjectSettings'>

export default function ProjectSettings() {
  const { projectId = '' } = useParams({ strict: false })
  const owner = useMay('lead')
  const admin = useMay('admin')
  const account = useAccount()
  const locked = !owner || Boolean(account?.read_only)
  const query = useApi('showProjectSettings', { project_id: projectId })
  // Loaded with the settings, shown among them.
  useAssignees(projectId)
  useApi('listFailureRules', { account_id: account?.id ?? 0 }, { enabled: account !== undefined })
  useApi('listExports', { account_id: account?.id ?? 0 }, { enabled: owner && account !== undefined && !account.demo })
  return (
    <Page title="Project settings">
      {!owner && <Notice>Only owners of the project or its account can change these settings.</Notice>}
      <Loaded query={query}>
        {(settings) => (
          <div key={settings.id} className="grid gap-4">
            <General settings={settings} locked={locked} />
            <BranchSettings settings={settings} locked={locked} />
            <JobPatterns settings={settings} locked={locked} />
            <PathOwners settings={settings} locked={locked} />
            <GateSettings settings={settings} locked={locked} />
            <AgentPrices settings={settings} locked={locked} />
            <ApprovalRules settings={settings} locked={locked} />
            <InvestigationSettings settings={settings} locked={locked} />
            <AssignmentSettings settings={settings} locked={locked} />
            <FailureRules accountId={settings.account_id} />
            <Clients projectId={projectId} />
            <ProjectState settings={settings} locked={locked} />
            {owner && !account?.demo && <Exports accountId={settings.account_id} projectId={settings.id} />}
            {admin && !account?.demo && <DeleteProject project={settings} />}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

const Clients = ({ projectId }: { projectId: string }) => (
  <Section title="Unreal Game Sync">
    <p className="text-sm text-soft">
      Unreal Game Sync can show this project’s builds next to its changes:{' '}
      <Link to="/projects/$projectId/unreal-game-sync" params={{ projectId }} className="underline">
        tokens and setup
      </Link>
    </p>
  </Section>
)

interface Part {
  settings: Settings
  locked: boolean
}

function General({ settings, locked }: Part) {
  const [name, setName, clearName] = useDraft(`project name ${settings.id}`, settings.name)
  const [engine, setEngine, clearEngine] = useDraft(`project engine ${settings.id}`, settings.engine)
  const edit = useWrite('editProject', ['showProjectSettings', 'showMe'])
  const engines = ENGINES.some(([value]) => value === settings.engine)
    ? ENGINES
    : ([...ENGINES, [settings.engine, settings.engine || 'Not set']] as const)
  const submit = async () => {
    await edit.mutateAsync({ project_id: settings.id, body: { name, engine } })
    clearName()
    clearEngine()
  }
  return (
    <Section title="General">
      <Form
        action="Save"
        submit={submit}
        done="Saved"
        disabled={locked || (name === settings.name && engine === settings.engine)}
      >
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField label="Name" required maxLength={NAME_MAX} disabled={locked} value={name} onChange={setName} />
          <Select
            label="Engine"
            hint="Used for builds that don’t report an engine."
            options={engines}
            disabled={locked}
            value={engine}
            onChange={setEngine}
          />
        </div>
      </Form>
    </Section>
  )
}
