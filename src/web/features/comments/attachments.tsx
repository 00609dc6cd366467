import { type ReactNode, useId, useState } from 'react'
import { sizeOf } from '../../../contract/labels/size.ts'
import { ATTACHMENTS_MAX, FILE_MAX } from '../../../contract/limits.ts'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { Comment } from './queries.ts'

/** Shown in the page; the server serves nothing else as a picture. */
const isShown = ({ type, width }: Comment['attachments'][number]) => type.startsWith('image/') && width !== null

/** Pictures in the page, other files as links with their size. */
export function Attachments({ projectId, attachments }: { projectId: string; attachments: Comment['attachments'] }) {
  if (attachments.length === 0) return null
  const urlOf = (id: string) => `/app/api/v1/projects/${projectId}/files/${id}`
  return (
    <ul aria-label="Attachments" className="flex flex-wrap items-end gap-3">
      {attachments.map((file) => (
        <li key={file.id} className="max-w-full">
          {isShown(file) ? (
            <a href={urlOf(file.id)} target="_blank" rel="noreferrer" title={`${file.name} (${sizeOf(file.bytes)})`}>
              <img
                src={urlOf(file.id)}
                alt={file.name}
                width={file.width ?? undefined}
                height={file.height ?? undefined}
                loading="lazy"
                className="max-h-60 w-auto max-w-full rounded-md border border-line object-contain"
              />
            </a>
          ) : (
            <a href={urlOf(file.id)} download={file.name} className="text-sm wrap-anywhere text-accent hover:underline">
              {file.name} ({sizeOf(file.bytes)})
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Files for a new comment: chosen, dropped or pasted. */
export function useFiles() {
  const [files, setFiles] = useState<readonly File[]>([])
  const say = useToast()
  const add = (more: Iterable<File>) => {
    const given = [...more]
    const large = given.find(({ size }) => size > FILE_MAX)
    if (large) say(`${large.name} is too large: at most ${sizeOf(FILE_MAX)} are allowed.`)
    const fitting = [...files, ...given.filter(({ size }) => size <= FILE_MAX)]
    if (fitting.length > ATTACHMENTS_MAX) say(`A comment has at most ${ATTACHMENTS_MAX} attachments.`)
    setFiles(fitting.slice(0, ATTACHMENTS_MAX))
  }
  return { files, add, set: setFiles }
}

/** Takes files that are dropped on its content or pasted into it. */
export function DropArea({ add, children }: { add: (files: Iterable<File>) => void; children: ReactNode }) {
  const [isOver, setOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut; the button does the same
    <div
      className={`grid grid-cols-1 gap-3 rounded-md ${isOver ? 'outline-2 outline-accent' : ''}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (event.dataTransfer.files.length === 0) return
        event.preventDefault()
        add(event.dataTransfer.files)
      }}
      onPaste={(event) => {
        if (event.clipboardData.files.length === 0) return
        event.preventDefault()
        add(event.clipboardData.files)
      }}
    >
      {children}
    </div>
  )
}

/** The files of a comment that is not written yet. */
export function ChosenFiles({ files, set }: { files: readonly File[]; set: (files: readonly File[]) => void }) {
  if (files.length === 0) return null
  return (
    <ul aria-label="Files to attach" className="grid grid-cols-1 gap-1">
      {files.map((file, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name
        <li key={i} className="flex items-center gap-2 text-sm">
          <span className="wrap-anywhere">
            {file.name} <span className="text-soft">({sizeOf(file.size)})</span>
          </span>
          <Button look="quiet" aria-label={`Remove ${file.name}`} onClick={() => set(files.filter((_, other) => other !== i))}>
            Remove
          </Button>
        </li>
      ))}
    </ul>
  )
}

export function AttachButton({ add }: { add: (files: Iterable<File>) => void }) {
  const id = useId()
  return (
    <>
      <input
        id={id}
        type="file"
        multiple
        className="peer sr-only"
        onChange={(event) => {
          add(event.target.files ?? [])
          // The same file can be chosen again after it was removed.
          event.target.value = ''
        }}
      />
      <label htmlFor={id} className={`${buttonClass('plain')} cursor-pointer peer-focus-visible:outline-2`}>
        Attach files
      </label>
    </>
  )
}
