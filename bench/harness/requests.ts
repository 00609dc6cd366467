import { Cursors } from '../../src/db/page.ts'
import { keyFor } from '../../src/domain/privacy/secrets.ts'
import type { ListName } from '../../src/http/routes/lists.ts'
import { PROJECT } from './rows.ts'
import { SECRET } from './servers.ts'

/** Complete requests, as the load generator sends them. */
export const get = (path: string, token: string): string =>
  `GET /api/v1/projects/${PROJECT}/${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`

export const post = (path: string, token: string, body: object): string => {
  const text = JSON.stringify(body)
  return `POST /api/v1/projects/${PROJECT}/${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

const cursors = new Cursors(keyFor(SECRET, 'cursors'))

/** The cursor that the service itself would have returned after the row with this key. */
export const cursorAfter = (list: ListName, key: { at: string; id: string }) => cursors.seal(`${list} ${PROJECT}`, key)
