import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { apiContents } from './web/build/api-index.ts'
import { shortNames } from './web/build/class-names.ts'
import { flags } from './web/build/flags.ts'
import { slimFonts } from './web/build/fonts.ts'
import { chunkOfModules } from './web/build/modules.ts'
import { declarationsForBrowsers, preloadFonts } from './web/build/plugins.ts'

/**
 * Removes the code by which Sonner inserts its style sheet into the page: the content security policy allows
 * no inline styles, and the same style sheet is imported as a file.
 */
function sonnerWithoutInlineStyle(): Plugin {
  return {
    name: 'sonner-without-inline-style',
    transform(code, id) {
      if (!/sonner\/dist\/index\.mjs/.test(id)) return null
      const insertion = code.match(/\n__insertCSS\(.*\);?\n/)
      if (insertion === null)
        throw new Error('sonner no longer inserts its style sheet as this plugin expects')
      return { code: code.replace(insertion[0], '\n'), map: null }
    },
  }
}

/**
 * The code that every public page loads, in few chunks that compress well and stay cached across releases of
 * the pages. Building blocks that only the account uses are left to its lazy chunks.
 */
const groups = [
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\/|rolldown\/runtime/ },
  {
    name: 'shell',
    test: /web\/(router\/|shell\/(?!toaster|view-banner|query-provider)|state\/(?!reads\/|places|token|factors|typed-text\.fill)|account\/page\/routes|ui\/(styles|button|card|class-names|clipboard|copy-button|dialog-failures|format(-time)?\.|note|odometer|skeleton|fields\/(language-switch|segmented|(text|password)-field\.module)|graphics\/(dashed-line|language-flag|logo|pool-icon)))|contract\/(client|language|pages|pools|call|price|transport|view|wire|[\w-]+\/calls)|lucide-react\/dist\/esm\/(?!icons)|icons\/(arrow-left|arrow-up-right|check|chevron-down|copy|eye|eye-off|search)\./,
  },
  // What reads data: pages of one form, such as that of signing in, do without it.
  {
    name: 'reads',
    test: /node_modules\/@tanstack\/(query-core|react-query)\/|web\/(shell\/query-provider|state\/(reads\/(quer|optional)|places\/(countries|sold-pools)\.))/,
  },
  // The pages of signing in and up.
  {
    name: 'form',
    test: /web\/(ui\/(fields\/(text-field|password-field|error-focus)|factors\/passkey)|storefront\/auth\/(form(?!s)|use-failure|start-session|step))|icons\/key-round\./,
  },
  // What the guides of public pages share with the generator.
  { name: 'lines', test: /contract\/(session-times|proxy-lines|countries|gateway\/refusals)\./ },
  // The frame of the account, and what the overview shares with other places: one script, one style sheet.
  {
    name: 'account',
    test: /web\/(account\/(page\/|places\/places|palette\/lazy-palette|panel\/(lines|settings|first-line|cascade|requested)\.|topup\/queries|main\/(main-tab\.module|profile-card\.module|use-resend)|to-sign-in|secret-labels|exact-bytes|read-failed|profile|samples\/samples\.|toast-failure|requests\/(outcome|advice|repair)|statistics\/report\.)|state\/reads\/profile-polling|ui\/(palette\/use-palette-key|dialog-failure\.|fields\/(select-field|secret-field)))|contract\/(traffic|topup|account-tabs|exact-bytes)|icons\/(plus|gauge|list-tree|chart-no-axes-column|receipt-text|settings-2)\./,
  },
  // Dialogs, and the one that asks for the owner's proof.
  {
    name: 'dialog',
    test: /web\/(ui\/(dialog\.|factors\/factor-form)|account\/(confirm-dialog|proof\/))/,
    minShareCount: 2,
  },
  // What several other places use, but for dialogs and pickers, which are fetched when they open.
  {
    name: 'account-parts',
    test: /web\/(account\/(?!palette\/|confirm-dialog|proof|purchase\/(?!payment\.|methods-query)|main\/)|state\/token\/api-token|ui\/(download-text|fields\/|graphics\/usage-bars))|contract\/(account-rules|whitelist\/rules)\.|icons\/(chevron-right|download)\./,
    minShareCount: 2,
  },
  // One style sheet for what the smaller public pages share, instead of one request for each part.
  { name: 'page', test: /web\/(storefront\/(page|back-link)|ui\/(graphics\/flag|picker\/search|spinner))/ },
  // The texts of the account's frame and of its overview, in one request.
  { name: 'account-ru', test: /web\/locales\/ru\/(userBtns|requests)\.json/ },
  { name: 'account-en', test: /web\/locales\/en\/(userBtns|requests)\.json/ },
]

const web = path.join(import.meta.dirname, 'web')

/** The server keeps the text of the page renderer in memory. Names stay, for the stacks of its errors. */
const rendererMinify = { compress: true, mangle: false, codegen: { removeWhitespace: true } }

/** The application, and the script that starts it on a prerendered page (web/build/pages.ts). */
const inputs = [path.join(web, 'index.html'), path.join(web, 'start.ts')]

export default defineConfig(({ command, isSsrBuild }) => ({
  root: 'web',
  publicDir: 'static',
  plugins: [
    react(),
    declarationsForBrowsers(),
    flags(),
    apiContents(),
    sonnerWithoutInlineStyle(),
    preloadFonts(['onest-cyrillic', 'onest-latin']),
    slimFonts(),
    ...(isSsrBuild === true ? [] : [chunkOfModules(web)]),
  ],
  // Of react-router the pages of the shop use little: see the file.
  resolve: { alias: [{ find: /^react-router$/, replacement: path.join(web, 'router/react-router.tsx') }] },
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/sandbox': 'http://127.0.0.1:3000' } },
  // In development, Vite's own names, which contain the name of the file.
  css: { modules: command === 'build' ? { generateScopedName: shortNames(web) } : {} },
  // The page renderer is bundled with its dependencies: it runs without node_modules.
  ssr: { noExternal: true },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    copyPublicDir: isSsrBuild !== true,
    manifest: isSsrBuild !== true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox128', 'safari18'],
    // Nothing is inlined as a data: URL, so that the content security policy can be `self` alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file for the page renderer: a second copy of a module would have a state of its own.
    rolldownOptions:
      isSsrBuild === true
        ? { output: { codeSplitting: false, minify: rendererMinify } }
        : { input: inputs, output: { codeSplitting: { groups } } },
  },
}))
