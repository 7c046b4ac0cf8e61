/** The Vite plugins that the shop's pages and the desk's share. */
import type { HtmlTagDescriptor, Plugin } from 'vite'

/**
 * Preloads the fonts of the first screen: otherwise the browser learns of them from the style sheet, one
 * round trip later.
 */
export function preloadFonts(names: readonly string[]): Plugin {
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

/** A declaration of a call, as the formatter leaves it. */
const declaration = /call\(\{\n +method: ('\w+'),\n +path: ('[^']+'),\n +answer: ('\w+'),\n[^]*?\n {2}\}\)/g
const declared = `const declared = (path, answer = 'json', method = 'POST') => ({ method, path, answer })\n`

/** The same of the desk, whose pages show only what the member may do. */
const deskDeclaration =
  /deskCall\(\{\n +method: ('\w+'),\n +path: ('[^']+'),\n +answer: ('\w+'),\n +needs: ('[^']+'),\n[^]*?\n {2}\}\)/g
const deskDeclared = `const declared = (needs, path, answer = 'json', method = 'POST') => ({ method, path, answer, needs })\n`

/**
 * Of the declarations of calls, the browser gets what it needs to make them: the rest is for the server and
 * for tests.
 */
export function declarationsForBrowsers(): Plugin {
  return {
    name: 'declarations-for-browsers',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/contract\/[\w/-]+\/calls\.ts$/.test(id)) return null
      // What a declaration imports, only the server's part of it names.
      const own = code.replaceAll(/^import .*\n/gm, '')
      const isDesk = id.includes('/contract/desk/')
      const short = isDesk
        ? own.replaceAll(
            deskDeclaration,
            (_all, method, path, answer, needs) => `declared(${needs}, ${path}, ${answer}, ${method})`,
          )
        : own.replaceAll(
            declaration,
            (_all, method, path, answer) => `declared(${path}, ${answer}, ${method})`,
          )
      if (/call\(\{/i.test(short))
        throw new Error(`${id} declares a call in another form than the build expects`)
      return {
        code:
          (isDesk ? deskDeclared : declared) +
          short.replaceAll(", 'json', 'POST')", ')').replaceAll(", 'POST')", ')'),
        map: null,
      }
    },
  }
}
