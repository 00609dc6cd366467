import type { Repository } from '../../facts.ts'
import { at, link, objects, text, word } from '../../reading.ts'

/** Of Cloud: the id stays the same when the repository is renamed. */
export function cloudRepository(told: unknown): Repository | undefined {
  const name = text(at(told, 'full_name'))
  return name === undefined ? undefined : { id: text(at(told, 'uuid')) ?? name, name }
}

/** Of Data Center: ids are numbers that other servers use too. */
export function serverRepository(told: unknown): Repository | undefined {
  const [project, slug, id] = [text(at(told, 'project', 'key')), text(at(told, 'slug')), word(at(told, 'id'))]
  if (project === undefined || slug === undefined) return undefined
  const name = `${project}/${slug}`
  return { id: id === undefined ? name : `bitbucket:${id}`, name }
}

/** The page of something in Cloud. */
export const pageIn = (told: unknown): string | undefined => link(at(told, 'links', 'html', 'href'))

/** The page of something in Data Center. */
export const serverPage = (told: unknown): string | undefined =>
  objects(at(told, 'links', 'self'))
    .map(({ href }) => link(href))
    .find((found) => found !== undefined)
