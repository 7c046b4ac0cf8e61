import { startTransition, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import './ui/fonts.css'
import './ui/tokens.css'
import './ui/base.css'
import { onSignedOut } from './app/api.ts'
import { Data } from './app/data.tsx'
import { chosenLanguage, startTexts } from './app/i18n.ts'
import { onLanguageMove } from './app/language.ts'
import { languageOfPath, twinOf } from './app/paths.ts'
import { captureReferral } from './app/referral.ts'
import { makeRouter } from './app/router.tsx'
import { takeWritten } from './app/written.ts'

// A page left open over a release asks for files that are gone; one reload brings the new ones.
window.addEventListener('vite:preloadError', (event) => {
  const last = Number(sessionStorage.getItem('reloaded') ?? 0)
  if (Date.now() - last < 60_000) return
  event.preventDefault()
  sessionStorage.setItem('reloaded', String(Date.now()))
  window.location.reload()
})

const place = document.getElementById('app')
if (place === null) throw new Error('the page has no #app to render into')
const written = place.hasChildNodes()

captureReferral()
const asked = languageOfPath(window.location.pathname)
const chosen = chosenLanguage()
// Who has chosen a language reads every page in it. The twin is a written page too, so nothing is taken over here.
const twin = chosen === null || asked === null || asked === chosen ? null : twinOf(window.location, chosen)
if (twin !== null) {
  window.location.replace(twin)
  await new Promise(() => undefined)
}
takeWritten()
await startTexts(asked ?? chosen ?? 'ru')
const router = await makeRouter(written)
onSignedOut(() => void router.navigate('/login'))
onLanguageMove((address) => router.navigate(address, { replace: true, preventScrollReset: true }))

const page = (
  <StrictMode>
    <Data>
      <RouterProvider router={router} />
    </Data>
  </StrictMode>
)
// A page that can be read already is taken over in small steps, so that a finger is never kept waiting.
if (written) startTransition(() => void hydrateRoot(place, page))
else createRoot(place).render(page)
// From here on every press is answered: what waited for it (start.ts, the browser tests) may go on.
place.dataset['live'] = ''
place.dispatchEvent(new Event('live'))

// What the head says of the first page is not true of the next.
const first = window.location.pathname
router.subscribe(({ location }) => {
  if (location.pathname === first) return
  for (const element of document.head.querySelectorAll('[data-page]')) element.remove()
})
