import { type IconName, PATHS } from './icons.ts'

export const Icon = ({ name, className = '' }: { name: IconName; className?: string }) => (
  <svg
    aria-hidden="true"
    viewBox="0 0 16 16"
    className={`size-4 shrink-0 ${className}`}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.4"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={PATHS[name]} />
  </svg>
)
