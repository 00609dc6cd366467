import { notFound } from '../../../contract/errors.ts'
import { sizeOf } from '../../../contract/labels/size.ts'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { useApi } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { PageError } from '../../ui/page-error.tsx'
import { Pill } from '../../ui/pill.tsx'
import { numberOf } from '../../ui/text/dates.ts'
import { spanOf } from '../../ui/text/time.tsx'
import { AreaDetails, type ServiceStatus } from './area-details.tsx'

type Area = ServiceStatus['areas'][number]

const DAY = 86_400
const LEVEL_WORDS: Record<Area['level'], string> = { ok: 'OK', warn: 'Check', err: 'Act now' }

/** The status of the service for operators: in plain words, with what to do next. */
export default function ServiceStatusPage() {
  const { user } = useMe()
  const query = useApi('showServiceStatus', {}, { enabled: user.operator, every: LOOK_AGAIN_MS })
  if (!user.operator) return <PageError error={notFound('Page')} />
  return (
    <Page title="Service status">
      <Loaded query={query}>
        {(status) => (
          <>
            <Summary status={status} />
            {status.areas.map((area) => (
              <AreaSection key={area.name} area={area} status={status} />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Problems first, each linked to its section. */
function Summary({ status: { version, schema, areas } }: { status: ServiceStatus }) {
  const troubled = ['err', 'warn'].flatMap((level) => areas.filter((area) => area.level === level))
  return (
    <div className="grid gap-2">
      <p className="text-sm text-soft">
        Version {version}, schema {schema}. Updated every 30 seconds while this page is open.
      </p>
      {troubled.length === 0 ? (
        <p className="text-sm">Everything works.</p>
      ) : (
        <ul aria-label="Needs attention" className="grid gap-1 text-sm">
          {troubled.map(({ name, label, level, text }) => (
            <li key={name} className="flex flex-wrap items-baseline gap-x-2">
              <Level level={level} />
              <a href={`#${name}`} className="font-medium underline">
                {label}
              </a>
              <span className="wrap-anywhere min-w-0">{text}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const Level = ({ level }: Pick<Area, 'level'>) => <Pill kind={level}>{LEVEL_WORDS[level]}</Pill>

const AreaSection = ({ area, status }: { area: Area; status: ServiceStatus }) => (
  <div id={area.name} className="scroll-mt-4">
    <Section title={area.label} actions={<Level level={area.level} />}>
      <div className="grid max-w-prose gap-1 text-sm">
        <p className="wrap-anywhere">{area.text}</p>
        {area.next && <p className="wrap-anywhere text-soft">{area.next}</p>}
      </div>
      <DefinitionList items={area.figures.map((figure) => [figure.label, amountOf(figure)])} />
      <AreaDetails name={area.name} status={status} />
    </Section>
  </div>
)

function amountOf({ unit, value }: Area['figures'][number]) {
  if (value === null) return <span className="text-soft">not known yet</span>
  if (unit === 'seconds') return value < 2 * DAY ? spanOf(Math.round(value)) : `${numberOf(Math.round(value / DAY))} days`
  if (unit === 'bytes') return `${value < 0 ? '−' : ''}${sizeOf(Math.abs(value))}`
  return numberOf(value)
}
