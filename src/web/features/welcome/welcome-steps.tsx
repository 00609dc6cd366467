import { Icon } from '../../ui/icon.tsx'

const STEPS = [
  ['owner', 'Owner'],
  ['project', 'Project'],
  ['tool', 'Tool'],
  ['delivery', 'First delivery'],
] as const
type Step = (typeof STEPS)[number][0]

/** The current step. */
export function WelcomeSteps({ at }: { at: Step }) {
  const current = STEPS.findIndex(([step]) => step === at)
  return (
    <ol aria-label="Steps" className="flex flex-wrap gap-x-5 gap-y-2 text-sm">
      {STEPS.map(([step, label], i) => (
        <li
          key={step}
          aria-current={i === current ? 'step' : undefined}
          className={`flex items-center gap-2 ${i === current ? 'font-medium text-ink' : 'text-soft'}`}
        >
          <span
            className={`grid size-6 place-items-center rounded-full border text-xs ${i < current ? 'border-transparent bg-ok-wash text-ok' : i === current ? 'border-accent text-accent' : 'border-line'}`}
          >
            {i < current ? <Icon name="task" className="size-3.5" /> : i + 1}
          </span>
          {label}
          {i < current && <span className="sr-only">, done</span>}
        </li>
      ))}
    </ol>
  )
}
