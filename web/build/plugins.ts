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
