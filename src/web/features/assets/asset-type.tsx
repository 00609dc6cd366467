import type { AssetType } from '../../../contract/sets.ts'

/** One icon per type, 16 by 16. */
const DRAWINGS: Record<AssetType, string> = {
  texture: 'M2.5 2.5h11v11h-11zM2.5 11l3-3 2.5 2.5L10.5 8l3 3M6 6.2a.7.7 0 1 1-1.4 0 .7.7 0 0 1 1.4 0Z',
  model: 'M8 1.8 13.5 5v6L8 14.2 2.5 11V5L8 1.8Zm0 6.2 5.5-3M8 8v6.2M8 8 2.5 5',
  audio: 'M2 8h1.5M5 5v6M7.5 3v10M10 5.5v5M12.5 7v2',
  script: 'm5.5 5-3 3 3 3m5-6 3 3-3 3M9 3.5l-2 9',
  level: 'M1.5 12.5h13L10 5l-2.5 4L6 7l-4.5 5.5Z',
  material: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5 5.5c1.5-1 3-1 4 0',
  animation: 'M8 4.5a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6ZM8 5v4m0 0-3 5m3-5 3 5M3.5 7 8 6l4.5 1',
  archive: 'M2.5 5h11v8.5h-11zM2 2.5h12V5H2zM6.5 8h3',
  shader: 'M8 14A6 6 0 1 0 8 2m0 12A6 6 0 0 1 8 2m0 12V2m0 3h4.8M8 8h6M8 11h4.8',
  config: 'M2 4.5h6m4 0h2M2 11.5h2m4 0h6M10 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm-4 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  document: 'M4 1.8h5.5L12.5 5v9.2H4zM9.5 2v3h3M6 8.5h4.5M6 11h4.5',
  font: 'M3 13.5 7.5 2.5h1l4.5 11M4.8 9.5h6.4',
  video: 'M2 3.5h12v9H2zM7 6l3 2-3 2z',
}

export const AssetTypeIcon = ({ type, className = '' }: { type: AssetType; className?: string }) => (
  <svg
    aria-hidden="true"
    viewBox="0 0 16 16"
    className={`shrink-0 ${className || 'size-4'}`}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.1"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={DRAWINGS[type]} />
  </svg>
)

export function sizeOf(bytes: number | null): string {
  if (bytes === null) return ''
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3))
  return `${Math.round((bytes / 1000 ** power) * 10) / 10} ${units[power]}`
}
