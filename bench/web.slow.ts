/**
 * First paint on a slow line: pages loaded by Chromium with an empty cache at 400 kbit/s and 400 ms round trip.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { createClient } from '#contract/client'
import { findChromium } from '#test/run/programs'
import type { Stack } from '#test/stack'

/** The line: bytes per second, and the round trip of each request. */
const line = { latency: 400, downloadThroughput: 400_000 / 8, uploadThroughput: 400_000 / 8 }
/** A page is loaded when nothing was requested or received for this long. */
const quietMs = 2500

/** What the script `observePaint` has measured in the page. */
interface Seen {
  fcpMs: number
  lcpMs: number
  /** The largest painted element: its tag, size and text. */
  largest: string
  shift: number
  /** The largest layout shift: its size, the elements, and from where to where they moved. */
  moved: string
}

interface Paint extends Seen {
  requests: number
  kb: number
}

/** The pages measured, and whether a customer is signed in on them. */
const slowPages = [
  { url: '/', signedIn: false },
  { url: '/en', signedIn: false },
  { url: '/login', signedIn: false },
  { url: '/account', signedIn: true },
  { url: '/account?tab=panel', signedIn: true },
  { url: '/account?tab=statistic', signedIn: true },
  { url: '/account?tab=invoices', signedIn: true },
  { url: '/account?tab=profile', signedIn: true },
] as const

export const slowHeading = ['| page | FCP | LCP | CLS | requests | kB |', '|---|---|---|---|---|---|']

/** Measures each page, one table row a page. */
export async function measureSlowLine(
  stack: Stack,
  runs: number,
  only: readonly string[] | undefined,
): Promise<string[]> {
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath === null ? {} : { executablePath }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const user = await storedSession(stack)
    const rows: string[] = []
    for (const { url, signedIn } of slowPages) {
      if (only !== undefined && !only.includes(url)) continue
      const paints: Paint[] = []
      for (let run = 0; run < runs; run++)
        paints.push(await paintOf(browser, stack.origin + url, signedIn ? user : null))
      rows.push(rowOf(url, paints))
      process.stderr.write(`${rows.at(-1)} ${paints.at(-1)?.largest}\n  ${paints.at(-1)?.moved}\n`)
    }
    return rows
  } finally {
    await browser.close()
  }
}

interface Demo {
  customer: { username: string; password: string }
}

/** The demo's customer as the browser stores it. */
async function storedSession(stack: Stack): Promise<string> {
  const file = path.join(stack.dataDir, 'demo.json')
  const { customer } = JSON.parse(readFileSync(file, 'utf8')) as Demo
  const options = { baseUrl: stack.origin, language: () => 'ru' as const }
  const token = await createClient({ ...options, token: () => null })('signin', customer)
  const [profile] = await createClient({ ...options, token: () => token })('legacy_profile', {})
  return JSON.stringify({ ...profile, token })
}

async function paintOf(browser: Browser, url: string, user: string | null): Promise<Paint> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  try {
    const page = await context.newPage()
    if (user !== null)
      await page.addInitScript({ content: `localStorage.setItem('user', ${JSON.stringify(user)})` })
    await page.addInitScript({ content: observePaint })
    const cdp = await context.newCDPSession(page)
    await cdp.send('Network.enable')
    await cdp.send('Network.emulateNetworkConditions', { offline: false, ...line })
    let bytes = 0
    let requests = 0
    let lastMs = performance.now()
    cdp.on('Network.requestWillBeSent', () => {
      requests++
      lastMs = performance.now()
    })
    cdp.on('Network.dataReceived', () => void (lastMs = performance.now()))
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
      lastMs = performance.now()
    })
    await page.goto(url, { waitUntil: 'load', timeout: 120_000 })
    while (performance.now() - lastMs < quietMs) await page.waitForTimeout(100)
    const paint = await page.evaluate<Seen>('window.seen')
    return { ...paint, requests, kb: bytes / 1000 }
  } finally {
    await context.close()
  }
}

/** Runs in the page before its own scripts. */
const observePaint = `
const seen = (window.seen = { fcpMs: 0, lcpMs: 0, largest: '', shift: 0, moved: '' })
let most = 0
const observe = (type, each) =>
  new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true })
observe('paint', ({ name, startTime }) => {
  if (name === 'first-contentful-paint') seen.fcpMs = startTime
})
observe('largest-contentful-paint', ({ startTime, element, size }) => {
  seen.lcpMs = startTime
  seen.largest = element?.tagName + ' ' + size + ' ' + element?.textContent.slice(0, 40)
})
const place = ({ y, height }) => Math.round(y) + '+' + Math.round(height)
const movedOf = ({ node, previousRect, currentRect }) =>
  (node?.tagName ?? node?.nodeName) + '.' + String(node?.className ?? '').slice(0, 30) + ' ' + place(previousRect) + ' to ' + place(currentRect)
observe('layout-shift', ({ value, hadRecentInput, sources, startTime }) => {
  if (hadRecentInput) return
  seen.shift += value
  if (value <= most) return
  most = value
  seen.moved = value.toFixed(3) + ' at ' + Math.round(startTime) + ' ms: ' + sources.map(movedOf).join('; ')
})`

function rowOf(url: string, paints: Paint[]): string {
  const median = (of: (paint: Paint) => number) =>
    paints.map(of).toSorted((a, b) => a - b)[Math.floor((paints.length - 1) / 2)] ?? Number.NaN
  const most = (of: (paint: Paint) => number) => Math.max(...paints.map(of))
  return `| ${[
    url,
    Math.round(median((each) => each.fcpMs)),
    Math.round(median((each) => each.lcpMs)),
    most((each) => each.shift).toFixed(3),
    most((each) => each.requests),
    Math.round(median((each) => each.kb)),
  ].join(' | ')} |`
}
