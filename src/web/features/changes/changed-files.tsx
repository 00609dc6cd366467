import { useState } from 'react'
import type { ChangeDetail } from '../../../contract/shapes.ts'
import { Button } from '../../ui/form/button.tsx'
import { numberOf } from '../../ui/text/dates.ts'

type File = ChangeDetail['files'][number]

const LOOKS: Record<string, [sign: string, look: string]> = {
  add: ['+', 'text-ok'],
  added: ['+', 'text-ok'],
  branch: ['+', 'text-ok'],
  delete: ['−', 'text-err'],
  deleted: ['−', 'text-err'],
  removed: ['−', 'text-err'],
}
const FIRST = 200

/** The files of a change below their folders. */
export function ChangedFiles({ files }: { files: readonly File[] }) {
  const [shown, setShown] = useState(FIRST)
  return (
    <div className="grid gap-3">
      {foldersOf(files.slice(0, shown)).map(([folder, inside]) => (
        <div key={folder} className="min-w-0">
          <p className="break-all font-mono text-xs text-soft">{folder || '/'}</p>
          <ul>
            {inside.map(({ path, action }) => {
              const [sign, look] = LOOKS[action.split('/').at(-1)!] ?? ['~', 'text-info']
              return (
                <li key={path} className="flex gap-2 py-0.5 font-mono text-xs">
                  <span title={action} className={`w-3 shrink-0 text-center ${look}`}>
                    <span aria-hidden="true">{sign}</span>
                    <span className="sr-only">{action}</span>
                  </span>
                  <span className="break-all">{path.slice(folder.length)}</span>
                </li>
              )
            })}
          </ul>
        </div>
      ))}
      {files.length > shown && (
        <Button onClick={() => setShown(shown + 1000)}>Show more of {numberOf(files.length)} files</Button>
      )}
    </div>
  )
}

function foldersOf(files: readonly File[]): [folder: string, files: File[]][] {
  const folders = new Map<string, File[]>()
  for (const file of files) {
    const folder = file.path.slice(0, file.path.lastIndexOf('/') + 1)
    folders.set(folder, [...(folders.get(folder) ?? []), file])
  }
  return [...folders].sort(([a], [b]) => (a < b ? -1 : 1))
}
