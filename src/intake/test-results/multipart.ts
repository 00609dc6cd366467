import { Unreadable } from '../reading.ts'

/** A file of an upload, with its name if it has one. */
export interface UploadedFile {
  name: string
  bytes: Buffer
}

/** More files than a test step writes. */
const FILES_MAX = 2_000

/** The files of a `multipart/form-data` body; fields without a file name are left out. */
export function filesIn(body: Buffer, contentType: string): UploadedFile[] {
  const boundary = /boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType)
  if (!boundary) throw new Unreadable('The multipart body has no boundary.')
  const mark = Buffer.from(`--${boundary[1] ?? boundary[2]}`)
  const files: UploadedFile[] = []
  let at = body.indexOf(mark)
  if (at < 0) throw new Unreadable('The multipart body does not contain its boundary.')
  for (;;) {
    const start = at + mark.length
    if (body.toString('latin1', start, start + 2) === '--') return files
    const end = body.indexOf(mark, start)
    if (end < 0) throw new Unreadable('The multipart body ends too early.')
    const file = fileIn(body.subarray(start, end))
    if (file) files.push(file)
    if (files.length > FILES_MAX) throw new Unreadable(`More than ${FILES_MAX} files. Send them in several requests.`)
    at = end
  }
}

function fileIn(part: Buffer): UploadedFile | undefined {
  const blank = part.indexOf('\r\n\r\n')
  if (blank < 0) throw new Unreadable('A part of the multipart body has no headers.')
  const name = /filename="([^"]*)"/i.exec(part.toString('utf8', 0, blank))?.[1]
  if (name === undefined) return undefined
  const hasBreak = part.toString('latin1', part.length - 2) === '\r\n'
  return { name: name.slice(0, 200), bytes: part.subarray(blank + 4, hasBreak ? -2 : undefined) }
}
