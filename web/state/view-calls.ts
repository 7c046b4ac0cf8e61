/** Opening and ending the view of this tab. */
import { createClient } from '#contract/client'
import { deadline, exchange } from '#contract/transport'
import { type OpenedView, viewHeader, viewPaths } from '#contract/view'
import { currentLanguage } from './i18n.ts'
import { isOfflineNow } from './connection.ts'
import { session } from './session.ts'
import { beginView, leaveView, view } from './view.ts'

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const init = {
    method: 'POST',
    headers: { 'accept-language': currentLanguage(), 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: deadline(undefined),
  }
  return exchange({ url: path, init }, 'json', { language: currentLanguage, isOffline: isOfflineNow })
}

/** Uses the link of the desk, and shows the customer's account. Rejects with a `CallError`. */
export async function openView(token: string): Promise<void> {
  const opened = (await post(viewPaths.open, { token })) as OpenedView
  const call = createClient({ token: () => null, view: () => opened.id, language: currentLanguage })
  const [profile] = await call('legacy_profile', {})
  if (profile === undefined) throw new Error('the account has no profile')
  beginView(opened)
  // Pages show an account only with a session; its token is a placeholder and is never sent.
  session.set({ ...profile, token: 'view' })
  window.location.replace('/account')
}

/**
 * Ends the view on the server, then in this tab. Rejects with a `CallError` when the server cannot be
 * reached.
 */
export async function endView(): Promise<void> {
  if (view === null) return
  await post(viewPaths.end, {}, { [viewHeader]: view.id })
  leaveView()
}
