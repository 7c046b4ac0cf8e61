/**
 * Starts the scripts of a prerendered page after its first paint, or at the first input. Until then they lie
 * in a template, where browsers do not fetch them, so that they do not compete with the visible content. A
 * script of its own without imports: it is the only one that such a page loads at once.
 */
import type { FirstScreenData, shownKeys as keys } from '#contract/page-renderer'
import type {} from './state/page-data.ts'

const scripts = document.querySelector<HTMLTemplateElement>('template#scripts')
const app = document.getElementById('app')

/** The maximum wait for the first paint. */
const paintTimeoutMs = 1500
const readsTimeoutMs = 5000
/** Those of the contract: this script imports nothing. */
const shownKeys: typeof keys = ['panel-settings', 'first-line']
/** Clicks on these before hydration are repeated after it; links work without scripts. */
const clickable = 'button, label, input[type="radio"], input[type="checkbox"]'
const inputEvents = ['pointerdown', 'keydown', 'focusin'] as const

let clicked: HTMLElement | null = null

function start(): void {
  if (scripts?.isConnected !== true) return
  scripts.remove()
  document.head.append(scripts.content)
}

function holdClick(event: MouseEvent): void {
  if (!(event.target instanceof Element)) return
  const target = event.target.closest<HTMLElement>(clickable)
  if (target === null || event.target.closest('a') !== null) return
  event.preventDefault()
  event.stopPropagation()
  clicked = target
}

function onLive(): void {
  for (const name of inputEvents) removeEventListener(name, start, true)
  removeEventListener('click', holdClick, true)
  if (clicked !== null) successorOf(clicked)?.click()
}

/** The element itself, or the one of its name where the page has replaced what the server rendered. */
function successorOf(held: HTMLElement): HTMLElement | undefined {
  if (held.isConnected) return held
  const nameOf = (element: Element) => element.getAttribute('aria-label') ?? element.textContent
  return [...document.querySelectorAll<HTMLElement>(held.localName)].find(
    (element) => nameOf(element) === nameOf(held) && element.checkVisibility(),
  )
}

/** A hidden page is never painted. */
function startWhenHidden(): void {
  if (document.visibilityState === 'hidden') start()
}

/**
 * A visitor with a stored language may have to be redirected to the page in that language: the sooner, the
 * better.
 */
function isReturning(): boolean {
  try {
    return localStorage.getItem('lang') !== null || localStorage.getItem('user') !== null
  } catch {
    return false
  }
}

/**
 * Begins the reads of the account's first screen beside its scripts, for the customer whose session is
 * stored. state/page-data.ts takes the answers over. It is not used when a member of staff looks at an
 * account.
 */
function beginReads(): void {
  if (location.pathname !== '/account') return
  try {
    if (sessionStorage.getItem('view') !== null) return
    const { token, username, user_id } = JSON.parse(localStorage.getItem('user') ?? '{}') as StoredUser
    if (typeof token !== 'string' || token === '') return
    for (const name of document.querySelectorAll('[data-account-name]'))
      name.textContent = String(username ?? user_id)
    const language = document.documentElement.lang
    const data = fetch('/account/reads', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'accept-language': language,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ search: location.search, stored: storedOf(shownKeys) }),
      signal: AbortSignal.timeout(readsTimeoutMs),
    })
      .then(async (answer) => (answer.ok ? showEarly((await answer.json()) as FirstScreenData) : null))
      .catch(() => null)
    window.firstReads = { token, language, data }
  } catch {
    // Without storage nobody is signed in.
  }
}

type StoredUser = Record<string, unknown>

const storedOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, localStorage.getItem(name)]))

/** Shows what the server has rendered for the customer, unless the page is there already. */
function showEarly(data: FirstScreenData): FirstScreenData {
  const outline = app?.querySelector('[data-skeleton]')
  if (data.html !== null && app?.dataset['live'] === undefined && outline) outline.outerHTML = data.html
  return data
}

/** The form of a sign-in page would only get in the way of a signed-in visitor, who is redirected. */
function hideForm(): void {
  try {
    if (app !== null && location.pathname === '/login' && localStorage.getItem('user') !== null)
      app.hidden = true
  } catch {
    // Without storage nobody is signed in.
  }
}

hideForm()
beginReads()
for (const name of inputEvents) addEventListener(name, start, true)
addEventListener('click', holdClick, true)
app?.addEventListener('live', onLive, { once: true })
const when = scripts?.dataset['start'] ?? (isReturning() ? 'now' : 'paint')
if (when === 'now' || !PerformanceObserver.supportedEntryTypes.includes('paint')) start()
else {
  new PerformanceObserver((entries) => {
    if (entries.getEntriesByName('first-contentful-paint').length > 0) start()
  }).observe({ type: 'paint', buffered: true })
  document.addEventListener('visibilitychange', startWhenHidden)
  startWhenHidden()
  setTimeout(start, paintTimeoutMs)
}
