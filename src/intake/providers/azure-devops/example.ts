import { at, type Json, text } from '../../reading.ts'

/** The Test button sends an example of the documentation, about a company that Microsoft invented. */
export const isExample = (body: Json): boolean => {
  const resource = body.resource
  const [run, stage, job] = ['run', 'stage', 'job'].map((key) => at(resource, key, '_links', 'web', 'href'))
  const names = [
    at(resource, 'repository', 'project', 'name'),
    at(resource, 'project', 'name'),
    at(resource, 'definition', 'project', 'name'),
    at(resource, 'fields', 'System.TeamProject'),
    at(resource, 'revision', 'fields', 'System.TeamProject'),
    at(resource, 'deployment', 'release', 'project', 'name'),
  ]
  const urls = [at(resource, 'url'), at(resource, 'repository', 'url'), at(resource, 'repositories', 0, 'url'), run, stage, job]
  return names.some((name) => EXAMPLE_NAME.test(text(name) ?? '')) || urls.some((url) => EXAMPLE_URL.test(text(url) ?? ''))
}

const EXAMPLE_NAME = /^fabrikam|^project-name$/i
const EXAMPLE_URL =
  /^https:\/\/(?:[\w.-]{1,100}@)?(?:dev\.azure\.com\/fabrikam|fabrikam[\w-]{0,50}\.visualstudio\.com\/|codedev\.ms\/)/i
