import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAccount, useMe } from '../../session.ts'
import { PROJECT_SETTINGS, type SettingsPage, settingsGroups } from '../../shell/navigation.ts'
import { Filter } from '../../ui/form/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page, Section } from '../../ui/page.tsx'

/** The pages of the settings, grouped by who uses them (you, the studio, a project, operators), each with a line about its content. */
export default function Settings() {
  const [you, studio, ...operations] = settingsGroups(useMe())
  return (
    <Page title="Settings">
      <Group group={you!} />
      <Group group={studio!} />
      <ProjectGroup />
      {operations.map((group) => (
        <Group key={group[0]} group={group} />
      ))}
    </Page>
  )
}

const Group = ({ group: [name, places] }: { group: [string, SettingsPage[]] }) => (
  <Section title={name}>
    <Places places={places} />
  </Section>
)

/** The settings of one project; a studio with several chooses which. */
function ProjectGroup() {
  const { projects } = useMe()
  const account = useAccount()
  const [chosen, setChosen] = useState('')
  const project =
    projects.find(({ id }) => String(id) === chosen) ??
    projects.find(({ account_id }) => account_id === account?.id) ??
    projects[0]
  if (!project) return null
  return (
    <Section
      title="Project"
      actions={
        projects.length > 1 && (
          <Filter
            label="Project"
            options={projects.map(({ id, name }) => [String(id), name] as const)}
            value={String(project.id)}
            onChange={setChosen}
          />
        )
      }
    >
      <Places below={`/projects/${project.id}`} places={PROJECT_SETTINGS} />
    </Section>
  )
}

const Places = ({ below = '', places }: { below?: string; places: SettingsPage[] }) => (
  <ul className="grid grid-cols-1 gap-1 sm:grid-cols-2">
    {places.map(([path, label, icon, line]) => (
      <li key={path} className="min-w-0">
        <Link to={`${below}${path}`} className="flex gap-3 rounded-md p-2 hover:bg-hover">
          <Icon name={icon} className="mt-0.5 text-soft" />
          <span className="grid min-w-0">
            <span className="text-sm font-medium">{label}</span>
            <span className="text-xs text-soft">{line}</span>
          </span>
        </Link>
      </li>
    ))}
  </ul>
)
