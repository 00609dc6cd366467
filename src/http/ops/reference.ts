import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { tokenRoutes } from '../../contract/app/routes.ts'
import { openapi } from '../../contract/openapi/openapi.ts'
import type { TokenRoute } from '../../contract/routes/route.ts'
import { VERSION } from '../../contract/version.ts'

/** The OpenAPI document, and a self-contained reference page. */
export function serveReference(app: FastifyInstance, site: string) {
  const document = JSON.stringify(openapi(site, VERSION))
  const page = renderReference(site)
  app.get('/api/openapi.json', async (_, reply) => reply.type('application/json; charset=utf-8').send(document))
  app.get('/api/docs', async (_, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'self'; frame-ancestors 'none'")
      .send(page),
  )
  app.get('/api/docs.css', async (_, reply) => reply.type('text/css; charset=utf-8').send(STYLE))
}

const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const kindOf = (schema: TSchema): string => {
  const {
    enum: values,
    type,
    items,
    anyOf,
  } = schema as { enum?: string[]; type?: string | string[]; items?: TSchema; anyOf?: TSchema[] }
  if (values) return `${[type].flat().includes('null') ? 'null or ' : ''}one of ${values.join(', ')}`
  if (anyOf) return anyOf.map(kindOf).join(' or ')
  if (items) return `list of ${kindOf(items)}`
  return [type ?? 'anything'].flat().join(' or ')
}

function fields(schema: TSchema, prefix = ''): string {
  const { properties, items, anyOf } = schema as { properties?: Record<string, TSchema>; items?: TSchema; anyOf?: TSchema[] }
  if (anyOf) return anyOf.map((one) => fields(one, prefix)).join('')
  if (items) return fields(items, `${prefix}[]`)
  return Object.entries(properties ?? {})
    .map(([name, inner]) => {
      const path = prefix === '' ? name : `${prefix}.${name}`
      const { properties: deeper, items: list, anyOf: either } = inner as { properties?: object; items?: TSchema; anyOf?: object }
      const nested = deeper || either || (list as { properties?: object } | undefined)?.properties
      return `<tr><td><code>${html(path)}</code></td><td>${html(kindOf(inner))}</td></tr>${nested ? fields(inner, path) : ''}`
    })
    .join('')
}

const table = (title: string, rows: string) => (rows === '' ? '' : `<h3>${title}</h3><table>${rows}</table>`)

const section = ([name, route]: [string, TokenRoute]) => `
<section id="${name}">
  <h2><span class="${route.method.toLowerCase()}">${route.method}</span> <code>/api${html(route.path)}</code></h2>
  <p>${html(route.summary)}. Scope <code>${route.scope}</code>${route.writes ? '. Not allowed on a read-only account' : ''}.</p>
  ${table(
    'Query',
    Object.entries(route.query)
      .map(([key, { schema }]) => {
        const { description } = schema as { description?: string }
        return `<tr><td><code>${key}</code></td><td>${html(description ?? kindOf(schema))}</td></tr>`
      })
      .join(''),
  )}
  ${route.body ? table('Body', fields(route.body)) : ''}
  ${'consumes' in route ? `<p>Body: the bytes of a file (<code>${route.consumes}</code>).</p>` : ''}
  ${'produces' in route ? `<p>Returns <code>${route.produces}</code>.</p>` : table('Response', fields(route.reply))}
</section>`

const renderReference = (site: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Goldmaster API reference</title><link rel="stylesheet" href="/api/docs.css"></head><body>
<nav aria-label="Routes"><p><strong>Goldmaster API</strong></p><ul>${Object.keys(tokenRoutes)
  .map((name) => `<li><a href="#${name}">${name}</a></li>`)
  .join('')}</ul></nav>
<main><h1>API reference</h1>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code> with every request. Lists are newest first. <code>limit</code> is 20 by default
and at most 50. For the next page, send <code>pagination.next_cursor</code> as <code>cursor</code>. Errors look like
<code>{"error": code, "message": text}</code>; an invalid token gets 401 without a body. Machine-readable:
<a href="/api/openapi.json">openapi.json</a>.</p>
<pre>curl -H "Authorization: Bearer $TOKEN" ${html(site)}/api/v1/projects</pre>
${Object.entries(tokenRoutes as Record<string, TokenRoute>)
  .map(section)
  .join('')}
</main></body></html>`

const STYLE = `:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{margin:0;display:grid;grid-template-columns:15rem 1fr;background:Canvas;color:CanvasText;font:15px/1.5 system-ui,sans-serif}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;border-right:1px solid var(--line);box-sizing:border-box}
nav ul{list-style:none;padding:0}nav a{text-decoration:none;color:inherit;opacity:.8}nav a:hover{opacity:1}
main{padding:1rem 2rem 4rem;max-width:60rem;min-width:0}section{border-top:1px solid var(--line);margin-top:2rem}
h2{font-size:1.15rem}h3{font-size:1rem}h2 span{font-size:.75em;padding:.1em .5em;border-radius:.4em;color:#fff;background:#2563eb}h2 .post{background:#15803d}h2 .patch,h2 .put{background:#a16207}h2 .delete{background:#b91c1c}
table{border-collapse:collapse;width:100%}td{border-bottom:1px solid var(--line);padding:.25rem .5rem;vertical-align:top}td:first-child{white-space:nowrap}
pre{background:var(--soft);padding:.75rem;border-radius:.5rem;overflow:auto}code{font-size:.93em;overflow-wrap:anywhere}a{color:LinkText}
@media(max-width:700px){body{display:block}main{padding:1rem}nav{position:static;height:auto;border:0}td:first-child{white-space:normal}}`
