import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'
import { shortNames } from './web/build/class-names.ts'
import { flags } from './web/build/flags.ts'

/**
 * The faces of the first screen are asked for together with the page: without this the browser learns of them only
 * from the style sheet, one round trip later.
 */
function preloadFonts(names: readonly string[]): Plugin {
  return {
    name: 'preload-fonts',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const files = Object.keys(bundle ?? {})
        return names
          .flatMap((name) => files.filter((file) => file.includes(name)))
          .map((file): HtmlTagDescriptor => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: true },
            injectTo: 'head-prepend',
          }))
      },
    },
  }
}

/**
 * Sonner writes its style sheet into the page as it loads, which a content security policy without inline styles
 * refuses; the same sheet is imported as a file, so the writing is left out.
 */
function sonnerWithoutInlineStyle(): Plugin {
  return {
    name: 'sonner-without-inline-style',
    transform(code, id) {
      if (!/sonner\/dist\/index\.mjs/.test(id)) return null
      const written = code.match(/\n__insertCSS\(.*\);?\n/)
      if (written === null)
        throw new Error('sonner no longer writes its style sheet the way this plugin knows')
      return { code: code.replace(written[0], '\n'), map: null }
    },
  }
}

/**
 * What every public page loads, in few files that compress well and stay in the browser's cache over releases of the
 * pages. Building blocks that only the account uses are left to its own lazy chunks.
 */
const groups = [
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
  { name: 'libraries', test: /node_modules\/(react-router|@tanstack\/(query-core|react-query))\// },
  {
    name: 'shell',
    test: /web\/(app\/(?!toaster|back-link)|ui\/(base|fonts|tokens|button|card|classes|copy|format|lane\.|language-flag|logo|odometer|pool-mark|segmented|skeleton))|contract\/(client|wire)|lucide-react\/dist\/esm\/(?!icons)|icons\/(arrow-left|arrow-up-right|check\.|copy\.)|rolldown\/runtime/,
  },
  // One style sheet for what the smaller public pages share, where each part of it would be a request of its own.
  { name: 'page', test: /web\/(storefront\/page|app\/back-link|ui\/(flag|search|spinner))/ },
]

const web = path.join(import.meta.dirname, 'web')

/** The application, and the few lines that start it on a page that came written (web/build/pages.ts). */
const inputs = [path.join(web, 'index.html'), path.join(web, 'start.ts')]

export default defineConfig(({ command, isSsrBuild }) => ({
  root: 'web',
  publicDir: 'static',
  plugins: [react(), flags(), sonnerWithoutInlineStyle(), preloadFonts(['onest-cyrillic', 'onest-latin'])],
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/sandbox': 'http://127.0.0.1:3000' } },
  // While developing, names that say where they are from.
  css: { modules: command === 'build' ? { generateScopedName: shortNames(web) } : {} },
  // What writes pages is one folder that needs no node_modules.
  ssr: { noExternal: true },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    copyPublicDir: isSsrBuild !== true,
    manifest: isSsrBuild !== true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox128', 'safari18'],
    // Nothing is inlined as a data: address, so that the policy can be `self` alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What writes pages is one file: a second copy of a module would be a second store of texts.
    rolldownOptions:
      isSsrBuild === true
        ? { output: { codeSplitting: false } }
        : { input: inputs, output: { codeSplitting: { groups } } },
  },
}))
