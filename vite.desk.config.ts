import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { shortNames } from './web/build/class-names.ts'
import { slimFonts } from './web/build/fonts.ts'
import { declarationsForBrowsers, preloadFonts } from './web/build/plugins.ts'

const web = path.join(import.meta.dirname, 'web')

/** What the first page of the desk loads, in few chunks that stay cached across releases. */
const groups = [
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
  {
    name: 'libraries',
    test: /node_modules\/(react-router|use-sync-external-store|@tanstack\/(query-core|react-query))\//,
  },
  { name: 'table', test: /node_modules\/@tanstack\/(react-|)(table|virtual|store)/ },
]

/** The operator's desk: an application of its own, served by a listener of its own. */
export default defineConfig(({ command }) => ({
  root: 'web/desk',
  publicDir: false,
  plugins: [react(), declarationsForBrowsers(), preloadFonts(['onest-cyrillic', 'onest-latin']), slimFonts()],
  server: { proxy: { '/api': 'http://localhost:3001' } },
  css: { modules: command === 'build' ? { generateScopedName: shortNames(web) } : {} },
  build: {
    outDir: '../../dist/desk',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox128', 'safari18'],
    // Nothing is inlined as a data: URL, so that the content security policy can be `self` alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
}))
