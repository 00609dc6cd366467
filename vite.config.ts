import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { noticesFor } from './scripts/third-party-notices.mjs'
import { appRoutes } from './src/contract/app/routes.ts'
import type { Route } from './src/contract/routes/route.ts'

const SERVICE = `http://localhost:${process.env.PORT ?? 8080}`
const APP_ROUTES = 'virtual:app-routes'

/**
 * The route table for the browser: method, path, type of the reply, and events that refresh it. The schemas stay here, and with them 40 kB.
 */
const routeTable = (): Plugin => ({
  name: 'app-routes',
  resolveId: (id) => (id === APP_ROUTES ? `\0${APP_ROUTES}` : undefined),
  load(id) {
    if (id !== `\0${APP_ROUTES}`) return undefined
    const table = Object.entries(appRoutes as Record<string, Route>).map(([name, route]) => {
      const refreshed = route.method === 'GET' && route.shows.length > 0 ? [route.shows, route.single === true] : []
      return [name, [route.method, route.path, route.produces ? 'text' : 'json', ...refreshed]]
    })
    return `export default ${JSON.stringify(Object.fromEntries(table))}`
  },
})

/**
 * The model viewer under our content security policy: its styles become a sheet, since inline ones are refused, and it has no decoders: they
 * are compiled, which is refused too, or come from other hosts.
 */
const modelViewer = (): Plugin => ({
  name: 'model-viewer',
  transform(code, id) {
    if (id.endsWith('@google/model-viewer/lib/template.js')) {
      const [, styles = ''] = /<style>([\s\S]*?)<\/style>/.exec(code) ?? []
      const put = 'render(templateResult, shadowRoot);'
      if (styles === '' || !code.includes(put)) this.error('The template of the model viewer has changed.')
      // The element would replace its sheets by its own, which are none.
      const sheet = `const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(styles)}); shadowRoot.adoptedStyleSheets.push(sheet); shadowRoot.host.createRenderRoot = () => shadowRoot;`
      return { code: code.replace(/<style>[\s\S]*?<\/style>/, '').replace(put, `${put} ${sheet}`), map: null }
    }
    // It would be compiled as soon as it is loaded.
    if (id.endsWith('three/examples/jsm/libs/meshopt_decoder.module.js'))
      return { code: 'export const MeshoptDecoder = { supported: false, ready: Promise.resolve() }', map: null }
    if (id.endsWith('@google/model-viewer/lib/features/loading.js')) {
      const local = code.replaceAll(/(const DEFAULT_\w+_LOCATION = )'https:[^']*'/g, "$1'/unsupported/'")
      if (local === code) this.error('The decoders of the model viewer have changed.')
      return { code: local, map: null }
    }
    return undefined
  },
})

/** The licenses of the code that is sent to browsers, served next to it. */
const notices = (): Plugin => ({
  name: 'notices',
  generateBundle(_, bundle) {
    const files = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : []))
    this.emitFile({ type: 'asset', fileName: 'third-party-notices.txt', source: noticesFor(files) })
  },
})

export default defineConfig({
  root: 'src/web',
  plugins: [react(), tailwindcss(), routeTable(), modelViewer(), notices()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows no data: script, and small files are cheap over one connection.
    assetsInlineLimit: 0,
    // The model viewer, which is loaded with the first model.
    chunkSizeWarningLimit: 1_100,
    modulePreload: { polyfill: false },
    // Users who start the service on a slow machine need not see the build's timings.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  // With the slash: app.tsx and api.ts are our own files.
  server: { proxy: { '/app/': SERVICE, '/api/': SERVICE } },
})
