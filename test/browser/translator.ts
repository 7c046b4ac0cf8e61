/**
 * Simulates Chrome's translator: it moves each text into new elements, and continues while the page changes.
 */
import type { Page } from '@playwright/test'

declare global {
  interface Window {
    /** How many texts have been moved. */
    translated?: number
  }
}

/**
 * Translates every page that is opened from now on, once its scripts react to input. The words are unchanged,
 * so that a test finds them; what matters is that the page's text nodes are replaced. As in Chrome, white
 * space, menus of the browser and elements with `translate="no"` are left alone.
 */
export async function translatePages(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const leftAlone = '[translate="no"], script, style, textarea, title, option, svg, font'
    const move = (text: Text) => {
      if (text.data.trim() === '' || text.parentElement?.closest(leftAlone) !== null) return
      const outer = document.createElement('font')
      const inner = document.createElement('font')
      outer.append(inner)
      inner.textContent = text.data
      text.replaceWith(outer)
      window.translated = (window.translated ?? 0) + 1
    }
    const moveAll = (root: Node) => {
      if (root instanceof Text) return move(root)
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
      const texts: Text[] = []
      while (walker.nextNode() !== null) texts.push(walker.currentNode as Text)
      for (const text of texts) move(text)
    }
    const observer = new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes) {
        if (type === 'characterData') moveAll(target)
        else for (const node of addedNodes) if (node.isConnected) moveAll(node)
      }
    })
    const start = () => {
      moveAll(document.body)
      observer.observe(document.body, { childList: true, characterData: true, subtree: true })
    }
    const waiting = setInterval(() => {
      if (document.querySelector('#app[data-live]') === null) return
      clearInterval(waiting)
      start()
    }, 20)
  })
}
